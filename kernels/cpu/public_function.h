// The face of every public function: a callable that honours NumPy's __array_function__ protocol
// and otherwise gets out of the way. Plain calls of a function that only hands its arrays to an op
// go to that op at once.
#pragma once

#include "python.h"

namespace numerics::cpu {

extern PyTypeObject PublicFunctionType;

bool ready_public_function(PyObject* module);

}  // namespace numerics::cpu
