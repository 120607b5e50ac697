// Triangular systems, and those of a Cholesky factor.
#include "elements.h"

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
      : n(stack.size('n')),
        k(stack.size('k')),
        A(workspace.take<T>(n * n)),
        b(workspace.take<T>(n * k)) {}

  void load(const Stack& stack) {
    load_input(stack, 0, n, n, A, n);
    load_input(stack, 1, n, k, b, n);
  }

  void store(Stack& stack) {
    store_output<T>(stack, 0, n, k, [&](Index i, Index j) { return b[j * n + i]; });
  }

  // The first entry of the diagonal that is exactly zero, counted from 1, or 0.
  std::int64_t zero_on_diagonal() const {
    for (Index i = 0; i < n; ++i) {
      if (A[i * n + i] == T(0)) return i + 1;
    }
    return 0;
  }

  // Overwrites the right-hand sides by the solutions for one triangle of A, by LAPACK's letters.
  void substitute(char triangle, char trans, char diagonal) {
    if (n == 0 || k == 0) return;
    if (n * n * k > kSmallWork) {
      Integer rows = n, columns = k, info = 0;
      lapack::call<T>(lapack::trtrs, &triangle, &trans, &diagonal, &rows, &columns, A, &rows, b,
                      &rows, &info);
      return;
    }
    for (Index column = 0; column < k; ++column) {
      T* x = b + column * n;
      const bool is_forward = (triangle == 'L') == (trans == 'N');
      for (Index step = 0; step < n; ++step) {
        const Index j = is_forward ? step : n - 1 - step;
        if (trans == 'N') {
          eliminate(x, j, triangle, diagonal);
        } else {
          gather(x, j, triangle, trans, diagonal);
        }
      }
    }
  }

  const Index n, k;
  T* const A;
  T* const b;

 private:
  // Where column j of the triangle lies, without the diagonal.
  Index begin(Index j, char triangle) const { return triangle == 'L' ? j + 1 : 0; }
  Index end(Index j, char triangle) const { return triangle == 'L' ? n : j; }

  void eliminate(T* x, Index j, char triangle, char diagonal) const {
    const T* column = A + j * n;
    if (diagonal == 'N') x[j] /= column[j];
    const T factor = x[j];
    for (Index i = begin(j, triangle); i < end(j, triangle); ++i) x[i] -= factor * column[i];
  }

  void gather(T* x, Index j, char triangle, char trans, char diagonal) const {
    const T* column = A + j * n;
    const auto entry = [&](Index i) { return trans == 'C' ? conjugate(column[i]) : column[i]; };
    T sum = x[j];
    for (Index i = begin(j, triangle); i < end(j, triangle); ++i) sum -= entry(i) * x[i];
    x[j] = diagonal == 'N' ? sum / entry(j) : sum;
  }
};

template <typename T>
class Trtrs {
 public:
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
    {"trtrs", NATIVE_RUN(Trtrs), &largest_size, {"trans", "lower", "unit_diagonal"}},
    {"potrs", NATIVE_RUN(Potrs), &largest_size, {"upper"}},
};

}  // namespace numerics::cpu
