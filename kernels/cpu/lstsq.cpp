// Least squares of minimal norm by the SVD (gelsd).
#include "elements.h"

namespace numerics::cpu {
namespace {

using lapack::Integer;

// Numbers below 2^kInRange may be multiplied with each other, squared and summed, and so may those
// above 2^-kInRange.
constexpr int kInRange = 400;

// ‖b - A x‖ is smallest, and of all such x this is the shortest. A and each column of b are scaled
// on their own, since LAPACK scales b as a whole and loses columns far below the largest.
template <typename T>
class Gelsd {
 public:
  Gelsd(const Stack& stack, Workspace& workspace)
      : m_(stack.size('m')),
        n_(stack.size('n')),
        r_(stack.size('r')),
        k_(std::min(m_, n_)),
        columns_(std::max<Index>(1, r_)),
        a_leading_(std::max<Index>(1, m_)),
        b_leading_(std::max<Index>(1, std::max(m_, n_))),
        A_(workspace.take<T>(m_ * n_)),
        b_(workspace.take<T>(b_leading_ * columns_)),
        s_(workspace.take<double>(k_)),
        exponents_(workspace.take<int>(columns_)),
        is_finite_(workspace.take<char>(columns_)) {
    if (k_ == 0) return;
    const Lengths lengths = ask();
    work_length_ = lengths.work;
    work_ = workspace.take<T>(lengths.work);
    real_work_ = workspace.take<double>(lengths.real);
    integer_work_ = workspace.take<Integer>(lengths.integer);
  }

  std::int64_t operator()(Stack& stack) {
    const std::vector<double>& tolerances = *stack.options.rcond;
    const auto last = static_cast<Index>(tolerances.size()) - 1;
    const double rcond = tolerances[std::min(stack.matrix(), last)];
    std::int64_t info = 0;
    Integer rank = 0;
    load_right_hand_sides(stack);
    int exponent = 0;
    if (k_ > 0) {
      load_input(stack, 0, m_, n_, A_, a_leading_);
      if (!all_finite(A_, m_ * n_)) return kNotFinite;  // gelsd would print its complaint
      exponent = take_exponent(A_, m_ * n_, kInRange);
      Integer length = work_length_;
      info = run(work_, &length, rcond, &rank);
    }
    const Index found = static_cast<Index>(lapack::value(rank));
    store_output<T>(stack, 0, n_, r_, [&](Index i, Index j) {
      return is_finite_[j] ? times_power(b_[j * b_leading_ + i], exponents_[j] - exponent)
                           : T(kNaN);
    });
    store_output<double>(stack, 1, r_, 1, [&](Index j, Index) { return residual(j, found); });
    integer(stack.output(2), 0) = static_cast<int>(found);
    store_output<double>(stack, 3, k_, 1,
                         [&](Index i, Index) { return std::ldexp(s_[i], exponent); });
    return info;
  }

 private:
  struct Lengths {
    Integer work, real, integer;
  };

  // Of one right-hand side the answers are remembered.
  Lengths ask() {
    const bool is_one = columns_ == 1;
    Lengths lengths = {known_[0].find(m_, n_), known_[1].find(m_, n_), known_[2].find(m_, n_)};
    const bool is_known = lengths.work != 0 && lengths.real != 0 && lengths.integer != 0;
    if (is_one && is_known) return lengths;
    T size(0);
    double real_size = 1;  // of real matrices there is no answer
    Integer integer_size = 0, query = -1, rank = 0;
    real_work_ = &real_size;
    integer_work_ = &integer_size;
    run(&size, &query, 0, &rank);
    lengths = {static_cast<Integer>(std::real(size)), static_cast<Integer>(real_size),
               lapack::value(integer_size)};
    if (is_one) {
      known_[0].set(m_, n_, lengths.work);
      known_[1].set(m_, n_, lengths.real);
      known_[2].set(m_, n_, lengths.integer);
    }
    return lengths;
  }

  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

  // A column with NaN or infinity is solved as zero, so that it does not touch the others.
  void load_right_hand_sides(const Stack& stack) {
    std::fill(b_, b_ + b_leading_ * columns_, T(0));
    load_input(stack, 1, m_, r_, b_, b_leading_);
    for (Index j = 0; j < r_; ++j) {
      T* column = b_ + j * b_leading_;
      is_finite_[j] = all_finite(column, m_);
      if (!is_finite_[j]) std::fill(column, column + m_, T(0));
      exponents_[j] = take_exponent(column, m_, kInRange);
    }
  }

  // Of an overdetermined system of full rank, gelsd leaves the residual in rows n to m.
  double residual(Index j, Index rank) const {
    if (!is_finite_[j]) return kNaN;
    if (m_ <= n_) return 0;
    if (rank != n_) return kNaN;
    double sum = 0;
    for (Index i = n_; i < m_; ++i) sum += std::norm(b_[j * b_leading_ + i]);
    return std::ldexp(sum, 2 * exponents_[j]);
  }

  std::int64_t run(T* work, Integer* length, double rcond, Integer* rank) {
    Integer m = m_, n = n_, r = columns_, lda = a_leading_, ldb = b_leading_, info = 0;
    if constexpr (lapack::is_complex<T>) {
      lapack::call<T>(lapack::gelsd, &m, &n, &r, A_, &lda, b_, &ldb, s_, &rcond, rank, work, length,
                      real_work_, integer_work_, &info);
    } else {
      lapack::call<T>(lapack::gelsd, &m, &n, &r, A_, &lda, b_, &ldb, s_, &rcond, rank, work, length,
                      integer_work_, &info);
    }
    return lapack::value(info);
  }

  Index m_, n_, r_, k_, columns_, a_leading_, b_leading_;
  T* A_;
  T* b_;
  double* s_;
  int* exponents_;  // of the columns of b
  char* is_finite_;
  double* real_work_ = nullptr;
  Integer* integer_work_ = nullptr;
  Integer work_length_ = 0;
  T* work_ = nullptr;
  static inline KnownLengths known_[3];
};

// LAPACK's least workspace, k·(12 + 2·25 + 8·levels + r) + 26² with levels < 32, or a dimension.
double largest_lstsq(const Stack& stack) {
  const double m = static_cast<double>(stack.size('m')), n = static_cast<double>(stack.size('n'));
  const double r = static_cast<double>(std::max<Index>(1, stack.size('r'))), k = std::min(m, n);
  return std::max({m, n, r, k * (12 + 2 * 25 + 8 * 32 + r) + 26 * 26});
}

}  // namespace

const std::vector<Native> kLstsq = {
    {"gelsd", NATIVE_RUN(Gelsd), &largest_lstsq, {"rcond"}},
};

}  // namespace numerics::cpu
