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
  PyObject* floating_point = nullptr;  // floating_point(op, flags, frames): `errstate`'s reaction
  PyObject* dispatch = nullptr;        // dispatch(function, args, kwargs): __array_function__
  PyObject* owns = nullptr;            // owns(object): is it an array of one of our backends?
};
extern Callbacks callbacks;

// Raises an exception that one of the callbacks returned (nullptr: it raised one itself).
void raise_from(PyObject* exception);

// What a public function does by default if that is one call of an op: its arrays are the function's
// positional arguments, and its static parameters are always given, but the function's keywords of
// the same names exchange them.
struct Shortcut;

// nullptr with an error set if these are not an op with a compiled kernel and a dictionary of its
// static parameters. `op` is borrowed. With `leaves_unusual` empty stacks, and those of which a
// matrix fails, are the function's business.
Shortcut* make_shortcut(PyObject* op, PyObject* static_parameters, bool leaves_unusual);
void free_shortcut(Shortcut* shortcut);

// The fast path of the op, from where the public function stands. Py_NotImplemented, borrowed, if
// the call is not for it: other arguments than plain arrays, unusual parameters, layers.
PyObject* take_shortcut(const Shortcut& shortcut, PyObject* const* args, Py_ssize_t count,
                        PyObject* kwnames);

bool ready_doorway(PyObject* module);

}  // namespace numerics::cpu
