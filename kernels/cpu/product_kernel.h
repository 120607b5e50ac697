// Kernels of products: callables that compute plain arrays themselves and leave the rest to NumPy's
// function. What all of them need: the arrays of a call, broadcast stacks, results, and what numbers
// met with.
#pragma once

#include <algorithm>
#include <new>

#include "floating_point.h"
#include "python.h"
#include "stack.h"

namespace numerics::cpu {

struct ProductKernel;
using Compute = PyObject* (*)(const ProductKernel&, PyObject* const* args, Py_ssize_t count,
                              PyObject* kwnames);

struct ProductKernel {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  PyObject* fallback;  // NumPy's function
  PyObject* react;     // react(letter, overflow, underflow, invalid), as `errstate` asks
  Compute compute;
};

// Returned when a call is NumPy's; never leaves a ProductKernel.
inline PyObject* const kNotMine = Py_NotImplemented;

// One for each product.
PyObject* matmul(const ProductKernel& kernel, PyObject* const* args, Py_ssize_t count,
                 PyObject* kwnames);
PyObject* vecdot(const ProductKernel& kernel, PyObject* const* args, Py_ssize_t count,
                 PyObject* kwnames);
PyObject* outer(const ProductKernel& kernel, PyObject* const* args, Py_ssize_t count,
                PyObject* kwnames);
PyObject* cross(const ProductKernel& kernel, PyObject* const* args, Py_ssize_t count,
                PyObject* kwnames);
PyObject* trace(const ProductKernel& kernel, PyObject* const* args, Py_ssize_t count,
                PyObject* kwnames);

// Names of static parameters, interned.
struct ProductKeywords {
  PyObject* axis;
  PyObject* offset;
  PyObject* dtype;
};
extern ProductKeywords product_keywords;

// Is `axis` the one keyword, if any, and -1?
bool is_last_axis(PyObject* const* args, Py_ssize_t count, PyObject* kwnames);

// --- Arrays ------------------------------------------------------------------------------------

// 0 float, 1 double, 2 complex float, 3 complex double; -1 if it is none of these.
inline int number_kind(PyObject* object) {
  if (!PyArray_CheckExact(object)) return -1;
  auto* array = reinterpret_cast<PyArrayObject*>(object);
  if (!PyArray_ISBEHAVED_RO(array)) return -1;
  switch (PyArray_TYPE(array)) {
    case NPY_FLOAT: return 0;
    case NPY_DOUBLE: return 1;
    case NPY_CFLOAT: return 2;
    case NPY_CDOUBLE: return 3;
    default: return -1;
  }
}

constexpr int kTypes[] = {NPY_FLOAT, NPY_DOUBLE, NPY_CFLOAT, NPY_CDOUBLE};
constexpr char kLetters[] = "fdFD";

inline PyArrayObject* as_array(PyObject* object) {
  return reinterpret_cast<PyArrayObject*>(object);
}

// Two operands' and a result's axes in front of the last ones, broadcast; strides in bytes.
struct Batch {
  int ndim = 0;
  npy_intp shape[NPY_MAXDIMS];
  npy_intp strides[3][NPY_MAXDIMS];
  char* data[3];

  npy_intp count() const {
    npy_intp result = 1;
    for (int d = 0; d < ndim; ++d) result *= shape[d];
    return result;
  }

  bool broadcast(PyObject* const* args, const int* own, int operands) {
    ndim = *std::max_element(own, own + operands);
    std::fill(shape, shape + ndim, 1);
    for (int i = 0; i < operands; ++i) {
      PyArrayObject* array = as_array(args[i]);
      data[i] = PyArray_BYTES(array);
      for (int d = 0; d < ndim; ++d) {
        const int axis = d - (ndim - own[i]);
        const npy_intp size = axis < 0 ? 1 : PyArray_DIM(array, axis);
        strides[i][d] = size == 1 ? 0 : PyArray_STRIDE(array, axis);
        if (size == 1) continue;
        if (shape[d] != 1 && shape[d] != size) return false;
        shape[d] = size;
      }
    }
    return true;
  }

  // visit(data of the operands) for every position.
  template <typename Visit>
  void each(Visit visit) {
    lines([&](char** at, npy_intp length, const npy_intp* next) {
      for (npy_intp i = 0; i < length; ++i) {
        visit(at);
        for (int k = 0; k < 3; ++k) at[k] += next[k];
      }
    });
  }

  // visit(data of the operands, length, strides) for every line along the last axis.
  template <typename Visit>
  void lines(Visit visit) {
    if (count() == 0) return;
    const int last = ndim - 1;
    const npy_intp length = ndim == 0 ? 1 : shape[last];
    npy_intp next[3] = {}, position[NPY_MAXDIMS] = {};
    for (int k = 0; k < 3 && ndim > 0; ++k) next[k] = strides[k][last];
    while (true) {
      char* at[3] = {data[0], data[1], data[2]};
      visit(at, length, next);
      int d = last - 1;
      for (; d >= 0; --d) {
        for (int k = 0; k < 3; ++k) data[k] += strides[k][d];
        if (++position[d] < shape[d]) break;
        for (int k = 0; k < 3; ++k) data[k] -= strides[k][d] * shape[d];
        position[d] = 0;
      }
      if (d < 0) return;
    }
  }
};

// The result of `batch` and `ndim` more axes of the lengths `core`; a number if it has no axes at
// all, for which there is room in `number`.
struct Result {
  Reference array;
  double number[2];

  bool make(Batch* batch, const npy_intp* core, int ndim, int type, int operand) {
    npy_intp shape[NPY_MAXDIMS];
    if (batch->ndim + ndim > NPY_MAXDIMS) return false;
    std::copy(batch->shape, batch->shape + batch->ndim, shape);
    std::copy(core, core + ndim, shape + batch->ndim);
    type_ = type;
    if (batch->ndim + ndim == 0) {
      batch->data[operand] = reinterpret_cast<char*>(number);
      return true;
    }
    array = Reference(PyArray_SimpleNew(batch->ndim + ndim, shape, type));
    if (!array) return false;
    batch->data[operand] = PyArray_BYTES(array.array());
    std::copy(PyArray_STRIDES(array.array()), PyArray_STRIDES(array.array()) + batch->ndim,
              batch->strides[operand]);
    return true;
  }

  PyObject* release() {
    if (array) return array.release();
    PyArray_Descr* descr = PyArray_DescrFromType(type_);
    PyObject* scalar = PyArray_Scalar(number, descr, nullptr);
    Py_DECREF(descr);
    return scalar;
  }

 private:
  int type_;
};

// --- Running -----------------------------------------------------------------------------------

// Below this many multiplications a call is over before another thread could have used the time.
constexpr double kReleaseWork = 5e4;

// Runs, and has NumPy say what numbers met with; false with a Python error set.
template <typename Run>
bool run(const ProductKernel& kernel, int kind, double work, Run run) {
  bool has_memory = true;
  PyThreadState* state = work > kReleaseWork ? PyEval_SaveThread() : nullptr;
  const FloatingPointFlags flags;
  try {
    run();
  } catch (const std::bad_alloc&) {
    has_memory = false;
  }
  const bool overflow = flags.overflow(), underflow = flags.underflow(), invalid = flags.invalid();
  if (state != nullptr) PyEval_RestoreThread(state);
  if (!has_memory) {
    PyErr_NoMemory();
    return false;
  }
  if (!overflow && !underflow && !invalid) return true;
  return bool(Reference(
      PyObject_CallFunction(kernel.react, "Ciii", kLetters[kind], overflow, underflow, invalid)));
}

bool ready_product_kernel(PyObject* module);

}  // namespace numerics::cpu
