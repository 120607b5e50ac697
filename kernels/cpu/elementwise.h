// The loops of the elementwise kernels, one table per instruction set, one row per line of
// functions.def and in its order.
#pragma once

#include <cstddef>

namespace numerics::cpu {

// NumPy's inner loop of a ufunc: `dimensions[0]` elements, arguments first in `args` and the result
// last, `steps` in bytes. The result may be stored over an argument element for element; other
// overlaps are NumPy's to resolve. Floating-point exception flags are left as they were.
using ElementwiseLoop = void (*)(char** args, const std::ptrdiff_t* dimensions,
                                 const std::ptrdiff_t* steps, void* unused);

struct ElementwiseLoops {
  const char* name;
  int arity;
  ElementwiseLoop f32;
  ElementwiseLoop f64;
};

struct ElementwiseTable {
  const char* isa;
  const ElementwiseLoops* rows;
  int count;
};

}  // namespace numerics::cpu
