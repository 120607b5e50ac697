// The extension module numerics._kernels.
#define NUMERICS_IMPORT_ARRAY
#include "python.h"

#include <algorithm>

#include "doorway.h"
#include "isa.h"
#include "product_kernel.h"
#include "public_function.h"
#include "routing.h"
#include "sharing.h"
#include "stack.h"
#include "threads.h"
#include "ufunc.h"

namespace numerics::cpu {
namespace {

PyObject* sign_in(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"call",           "failure",  "unsupported", "too_large",
                                   "floating_point", "dispatch", "owns",        nullptr};
  Callbacks given;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOOO", const_cast<char**>(keywords),
                                   &given.call, &given.failure, &given.unsupported,
                                   &given.too_large, &given.floating_point, &given.dispatch,
                                   &given.owns)) {
    return nullptr;
  }
  for (PyObject* callback : {given.call, given.failure, given.unsupported, given.too_large,
                             given.floating_point, given.dispatch, given.owns}) {
    Py_INCREF(callback);  // for the life of the process
  }
  callbacks = given;
  Py_RETURN_NONE;
}

PyObject* count_layers(PyObject*, PyObject* change) {
  const long by = PyLong_AsLong(change);
  if (by == -1 && PyErr_Occurred()) return nullptr;
  return PyLong_FromLong(layers_on.fetch_add(static_cast<int>(by)) + by);
}

PyObject* native_kernels(PyObject*, PyObject*) {
  PyObject* names = PyDict_New();
  for (const Native* kernel : all_native()) {
    PyObject* options = PyList_New(0);
    for (const char* option : kernel->options) {
      if (option == nullptr) break;
      Reference text(PyUnicode_FromString(option));
      PyList_Append(options, text.get());
    }
    Reference row(PyList_AsTuple(options));
    Py_DECREF(options);
    if (!row || PyDict_SetItemString(names, kernel->name, row.get()) < 0) return nullptr;
  }
  return names;
}

PyObject* lapack_integer_bits(PyObject*, PyObject*) {
  return PyLong_FromLong(8 * lapack::integer_bytes());
}

PyObject* swap_lapack(PyObject*, PyObject* args) {
  const char* name;
  unsigned long long address;
  if (!PyArg_ParseTuple(args, "sK", &name, &address)) return nullptr;
  void* before = lapack::exchange(name, reinterpret_cast<void*>(address));
  if (before == nullptr) return PyErr_Format(PyExc_LookupError, "no routine %s is in use", name);
  return PyLong_FromVoidPtr(before);
}

PyObject* get_num_threads(PyObject*, PyObject*) { return PyLong_FromLong(threads::count()); }

PyObject* set_num_threads(PyObject*, PyObject* count) {
  const long number = PyLong_AsLong(count);
  if (number == -1 && PyErr_Occurred()) return nullptr;
  threads::set_count(static_cast<int>(std::clamp<long>(number, 1, threads::kMost)));
  Py_RETURN_NONE;
}

PyObject* exaggerate(PyObject*, PyObject* factor) {
  const double number = PyFloat_AsDouble(factor);
  if (number == -1 && PyErr_Occurred()) return nullptr;
  return PyFloat_FromDouble(exaggerate_durations(number));
}

PyMethodDef methods[] = {
    {"sign_in", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&sign_in)),
     METH_VARARGS | METH_KEYWORDS, "Hands over the Python side of the doorway."},
    {"count_layers", &count_layers, METH_O,
     "Adds to the number of layers that are on anywhere, and returns it."},
    {"native_kernels", &native_kernels, METH_NOARGS,
     "Names of the compiled linear-algebra kernels, with those of their static parameters."},
    {"lapack_integer_bits", &lapack_integer_bits, METH_NOARGS, "32 or 64."},
    {"swap_lapack", &swap_lapack, METH_VARARGS,
     "Puts the function at an address in the place of a LAPACK routine, and returns the address "
     "of\n"
     "the one before: how tests let a routine fail. No other thread may be in a kernel."},
    {"get_num_threads", &get_num_threads, METH_NOARGS, "Threads that a call may use."},
    {"set_num_threads", &set_num_threads, METH_O, "Sets it, to one that is allowed."},
    {"exaggerate_durations", &exaggerate, METH_O,
     "Multiplies the estimated durations of calls by a factor, and returns the one before: how "
     "tests\nhave small stacks shared among threads."},
    {"swap_implementation", &swap_implementation, METH_VARARGS,
     "Exchanges the implementation behind one of NumPy's dispatchers; returns the old one."},
    {"elementwise", &elementwise, METH_O,
     "The plain ufunc of a row of functions.def, by name: a backend's kernel."},
    {"public_ufunc", &public_ufunc, METH_VARARGS,
     "public_ufunc(op, doc): the ufunc whose calls come through the doorway of `op`."},
    {"elementwise_names", &elementwise_names, METH_NOARGS, "The rows of functions.def."},
    {"instruction_sets", &instruction_sets, METH_NOARGS,
     "Instruction sets that are compiled in and that this machine has, the best last."},
    {"instruction_set", &instruction_set, METH_NOARGS, "The one in use."},
    {"use_instruction_set", &use_instruction_set, METH_O,
     "Forces one by name; ValueError if it is unknown or not supported here."},
    {nullptr, nullptr, 0, nullptr}};

int execute(PyObject* module) {
  if (PyArray_ImportNumPyAPI() < 0 || PyUFunc_ImportUFuncAPI() < 0) return -1;
  if (!lapack::load()) return -1;
  Py_AtExit(&threads::close);  // where that list is full, they sleep until the process is gone
  const std::int64_t not_finite = kNotFinite, not_pivots = kNotPivots, no_root = kNoRoot;
  if (!ready_doorway(module) || !ready_public_function(module) || !ready_product_kernel(module) ||
      PyModule_AddObject(module, "NOT_FINITE", PyLong_FromLongLong(not_finite)) < 0 ||
      PyModule_AddObject(module, "NOT_PIVOTS", PyLong_FromLongLong(not_pivots)) < 0 ||
      PyModule_AddObject(module, "NO_ROOT", PyLong_FromLongLong(no_root)) < 0 ||
      PyModule_AddIntConstant(module, "MOST_THREADS", threads::kMost) < 0 ||
      PyModule_AddIntConstant(module, "OVERFLOW_IN_CAST", kOverflowInCast) < 0 ||
      PyModule_AddIntConstant(module, "OVERFLOW", kOverflow) < 0 ||
      PyModule_AddIntConstant(module, "INVALID", kInvalid) < 0) {
    return -1;
  }
  return 0;
}

PyModuleDef_Slot slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(&execute)},
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "numerics._kernels",
                          "Compiled kernels and the doorway to them.",
                          0,
                          methods,
                          slots,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace
}  // namespace numerics::cpu

// Exported for threadpoolctl, which finds a library by its symbols.
#ifdef _WIN32
#define EXPORTED extern "C" __declspec(dllexport)
#else
#define EXPORTED extern "C" __attribute__((visibility("default")))
#endif
EXPORTED int numerics_get_num_threads() { return numerics::cpu::threads::count(); }
EXPORTED void numerics_set_num_threads(int count) { numerics::cpu::threads::set_count(count); }
#undef EXPORTED

PyMODINIT_FUNC PyInit__kernels() { return PyModuleDef_Init(&numerics::cpu::definition); }
