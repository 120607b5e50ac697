#include "public_function.h"

#include <utility>

#include "doorway.h"

namespace numerics::cpu {
namespace {

struct PublicFunction {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  PyObject* dict;
  PyObject* implementation;
  PyObject* op;                 // what a plain call comes down to, or None
  PyObject* static_parameters;  // a dictionary
  Shortcut* shortcut;           // of these two, or nullptr
  char looks_inside;            // items of lists and tuples may override it too
};

PyObject* array_function_name = nullptr;
PyObject* own_array_function = nullptr;  // ndarray.__array_function__

// Types that cannot override anything, told without an attribute look-up.
bool is_plain(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return type == &PyArray_Type || object == Py_None || type == &PyList_Type ||
         type == &PyTuple_Type || type == &PyLong_Type || type == &PyFloat_Type ||
         type == &PyBool_Type || type == &PyUnicode_Type || type == &PyComplex_Type ||
         PyArray_IsScalar(object, Generic);
}

// 1 if the type of `object` brings an __array_function__ of its own, 0 if not, -1 on error.
int overrides(PyObject* object) {
  if (is_plain(object)) return 0;
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  Reference found(PyObject_GetAttr(type, array_function_name));
  if (!found) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    return 0;
  }
  return found.get() != own_array_function;
}

int any_overrides(PyObject* const* args, Py_ssize_t count, bool looks_inside);

int any_overrides_inside(PyObject* sequence) {
  // A list may change while its items are asked; a copy of it does not.
  Reference items(PySequence_Tuple(sequence));
  if (!items) return -1;
  return any_overrides(PySequence_Fast_ITEMS(items.get()), PyTuple_GET_SIZE(items.get()), false);
}

int any_overrides(PyObject* const* args, Py_ssize_t count, bool looks_inside) {
  for (Py_ssize_t i = 0; i < count; ++i) {
    const bool is_sequence = PyList_CheckExact(args[i]) || PyTuple_CheckExact(args[i]);
    const int answer =
        looks_inside && is_sequence ? any_overrides_inside(args[i]) : overrides(args[i]);
    if (answer != 0) return answer;
  }
  return 0;
}

PyObject* dispatch(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
  Reference positional(PyTuple_New(count)), keywords(PyDict_New());
  if (!positional || !keywords) return nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyTuple_SET_ITEM(positional.get(), i, Py_NewRef(args[i]));
  }
  const Py_ssize_t named = kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames);
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject* name = PyTuple_GET_ITEM(kwnames, i);
    if (PyDict_SetItem(keywords.get(), name, args[count + i]) < 0) return nullptr;
  }
  PyObject* arguments[] = {self, positional.get(), keywords.get()};
  return PyObject_Vectorcall(callbacks.dispatch, arguments, 3, nullptr);
}

PyObject* public_vectorcall(PyObject* self, PyObject* const* args, size_t nargsf,
                            PyObject* kwnames) {
  auto* function = reinterpret_cast<PublicFunction*>(self);
  const Py_ssize_t count = PyVectorcall_NARGS(nargsf);
  if (function->shortcut != nullptr) {
    PyObject* result = take_shortcut(*function->shortcut, args, count, kwnames);
    if (result != Py_NotImplemented) return result;
  }
  const Py_ssize_t named = kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames);
  const int answer = any_overrides(args, count + named, function->looks_inside);
  if (answer < 0) return nullptr;
  if (answer > 0) return dispatch(self, args, count, kwnames);
  return PyObject_Vectorcall(function->implementation, args, nargsf, kwnames);
}

PyObject* public_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"implementation", "looks_inside",   "op",
                                   "static",         "leaves_unusual", nullptr};
  PyObject *implementation, *op = Py_None, *static_parameters = nullptr;
  int looks_inside, leaves_unusual = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "Op|OO!p", const_cast<char**>(keywords),
                                   &implementation, &looks_inside, &op, &PyDict_Type,
                                   &static_parameters, &leaves_unusual)) {
    return nullptr;
  }
  Reference self(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  auto* function = reinterpret_cast<PublicFunction*>(self.get());
  function->vectorcall = &public_vectorcall;
  function->implementation = Py_NewRef(implementation);
  function->looks_inside = static_cast<char>(looks_inside);
  function->dict = PyDict_New();
  function->op = Py_NewRef(op);
  function->static_parameters =
      static_parameters == nullptr ? PyDict_New() : PyDict_Copy(static_parameters);
  if (function->dict == nullptr || function->static_parameters == nullptr) return nullptr;
  if (op != Py_None) {
    function->shortcut = make_shortcut(op, function->static_parameters, leaves_unusual != 0);
    if (function->shortcut == nullptr) return nullptr;
  }
  return self.release();
}

int public_traverse(PyObject* self, visitproc visit, void* arg) {
  auto* function = reinterpret_cast<PublicFunction*>(self);
  Py_VISIT(function->dict);
  Py_VISIT(function->implementation);
  Py_VISIT(function->op);
  Py_VISIT(function->static_parameters);
  return 0;
}

int public_clear(PyObject* self) {
  auto* function = reinterpret_cast<PublicFunction*>(self);
  Py_CLEAR(function->dict);
  Py_CLEAR(function->implementation);
  free_shortcut(std::exchange(function->shortcut, nullptr));
  Py_CLEAR(function->op);
  Py_CLEAR(function->static_parameters);
  return 0;
}

void public_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  public_clear(self);
  Py_TYPE(self)->tp_free(self);
}

PyObject* public_repr(PyObject* self) {
  Reference module(PyObject_GetAttrString(self, "__module__"));
  Reference name(PyObject_GetAttrString(self, "__qualname__"));
  if (!module || !name) return nullptr;
  return PyUnicode_FromFormat("<function %S.%S>", module.get(), name.get());
}

// As a class attribute a public function binds like any function.
PyObject* public_bind(PyObject* self, PyObject* instance, PyObject*) {
  if (instance == nullptr) return Py_NewRef(self);
  return PyMethod_New(self, instance);
}

// Pickled by name.
PyObject* public_reduce(PyObject* self, PyObject*) {
  return PyObject_GetAttrString(self, "__qualname__");
}

PyMethodDef public_methods[] = {{"__reduce__", &public_reduce, METH_NOARGS, nullptr},
                                {nullptr, nullptr, 0, nullptr}};

PyMemberDef public_members[] = {
    {"_implementation", T_OBJECT, offsetof(PublicFunction, implementation), READONLY,
     "The function without the protocol, as numpy's own dispatchers name it."},
    {"_op", T_OBJECT, offsetof(PublicFunction, op), READONLY,
     "The op that a plain call comes down to, or None."},
    {"_static", T_OBJECT, offsetof(PublicFunction, static_parameters), READONLY,
     "Its static parameters by default."},
    {nullptr, 0, 0, 0, nullptr}};

PyGetSetDef public_getset[] = {
    {"__dict__", &PyObject_GenericGetDict, &PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject make_public_type() {
  PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
  type.tp_name = "numerics._kernels.PublicFunction";
  type.tp_basicsize = sizeof(PublicFunction);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC |
                  Py_TPFLAGS_METHOD_DESCRIPTOR;
  type.tp_vectorcall_offset = offsetof(PublicFunction, vectorcall);
  type.tp_dictoffset = offsetof(PublicFunction, dict);
  type.tp_call = &PyVectorcall_Call;
  type.tp_new = &public_new;
  type.tp_dealloc = &public_dealloc;
  type.tp_traverse = &public_traverse;
  type.tp_clear = &public_clear;
  type.tp_repr = &public_repr;
  type.tp_descr_get = &public_bind;
  type.tp_methods = public_methods;
  type.tp_members = public_members;
  type.tp_getset = public_getset;
  return type;
}

}  // namespace

PyTypeObject PublicFunctionType = make_public_type();

bool ready_public_function(PyObject* module) {
  array_function_name = PyUnicode_InternFromString("__array_function__");
  own_array_function =
      PyObject_GetAttr(reinterpret_cast<PyObject*>(&PyArray_Type), array_function_name);
  return own_array_function != nullptr && PyType_Ready(&PublicFunctionType) == 0 &&
         PyModule_AddObjectRef(module, "PublicFunction",
                               reinterpret_cast<PyObject*>(&PublicFunctionType)) == 0;
}

}  // namespace numerics::cpu
