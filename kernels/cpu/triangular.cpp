// Triangular systems, and those of a Cholesky factor.
#include "elements.h"

namespace numerics::cpu {
namespace {

using lapack::Integer;

// A square matrix with its right-hand sides, solved in place by LAPACK.
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

  const Index n, k;
  T* const A;
  T* const b;
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
    if (system_.n > 0 && system_.k > 0) {
      char triangle = stack.options.lower ? 'L' : 'U', trans = stack.options.trans;
      char diagonal = stack.options.unit_diagonal ? 'U' : 'N';
      Integer n = system_.n, k = system_.k, info = 0;
      lapack::call<T>(lapack::trtrs, &triangle, &trans, &diagonal, &n, &k, system_.A, &n, system_.b,
                      &n, &info);
    }
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
    if (system_.n > 0 && system_.k > 0) {
      char triangle = stack.options.upper ? 'U' : 'L';
      Integer n = system_.n, k = system_.k, info = 0;
      lapack::call<T>(lapack::potrs, &triangle, &n, &k, system_.A, &n, system_.b, &n, &info);
    }
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
