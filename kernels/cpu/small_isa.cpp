// The solve family for small matrices. Compiled once per instruction set, each time with another
// NUMERICS_ISA_NAMESPACE.
#include "small/by_lanes.h"
#include "small/by_rows.h"

namespace numerics::cpu {
inline namespace NUMERICS_ISA_NAMESPACE {
namespace {

constexpr Index kMostRows = 256;

Index scratch_size(Index n, Index k) {
  const Index lanes_are_rows = 2 * leading_of(n) * kPackLanes * (2 * n + kColumns) + 6 * n;
  if (n > kMostInLanes) return lanes_are_rows;
  const Index lanes_are_matrices = 2 * kPackLanes * (2 * n * n + 12 * n + 2 * n * k + 2);
  return std::max(lanes_are_matrices, lanes_are_rows);
}

// Of matrices whose size the compiler knows everything is unrolled and in registers; S is an element
// of one matrix, E a pack of them.
template <MaskOf<double> (*alone)(SmallJob&, int)>
[[gnu::flatten]] std::uint64_t unrolled(SmallJob& job) {
  return !alone(job, 0);
}
template <PackMask (*by_pack)(SmallJob&, int)>
[[gnu::flatten]] std::uint64_t unrolled_packs(SmallJob& job) {
  return by_packs(job, by_pack);
}

#define CHOOSE(function)                                                                   \
  template <typename S, typename E, int size>                                              \
  std::uint64_t unrolled_##function(SmallJob& job) {                                       \
    return job.count == 1 ? unrolled<&Lanes<S, size>::function>(job)                       \
                          : unrolled_packs<&Lanes<E, size>::function>(job);                \
  }                                                                                        \
  template <typename S, typename E>                                                        \
  std::uint64_t choose_##function(SmallJob& job) {                                         \
    switch (job.n) {                                                                       \
      case 1: return unrolled_##function<S, E, 1>(job);                                    \
      case 2: return unrolled_##function<S, E, 2>(job);                                    \
      case 3: return unrolled_##function<S, E, 3>(job);                                    \
      case 4: return unrolled_##function<S, E, 4>(job);                                    \
    }                                                                                      \
    return job.count == 1 || job.n > kMostInLanes ? one_by_one(job, &Rows<E>::function)    \
                                                  : by_packs(job, &Lanes<E, 0>::function); \
  }
#define CHOOSE_ROLLED(function)                                                            \
  template <typename S, typename E>                                                        \
  std::uint64_t choose_##function(SmallJob& job) {                                         \
    return job.count == 1 || job.n > kMostInLanes ? one_by_one(job, &Rows<E>::function)    \
                                                  : by_packs(job, &Lanes<E, 0>::function); \
  }

CHOOSE(solve)
CHOOSE(inverse)
CHOOSE(determinant)
CHOOSE(sign_and_logarithm)
CHOOSE(lu)
CHOOSE(cholesky)
CHOOSE_ROLLED(triangular)
CHOOSE_ROLLED(cholesky_solve)
CHOOSE_ROLLED(lu_solve)
#undef CHOOSE
#undef CHOOSE_ROLLED

template <typename S, typename E>
constexpr SmallFamily kFamily = {&choose_solve<S, E>,       &choose_inverse<S, E>,
                                 &choose_determinant<S, E>, &choose_sign_and_logarithm<S, E>,
                                 &choose_lu<S, E>,          &choose_lu_solve<S, E>,
                                 &choose_cholesky<S, E>,    &choose_cholesky_solve<S, E>,
                                 &choose_triangular<S, E>};

constexpr SmallKernels kKernels = {4,
                                   kMostInLanes,
                                   kMostRows,
                                   &scratch_size,
                                   kFamily<double, Pack>,
                                   kFamily<Complex<double>, Complex<Pack>>};

}  // namespace

const SmallKernels& small_kernels() { return kKernels; }

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics::cpu
