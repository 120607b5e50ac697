// Singular value decomposition: divide and conquer (gesdd), QR iteration (gesvd; of small matrices,
// and where gesdd fails), and Jacobi rotations for what these two get wrong.
#pragma once

#include <limits>
#include <optional>

#include "elements.h"
#include "jacobi.h"

namespace numerics::cpu {

// One matrix in columns, and its results.
template <typename T>
struct Decomposition {
  Index m, n, u_columns, v_rows;
  T* A;
  T* U;
  double* s;
  T* Vh;

  Index k() const { return std::min(m, n); }
};

template <typename T, char job>
class Gesdd {
 public:
  Gesdd(const Decomposition<T>& matrix, Workspace& workspace) : matrix_(matrix) {
    if (lapack::is_complex<T>) real_work_ = workspace.take<double>(real_work_length());
    integer_work_ = workspace.take<lapack::Integer>(8 * matrix.k());
    work_ = best_work<T>(
        workspace, known_, matrix.m, matrix.n,
        [&](T* work, lapack::Integer* length) { run(work, length); }, least_work());
  }

  std::int64_t operator()() { return run(work_.data, &work_.length); }

 private:
  // The best length may overflow LAPACK's integers where this does not.
  lapack::Integer least_work() const {
    const lapack::Integer k = matrix_.k(), longer = std::max(matrix_.m, matrix_.n);
    if (lapack::is_complex<T>) return (job == 'N' ? 2 * k : k * k + 3 * k) + longer;
    return (job == 'N' ? 10 * k : 4 * k * k + 7 * k) + longer;
  }

  // LAPACK 3.6 and later: 7k without vectors (5k suffices from 3.7 on), else the larger of
  // 5k² + 5k and 2·max(m, n)·k + 2k² + k.
  Index real_work_length() const {
    const Index k = matrix_.k(), longer = std::max(matrix_.m, matrix_.n);
    if (job == 'N') return 7 * k;
    return std::max(5 * k * k + 5 * k, 2 * longer * k + 2 * k * k + k);
  }

  std::int64_t run(T* work, lapack::Integer* length) {
    char wanted = job;
    lapack::Integer m = matrix_.m, n = matrix_.n, u_leading = std::max<Index>(1, m),
                    v_leading = std::max<Index>(1, matrix_.v_rows), info = 0;
    if constexpr (lapack::is_complex<T>) {
      lapack::call<T>(lapack::gesdd, &wanted, &m, &n, matrix_.A, &m, matrix_.s, matrix_.U,
                      &u_leading, matrix_.Vh, &v_leading, work, length, real_work_, integer_work_,
                      &info);
    } else {
      lapack::call<T>(lapack::gesdd, &wanted, &m, &n, matrix_.A, &m, matrix_.s, matrix_.U,
                      &u_leading, matrix_.Vh, &v_leading, work, length, integer_work_, &info);
    }
    return lapack::value(info);
  }

  Decomposition<T> matrix_;
  double* real_work_ = nullptr;
  lapack::Integer* integer_work_ = nullptr;
  Work<T> work_;
  static inline KnownLengths known_;
};

template <typename T, char job>
class Gesvd {
 public:
  Gesvd(const Decomposition<T>& matrix, Workspace& workspace) : matrix_(matrix) {
    if (lapack::is_complex<T>) real_work_ = workspace.take<double>(5 * matrix.k());
    work_ = best_work<T>(
        workspace, known_, matrix.m, matrix.n,
        [&](T* work, lapack::Integer* length) { run(work, length); }, least_work());
  }

  std::int64_t operator()() { return run(work_.data, &work_.length); }

 private:
  lapack::Integer least_work() const {
    const lapack::Integer k = matrix_.k(), longer = std::max(matrix_.m, matrix_.n);
    return lapack::is_complex<T> ? 2 * k + longer : std::max(3 * k + longer, 5 * k);
  }

  std::int64_t run(T* work, lapack::Integer* length) {
    char wanted = job;
    lapack::Integer m = matrix_.m, n = matrix_.n, u_leading = std::max<Index>(1, m),
                    v_leading = std::max<Index>(1, matrix_.v_rows), info = 0;
    if constexpr (lapack::is_complex<T>) {
      lapack::call<T>(lapack::gesvd, &wanted, &wanted, &m, &n, matrix_.A, &m, matrix_.s, matrix_.U,
                      &u_leading, matrix_.Vh, &v_leading, work, length, real_work_, &info);
    } else {
      lapack::call<T>(lapack::gesvd, &wanted, &wanted, &m, &n, matrix_.A, &m, matrix_.s, matrix_.U,
                      &u_leading, matrix_.Vh, &v_leading, work, length, &info);
    }
    return lapack::value(info);
  }

  Decomposition<T> matrix_;
  double* real_work_ = nullptr;
  Work<T> work_;
  static inline KnownLengths known_;
};

template <typename T>
class Jacobi {
 public:
  Jacobi(const Decomposition<T>& matrix, Workspace& workspace)
      : matrix_(matrix),
        decompose_(matrix.m, matrix.n, matrix.u_columns, matrix.v_rows, workspace) {}

  std::int64_t operator()() { return decompose_(matrix_.A, matrix_.U, matrix_.s, matrix_.Vh); }

 private:
  Decomposition<T> matrix_;
  JacobiSvd<T> decompose_;
};

// Are the magnitudes of the rows, or of the columns, further apart than 2^26? Zeros do not count.
//
// The small singular values of D₁ C D₂ have relative errors of about eps·κ(C) by Jacobi rotations
// and eps·κ(D₁ C D₂) otherwise, so that rotations gain what the diagonals are apart, and no more.
// Up to 2^26 all singular values that are not small in C as well keep half of their digits anyway.
template <typename T>
class Grading {
 public:
  Grading(Index m, Index n, Workspace& workspace)
      : m_(m), n_(n), rows_(workspace.take<double>(m)) {}

  bool operator()(const T* A) {
    if (m_ < 2 || n_ < 2) return false;
    Range columns, rows;
    std::fill(rows_, rows_ + m_, 0.0);
    for (Index j = 0; j < n_; ++j) {
      double largest = 0;
      for (Index i = 0; i < m_; ++i) {
        const double size = largest_part(A[j * m_ + i]);
        rows_[i] = std::max(rows_[i], size);
        largest = std::max(largest, size);
      }
      columns.add(largest);
    }
    for (Index i = 0; i < m_; ++i) rows.add(rows_[i]);
    return columns.is_wide() || rows.is_wide();
  }

 private:
  struct Range {
    double least = std::numeric_limits<double>::infinity(), most = 0;

    void add(double size) {
      if (size == 0) return;
      least = std::min(least, size);
      most = std::max(most, size);
    }
    bool is_wide() const { return least < most * 0x1p-26; }
  };

  Index m_, n_;
  double* rows_;
};

// The decomposition of the matrix at hand of a stack.
template <typename T, char job>  // 'A' all columns of U and Vᴴ, 'S' the first min(m, n), 'N' none
class SingularValues {
 public:
  SingularValues(const Stack& stack, Workspace& workspace)
      : matrix(take(stack.size('m'), stack.size('n'), workspace)),
        workspace_(workspace),
        driver_(stack.options.driver),
        is_graded_(matrix.m, matrix.n, workspace) {}

  std::int64_t operator()(const Stack& stack) {
    const auto [m, n, u_columns, v_rows, A, U, s, Vh] = matrix;
    if (matrix.k() == 0) {
      fill_identity(U, m, u_columns);
      fill_identity(Vh, v_rows, n);
      return 0;
    }
    load_input(stack, 0, m, n, A, m);
    if (!all_finite(A, m * n)) {
      if (any_nan(A, m * n)) return kNotFinite;
      fill_nan();
      return 0;
    }
    const bool is_halved = halve();
    const std::int64_t info = decompose(stack);
    if (is_halved) std::transform(s, s + matrix.k(), s, [](double x) { return 2 * x; });
    return info;
  }

  const Decomposition<T> matrix;

 private:
  static Decomposition<T> take(Index m, Index n, Workspace& workspace) {
    const Index k = std::min(m, n);
    const Index u_columns = job == 'A' ? m : job == 'S' ? k : 0;
    const Index v_rows = job == 'A' ? n : job == 'S' ? k : 0;
    T* A = workspace.take<T>(m * n);
    T* U = workspace.take<T>(m * u_columns);
    T* Vh = workspace.take<T>(v_rows * n);
    return {m, n, u_columns, v_rows, A, U, workspace.take<double>(k), Vh};
  }

  std::int64_t decompose(const Stack& stack) {
    switch (driver_) {
      case Driver::gesdd: return run(gesdd_);
      case Driver::gesvd: return run(gesvd_);
      case Driver::jacobi: return run(jacobi_);
      case Driver::automatic: break;
    }
    const bool prefers_iteration = is_iterated(std::max(matrix.m, matrix.n));
    const std::int64_t info = is_graded_(matrix.A) ? run(jacobi_)
                              : prefers_iteration  ? run(gesvd_)
                                                   : run(gesdd_);
    if (info == 0) return info;
    load_input(stack, 0, matrix.m, matrix.n, matrix.A, matrix.m);  // it has been destroyed
    halve();
    return prefers_iteration ? run(gesdd_) : run(gesvd_);
  }

  // Small matrices are not divided by gesdd, whose way to the QR iteration is longer then than that
  // of gesvd: by a third for two rows, a tenth for four, a twentieth for 16. Of complex ones it has
  // the real work done by the faster routines from six rows on.
  static bool is_iterated(Index longer) { return longer <= (lapack::is_complex<T> ? 5 : 16); }

  // Complex numbers of finite parts may be of infinite magnitude; their halves are not. True if the
  // matrix was halved.
  bool halve() {
    if (!lapack::is_complex<T>) return false;
    const Index count = matrix.m * matrix.n;
    const auto is_huge = [](const T& z) { return largest_part(z) > 0x1p1022; };
    if (std::none_of(matrix.A, matrix.A + count, is_huge)) return false;
    for (Index i = 0; i < count; ++i) matrix.A[i] *= 0.5;
    return true;
  }

  // Scratch memory is only taken for what runs.
  template <typename Method>
  std::int64_t run(std::optional<Method>& method) {
    if (!method) method.emplace(matrix, workspace_);
    return (*method)();
  }

  // Of an infinite matrix nothing is known. gesdd returns NaN too, if it ever returns.
  void fill_nan() {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    std::fill(matrix.s, matrix.s + matrix.k(), kNaN);
    std::fill(matrix.U, matrix.U + matrix.m * matrix.u_columns, T(kNaN));
    std::fill(matrix.Vh, matrix.Vh + matrix.v_rows * matrix.n, T(kNaN));
  }

  static void fill_identity(T* to, Index rows, Index columns) {
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < rows; ++i) to[j * rows + i] = T(i == j);
    }
  }

  Workspace& workspace_;
  Driver driver_;
  Grading<T> is_graded_;
  std::optional<Gesdd<T, job>> gesdd_;
  std::optional<Gesvd<T, job>> gesvd_;
  std::optional<Jacobi<T>> jacobi_;
};

}  // namespace numerics::cpu
