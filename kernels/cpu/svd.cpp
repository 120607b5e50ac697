// Singular value decomposition by divide and conquer (gesdd).
#include <limits>

#include "elements.h"

namespace numerics::cpu {
namespace {

using lapack::Integer;

template <typename T, char job>  // 'A' all columns of U and Vᴴ, 'S' the first min(m, n), 'N' none
class Gesdd {
 public:
  Gesdd(const Stack& stack, Workspace& workspace)
      : m_(stack.size('m')),
        n_(stack.size('n')),
        k_(std::min(m_, n_)),
        u_columns_(job == 'A'   ? m_
                   : job == 'S' ? k_
                                : 0),
        v_rows_(job == 'A'   ? n_
                : job == 'S' ? k_
                             : 0),
        A_(workspace.take<T>(m_ * n_)),
        U_(workspace.take<T>(m_ * u_columns_)),
        Vh_(workspace.take<T>(v_rows_ * n_)),
        s_(workspace.take<double>(k_)) {
    if (k_ == 0) return;
    if (lapack::is_complex<T>) real_work_ = workspace.take<double>(real_work_length());
    integer_work_ = workspace.take<Integer>(8 * k_);
    T size(0);
    Integer query = -1;
    run(&size, &query);
    work_length_ = std::max(least_work(), static_cast<Integer>(std::real(size)));
    work_ = workspace.take<T>(work_length_);
  }

  std::int64_t operator()(Stack& stack) {
    std::int64_t info = 0;
    if (k_ == 0) {
      fill_identity(U_, m_, u_columns_);
      fill_identity(Vh_, v_rows_, n_);
    } else {
      load_input(stack, 0, m_, n_, A_, m_);
      if (all_finite(A_, m_ * n_)) {
        Integer length = work_length_;
        info = run(work_, &length);
      } else if (any_nan(A_, m_ * n_)) {
        info = kNotFinite;
      } else {
        fill_nan();
      }
    }
    const int s_output = job == 'N' ? 0 : 1;
    store_output<double>(stack, s_output, k_, 1, [&](Index i, Index) { return s_[i]; });
    if constexpr (job != 'N') {
      store_output<T>(stack, 0, m_, u_columns_, [&](Index i, Index j) { return U_[j * m_ + i]; });
      store_output<T>(stack, 2, v_rows_, n_,
                      [&](Index i, Index j) { return Vh_[j * v_rows_ + i]; });
    }
    return info;
  }

 private:
  // Of an infinite matrix nothing is known. gesdd returns NaN too, if it ever returns.
  void fill_nan() {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    std::fill(s_, s_ + k_, kNaN);
    std::fill(U_, U_ + m_ * u_columns_, T(kNaN));
    std::fill(Vh_, Vh_ + v_rows_ * n_, T(kNaN));
  }

  static void fill_identity(T* to, Index rows, Index columns) {
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < rows; ++i) to[j * rows + i] = T(i == j);
    }
  }

  // The best length may overflow LAPACK's integers where this does not.
  Integer least_work() const {
    const Integer k = k_, longer = std::max(m_, n_);
    if (lapack::is_complex<T>) return (job == 'N' ? 2 * k : k * k + 3 * k) + longer;
    return (job == 'N' ? 10 * k : 4 * k * k + 7 * k) + longer;
  }

  // LAPACK 3.6 and later: 7k without vectors (5k suffices from 3.7 on), else the larger of
  // 5k² + 5k and 2·max(m, n)·k + 2k² + k.
  Index real_work_length() const {
    if (job == 'N') return 7 * k_;
    return std::max(5 * k_ * k_ + 5 * k_, 2 * std::max(m_, n_) * k_ + 2 * k_ * k_ + k_);
  }

  std::int64_t run(T* work, Integer* length) {
    char wanted = job;
    Integer m = m_, n = n_, u_leading = std::max<Index>(1, m_),
            v_leading = std::max<Index>(1, v_rows_), info = 0;
    if constexpr (lapack::is_complex<T>) {
      lapack::call<T>(lapack::gesdd, &wanted, &m, &n, A_, &m, s_, U_, &u_leading, Vh_, &v_leading,
                      work, length, real_work_, integer_work_, &info);
    } else {
      lapack::call<T>(lapack::gesdd, &wanted, &m, &n, A_, &m, s_, U_, &u_leading, Vh_, &v_leading,
                      work, length, integer_work_, &info);
    }
    return lapack::value(info);
  }

  Index m_, n_, k_, u_columns_, v_rows_;
  T* A_;
  T* U_;
  T* Vh_;
  double* s_;
  double* real_work_ = nullptr;
  Integer* integer_work_ = nullptr;
  Integer work_length_ = 0;
  T* work_ = nullptr;
};

template <typename T>
using SvdFull = Gesdd<T, 'A'>;
template <typename T>
using SvdReduced = Gesdd<T, 'S'>;
template <typename T>
using SvdValues = Gesdd<T, 'N'>;

// LAPACK's least workspaces for real matrices, the larger ones: 4k² + 7k and the long side with
// vectors, 10k and the long side without.
double largest_svd(const Stack& stack) {
  const double m = static_cast<double>(stack.size('m')), n = static_cast<double>(stack.size('n'));
  const double k = std::min(m, n);
  return 4 * k * k + 7 * k + std::max(m, n);
}
double largest_svdvals(const Stack& stack) {
  const double m = static_cast<double>(stack.size('m')), n = static_cast<double>(stack.size('n'));
  return 10 * std::min(m, n) + std::max(m, n);
}

}  // namespace

const std::vector<Native> kSvd = {
    {"gesdd_full", NATIVE_RUN(SvdFull), &largest_svd, {}},
    {"gesdd_reduced", NATIVE_RUN(SvdReduced), &largest_svd, {}},
    {"gesdd_values", NATIVE_RUN(SvdValues), &largest_svdvals, {}},
};

}  // namespace numerics::cpu
