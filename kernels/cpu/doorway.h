// The compiled doorway: every call of every op comes through here.
#pragma once

#include <atomic>

#include "python.h"

namespace numerics::cpu {

extern PyTypeObject OpType;

// Number of layers that are on anywhere in the process; what they are is Python's business.
extern std::atomic<int> layers_on;

// The Python side of the doorway, signed in by numerics._core.
struct Callbacks {
  PyObject* call = nullptr;            // call(op, arrays, static): everything the fast path leaves
  PyObject* failure = nullptr;         // failure(op, matrices, infos, shapes) -> exception
  PyObject* unsupported = nullptr;     // unsupported(op, arguments, error) -> exception
  PyObject* too_large = nullptr;       // too_large(op, shapes, limit) -> exception
  PyObject* floating_point = nullptr;  // floating_point(op, flags): as `errstate` has it
  PyObject* dispatch = nullptr;        // dispatch(function, args, kwargs): __array_function__
  PyObject* owns = nullptr;            // owns(object): is it an array of one of our backends?
};
extern Callbacks callbacks;

// Raises an exception that one of the callbacks returned (nullptr: it raised one itself).
void raise_from(PyObject* exception);

bool ready_doorway(PyObject* module);

}  // namespace numerics::cpu
