// The type of the kernels of products.
#include "product_kernel.h"

#include <cstring>

namespace numerics::cpu {

ProductKeywords product_keywords;

bool is_last_axis(PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
  if (kwnames == nullptr) return true;
  if (PyTuple_GET_SIZE(kwnames) != 1 || PyTuple_GET_ITEM(kwnames, 0) != product_keywords.axis)
    return false;
  PyObject* axis = args[count];
  if (!PyLong_CheckExact(axis)) return false;
  int overflow = 0;
  return PyLong_AsLongAndOverflow(axis, &overflow) == -1 && overflow == 0;
}

namespace {

constexpr struct {
  const char* name;
  Compute compute;
} kProducts[] = {{"matmul", &matmul},
                 {"vecdot", &vecdot},
                 {"outer", &outer},
                 {"cross", &cross},
                 {"trace", &trace}};

PyObject* product_vectorcall(PyObject* self, PyObject* const* args, size_t nargsf,
                             PyObject* kwnames) {
  const auto& kernel = *reinterpret_cast<ProductKernel*>(self);
  const Py_ssize_t count = PyVectorcall_NARGS(nargsf);
  PyObject* result = kernel.compute(kernel, args, count, kwnames);
  if (result != kNotMine) return result;
  return PyObject_Vectorcall(kernel.fallback, args, static_cast<size_t>(count), kwnames);
}

PyObject* product_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"name", "fallback", "react", nullptr};
  const char* name;
  PyObject *fallback, *react;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "sOO", const_cast<char**>(keywords), &name,
                                   &fallback, &react)) {
    return nullptr;
  }
  for (const auto& product : kProducts) {
    if (std::strcmp(product.name, name) != 0) continue;
    Reference self(type->tp_alloc(type, 0));
    if (!self) return nullptr;
    auto* kernel = reinterpret_cast<ProductKernel*>(self.get());
    kernel->vectorcall = &product_vectorcall;
    kernel->fallback = Py_NewRef(fallback);
    kernel->react = Py_NewRef(react);
    kernel->compute = product.compute;
    return self.release();
  }
  return PyErr_Format(PyExc_LookupError, "no product %s is compiled", name);
}

void product_dealloc(PyObject* self) {
  auto* kernel = reinterpret_cast<ProductKernel*>(self);
  Py_CLEAR(kernel->fallback);
  Py_CLEAR(kernel->react);
  Py_TYPE(self)->tp_free(self);
}

PyMemberDef product_members[] = {{"fallback", T_OBJECT, offsetof(ProductKernel, fallback), READONLY,
                                  "The function that serves what is not computed here."},
                                 {nullptr, 0, 0, 0, nullptr}};

PyTypeObject make_product_type() {
  PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
  type.tp_name = "numerics._kernels.ProductKernel";
  type.tp_doc =
      "A product of arrays: computed here if they are small and of plain real or complex numbers,\n"
      "by NumPy's function otherwise.";
  type.tp_basicsize = sizeof(ProductKernel);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL;
  type.tp_vectorcall_offset = offsetof(ProductKernel, vectorcall);
  type.tp_call = &PyVectorcall_Call;
  type.tp_new = &product_new;
  type.tp_dealloc = &product_dealloc;
  type.tp_members = product_members;
  return type;
}

PyTypeObject ProductKernelType = make_product_type();

}  // namespace

bool ready_product_kernel(PyObject* module) {
  product_keywords = {PyUnicode_InternFromString("axis"), PyUnicode_InternFromString("offset"),
                      PyUnicode_InternFromString("dtype")};
  return product_keywords.axis != nullptr && product_keywords.offset != nullptr &&
         product_keywords.dtype != nullptr && PyType_Ready(&ProductKernelType) == 0 &&
         PyModule_AddObjectRef(module, "ProductKernel",
                               reinterpret_cast<PyObject*>(&ProductKernelType)) == 0;
}

}  // namespace numerics::cpu
