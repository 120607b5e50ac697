// Singular values and vectors.
#include "svd.h"

namespace numerics::cpu {
namespace {

template <typename T, char job>
class Svd {
 public:
  Svd(const Stack& stack, Workspace& workspace) : svd_(stack, workspace) {}

  std::int64_t operator()(Stack& stack) {
    const std::int64_t info = svd_(stack);
    const auto [m, n, u_columns, v_rows, A, U, s, Vh] = svd_.matrix;
    const int s_output = job == 'N' ? 0 : 1;
    store_output<double>(stack, s_output, svd_.matrix.k(), 1,
                         [s = s](Index i, Index) { return s[i]; });
    if constexpr (job != 'N') {
      store_output<T>(stack, 0, m, u_columns,
                      [U = U, m = m](Index i, Index j) { return U[j * m + i]; });
      store_output<T>(stack, 2, v_rows, n,
                      [Vh = Vh, rows = v_rows](Index i, Index j) { return Vh[j * rows + i]; });
    }
    return info;
  }

 private:
  SingularValues<T, job> svd_;
};

template <typename T>
using SvdFull = Svd<T, 'A'>;
template <typename T>
using SvdReduced = Svd<T, 'S'>;
template <typename T>
using SvdValues = Svd<T, 'N'>;

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
    {"gesdd_full", NATIVE_RUN(SvdFull), &largest_svd, {"driver"}},
    {"gesdd_reduced", NATIVE_RUN(SvdReduced), &largest_svd, {"driver"}},
    {"gesdd_values", NATIVE_RUN(SvdValues), &largest_svdvals, {"driver"}},
};

}  // namespace numerics::cpu
