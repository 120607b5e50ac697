// A public function of NumPy is an object that looks for __array_function__ and then calls an
// implementation. Exchanging that one pointer leaves the object's identity alone, so names that
// were imported earlier and registries keyed by the function keep working. The pointer has no
// public setter; it is found in the object as the one word that equals `_implementation`.
#include "routing.h"

#include <atomic>
#include <cstdint>

namespace numerics::cpu {

PyObject* swap_implementation(PyObject*, PyObject* args) {
  PyObject *dispatcher, *implementation;
  if (!PyArg_ParseTuple(args, "OO", &dispatcher, &implementation)) return nullptr;
  Reference old(PyObject_GetAttrString(dispatcher, "_implementation"));
  if (!old) return nullptr;

  std::atomic<PyObject*>* slot = nullptr;
  int matches = 0;
  char* const base = reinterpret_cast<char*>(dispatcher);
  const Py_ssize_t size = Py_TYPE(dispatcher)->tp_basicsize;
  for (Py_ssize_t offset = sizeof(PyObject); offset + Py_ssize_t(sizeof(void*)) <= size;
       offset += sizeof(void*)) {
    auto* word = reinterpret_cast<std::atomic<PyObject*>*>(base + offset);
    if (word->load(std::memory_order_relaxed) == old.get()) {
      slot = word;
      ++matches;
    }
  }
  if (matches != 1) {
    return PyErr_Format(PyExc_RuntimeError,
                        "numerics.dropin: %R does not look like one of NumPy's dispatchers "
                        "(%d of its words refer to its implementation)",
                        dispatcher, matches);
  }
  // The object now owns the new one; its reference to the old one passes to `old`, and one more
  // is leaked on purpose: another thread may be about to call it.
  slot->store(Py_NewRef(implementation), std::memory_order_release);
  return old.release();
}

}  // namespace numerics::cpu
