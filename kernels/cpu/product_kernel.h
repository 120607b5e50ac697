// Kernels of products: callables that compute plain arrays themselves and leave the rest to NumPy's
// function.
#pragma once

#include "python.h"

namespace numerics::cpu {

bool ready_product_kernel(PyObject* module);

}  // namespace numerics::cpu
