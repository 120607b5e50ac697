#include "ufunc.h"

#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>

#include "doorway.h"
#include "elementwise.h"
#include "isa.h"

namespace numerics::cpu {
namespace {

// Both ufuncs of a row go through these loops, which read the instruction set in use at each call.
struct Row {
  std::string name;
  int arity;
  int index;
  PyUFuncGenericFunction functions[2];
  void* data[2];
  char types[2 * NPY_MAXARGS];
};

const ElementwiseLoops& loops_of(const void* row) {
  return active_table().rows[static_cast<const Row*>(row)->index];
}
void loop_f32(char** args, const npy_intp* dimensions, const npy_intp* steps, void* row) {
  loops_of(row).f32(args, dimensions, steps, nullptr);
}
void loop_f64(char** args, const npy_intp* dimensions, const npy_intp* steps, void* row) {
  loops_of(row).f64(args, dimensions, steps, nullptr);
}

// Rows never move: ufuncs keep pointers into them.
const std::deque<Row>& rows() {
  static const std::deque<Row> all = [] {
    std::deque<Row> made;
    const ElementwiseTable& table = active_table();
    for (int i = 0; i < table.count; ++i) {
      Row& row = made.emplace_back();
      row.name = table.rows[i].name;
      row.arity = table.rows[i].arity;
      row.index = i;
      // NumPy takes the first loop that integers cast to safely: float64, as SciPy has it.
      row.functions[0] = &loop_f64;
      row.functions[1] = &loop_f32;
      row.data[0] = row.data[1] = &row;
      const int operands = row.arity + 1;
      std::memset(row.types, NPY_DOUBLE, operands);
      std::memset(row.types + operands, NPY_FLOAT, operands);
    }
    return made;
  }();
  return all;
}

const Row* find_row(PyObject* name) {
  for (const Row& row : rows()) {
    if (PyUnicode_CompareWithASCIIString(name, row.name.c_str()) == 0) return &row;
  }
  PyErr_Format(PyExc_LookupError, "functions.def has no row %R", name);
  return nullptr;
}

PyObject* make_ufunc(const Row& row, const char* doc) {
  auto* mutable_row = const_cast<Row*>(&row);  // NumPy's interface predates const
  return PyUFunc_FromFuncAndData(mutable_row->functions, mutable_row->data, mutable_row->types, 2,
                                 row.arity, 1, PyUFunc_None, row.name.c_str(), doc, 0);
}

// --- The doorway of a public ufunc ---------------------------------------------------------------

// The `vectorcall` that NumPy installs in every ufunc, read off the first one that is made.
std::atomic<vectorcallfunc> numpy_vectorcall{nullptr};

PyObject* op_of(PyObject* ufunc) { return reinterpret_cast<PyUFuncObject*>(ufunc)->obj; }

// Words a complaint about the input of a plain call; other errors stay as they are.
void explain(PyObject* ufunc, PyObject* const* args, Py_ssize_t count) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!PyArray_Check(args[i]) && !PyArray_IsAnyScalar(args[i])) return;
  }
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Reference owned_type(type), error(value), owned_traceback(traceback), given(PyTuple_New(count));
  if (!given) return;
  for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(given.get(), i, Py_NewRef(args[i]));
  raise_from(PyObject_CallFunctionObjArgs(callbacks.unsupported, op_of(ufunc), given.get(),
                                          error.get(), nullptr));
}

PyObject* through_numpy(PyObject* ufunc, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  return numpy_vectorcall.load(std::memory_order_relaxed)(ufunc, args, nargsf, kwnames);
}

// A float, or a float64 array that is one block in memory, needs none of NumPy's machinery.
PyObject* unary_fast(const Row& row, PyObject* argument) {
  const ElementwiseLoops& loops = loops_of(&row);
  const npy_intp step[] = {sizeof(double), sizeof(double)};
  if (PyFloat_CheckExact(argument)) {
    double x = PyFloat_AS_DOUBLE(argument), y;
    char* args[] = {reinterpret_cast<char*>(&x), reinterpret_cast<char*>(&y)};
    const npy_intp one = 1;
    loops.f64(args, &one, step, nullptr);
    PyArray_Descr* descr = PyArray_DescrFromType(NPY_DOUBLE);
    PyObject* result = PyArray_Scalar(&y, descr, nullptr);
    Py_DECREF(descr);
    return result;
  }
  if (!PyArray_CheckExact(argument)) return Py_NotImplemented;
  auto* array = reinterpret_cast<PyArrayObject*>(argument);
  const bool is_block = PyArray_IS_C_CONTIGUOUS(array) || PyArray_IS_F_CONTIGUOUS(array);
  if (PyArray_TYPE(array) != NPY_DOUBLE || PyArray_NDIM(array) == 0 || !is_block ||
      !PyArray_ISBEHAVED_RO(array)) {
    return Py_NotImplemented;
  }
  Reference result(PyArray_NewLikeArray(array, NPY_KEEPORDER, nullptr, 0));
  if (!result) return nullptr;
  char* args[] = {PyArray_BYTES(array), PyArray_BYTES(result.array())};
  const npy_intp size = PyArray_SIZE(array);
  constexpr npy_intp kReleaseSize = 4096;
  PyThreadState* state = size > kReleaseSize ? PyEval_SaveThread() : nullptr;
  loops.f64(args, &size, step, nullptr);
  if (state != nullptr) PyEval_RestoreThread(state);
  return result.release();
}

// Is `object` an array of one of our own backends? Asked only about types NumPy does not know.
int is_owned(PyObject* object) {
  if (PyArray_Check(object) || PyArray_IsAnyScalar(object) || PyList_Check(object) ||
      PyTuple_Check(object)) {
    return 0;
  }
  Reference answer(PyObject_CallOneArg(callbacks.owns, object));
  return answer ? PyObject_IsTrue(answer.get()) : -1;
}

PyObject* ufunc_vectorcall(PyObject* ufunc, PyObject* const* args, size_t nargsf,
                           PyObject* kwnames) {
  const Py_ssize_t count = PyVectorcall_NARGS(nargsf);
  const int arity = reinterpret_cast<PyUFuncObject*>(ufunc)->nin;
  const bool is_plain = count == arity && (kwnames == nullptr || PyTuple_GET_SIZE(kwnames) == 0);
  if (!is_plain) return through_numpy(ufunc, args, nargsf, kwnames);
  if (layers_on.load(std::memory_order_relaxed) == 0) {
    if (arity == 1) {
      const auto* row = static_cast<const Row*>(reinterpret_cast<PyUFuncObject*>(ufunc)->data[0]);
      PyObject* result = unary_fast(*row, args[0]);
      if (result != Py_NotImplemented) return result;
    }
    int owned = 0;
    for (int i = 0; i < arity && owned == 0; ++i) owned = is_owned(args[i]);
    if (owned < 0) return nullptr;
    if (owned == 0) {
      PyObject* result = through_numpy(ufunc, args, nargsf, kwnames);
      if (result == nullptr) explain(ufunc, args, count);
      return result;
    }
  }
  return PyObject_Vectorcall(op_of(ufunc), args, nargsf, nullptr);
}

}  // namespace

PyObject* elementwise(PyObject*, PyObject* name) {
  const Row* row = find_row(name);
  return row == nullptr ? nullptr : make_ufunc(*row, nullptr);
}

PyObject* public_ufunc(PyObject*, PyObject* args) {
  PyObject *op, *doc;
  if (!PyArg_ParseTuple(args, "O!U", &OpType, &op, &doc)) return nullptr;
  Reference kernel(PyObject_GetAttrString(op, "kernel"));
  const Row* row = kernel ? find_row(kernel.get()) : nullptr;
  if (row == nullptr) return nullptr;
  // NumPy keeps the pointer to the text and not a copy.
  static std::deque<std::string> docs;
  static std::mutex docs_lock;
  const char* kept;
  {
    const std::lock_guard<std::mutex> guard(docs_lock);
    const char* text = PyUnicode_AsUTF8(doc);
    if (text == nullptr) return nullptr;
    kept = docs.emplace_back(text).c_str();
  }
  PyObject* made = make_ufunc(*row, kept);
  if (made == nullptr) return nullptr;
  auto* ufunc = reinterpret_cast<PyUFuncObject*>(made);
  numpy_vectorcall.store(ufunc->vectorcall, std::memory_order_relaxed);
  ufunc->vectorcall = &ufunc_vectorcall;
  ufunc->obj = Py_NewRef(op);
  return made;
}

PyObject* elementwise_names(PyObject*, PyObject*) {
  PyObject* names = PyList_New(0);
  for (const Row& row : rows()) {
    Reference name(PyUnicode_FromString(row.name.c_str()));
    if (!name || PyList_Append(names, name.get()) < 0) return nullptr;
  }
  return names;
}

PyObject* instruction_sets(PyObject*, PyObject*) {
  PyObject* names = PyList_New(0);
  for (const char* isa : supported_isas()) {
    Reference name(PyUnicode_FromString(isa));
    if (!name || PyList_Append(names, name.get()) < 0) return nullptr;
  }
  return names;
}

PyObject* instruction_set(PyObject*, PyObject*) { return PyUnicode_FromString(active_table().isa); }

PyObject* use_instruction_set(PyObject*, PyObject* name) {
  const char* text = PyUnicode_AsUTF8(name);
  if (text == nullptr) return nullptr;
  if (!select_isa(text)) {
    PyErr_Format(PyExc_ValueError, "no instruction set %R here", name);
    return nullptr;
  }
  Py_RETURN_NONE;
}

}  // namespace numerics::cpu
