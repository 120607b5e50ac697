// The face of every public function: a callable that honours NumPy's __array_function__ protocol
// and otherwise gets out of the way.
#pragma once

#include "python.h"

namespace numerics::cpu {

extern PyTypeObject PublicFunctionType;

bool ready_public_function(PyObject* module);

}  // namespace numerics::cpu
