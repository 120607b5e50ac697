// Compiled once per instruction set, each time with another NUMERICS_ISA_NAMESPACE.
#include <cstring>
#include <utility>

#include "elementwise.h"
#include "numerics/erf.h"
#include "numerics/pack.h"

#if defined(__x86_64__) || defined(_M_X64)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace numerics::cpu {
inline namespace NUMERICS_ISA_NAMESPACE {
namespace {

using Index = std::ptrdiff_t;

// Puts the exception flags back: masked branches compute in lanes whose results are thrown away.
#if defined(__x86_64__) || defined(_M_X64)
class FlagsKept {
 public:
  FlagsKept() : state_(_mm_getcsr()) {}
  ~FlagsKept() { _mm_setcsr(state_); }

 private:
  unsigned state_;
};
#else
class FlagsKept {
 public:
  FlagsKept() { std::fegetexceptflag(&state_, FE_ALL_EXCEPT); }
  ~FlagsKept() { std::fesetexceptflag(&state_, FE_ALL_EXCEPT); }

 private:
  std::fexcept_t state_;
};
#endif

constexpr Index kBlock = 256;  // elements gathered at a time where they do not lie side by side
static_assert(kBlock % kPackLanes == 0, "blocks hold whole packs");

// `size` elements that lie side by side, a multiple of kPackLanes.
template <typename Function, typename T, std::size_t... i>
[[gnu::noinline, gnu::flatten]] void evaluate(const T* const* x, T* y, Index size,
                                              std::index_sequence<i...>) {
  for (Index k = 0; k < size; k += kPackLanes) {
    Function::call(Pack::load(x[i] + k)...).store(y + k);
  }
}

// `size` <= kBlock elements anywhere, through copies that are filled up to whole packs with the
// last element, which takes no branch that the others do not take.
template <typename Function, int arity, typename T>
void evaluate_block(char* const* args, const Index* steps, Index size) {
  T x[arity][kBlock], y[kBlock];
  const T* columns[arity];
  const Index padded = (size + kPackLanes - 1) / kPackLanes * kPackLanes;
  for (int i = 0; i < arity; ++i) {
    columns[i] = x[i];
    for (Index k = 0; k < size; ++k) std::memcpy(&x[i][k], args[i] + k * steps[i], sizeof(T));
    for (Index k = size; k < padded; ++k) x[i][k] = x[i][size - 1];
  }
  evaluate<Function>(columns, y, padded, std::make_index_sequence<arity>());
  for (Index k = 0; k < size; ++k) std::memcpy(args[arity] + k * steps[arity], &y[k], sizeof(T));
}

template <typename Function, int arity, typename T>
void loop(char** args, const Index* dimensions, const Index* steps, void*) {
  const FlagsKept flags_kept;
  const Index size = dimensions[0];
  bool is_contiguous = true;
  for (int i = 0; i <= arity; ++i) is_contiguous &= steps[i] == Index{sizeof(T)};

  Index done = 0;
  if (is_contiguous && size >= kPackLanes) {
    const T* x[arity];
    for (int i = 0; i < arity; ++i) x[i] = reinterpret_cast<const T*>(args[i]);
    done = size / kPackLanes * kPackLanes;
    evaluate<Function>(x, reinterpret_cast<T*>(args[arity]), done,
                       std::make_index_sequence<arity>());
  }
  while (done < size) {
    char* rest[arity + 1];
    for (int i = 0; i <= arity; ++i) rest[i] = args[i] + done * steps[i];
    const Index count = size - done < kBlock ? size - done : kBlock;
    evaluate_block<Function, arity, T>(rest, steps, count);
    done += count;
  }
}

#define FUNCTION(name, arity, kind) \
  struct name##_function {          \
    template <typename... V>        \
    static auto call(V... x) {      \
      return numerics::name(x...);  \
    }                               \
  };
#include "../functions.def"
#undef FUNCTION

#define FUNCTION(name, arity, kind) \
  {#name, arity, &loop<name##_function, arity, float>, &loop<name##_function, arity, double>},
constexpr ElementwiseLoops kRows[] = {
#include "../functions.def"
};
#undef FUNCTION

#define NAME_OF(x) #x
#define EXPANDED_NAME_OF(x) NAME_OF(x)
constexpr ElementwiseTable kTable = {EXPANDED_NAME_OF(NUMERICS_ISA_NAMESPACE), kRows,
                                     sizeof kRows / sizeof kRows[0]};

}  // namespace

const ElementwiseTable& elementwise_table() { return kTable; }

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics::cpu
