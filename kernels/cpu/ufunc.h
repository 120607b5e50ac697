// Special functions as real np.ufuncs whose plain calls come through the doorway.
#pragma once

#include "python.h"

namespace numerics::cpu {

PyObject* elementwise(PyObject* module, PyObject* name);
PyObject* public_ufunc(PyObject* module, PyObject* args);
PyObject* elementwise_names(PyObject* module, PyObject*);
PyObject* instruction_sets(PyObject* module, PyObject*);
PyObject* instruction_set(PyObject* module, PyObject*);
PyObject* use_instruction_set(PyObject* module, PyObject* name);

}  // namespace numerics::cpu
