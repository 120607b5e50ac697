// Least squares of minimal norm by the SVD (gelsd).
#include "elements.h"

namespace numerics::cpu {
namespace {

using lapack::Integer;

template <typename T>
class Gelsd {
 public:
  Gelsd(const Stack& stack, Workspace& workspace)
      : m_(stack.size('m')),
        n_(stack.size('n')),
        r_(stack.size('r')),
        k_(std::min(m_, n_)),
        a_leading_(std::max<Index>(1, m_)),
        b_leading_(std::max<Index>(1, std::max(m_, n_))),
        rcond_(stack.options.rcond),
        A_(workspace.take<T>(m_ * n_)),
        b_(workspace.take<T>(b_leading_ * r_)),
        s_(workspace.take<double>(k_)) {
    if (k_ == 0 || r_ == 0) return;
    T size(0);
    double real_size = 0;
    Integer integer_size = 0, query = -1, rank = 0;
    real_work_ = &real_size;
    integer_work_ = &integer_size;
    run(&size, &query, &rank);
    work_length_ = static_cast<Integer>(std::real(size));
    work_ = workspace.take<T>(work_length_);
    real_work_ = workspace.take<double>(static_cast<Index>(real_size));
    integer_work_ = workspace.take<Integer>(lapack::value(integer_size));
  }

  std::int64_t operator()(Stack& stack) {
    std::int64_t info = 0;
    Integer rank = 0;
    std::fill(b_, b_ + b_leading_ * r_, T(0));
    load_input(stack, 1, m_, r_, b_, b_leading_);
    if (k_ > 0 && r_ > 0) {
      load_input(stack, 0, m_, n_, A_, a_leading_);
      if (!all_finite(A_, m_ * n_)) return kNotFinite;  // gelsd would print its complaint
      Integer length = work_length_;
      info = run(work_, &length, &rank);
    }
    const Index found = static_cast<Index>(lapack::value(rank));
    store_output<T>(stack, 0, n_, r_, [&](Index i, Index j) { return b_[j * b_leading_ + i]; });
    store_output<double>(stack, 1, r_, 1, [&](Index j, Index) { return residual(j, found); });
    *reinterpret_cast<int*>(stack.output(2).data) = static_cast<int>(found);
    store_output<double>(stack, 3, k_, 1, [&](Index i, Index) { return s_[i]; });
    return info;
  }

 private:
  // Of an overdetermined system of full rank, gelsd leaves the residual in rows n to m.
  double residual(Index j, Index rank) const {
    if (rank != n_ || m_ <= n_) return 0;
    double sum = 0;
    for (Index i = n_; i < m_; ++i) sum += std::norm(b_[j * b_leading_ + i]);
    return sum;
  }

  std::int64_t run(T* work, Integer* length, Integer* rank) {
    Integer m = m_, n = n_, r = r_, lda = a_leading_, ldb = b_leading_, info = 0;
    if constexpr (lapack::is_complex<T>) {
      lapack::call<T>(lapack::gelsd, &m, &n, &r, A_, &lda, b_, &ldb, s_, &rcond_, rank, work,
                      length, real_work_, integer_work_, &info);
    } else {
      lapack::call<T>(lapack::gelsd, &m, &n, &r, A_, &lda, b_, &ldb, s_, &rcond_, rank, work,
                      length, integer_work_, &info);
    }
    return lapack::value(info);
  }

  Index m_, n_, r_, k_, a_leading_, b_leading_;
  double rcond_;
  T* A_;
  T* b_;
  double* s_;
  double* real_work_ = nullptr;
  Integer* integer_work_ = nullptr;
  Integer work_length_ = 0;
  T* work_ = nullptr;
};

// LAPACK's least workspace, k·(12 + 2·25 + 8·levels + r) + 26² with levels < 32, or a dimension.
double largest_lstsq(const Stack& stack) {
  const double m = static_cast<double>(stack.size('m')), n = static_cast<double>(stack.size('n'));
  const double r = static_cast<double>(stack.size('r')), k = std::min(m, n);
  return std::max({m, n, r, k * (12 + 2 * 25 + 8 * 32 + r) + 26 * 26});
}

}  // namespace

const std::vector<Native> kLstsq = {
    {"gelsd", NATIVE_RUN(Gelsd), &largest_lstsq, {"rcond"}},
};

}  // namespace numerics::cpu
