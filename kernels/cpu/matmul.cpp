// Products of matrices and vectors of real and complex numbers in single and double precision, as
// long as they are small. Everything else (other dtypes and classes, large matrices, arguments that
// do not fit together) is NumPy's own function, to which such a kernel is a shortcut.
//
// Whether a matrix is small depends on its shape alone, never on its place in a stack, on strides or
// on alignment: the same matrix has the same bits everywhere.
#include <algorithm>

#include "isa.h"
#include "product_kernel.h"

namespace numerics::cpu {
namespace {

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
    constexpr double kMost[] = {32 * 32 * 32, 24 * 24 * 24, 48 * 48 * 48, 48 * 48 * 48};
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
  const bool are_dense = n <= 1 || (steps[0] == parts && steps[1] == parts);
  constexpr Index kSize = sizeof(T);
  batch->lines([&](char** data, Index length, const Index* next) {
    VectorStack<T> stack = {n,
                            reinterpret_cast<const T*>(data[0]),
                            next[0] / kSize,
                            reinterpret_cast<const T*>(data[1]),
                            next[1] / kSize,
                            reinterpret_cast<T*>(data[2]),
                            next[2] / kSize,
                            length};
    if (are_dense) return dot(stack);
    const T *x = stack.x, *y = stack.y;
    stack.count = 1;
    for (Index i = 0; i < length; ++i, stack.result += stack.result_next) {
      stack.x = side_by_side(x + i * stack.x_next, steps[0], n, parts, room[0]);
      stack.y = side_by_side(y + i * stack.y_next, steps[1], n, parts, room[1]);
      dot(stack);
    }
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

}  // namespace

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

}  // namespace numerics::cpu
