// Products of matrices and vectors of real and complex numbers in single and double precision, as
// long as they are small. Everything else (other dtypes and classes, large matrices, arguments that
// do not fit together) is NumPy's own function, to which such a kernel is a shortcut.
//
// Whether a matrix is small depends on its shape alone, never on its place in a stack, on strides or
// on alignment: the same matrix has the same bits everywhere.
#include <algorithm>
#include <cstring>
#include <new>

#include "floating_point.h"
#include "isa.h"
#include "product_kernel.h"
#include "stack.h"

namespace numerics::cpu {
namespace {

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

// Returned when a call is NumPy's; never leaves this file.
PyObject* const kNotMine = Py_NotImplemented;

PyObject *axis_name, *offset_name, *dtype_name;  // interned

// --- Arrays ------------------------------------------------------------------------------------

// 0 float, 1 double, 2 complex float, 3 complex double; -1 if it is none of these.
int number_kind(PyObject* object) {
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

PyArrayObject* as_array(PyObject* object) { return reinterpret_cast<PyArrayObject*>(object); }

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

template <typename T>
const ProductLoops<T>& loops();
template <>
const ProductLoops<float>& loops<float>() {
  return active_products().single;
}
template <>
const ProductLoops<double>& loops<double>() {
  return active_products().full;
}

// Numbers side by side: the ones in memory, or copies of them.
template <typename T>
const T* side_by_side(const T* x, Index step, Index count, Index parts, T* room) {
  if (step == parts || count <= 1) return x;
  for (Index i = 0; i < count; ++i) {
    for (Index part = 0; part < parts; ++part) room[i * parts + part] = x[i * step + part];
  }
  return room;
}

// Where memory, and not the call, takes the time.
constexpr Index kLongVector = 4096;

// --- matmul ------------------------------------------------------------------------------------

struct MatrixShape {
  Index m, n, k;

  double work() const {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }

  // Where the loops here beat a call of BLAS.
  bool is_small(int kind) const {
    constexpr double kMost[] = {32 * 32 * 32, 32 * 32 * 32, 48 * 48 * 48, 48 * 48 * 48};
    constexpr double kMostByVector[] = {16 * 16, 24 * 24, 8 * 8, 20 * 20};
    if (m == 1 && k == 1) return n <= kLongVector;
    return n <= 128 && work() <= (k == 1 ? kMostByVector : kMost)[kind];
  }
};

// Strides in real numbers.
struct MatrixStrides {
  Index a_row, a_column, b_row, b_column;
};

template <typename T>
void dot_stack(Batch* batch, Index n, const Index* steps, bool is_complex, Conjugates conjugates) {
  const Index parts = is_complex ? 2 : 1;
  Workspace workspace;
  const auto dot = is_complex ? loops<T>().complex[conjugates] : loops<T>().real;
  T* room[2];
  for (int i = 0; i < 2; ++i) room[i] = workspace.take<T>(steps[i] == parts ? 0 : n * parts);
  batch->each([&](char** data) {
    const T* x = reinterpret_cast<const T*>(data[0]);
    const T* y = reinterpret_cast<const T*>(data[1]);
    dot(side_by_side(x, steps[0], n, parts, room[0]), side_by_side(y, steps[1], n, parts, room[1]),
        n, reinterpret_cast<T*>(data[2]));
  });
}

// B, with its rows side by side.
template <typename T>
void pack(const T* b, const MatrixStrides& strides, Index n, Index k, Index parts, T* to) {
  for (Index j = 0; j < k; ++j) {
    for (Index p = 0; p < n; ++p) {
      const T* number = b + p * strides.b_row + j * strides.b_column;
      for (Index part = 0; part < parts; ++part) to[(p * k + j) * parts + part] = number[part];
    }
  }
}

template <typename T>
void matmul_stack(Batch* batch, const MatrixShape& shape, const MatrixStrides& strides,
                  bool is_complex) {
  const Index n = shape.n, k = shape.k, parts = is_complex ? 2 : 1;
  if (shape.m == 1 && k == 1) {
    const Index steps[] = {strides.a_column, strides.b_row};
    return dot_stack<T>(batch, n, steps, is_complex, kNone);
  }
  Workspace workspace;
  const auto product = loops<T>().matrices[is_complex];
  const bool is_packed = strides.b_column == parts || k <= 1;
  T* const packed = workspace.take<T>(is_packed ? 0 : n * k * parts);
  ProductStack<T> stack = {shape.m, n, k};
  stack.a_row = strides.a_row;
  stack.a_column = strides.a_column;
  stack.b_row = is_packed ? strides.b_row : k * parts;
  stack.c_row = k * parts;
  stack.count = 1;
  constexpr Index kSize = sizeof(T);
  batch->lines([&](char** data, Index length, const Index* next) {
    stack.a = reinterpret_cast<const T*>(data[0]);
    stack.b = reinterpret_cast<const T*>(data[1]);
    stack.c = reinterpret_cast<T*>(data[2]);
    stack.a_next = next[0] / kSize;
    stack.b_next = next[1] / kSize;
    stack.c_next = next[2] / kSize;
    stack.count = length;
    if (is_packed) return product(stack);
    const T* b = stack.b;
    const Index b_next = stack.b_next;
    stack.b = packed;
    stack.count = 1;
    for (Index i = 0; i < length; ++i, b += b_next) {
      if (i == 0 || b_next != 0) pack(b, strides, n, k, parts, packed);
      product(stack);
      stack.a += stack.a_next;
      stack.c += stack.c_next;
    }
  });
}

PyObject* matmul(const ProductKernel& kernel, PyObject* const* args, Py_ssize_t count,
                 PyObject* kwnames) {
  if (count != 2 || kwnames != nullptr) return kNotMine;
  const int kind = number_kind(args[0]);
  if (kind < 0 || number_kind(args[1]) != kind) return kNotMine;
  PyArrayObject *a = as_array(args[0]), *b = as_array(args[1]);
  const int a_ndim = PyArray_NDIM(a), b_ndim = PyArray_NDIM(b);
  if (a_ndim == 0 || b_ndim == 0) return kNotMine;
  const Index size = kind % 2 == 0 ? sizeof(float) : sizeof(double);
  MatrixShape shape = {1, PyArray_DIM(a, a_ndim - 1), 1};
  MatrixStrides strides = {};
  strides.a_column = PyArray_STRIDE(a, a_ndim - 1) / size;
  if (a_ndim > 1) {
    shape.m = PyArray_DIM(a, a_ndim - 2);
    strides.a_row = PyArray_STRIDE(a, a_ndim - 2) / size;
  }
  const int b_rows = std::max(0, b_ndim - 2);
  if (PyArray_DIM(b, b_rows) != shape.n) return kNotMine;
  strides.b_row = PyArray_STRIDE(b, b_rows) / size;
  if (b_ndim > 1) {
    shape.k = PyArray_DIM(b, b_ndim - 1);
    strides.b_column = PyArray_STRIDE(b, b_ndim - 1) / size;
  }
  if (!shape.is_small(kind)) return kNotMine;
  Batch batch;
  const int own[] = {std::max(0, a_ndim - 2), b_rows};
  if (!batch.broadcast(args, own, 2)) return kNotMine;
  npy_intp core[2];
  int core_ndim = 0;
  if (a_ndim > 1) core[core_ndim++] = shape.m;
  if (b_ndim > 1) core[core_ndim++] = shape.k;
  Result result;
  if (!result.make(&batch, core, core_ndim, kTypes[kind], 2)) {
    return PyErr_Occurred() ? nullptr : kNotMine;
  }
  const bool is_done = run(kernel, kind, shape.work() * static_cast<double>(batch.count()), [&] {
    kind % 2 == 0 ? matmul_stack<float>(&batch, shape, strides, kind >= 2)
                  : matmul_stack<double>(&batch, shape, strides, kind >= 2);
  });
  return is_done ? result.release() : nullptr;
}

// --- vecdot ------------------------------------------------------------------------------------

// Is the one keyword `axis`, and -1?
bool is_last_axis(PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
  if (kwnames == nullptr) return true;
  if (PyTuple_GET_SIZE(kwnames) != 1 || PyTuple_GET_ITEM(kwnames, 0) != axis_name) return false;
  PyObject* axis = args[count];
  if (!PyLong_CheckExact(axis)) return false;
  int overflow = 0;
  return PyLong_AsLongAndOverflow(axis, &overflow) == -1 && overflow == 0;
}

PyObject* vecdot(const ProductKernel& kernel, PyObject* const* args, Py_ssize_t count,
                 PyObject* kwnames) {
  if (count != 2 || !is_last_axis(args, count, kwnames)) return kNotMine;
  const int kind = number_kind(args[0]);
  if (kind < 0 || number_kind(args[1]) != kind) return kNotMine;
  int own[2];
  Index steps[2], lengths[2];
  for (int i = 0; i < 2; ++i) {
    PyArrayObject* x = as_array(args[i]);
    own[i] = PyArray_NDIM(x) - 1;
    if (own[i] < 0) return kNotMine;
    lengths[i] = PyArray_DIM(x, own[i]);
    steps[i] = PyArray_STRIDE(x, own[i]) / Index(kind % 2 == 0 ? sizeof(float) : sizeof(double));
  }
  if (lengths[0] != lengths[1] || lengths[0] > kLongVector) return kNotMine;
  Batch batch;
  if (!batch.broadcast(args, own, 2)) return kNotMine;
  Result result;
  if (!result.make(&batch, nullptr, 0, kTypes[kind], 2)) return nullptr;
  const double work = static_cast<double>(lengths[0]) * static_cast<double>(batch.count());
  const bool is_done = run(kernel, kind, work, [&] {
    kind % 2 == 0 ? dot_stack<float>(&batch, lengths[0], steps, kind >= 2, kFirst)
                  : dot_stack<double>(&batch, lengths[0], steps, kind >= 2, kFirst);
  });
  return is_done ? result.release() : nullptr;
}

// --- outer -------------------------------------------------------------------------------------

template <typename T>
void outer_of(PyArrayObject* x, PyArrayObject* y, PyArrayObject* result) {
  const Index m = PyArray_DIM(x, 0), n = PyArray_DIM(y, 0);
  const char *xs = PyArray_BYTES(x), *ys = PyArray_BYTES(y);
  T* to = reinterpret_cast<T*>(PyArray_DATA(result));
  for (Index i = 0; i < m; ++i) {
    const T factor = *reinterpret_cast<const T*>(xs + i * PyArray_STRIDE(x, 0));
    for (Index j = 0; j < n; ++j) {
      *to++ = factor * *reinterpret_cast<const T*>(ys + j * PyArray_STRIDE(y, 0));
    }
  }
}

PyObject* outer(const ProductKernel&, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
  constexpr Index kMost = 1024;  // products; NumPy's loop is as fast for more
  if (count != 2 || kwnames != nullptr) return kNotMine;
  const int kind = number_kind(args[0]);
  // Products of complex numbers have more than one way to be rounded; NumPy's depends on the machine.
  if (kind < 0 || kind >= 2 || number_kind(args[1]) != kind) return kNotMine;
  PyArrayObject *x = as_array(args[0]), *y = as_array(args[1]);
  if (PyArray_NDIM(x) != 1 || PyArray_NDIM(y) != 1) return kNotMine;
  npy_intp shape[2] = {PyArray_DIM(x, 0), PyArray_DIM(y, 0)};
  if (shape[0] > kMost || shape[1] > kMost || shape[0] * shape[1] > kMost) return kNotMine;
  Reference result(PyArray_SimpleNew(2, shape, kTypes[kind]));
  if (!result) return nullptr;
  const FloatingPointFlags flags;
  kind == 0 ? outer_of<float>(x, y, result.array()) : outer_of<double>(x, y, result.array());
  return flags.any() ? kNotMine : result.release();
}

// --- cross -------------------------------------------------------------------------------------

template <typename T>
void cross_stack(Batch* batch, const Index* steps) {
  batch->each([&](char** data) {
    T x[3], y[3];
    for (int i = 0; i < 3; ++i) {
      x[i] = *reinterpret_cast<const T*>(data[0] + i * steps[0]);
      y[i] = *reinterpret_cast<const T*>(data[1] + i * steps[1]);
    }
    T* to = reinterpret_cast<T*>(data[2]);
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      to[i] = x[j] * y[k] - x[k] * y[j];
    }
  });
}

PyObject* cross(const ProductKernel&, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
  if (count != 2 || !is_last_axis(args, count, kwnames)) return kNotMine;
  const int kind = number_kind(args[0]);
  if (kind < 0 || kind >= 2 || number_kind(args[1]) != kind) return kNotMine;
  int own[2];
  Index steps[2];
  for (int i = 0; i < 2; ++i) {
    PyArrayObject* x = as_array(args[i]);
    own[i] = PyArray_NDIM(x) - 1;
    if (own[i] < 0 || PyArray_DIM(x, own[i]) != 3) return kNotMine;
    steps[i] = PyArray_STRIDE(x, own[i]);
  }
  Batch batch;
  if (!batch.broadcast(args, own, 2)) return kNotMine;
  constexpr npy_intp kCore = 3;
  Result result;
  if (!result.make(&batch, &kCore, 1, kTypes[kind], 2)) return nullptr;
  PyThreadState* state =
      static_cast<double>(batch.count()) > kReleaseWork ? PyEval_SaveThread() : nullptr;
  const FloatingPointFlags flags;
  kind == 0 ? cross_stack<float>(&batch, steps) : cross_stack<double>(&batch, steps);
  const bool is_odd = flags.any();
  if (state != nullptr) PyEval_RestoreThread(state);
  return is_odd ? kNotMine : result.release();
}

// --- trace -------------------------------------------------------------------------------------

template <typename T, int parts>
void sum_diagonal(const char* data, Index step, Index count, T* result) {
  constexpr int kSums = 8;
  T sums[kSums][parts] = {};
  const Index whole = count < kSums ? 0 : count / kSums * kSums;
  for (Index i = 0; i < whole; i += kSums) {
    for (int k = 0; k < kSums; ++k, data += step) {
      for (int part = 0; part < parts; ++part) {
        sums[k][part] += reinterpret_cast<const T*>(data)[part];
      }
    }
  }
  for (int part = 0; part < parts; ++part) {
    T sum = whole == 0 ? (count == 0 ? T(0) : -T(0))
                       : ((sums[0][part] + sums[1][part]) + (sums[2][part] + sums[3][part])) +
                             ((sums[4][part] + sums[5][part]) + (sums[6][part] + sums[7][part]));
    const char* rest = data;
    for (Index i = whole; i < count; ++i, rest += step) {
      sum += reinterpret_cast<const T*>(rest)[part];
    }
    result[part] = sum;
  }
}

PyObject* trace(const ProductKernel& kernel, PyObject* const* args, Py_ssize_t count,
                PyObject* kwnames) {
  if (count != 1 || kwnames == nullptr || PyTuple_GET_SIZE(kwnames) != 2) return kNotMine;
  if (PyTuple_GET_ITEM(kwnames, 0) != offset_name || PyTuple_GET_ITEM(kwnames, 1) != dtype_name) {
    return kNotMine;
  }
  if (!PyLong_CheckExact(args[1]) || args[2] != Py_None) return kNotMine;
  int overflow = 0;
  const long offset = PyLong_AsLongAndOverflow(args[1], &overflow);
  constexpr long kFarthest = 1 << 30;
  if (overflow != 0 || offset > kFarthest || offset < -kFarthest) return kNotMine;
  const int kind = number_kind(args[0]);
  if (kind < 0) return kNotMine;
  PyArrayObject* x = as_array(args[0]);
  const int own = PyArray_NDIM(x) - 2;
  if (own < 0) return kNotMine;
  const Index row = PyArray_STRIDE(x, own), column = PyArray_STRIDE(x, own + 1);
  const Index down = std::max(0L, -offset), right = std::max(0L, offset);
  const Index length =
      std::max<Index>(0, std::min(PyArray_DIM(x, own) - down, PyArray_DIM(x, own + 1) - right));
  const Index first = length == 0 ? 0 : down * row + right * column;
  Batch batch;
  batch.broadcast(args, &own, 1);
  std::fill(batch.strides[2], batch.strides[2] + batch.ndim, 0);
  batch.data[2] = nullptr;
  Result result;
  if (!result.make(&batch, nullptr, 0, kTypes[kind], 1)) return nullptr;
  const double work = static_cast<double>(length) * static_cast<double>(batch.count());
  const bool is_done = run(kernel, kind, work, [&] {
    batch.each([&](char** data) {
      const char* from = data[0] + first;
      const Index step = row + column;
      switch (kind) {
        case 0:
          return sum_diagonal<float, 1>(from, step, length, reinterpret_cast<float*>(data[1]));
        case 1:
          return sum_diagonal<double, 1>(from, step, length, reinterpret_cast<double*>(data[1]));
        case 2:
          return sum_diagonal<float, 2>(from, step, length, reinterpret_cast<float*>(data[1]));
        default:
          return sum_diagonal<double, 2>(from, step, length, reinterpret_cast<double*>(data[1]));
      }
    });
  });
  return is_done ? result.release() : nullptr;
}

// --- The type ----------------------------------------------------------------------------------

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
  axis_name = PyUnicode_InternFromString("axis");
  offset_name = PyUnicode_InternFromString("offset");
  dtype_name = PyUnicode_InternFromString("dtype");
  return axis_name != nullptr && offset_name != nullptr && dtype_name != nullptr &&
         PyType_Ready(&ProductKernelType) == 0 &&
         PyModule_AddObjectRef(module, "ProductKernel",
                               reinterpret_cast<PyObject*>(&ProductKernelType)) == 0;
}

}  // namespace numerics::cpu
