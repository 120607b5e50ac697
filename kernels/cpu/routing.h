// Sending NumPy's public functions to other implementations.
#pragma once

#include "python.h"

namespace numerics::cpu {

// swap_implementation(dispatcher, implementation) -> the one that was there before.
PyObject* swap_implementation(PyObject* module, PyObject* args);

}  // namespace numerics::cpu
