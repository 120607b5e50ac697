// Products that need no BLAS: of numbers and of vectors in space, and sums along diagonals. As in
// matmul.cpp, what is not plain and small is NumPy's.
#include <algorithm>

#include "product_kernel.h"

namespace numerics::cpu {

// --- outer -------------------------------------------------------------------------------------

namespace {

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

}  // namespace

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

namespace {

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

}  // namespace

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

namespace {

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

}  // namespace

PyObject* trace(const ProductKernel& kernel, PyObject* const* args, Py_ssize_t count,
                PyObject* kwnames) {
  if (count != 1 || kwnames == nullptr || PyTuple_GET_SIZE(kwnames) != 2) return kNotMine;
  if (PyTuple_GET_ITEM(kwnames, 0) != product_keywords.offset ||
      PyTuple_GET_ITEM(kwnames, 1) != product_keywords.dtype) {
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

}  // namespace numerics::cpu
