// Cholesky and QR factorizations, and products of reflectors.
#include "small_stack.h"

namespace numerics::cpu {
namespace {

using lapack::Integer;

// A = L Lᴴ, or Uᴴ U with `upper`; the triangle that is not read is zero in the result. Up to kSmall
// rows the elimination is written out, for there a call of LAPACK costs more than the work.
template <typename T>
class Potrf {
 public:
  static constexpr bool kHasUnrolled = true;
  static SmallKernel small(const SmallKernels& kernels) {
    return small_family<T>(kernels).cholesky;
  }

  Potrf(const Stack& stack, Workspace& workspace)
      : n_(stack.size('n')), upper_(stack.options.upper), A_(workspace.take<T>(n_ * n_)) {}

  std::int64_t operator()(Stack& stack) {
    if (n_ == 0) return 0;
    load_input(stack, 0, n_, n_, A_, n_);
    const std::int64_t info = n_ <= kSmall ? factor_small() : factor();
    if (info == 0) spread_nan();
    store_output<T>(stack, 0, n_, n_, [&](Index i, Index j) {
      return (upper_ ? i <= j : i >= j) ? A_[j * n_ + i] : T(0);
    });
    return info;
  }

 private:
  static constexpr Index kSmall = 4;

  std::int64_t factor() {
    char triangle = upper_ ? 'U' : 'L';
    Integer n = n_, info = 0;
    lapack::call<T>(lapack::potrf, &triangle, &n, A_, &n, &info);
    return lapack::value(info);
  }

  // A matrix that holds NaN has NaN for its factor, wherever in the elimination it was met: at the
  // latest, its row's pivot is NaN.
  void spread_nan() {
    bool has_nan = false;
    for (Index j = 0; j < n_; ++j) has_nan |= A_[j * n_ + j] != A_[j * n_ + j];
    if (has_nan) std::fill(A_, A_ + n_ * n_, T(std::numeric_limits<double>::quiet_NaN()));
  }

  // Entry (i, j), i >= j, of L or of the transpose of U, in the triangle that is read. Both obey
  // a(i, j) = sum over k of entry(i, k) * conjugate(entry(j, k)), so one elimination does both.
  T& entry(Index i, Index j) { return upper_ ? A_[i * n_ + j] : A_[j * n_ + i]; }

  std::int64_t factor_small() {
    for (Index j = 0; j < n_; ++j) {
      double pivot = std::real(entry(j, j));
      for (Index k = 0; k < j; ++k) pivot -= std::norm(entry(j, k));
      if (pivot <= 0) return j + 1;  // NaN goes on, as in LAPACK
      const double root = std::sqrt(pivot);
      entry(j, j) = T(root);
      for (Index i = j + 1; i < n_; ++i) {
        T sum = entry(i, j);
        for (Index k = 0; k < j; ++k) sum -= entry(i, k) * conjugate(entry(j, k));
        entry(i, j) = sum / root;
      }
    }
    return 0;
  }

  Index n_;
  bool upper_;
  T* A_;
};

// Householder QR of an m × n matrix: the factored form, shared by all four faces below.
template <typename T>
class Geqrf {
 public:
  // `columns` of Q will be formed by `form_q`, at least min(m, n); 0 if Q is not wanted.
  Geqrf(const Stack& stack, Workspace& workspace, Index columns)
      : m(stack.size('m')),
        n(stack.size('n')),
        k(std::min(m, n)),
        leading(std::max<Index>(1, m)),
        A(workspace.take<T>(m * std::max(n, columns))),
        tau(workspace.take<T>(k)) {
    if (k == 0) return;
    T size(0);
    Integer query = -1;
    run_geqrf(&size, &query);
    // Of a very wide matrix the best length overflows LAPACK's integers, but one row is enough.
    const Index least = std::max(n, columns);
    work_length_ = std::max(least, static_cast<Index>(std::real(size)));
    if (columns > 0) {
      run_orgqr(columns, &size, &query);
      work_length_ = std::max(work_length_, static_cast<Index>(std::real(size)));
    }
    work_ = workspace.take<T>(work_length_);
  }

  std::int64_t factor(const Stack& stack) {
    if (k == 0) return 0;
    load_input(stack, 0, m, n, A, leading);
    Integer length = work_length_;
    return run_geqrf(work_, &length);
  }

  // Overwrites the reflectors with the first `columns` columns of Q.
  std::int64_t form_q(Index columns) {
    if (k == 0) {
      for (Index j = 0; j < columns; ++j) {
        for (Index i = 0; i < m; ++i) A[j * leading + i] = T(i == j);
      }
      return 0;
    }
    Integer length = work_length_;
    return run_orgqr(columns, work_, &length);
  }

  void store_r(Stack& stack, int output, Index rows) {
    store_output<T>(stack, output, rows, n,
                    [&](Index i, Index j) { return i <= j ? A[j * leading + i] : T(0); });
  }

  const Index m, n, k, leading;
  T* const A;
  T* const tau;

 private:
  std::int64_t run_geqrf(T* work, Integer* length) {
    Integer rows = m, columns = n, lda = leading, info = 0;
    lapack::call<T>(lapack::geqrf, &rows, &columns, A, &lda, tau, work, length, &info);
    return lapack::value(info);
  }
  std::int64_t run_orgqr(Index columns, T* work, Integer* length) {
    Integer rows = m, wanted = columns, reflectors = k, lda = leading, info = 0;
    lapack::call<T>(lapack::orgqr, &rows, &wanted, &reflectors, A, &lda, tau, work, length, &info);
    return lapack::value(info);
  }

  Index work_length_ = 0;
  T* work_ = nullptr;
};

// h and tau as LAPACK leaves them, h transposed.
template <typename T>
class QrRaw {
 public:
  QrRaw(const Stack& stack, Workspace& workspace) : qr_(stack, workspace, 0) {}
  std::int64_t operator()(Stack& stack) {
    const std::int64_t info = qr_.factor(stack);
    store_output<T>(stack, 0, qr_.n, qr_.m,
                    [&](Index i, Index j) { return qr_.A[i * qr_.leading + j]; });
    store_output<T>(stack, 1, qr_.k, 1, [&](Index i, Index) { return qr_.tau[i]; });
    return info;
  }

 private:
  Geqrf<T> qr_;
};

template <typename T>
class QrTriangle {
 public:
  QrTriangle(const Stack& stack, Workspace& workspace) : qr_(stack, workspace, 0) {}
  std::int64_t operator()(Stack& stack) {
    const std::int64_t info = qr_.factor(stack);
    qr_.store_r(stack, 0, qr_.k);
    return info;
  }

 private:
  Geqrf<T> qr_;
};

// Q (m × columns) and R (columns × n).
template <typename T, bool complete>
class QrFactors {
 public:
  QrFactors(const Stack& stack, Workspace& workspace)
      : columns_(complete ? stack.size('m') : std::min(stack.size('m'), stack.size('n'))),
        qr_(stack, workspace, columns_) {}
  std::int64_t operator()(Stack& stack) {
    std::int64_t info = qr_.factor(stack);
    qr_.store_r(stack, 1, columns_);
    if (info == 0) info = qr_.form_q(columns_);
    store_output<T>(stack, 0, qr_.m, columns_,
                    [&](Index i, Index j) { return qr_.A[j * qr_.leading + i]; });
    return info;
  }

 private:
  Index columns_;
  Geqrf<T> qr_;
};

template <typename T>
using QrReduced = QrFactors<T, false>;
template <typename T>
using QrComplete = QrFactors<T, true>;

// The first n columns of H₁ H₂ … of t reflectors, m >= n >= t; what lies on and above the diagonal
// of A is not read.
template <typename T>
class Orgqr {
 public:
  Orgqr(const Stack& stack, Workspace& workspace)
      : m_(stack.size('m')),
        n_(stack.size('n')),
        t_(stack.size('t')),
        A_(workspace.take<T>(m_ * n_)),
        tau_(workspace.take<T>(t_)) {
    if (n_ == 0 || !is_possible()) return;
    work_ = best_work<T>(
        workspace, known_, m_, n_, [&](T* work, Integer* length) { run(work, length); }, n_);
  }

  std::int64_t operator()(Stack& stack) {
    if (!is_possible()) return kTooMany;
    if (n_ == 0) return 0;
    load_input(stack, 0, m_, n_, A_, m_);
    load_input(stack, 1, t_, 1, tau_, t_);
    const std::int64_t info = run(work_.data, &work_.length);
    store_output<T>(stack, 0, m_, n_, [&](Index i, Index j) { return A_[j * m_ + i]; });
    return info;
  }

 private:
  static constexpr std::int64_t kTooMany = 1;  // columns or reflectors

  bool is_possible() const { return m_ >= n_ && n_ >= t_; }

  std::int64_t run(T* work, Integer* length) {
    Integer rows = m_, columns = n_, reflectors = t_, info = 0;
    lapack::call<T>(lapack::orgqr, &rows, &columns, &reflectors, A_, &rows, tau_, work, length,
                    &info);
    return lapack::value(info);
  }

  Index m_, n_, t_;
  T *A_, *tau_;
  Work<T> work_;
  static inline KnownLengths known_;
};

double largest_size(const Stack& stack) { return static_cast<double>(stack.size('n')); }

double largest_qr(const Stack& stack) {
  return static_cast<double>(std::max(stack.size('m'), stack.size('n')));
}

}  // namespace

const std::vector<Native> kFactor = {
    {"potrf", SOLVE_RUN(Potrf), &largest_size, {"upper"}, kOfSmall},
    {"potrf_ex", SOLVE_RUN_WITH_INFO(Potrf, 'n', 'n'), &largest_size, {"upper"}, kOfSmall},
    {"geqrf_raw", NATIVE_RUN(QrRaw), &largest_qr, {}},
    {"geqrf_r", NATIVE_RUN(QrTriangle), &largest_qr, {}},
    {"geqrf_reduced", NATIVE_RUN(QrReduced), &largest_qr, {}},
    {"geqrf_complete", NATIVE_RUN(QrComplete), &largest_qr, {}},
    {"orgqr", NATIVE_RUN(Orgqr), &largest_qr, {}},
};

}  // namespace numerics::cpu
