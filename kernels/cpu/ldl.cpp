// Symmetric and Hermitian indefinite systems: A = L D Lᵀ or L D Lᴴ by Bunch and Kaufman's pivoting.
#include "elements.h"

namespace numerics::cpu {
namespace {

using lapack::Integer;

// L below the diagonal of ones that is not stored, and the blocks of D, in the lower triangle; the
// upper one is zero. Pivots as LAPACK has them: i > 0 for a block of one row, exchanged with row i,
// two times -i for a block of two. A singular D is no failure: the factorization exists.
template <typename T>
class Sytrf {
 public:
  Sytrf(const Stack& stack, Workspace& workspace)
      : n_(stack.size('n')),
        routine_(stack.options.hermitian ? lapack::hetrf : lapack::sytrf),
        A_(workspace.take<T>(n_ * n_)),
        pivots_(workspace.take<Integer>(n_)) {
    if (n_ == 0) return;
    KnownLengths& known = known_[routine_ == lapack::hetrf];
    work_ = best_work<T>(workspace, known, n_, n_,
                         [&](T* work, Integer* length) { run(work, length); });
  }

  std::int64_t operator()(Stack& stack) {
    if (n_ == 0) return 0;
    load_input(stack, 0, n_, n_, A_, n_);
    if (stack.options.hermitian) {
      for (Index i = 0; i < n_; ++i) A_[i * n_ + i] = T(std::real(A_[i * n_ + i]));
    }
    run(work_.data, &work_.length);
    store_output<T>(stack, 0, n_, n_,
                    [&](Index i, Index j) { return i >= j ? A_[j * n_ + i] : T(0); });
    const View pivots = stack.output(1);
    for (Index i = 0; i < n_; ++i) {
      integer(pivots, i) = static_cast<int>(lapack::element(pivots_, i));
    }
    return 0;
  }

 private:
  void run(T* work, Integer* length) {
    char lower = 'L';
    Integer n = n_, info = 0;
    lapack::call<T>(routine_, &lower, &n, A_, &n, pivots_, work, length, &info);
  }

  Index n_;
  lapack::Routine routine_;
  T* A_;
  Integer* pivots_;
  Work<T> work_;
  static inline KnownLengths known_[2];  // of sytrf, of hetrf
};

template <typename T>
class Sytrs {
 public:
  Sytrs(const Stack& stack, Workspace& workspace)
      : n_(stack.size('n')),
        A_(workspace.take<T>(n_ * n_)),
        b_(stack, workspace),
        pivots_(workspace.take<Integer>(n_)) {}

  std::int64_t operator()(Stack& stack) {
    load_input(stack, 0, n_, n_, A_, n_);
    b_.load(stack, 2);
    const std::int64_t info = take_pivots(stack.input(1));
    if (info != 0) return info;
    if (n_ > 0 && b_.k > 0) {
      const auto routine = stack.options.hermitian ? lapack::hetrs : lapack::sytrs;
      char lower = 'L';
      Integer n = n_, k = b_.k, ignored = 0;
      lapack::call<T>(routine, &lower, &n, &k, A_, &n, pivots_, b_.columns, &n, &ignored);
    }
    b_.store(stack);
    return 0;
  }

 private:
  // Returns kNotPivots, the first row of a block that is singular, counted from 1, or 0. Bunch and
  // Kaufman take two rows at a time only where the entry between them is the largest.
  std::int64_t take_pivots(const View& pivots) {
    std::int64_t singular = 0;
    for (Index i = 0; i < n_; ++i) {
      const int row = integer(pivots, i);
      const bool is_pair = row < 0;
      if (row == 0 || row > n_ || row < -n_) return kNotPivots;
      if (is_pair && (i + 1 == n_ || integer(pivots, i + 1) != row)) return kNotPivots;
      const T& decisive = A_[i * n_ + i + (is_pair ? 1 : 0)];
      if (singular == 0 && decisive == T(0)) singular = i + 1;
      lapack::set_element(pivots_, i, row);
      if (is_pair) lapack::set_element(pivots_, ++i, row);
    }
    return singular;
  }

  Index n_;
  T* A_;
  RightHandSides<T> b_;
  Integer* pivots_;
};

// The blocked factorization takes at most 64 columns of work.
double largest_factor(const Stack& stack) { return 64 * static_cast<double>(stack.size('n')); }

double largest_size(const Stack& stack) {
  return static_cast<double>(std::max(stack.size('n'), stack.size('k')));
}

}  // namespace

const std::vector<Native> kLdl = {
    {"sytrf", NATIVE_RUN(Sytrf), &largest_factor, {"hermitian"}},
    {"sytrs", NATIVE_RUN(Sytrs), &largest_size, {"hermitian"}},
};

}  // namespace numerics::cpu
