// Triangular systems, and those of a Cholesky factor.
#include "small_stack.h"
#include "square.h"

namespace numerics::cpu {
namespace {

using lapack::Integer;

// Below this many multiplications substitution is written out: LAPACK's may wake threads even for
// three rows, which costs more than the work.
constexpr Index kSmallWork = 64 * 64 * 8;

// A square matrix with its right-hand sides, solved in place.
template <typename T>
class System {
 public:
  System(const Stack& stack, Workspace& workspace)
      : n_(stack.size('n')), A_(workspace.take<T>(n_ * n_)), b_(stack, workspace) {}

  void load(const Stack& stack) {
    load_input(stack, 0, n_, n_, A_, n_);
    b_.load(stack, 1);
  }

  void store(Stack& stack) { b_.store(stack); }

  // The first entry of the diagonal that is exactly zero, counted from 1, or 0.
  std::int64_t zero_on_diagonal() const {
    for (Index i = 0; i < n_; ++i) {
      if (A_[i * n_ + i] == T(0)) return i + 1;
    }
    return 0;
  }

  // Overwrites the right-hand sides by the solutions for one triangle of A, by LAPACK's letters.
  void substitute(char triangle, char trans, char diagonal) {
    if (n_ == 0 || b_.k == 0) return;
    if (n_ * n_ * b_.k > kSmallWork && n_ <= kMostForOneThread) {
      solve_triangle(triangle, trans, diagonal, n_, A_, b_.k, b_.columns);
      return;
    }
    if (n_ * n_ * b_.k > kSmallWork) {
      Integer rows = n_, columns = b_.k, info = 0;
      lapack::call<T>(lapack::trtrs, &triangle, &trans, &diagonal, &rows, &columns, A_, &rows,
                      b_.columns, &rows, &info);
      return;
    }
    for (Index column = 0; column < b_.k; ++column) {
      T* x = b_.columns + column * n_;
      const bool is_forward = (triangle == 'L') == (trans == 'N');
      for (Index step = 0; step < n_; ++step) {
        const Index j = is_forward ? step : n_ - 1 - step;
        if (trans == 'N') {
          eliminate(x, j, triangle, diagonal);
        } else {
          gather(x, j, triangle, trans, diagonal);
        }
      }
    }
  }

 private:
  // Where column j of the triangle lies, without the diagonal.
  Index begin(Index j, char triangle) const { return triangle == 'L' ? j + 1 : 0; }
  Index end(Index j, char triangle) const { return triangle == 'L' ? n_ : j; }

  void eliminate(T* x, Index j, char triangle, char diagonal) const {
    const T* column = A_ + j * n_;
    if (diagonal == 'N') x[j] /= column[j];
    const T factor = x[j];
    for (Index i = begin(j, triangle); i < end(j, triangle); ++i) x[i] -= factor * column[i];
  }

  void gather(T* x, Index j, char triangle, char trans, char diagonal) const {
    const T* column = A_ + j * n_;
    const auto entry = [&](Index i) { return trans == 'C' ? conjugate(column[i]) : column[i]; };
    T sum = x[j];
    for (Index i = begin(j, triangle); i < end(j, triangle); ++i) sum -= entry(i) * x[i];
    x[j] = diagonal == 'N' ? sum / entry(j) : sum;
  }

  Index n_;
  T* A_;
  RightHandSides<T> b_;
};

template <typename T>
class Trtrs {
 public:
  static constexpr bool kHasUnrolled = false;
  static SmallKernel small(const SmallKernels& kernels) {
    return small_family<T>(kernels).triangular;
  }

  Trtrs(const Stack& stack, Workspace& workspace) : system_(stack, workspace) {}

  std::int64_t operator()(Stack& stack) {
    system_.load(stack);
    if (!stack.options.unit_diagonal) {
      const std::int64_t info = system_.zero_on_diagonal();
      if (info != 0) return info;
    }
    system_.substitute(stack.options.lower ? 'L' : 'U', stack.options.trans,
                       stack.options.unit_diagonal ? 'U' : 'N');
    system_.store(stack);
    return 0;
  }

 private:
  System<T> system_;
};

// x = (L Lᴴ)⁻¹ b, or (Uᴴ U)⁻¹ b with `upper`.
template <typename T>
class Potrs {
 public:
  static constexpr bool kHasUnrolled = false;
  static SmallKernel small(const SmallKernels& kernels) {
    return small_family<T>(kernels).cholesky_solve;
  }

  Potrs(const Stack& stack, Workspace& workspace) : system_(stack, workspace) {}

  std::int64_t operator()(Stack& stack) {
    system_.load(stack);
    const std::int64_t zero = system_.zero_on_diagonal();
    if (zero != 0) return zero;
    const bool upper = stack.options.upper;
    system_.substitute(upper ? 'U' : 'L', upper ? 'C' : 'N', 'N');
    system_.substitute(upper ? 'U' : 'L', upper ? 'N' : 'C', 'N');
    system_.store(stack);
    return 0;
  }

 private:
  System<T> system_;
};

double largest_size(const Stack& stack) {
  return static_cast<double>(std::max(stack.size('n'), stack.size('k')));
}

}  // namespace

const std::vector<Native> kTriangular = {
    {"trtrs", SOLVE_RUN(Trtrs), &largest_size, {"trans", "lower", "unit_diagonal"}, kOfSmall},
    {"potrs", SOLVE_RUN(Potrs), &largest_size, {"upper"}, kOfSmall},
};

}  // namespace numerics::cpu
