// Python's and NumPy's C interfaces, included the same way by every binding file. One file (the
// module's) defines NUMERICS_IMPORT_ARRAY and so holds the tables the others share.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL numerics_array_api
#define PY_UFUNC_UNIQUE_SYMBOL numerics_ufunc_api
#ifndef NUMERICS_IMPORT_ARRAY
#define NO_IMPORT_ARRAY
#define NO_IMPORT_UFUNC
#endif
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

namespace numerics::cpu {

// Owns one reference.
class Reference {
 public:
  Reference() = default;
  explicit Reference(PyObject* owned) : object_(owned) {}
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  Reference(Reference&& other) noexcept : object_(other.release()) {}
  Reference& operator=(Reference&& other) noexcept {
    PyObject* old = object_;
    object_ = other.release();
    Py_XDECREF(old);
    return *this;
  }
  ~Reference() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyArrayObject* array() const { return reinterpret_cast<PyArrayObject*>(object_); }
  PyObject* release() {
    PyObject* result = object_;
    object_ = nullptr;
    return result;
  }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace numerics::cpu
