// LU with partial pivoting: the factors, and the solutions and inverses that they yield.
#include "lu.h"
#include "small_stack.h"

namespace numerics::cpu {
namespace {

// x = A⁻¹ b. With no right-hand side A is still factored, for a singular one must be reported.
template <typename T>
class Gesv {
 public:
  static constexpr bool kHasUnrolled = true;
  static SmallKernel small(const SmallKernels& kernels) { return small_family<T>(kernels).solve; }

  Gesv(const Stack& stack, Workspace& workspace)
      : lu_(stack.size('n'), stack.size('n'), workspace), b_(stack, workspace) {}

  std::int64_t operator()(Stack& stack) {
    const std::int64_t info = lu_.factor_scaled(stack, 0);
    if (info != 0) return info;
    b_.load(stack, 1);
    lu_.solve(b_.columns, b_.k);
    b_.store(stack);
    return 0;
  }

 private:
  Lu<T> lu_;
  RightHandSides<T> b_;
};

// A⁻¹ as the solution of A X = I, which is what NumPy computes.
template <typename T>
class Inverse {
 public:
  static constexpr bool kHasUnrolled = true;
  static SmallKernel small(const SmallKernels& kernels) { return small_family<T>(kernels).inverse; }

  Inverse(const Stack& stack, Workspace& workspace)
      : n_(stack.size('n')), lu_(n_, n_, workspace), X_(workspace.take<T>(n_ * n_)) {}

  std::int64_t operator()(Stack& stack) {
    const std::int64_t info = lu_.factor_scaled(stack, 0);
    if (info != 0) return info;
    std::fill(X_, X_ + n_ * n_, T(0));
    for (Index i = 0; i < n_; ++i) X_[i * n_ + i] = T(1);
    lu_.solve(X_, n_);
    store_output<T>(stack, 0, n_, n_, [&](Index i, Index j) { return X_[j * n_ + i]; });
    return 0;
  }

 private:
  Index n_;
  Lu<T> lu_;
  T* X_;
};

// L and U in one matrix, and the row exchanges counted from 0. An exactly zero pivot is no failure:
// the factorization exists.
template <typename T>
class Getrf {
 public:
  static constexpr bool kHasUnrolled = true;
  static SmallKernel small(const SmallKernels& kernels) { return small_family<T>(kernels).lu; }

  Getrf(const Stack& stack, Workspace& workspace)
      : m_(stack.size('m')), n_(stack.size('n')), lu_(m_, n_, workspace) {}

  std::int64_t operator()(Stack& stack) {
    lu_.factor(stack, 0);
    store_output<T>(stack, 0, m_, n_, [&](Index i, Index j) { return lu_.entry(i, j); });
    const View pivots = stack.output(1);
    for (Index i = 0; i < lu_.pivot_count(); ++i) {
      integer(pivots, i) = static_cast<int>(lu_.exchanged(i));
    }
    return 0;
  }

 private:
  Index m_, n_;
  Lu<T> lu_;
};

// Row i of A is row p(i) of L U; and L and U apart, m × k and k × n.
template <typename T>
class GetrfParts {
 public:
  GetrfParts(const Stack& stack, Workspace& workspace)
      : m_(stack.size('m')),
        n_(stack.size('n')),
        lu_(m_, n_, workspace),
        rows_(workspace.take<Index>(m_)) {}

  std::int64_t operator()(Stack& stack) {
    lu_.factor(stack, 0);
    for (Index i = 0; i < m_; ++i) rows_[i] = i;
    for (Index i = 0; i < lu_.pivot_count(); ++i) std::swap(rows_[i], rows_[lu_.exchanged(i)]);
    const View p = stack.output(0);
    for (Index i = 0; i < m_; ++i) integer(p, rows_[i]) = static_cast<int>(i);
    store_output<T>(stack, 1, m_, lu_.pivot_count(),
                    [&](Index i, Index j) { return i > j ? lu_.entry(i, j) : T(i == j); });
    store_output<T>(stack, 2, lu_.pivot_count(), n_,
                    [&](Index i, Index j) { return i <= j ? lu_.entry(i, j) : T(0); });
    return 0;
  }

 private:
  Index m_, n_;
  Lu<T> lu_;
  Index* rows_;
};

// x = A⁻¹ b, A⁻ᵀ b or A⁻ᴴ b from the factors.
template <typename T>
class Getrs {
 public:
  static constexpr bool kHasUnrolled = false;
  static SmallKernel small(const SmallKernels& kernels) {
    return small_family<T>(kernels).lu_solve;
  }

  Getrs(const Stack& stack, Workspace& workspace)
      : lu_(stack.size('n'), stack.size('n'), workspace), b_(stack, workspace) {}

  std::int64_t operator()(Stack& stack) {
    const std::int64_t info = lu_.take(stack, 0);
    if (info != 0) return info;
    b_.load(stack, 2);
    lu_.solve(b_.columns, b_.k, stack.options.trans);
    b_.store(stack);
    return 0;
  }

 private:
  Lu<T> lu_;
  RightHandSides<T> b_;
};

double largest_size(const Stack& stack) {
  return static_cast<double>(std::max({stack.size('m'), stack.size('n'), stack.size('k')}));
}

}  // namespace

const std::vector<Native> kSolve = {
    {"gesv", SOLVE_RUN(Gesv), &largest_size, {}, kOfSmall},
    {"gesv_ex", SOLVE_RUN_WITH_INFO(Gesv, 'n', 'k'), &largest_size, {}, kOfSmall},
    {"inv", SOLVE_RUN(Inverse), &largest_size, {}, kOfSmall},
    {"inv_ex", SOLVE_RUN_WITH_INFO(Inverse, 'n', 'n'), &largest_size, {}, kOfSmall},
    {"getrf", SOLVE_RUN(Getrf), &largest_size, {}, kOfSmall},
    {"getrf_parts", NATIVE_RUN(GetrfParts), &largest_size, {}},
    {"getrs", SOLVE_RUN(Getrs), &largest_size, {"trans"}, kOfSmall},
};

}  // namespace numerics::cpu
