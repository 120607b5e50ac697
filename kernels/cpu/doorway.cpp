#include "doorway.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include <numpy/arrayscalars.h>

#include "options.h"
#include "sharing.h"
#include "signature.h"

namespace numerics::cpu {

std::atomic<int> layers_on{0};
Callbacks callbacks;

namespace {

// Letters in one word, a byte each: to be compared at once, and never written to memory one by one.
using Word = std::uint64_t;
static_assert(kMaxOperands <= sizeof(Word));

constexpr Word letter_at(int place, char letter) {
  return static_cast<Word>(static_cast<unsigned char>(letter)) << (8 * place);
}

struct Loop {
  Word inputs_word = 0;
  char inputs[kMaxOperands] = {};
  char outputs[kMaxOperands] = {};
};
constexpr int kMaxLoops = 4;

struct NamedOption {
  PyObject* name = nullptr;  // interned
  OptionReader read = nullptr;
};

// A compiled kernel as one op uses it.
struct NativeOp {
  const Native* kernel;
  Signature signature;
  Loop loops[kMaxLoops];
  int loop_count = 0;
  NamedOption options[3];
  int option_count = 0;
};

struct Op {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  PyObject* name;
  PyObject* kernel;
  PyObject* signature;
  PyObject* dtypes;
  PyObject* determinism;
  PyObject* rule;
  PyObject* result_type;  // named tuple of several results, or None
  PyObject* cpu;          // the CPU backend's kernel when that is a Python callable, or None
  NativeOp* native;       // when it is compiled
};

// Returned by the fast path when a call is not for it.
PyObject* const kNotMine = Py_NotImplemented;

// --- Static parameters -------------------------------------------------------------------------

// False with or without a Python error set.
bool read_option(const NativeOp& native, PyObject* name, PyObject* value, Options* options) {
  for (int i = 0; i < native.option_count; ++i) {
    const NamedOption& option = native.options[i];
    if (option.name != name && PyUnicode_Compare(option.name, name) != 0) continue;
    return option.read(value, options);
  }
  return false;
}

// --- From arrays to a stack --------------------------------------------------------------------

char type_letter(PyArrayObject* array) {
  switch (PyArray_TYPE(array)) {
    case NPY_DOUBLE: return 'd';
    case NPY_FLOAT: return 'f';
    case NPY_CDOUBLE: return 'D';
    case NPY_CFLOAT: return 'F';
    case NPY_INT: return 'i';
    default: return '\0';
  }
}

const Loop* find_loop(const NativeOp& native, PyObject* const* arrays) {
  Word letters = 0;
  const int inputs = native.signature.inputs;
  for (int i = 0; i < inputs; ++i) {
    if (!PyArray_CheckExact(arrays[i])) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(arrays[i]);
    if (!PyArray_ISBEHAVED_RO(array)) return nullptr;
    letters |= letter_at(i, type_letter(array));
  }
  for (int i = 0; i < native.loop_count; ++i) {
    if (letters == native.loops[i].inputs_word) return &native.loops[i];
  }
  return nullptr;
}

// Core dimensions that one operand really has: an optional one is absent where the array has no
// room for it. As with NumPy's gufuncs, `b` of solve is a vector exactly if it is 1-D.
int core_ndim(const CoreShape& shape, int array_ndim) {
  if (array_ndim >= shape.ndim) return shape.ndim;
  int missing = shape.ndim - array_ndim;
  for (int i = 0; i < shape.ndim; ++i) {
    if (missing > 0 && shape.optional[i]) --missing;
  }
  return missing > 0 ? -1 : array_ndim;
}

// Fills sizes, batch shape and input strides; false if the shapes do not fit together.
bool shape_inputs(const Signature& signature, PyObject* const* arrays, Stack* stack) {
  int core[kMaxOperands];
  std::memcpy(stack->names, signature.names, sizeof(stack->names));
  stack->name_count = signature.name_count;
  for (int i = 0; i < signature.name_count; ++i) stack->sizes[i] = -1;
  stack->batch_ndim = 0;
  for (int i = 0; i < signature.inputs; ++i) {
    auto* array = reinterpret_cast<PyArrayObject*>(arrays[i]);
    const CoreShape& shape = signature.operands[i];
    const int ndim = PyArray_NDIM(array);
    core[i] = core_ndim(shape, ndim);
    if (core[i] < 0) return false;
    stack->batch_ndim = std::max(stack->batch_ndim, ndim - core[i]);
    for (int d = 0; d < core[i]; ++d) {
      Index& size = stack->sizes[shape.names[d]];
      const Index found = PyArray_DIM(array, ndim - core[i] + d);
      if (size < 0) size = found;
      if (size != found) return false;
    }
  }
  if (stack->batch_ndim > kMaxBatch - 2) return false;
  for (int d = 0; d < stack->batch_ndim; ++d) stack->batch_shape[d] = 1;
  for (int i = 0; i < signature.inputs; ++i) {
    auto* array = reinterpret_cast<PyArrayObject*>(arrays[i]);
    const int batch = PyArray_NDIM(array) - core[i];
    Operand& operand = stack->operands[i];
    operand.data = PyArray_BYTES(array);
    for (int d = 0; d < 2; ++d) {
      operand.core_strides[d] = d < core[i] ? PyArray_STRIDE(array, batch + d) : 0;
    }
    for (int d = 0; d < stack->batch_ndim; ++d) {
      const int own = d - (stack->batch_ndim - batch);
      const Index size = own < 0 ? 1 : PyArray_DIM(array, own);
      operand.batch_strides[d] = size == 1 ? 0 : PyArray_STRIDE(array, own);
      if (size == 1) continue;
      if (stack->batch_shape[d] != 1 && stack->batch_shape[d] != size) return false;
      stack->batch_shape[d] = size;
    }
  }
  std::size_t count = 1;  // may wrap around for a stack that is too large to be allocated
  for (int d = 0; d < stack->batch_ndim; ++d)
    count *= static_cast<std::size_t>(stack->batch_shape[d]);
  stack->count = static_cast<Index>(count);
  if (signature.derived >= 0) {
    stack->sizes[signature.derived] = std::min(stack->size('m'), stack->size('n'));
  }
  if (signature.given >= 0) {
    const Index given = stack->options.N;
    stack->sizes[signature.given] = given < 0 ? stack->size('n') : given;
  }
  return true;
}

// Results that are numbers of a single matrix live here instead of in an array.
union Scalar {
  double real[2];
  float single[2];
  int integer;
  npy_intp count;
};

int type_number(char letter) {
  switch (letter) {
    case 'd': return NPY_DOUBLE;
    case 'f': return NPY_FLOAT;
    case 'D': return NPY_CDOUBLE;
    case 'F': return NPY_CFLOAT;
    case 'p': return NPY_INTP;
    default: return NPY_INT;
  }
}

bool make_output(const CoreShape& shape, char letter, Stack* stack, Operand* operand,
                 Scalar* scalar, Reference* array) {
  npy_intp dims[kMaxBatch];
  int ndim = stack->batch_ndim;
  for (int d = 0; d < ndim; ++d) dims[d] = stack->batch_shape[d];
  for (int d = 0; d < shape.ndim; ++d) {
    const Index size = stack->sizes[shape.names[d]];
    if (size >= 0) dims[ndim++] = size;  // an absent optional dimension has none
  }
  operand->type = letter;
  if (ndim == 0) {
    operand->data = reinterpret_cast<char*>(scalar);
    operand->core_strides[0] = operand->core_strides[1] = 0;
    return true;
  }
  *array = Reference(PyArray_NewFromDescr(&PyArray_Type, PyArray_DescrFromType(type_number(letter)),
                                          ndim, dims, nullptr, nullptr, 0, nullptr));
  if (!*array) return false;
  operand->data = PyArray_BYTES(array->array());
  const npy_intp* strides = PyArray_STRIDES(array->array());
  for (int d = 0; d < stack->batch_ndim; ++d) operand->batch_strides[d] = strides[d];
  for (int d = 0; d < 2; ++d) {
    const int axis = stack->batch_ndim + d;
    operand->core_strides[d] = axis < ndim ? strides[axis] : 0;
  }
  return true;
}

// --- Errors, worded on the Python side ----------------------------------------------------------

PyObject* sizes_dict(const Stack& stack) {
  PyObject* sizes = PyDict_New();
  for (int i = 0; sizes != nullptr && i < stack.name_count; ++i) {
    if (stack.sizes[i] < 0) continue;  // an absent optional dimension
    const char name[2] = {stack.names[i], '\0'};
    Reference size(PyLong_FromSsize_t(stack.sizes[i]));
    if (!size || PyDict_SetItemString(sizes, name, size.get()) < 0) Py_CLEAR(sizes);
  }
  return sizes;
}

void raise_failures(Op* op, const Stack& stack) {
  npy_intp shape[2] = {static_cast<npy_intp>(stack.failures.size()), 2};
  Reference failures(PyArray_SimpleNew(2, shape, NPY_INT64));
  Reference batch(PyTuple_New(stack.batch_ndim)), sizes(sizes_dict(stack));
  if (!failures || !batch || !sizes) return;
  auto* rows = static_cast<npy_int64*>(PyArray_DATA(failures.array()));
  for (const Failure& failure : stack.failures) {
    *rows++ = failure.matrix;
    *rows++ = failure.info;
  }
  for (int d = 0; d < stack.batch_ndim; ++d) {
    PyTuple_SET_ITEM(batch.get(), d, PyLong_FromSsize_t(stack.batch_shape[d]));
  }
  raise_from(PyObject_CallFunctionObjArgs(callbacks.failure, reinterpret_cast<PyObject*>(op),
                                          failures.get(), batch.get(), sizes.get(), nullptr));
}

// No workspace of LAPACK's has more than some hundred numbers for each entry of a matrix, so that up
// to this size every one can be counted in 32 bits.
constexpr Index kSurelyFits = 1024;

// Can LAPACK's integers hold the sizes? Asked before anything is allocated.
bool require_size(Op* op, const Stack& stack) {
  Index largest = 0;
  for (int i = 0; i < stack.name_count; ++i) largest = std::max(largest, stack.sizes[i]);
  if (largest <= kSurelyFits) return true;
  if (op->native->kernel->largest_integer(stack) <= lapack::integer_limit()) return true;
  Reference sizes(sizes_dict(stack)), limit(PyFloat_FromDouble(lapack::integer_limit()));
  if (sizes && limit) {
    raise_from(PyObject_CallFunctionObjArgs(callbacks.too_large, reinterpret_cast<PyObject*>(op),
                                            sizes.get(), limit.get(), nullptr));
  }
  return false;
}

// A warning names the caller of the public function, which is so many Python frames away.
bool react(Op* op, unsigned flags, int frames) {
  return Reference(PyObject_CallFunction(callbacks.floating_point, "OIi",
                                         reinterpret_cast<PyObject*>(op), flags, frames))
      .operator bool();
}

// --- Running -----------------------------------------------------------------------------------

// In nanoseconds: a call that is over sooner is over before another thread could have used the time,
// and one that takes longer by far has to look for signals.
constexpr double kReleases = 1e4, kLooksForSignals = 1e6;

// Only there do signal handlers run.
bool is_main_thread() {
  Reference threading(PyImport_ImportModule("threading"));
  Reference main(threading ? PyObject_CallMethod(threading.get(), "main_thread", nullptr)
                           : nullptr);
  Reference ident(main ? PyObject_GetAttrString(main.get(), "ident") : nullptr);
  if (ident && ident.get() != Py_None) {
    return PyLong_AsUnsignedLong(ident.get()) == PyThread_get_thread_ident();
  }
  PyErr_Clear();
  return false;
}

bool run_long(const Native& native, bool is_complex, Stack* stack, double time) {
  const bool looks = time > kLooksForSignals && is_main_thread();
  PyThreadState* state = PyEval_SaveThread();
  GoesOn goes_on;
  if (looks) {
    goes_on = [&state] {
      PyEval_RestoreThread(state);
      const bool is_quiet = PyErr_CheckSignals() == 0;
      state = PyEval_SaveThread();
      return is_quiet;
    };
  }
  bool has_memory = true, is_done = false;
  try {
    is_done = run_stack(native, is_complex, *stack, time, goes_on);
  } catch (const std::bad_alloc&) {
    has_memory = false;
  }
  PyEval_RestoreThread(state);
  if (!has_memory) PyErr_NoMemory();
  return is_done;
}

bool run(const NativeOp& native, bool is_complex, Stack* stack) {
  const double time = duration(*native.kernel, is_complex, *stack);
  if (time > kReleases) return run_long(*native.kernel, is_complex, stack, time);
  try {
    native.kernel->run[is_complex](*stack);
    return true;
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
    return false;
  }
}

PyObject* real_part(PyObject* array) {
  Reference owned(array);
  Reference real(PyObject_GetAttrString(array, "real"));
  if (!real) return nullptr;
  return PyArray_NewCopy(real.array(), NPY_CORDER);
}

PyTypeObject* scalar_type(char letter) {
  switch (letter) {
    case 'd': return &PyDoubleArrType_Type;
    case 'f': return &PyFloatArrType_Type;
    case 'D': return &PyCDoubleArrType_Type;
    case 'F': return &PyCFloatArrType_Type;
    case 'p':
      return sizeof(npy_intp) == sizeof(long) ? &PyLongArrType_Type : &PyLongLongArrType_Type;
    default: return &PyIntArrType_Type;
  }
}

std::size_t scalar_size(char letter) {
  switch (letter) {
    case 'D': return sizeof(Scalar::real);
    case 'F': return sizeof(Scalar::single);
    case 'd': return sizeof(double);
    case 'p': return sizeof(npy_intp);
    default: return sizeof(int);
  }
}

// As PyArray_Scalar makes it, without the search for the way to make it. The number stands behind
// the head, which all of these types share.
PyObject* make_scalar(char letter, const Scalar& number) {
  static_assert(sizeof(int) == sizeof(float));
  PyTypeObject* type = scalar_type(letter);
  PyObject* made = type->tp_alloc(type, 0);
  if (made == nullptr) return nullptr;
  std::memcpy(&reinterpret_cast<PyDoubleScalarObject*>(made)->obval, &number, scalar_size(letter));
  return made;
}

PyObject* to_object(const Operand& operand, Reference* array, const Stack& stack) {
  if (!*array) return make_scalar(operand.type, *reinterpret_cast<const Scalar*>(operand.data));
  const bool narrows = (operand.type == 'D' || operand.type == 'F') &&
                       stack.operands[0].type >= 'a' && !stack.has_complex_values;
  return narrows ? real_part(array->release()) : array->release();
}

// A tuple of the items, which it takes over; for a named tuple without the detour through its
// Python constructor.
PyObject* make_tuple(PyObject* result_type, Reference* items, Py_ssize_t count) {
  auto* type =
      result_type == Py_None ? &PyTuple_Type : reinterpret_cast<PyTypeObject*>(result_type);
#if PY_VERSION_HEX < 0x030E0000
  PyObject* tuple = type == &PyTuple_Type ? PyTuple_New(count) : type->tp_alloc(type, count);
#else  // tuples keep a hash that only their own constructor sets up
  PyObject* tuple = PyTuple_New(count);
#endif
  if (tuple == nullptr) return nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(tuple, i, items[i].release());
#if PY_VERSION_HEX >= 0x030E0000
  if (type == &PyTuple_Type) return tuple;
  Reference plain(tuple), arguments(PyTuple_Pack(1, tuple));
  tuple = arguments ? PyTuple_Type.tp_new(type, arguments.get(), nullptr) : nullptr;
#endif
  return tuple;
}

PyObject* build_result(Op* op, const Stack& stack, Reference* arrays) {
  const Signature& signature = op->native->signature;
  const Operand* outputs = stack.operands + signature.inputs;
  for (int i = 0; i < signature.outputs; ++i) {
    arrays[i] = Reference(to_object(outputs[i], &arrays[i], stack));
    if (!arrays[i]) return nullptr;
  }
  if (signature.outputs == 1) return arrays[0].release();
  return make_tuple(op->result_type, arrays, signature.outputs);
}

// Who asks for a result.
struct Caller {
  int frames;           // of Python, between here and the caller of the public function
  bool leaves_unusual;  // someone else sees to empty stacks, and to whatever the kernel reports
};

bool is_empty(const Stack& stack) {
  const Index* end = stack.sizes + stack.name_count;
  return stack.count == 0 || std::find(stack.sizes, end, 0) != end;
}

// As many arrays as the op has inputs, and the options of `stack` read already: a parameter's truth
// value may run Python code, which may change the arrays.
PyObject* run_native(Op* op, PyObject* const* args, Stack* given, Caller caller) {
  const NativeOp& native = *op->native;
  const Signature& signature = native.signature;
  Stack& stack = *given;
  const Loop* loop = find_loop(native, args);
  if (loop == nullptr) return kNotMine;
  stack.inputs = signature.inputs;
  stack.outputs = signature.outputs;
  if (!shape_inputs(signature, args, &stack)) return kNotMine;
  if (caller.leaves_unusual && is_empty(stack)) return kNotMine;
  if (!require_size(op, stack)) return nullptr;

  Reference arrays[kMaxOperands];
  Scalar scalars[kMaxOperands];
  for (int i = 0; i < signature.inputs; ++i) stack.operands[i].type = loop->inputs[i];
  for (int i = 0; i < signature.outputs; ++i) {
    const int operand = signature.inputs + i;
    if (!make_output(signature.operands[operand], loop->outputs[i], &stack,
                     &stack.operands[operand], &scalars[i], &arrays[i])) {
      return nullptr;
    }
  }
  for (int i = 0; i < signature.name_count; ++i) {
    if (stack.sizes[i] < 0) stack.sizes[i] = 1;  // an absent optional dimension computes as one
  }
  if (!run(native, loop->inputs[0] == 'D' || loop->inputs[0] == 'F', &stack)) return nullptr;
  if (!stack.failures.empty()) {
    if (caller.leaves_unusual) return kNotMine;
    raise_failures(op, stack);
    return nullptr;
  }
  if (stack.floating_point != 0 && !react(op, stack.floating_point, caller.frames)) return nullptr;
  return build_result(op, stack, arrays);
}

PyObject* read_and_run(Op* op, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
  const NativeOp& native = *op->native;
  const Py_ssize_t keywords = kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames);
  if (count != native.signature.inputs || keywords != native.option_count) return kNotMine;
  Stack stack;
  for (Py_ssize_t i = 0; i < keywords; ++i) {
    if (!read_option(native, PyTuple_GET_ITEM(kwnames, i), args[count + i], &stack.options)) {
      return PyErr_Occurred() ? nullptr : kNotMine;
    }
  }
  constexpr int kBody = 1;  // of the public function
  return run_native(op, args, &stack, {kBody, false});
}

PyObject* run_callable(Op* op, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!PyArray_CheckExact(args[i])) return kNotMine;
  }
  return PyObject_Vectorcall(op->cpu, args, static_cast<size_t>(count), kwnames);
}

PyObject* call_python(Op* op, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
  if (callbacks.call == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "numerics._core.call has not signed in");
    return nullptr;
  }
  Reference arrays(PyTuple_New(count)), statics(PyDict_New());
  if (!arrays || !statics) return nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyTuple_SET_ITEM(arrays.get(), i, Py_NewRef(args[i]));
  }
  const Py_ssize_t keywords = kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames);
  for (Py_ssize_t i = 0; i < keywords; ++i) {
    if (PyDict_SetItem(statics.get(), PyTuple_GET_ITEM(kwnames, i), args[count + i]) < 0) {
      return nullptr;
    }
  }
  PyObject* stack[] = {reinterpret_cast<PyObject*>(op), arrays.get(), statics.get()};
  return PyObject_Vectorcall(callbacks.call, stack, 3, nullptr);
}

PyObject* enter(Op* op, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
  return op->native != nullptr ? read_and_run(op, args, count, kwnames)
                               : run_callable(op, args, count, kwnames);
}

PyObject* op_vectorcall(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  Op* op = reinterpret_cast<Op*>(self);
  const Py_ssize_t count = PyVectorcall_NARGS(nargsf);
  if (layers_on.load(std::memory_order_relaxed) == 0) {
    PyObject* result = enter(op, args, count, kwnames);
    if (result != kNotMine) return result;
  }
  return call_python(op, args, count, kwnames);
}

// Op.run(*arrays, **static): the CPU kernel itself, below every layer. NotImplemented if the
// arguments are not in the form that the kernel takes.
PyObject* op_run(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
  PyObject* result = enter(reinterpret_cast<Op*>(self), args, count, kwnames);
  if (result == kNotMine) Py_INCREF(result);
  return result;
}

// Op.require_size(*arrays): for callers that are about to convert arrays of any dtype and layout.
PyObject* op_require_size(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  Op* op = reinterpret_cast<Op*>(self);
  if (op->native == nullptr || count != op->native->signature.inputs) Py_RETURN_NONE;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!PyArray_Check(args[i])) Py_RETURN_NONE;
  }
  Stack stack;
  if (!shape_inputs(op->native->signature, args, &stack) || require_size(op, stack)) {
    Py_RETURN_NONE;
  }
  return nullptr;
}

// --- The type ----------------------------------------------------------------------------------

// "fif->f did->d FiF->F DiD->D": one word per loop, in NumPy's letters.
bool parse_loops(const char* text, NativeOp* native) {
  native->loop_count = 0;
  while (*text != '\0') {
    if (native->loop_count == kMaxLoops) return false;
    Loop& loop = native->loops[native->loop_count++];
    for (int i = 0; i < native->signature.inputs; ++i) {
      if (std::strchr("fdFDi", *text) == nullptr || *text == '\0') return false;
      loop.inputs_word |= letter_at(i, *text);
      loop.inputs[i] = *text++;
    }
    if (text[0] != '-' || text[1] != '>') return false;
    text += 2;
    for (int i = 0; i < native->signature.outputs; ++i) {
      if (std::strchr("fdFDip", *text) == nullptr || *text == '\0') return false;
      loop.outputs[i] = *text++;
    }
    if (*text == ' ') ++text;
  }
  return native->loop_count > 0;
}

NativeOp* make_native(const Native* kernel, const char* signature, const char* dtypes) {
  auto native = std::make_unique<NativeOp>();
  native->kernel = kernel;
  if (!parse_signature(signature, &native->signature) || !parse_loops(dtypes, native.get())) {
    PyErr_Format(PyExc_ValueError, "kernel %s cannot be compiled for signature `%s`, dtypes `%s`",
                 kernel->name, signature, dtypes);
    return nullptr;
  }
  for (const char* name : kernel->options) {
    if (name == nullptr) break;
    NamedOption& option = native->options[native->option_count];
    option.read = find_option_reader(name);
    if (option.read == nullptr) {
      PyErr_Format(PyExc_LookupError, "kernel %s: nothing reads its option %s", kernel->name, name);
      return nullptr;
    }
    option.name = PyUnicode_InternFromString(name);
    if (option.name == nullptr) return nullptr;
    ++native->option_count;
  }
  return native.release();
}

PyObject* op_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"name", "kernel", "signature", "dtypes", "determinism",
                                   "rule", "result", "cpu",       nullptr};
  PyObject *name, *kernel, *signature, *dtypes, *determinism, *rule, *result, *cpu;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "UUUUOOOO", const_cast<char**>(keywords), &name,
                                   &kernel, &signature, &dtypes, &determinism, &rule, &result,
                                   &cpu)) {
    return nullptr;
  }
  Reference self(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  Op* op = reinterpret_cast<Op*>(self.get());
  op->vectorcall = &op_vectorcall;
  op->name = Py_NewRef(name);
  op->kernel = Py_NewRef(kernel);
  op->signature = Py_NewRef(signature);
  op->dtypes = Py_NewRef(dtypes);
  op->determinism = Py_NewRef(determinism);
  op->rule = Py_NewRef(rule);
  op->result_type = Py_NewRef(result);
  op->cpu = Py_NewRef(cpu);
  op->native = nullptr;
  if (cpu == Py_None) {
    const Native* found = find_native(PyUnicode_AsUTF8(kernel));
    if (found == nullptr) {
      PyErr_Format(PyExc_LookupError, "%U: the cpu backend has no kernel %U", name, kernel);
      return nullptr;
    }
    op->native = make_native(found, PyUnicode_AsUTF8(signature), PyUnicode_AsUTF8(dtypes));
    if (op->native == nullptr) return nullptr;
  }
  return self.release();
}

void op_dealloc(PyObject* self) {
  Op* op = reinterpret_cast<Op*>(self);
  for (PyObject** field : {&op->name, &op->kernel, &op->signature, &op->dtypes, &op->determinism,
                           &op->rule, &op->result_type, &op->cpu}) {
    Py_CLEAR(*field);
  }
  if (op->native != nullptr) {
    for (NamedOption& option : op->native->options) Py_CLEAR(option.name);
    delete op->native;
  }
  Py_TYPE(self)->tp_free(self);
}

PyObject* op_repr(PyObject* self) {
  Op* op = reinterpret_cast<Op*>(self);
  return PyUnicode_FromFormat("<op %U %U>", op->name, op->signature);
}

PyMethodDef op_methods[] = {
    {"require_size", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&op_require_size)),
     METH_FASTCALL,
     "require_size(*arrays)\n--\n\nValueError if LAPACK's integers cannot hold the sizes."},
    {"run", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&op_run)),
     METH_FASTCALL | METH_KEYWORDS,
     "run(*arrays, **static)\n--\n\nThe CPU kernel itself, below every layer; NotImplemented if "
     "the arguments are not in the form that it takes."},
    {nullptr, nullptr, 0, nullptr}};

#define FACT(field, doc) {#field, T_OBJECT, offsetof(Op, field), READONLY, doc}
PyMemberDef op_members[] = {
    FACT(name, "Public name, `linalg.solve`."),
    FACT(kernel, "Name in the backends' tables."),
    FACT(signature, "Core dimensions in NumPy's gufunc notation."),
    FACT(dtypes, "Loops in NumPy's letters, `d->dd D->dD`."),
    FACT(determinism, "What two runs on the same input share."),
    FACT(rule, "The derivative rule, or why there is none."),
    FACT(cpu, "The CPU kernel if it is a Python callable, None if it is compiled."),
    FACT(result_type, "Named tuple of several results, or None."),
    {nullptr, 0, 0, 0, nullptr}};
#undef FACT

PyTypeObject make_op_type() {
  PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
  type.tp_name = "numerics._kernels.Op";
  type.tp_doc =
      "An operation: the record of one kernel and the doorway to it. Called with its arrays and\n"
      "its static parameters (by keyword), it runs the layers that are on and the kernel.";
  type.tp_basicsize = sizeof(Op);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL;
  type.tp_vectorcall_offset = offsetof(Op, vectorcall);
  type.tp_call = &PyVectorcall_Call;
  type.tp_new = &op_new;
  type.tp_dealloc = &op_dealloc;
  type.tp_repr = &op_repr;
  type.tp_methods = op_methods;
  type.tp_members = op_members;
  return type;
}

// Values that an option's reader may ask without running anybody's code.
bool is_plain_value(PyObject* value) {
  return PyBool_Check(value) || value == Py_None || PyUnicode_CheckExact(value) ||
         PyLong_CheckExact(value);
}

}  // namespace

struct Shortcut {
  Op* op;  // borrowed
  Options options;
  bool leaves_unusual;
};

Shortcut* make_shortcut(PyObject* op, PyObject* static_parameters, bool leaves_unusual) {
  if (!PyObject_TypeCheck(op, &OpType) || reinterpret_cast<Op*>(op)->native == nullptr) {
    PyErr_Format(PyExc_TypeError, "%R is not an op with a compiled kernel", op);
    return nullptr;
  }
  auto shortcut = std::make_unique<Shortcut>();
  shortcut->op = reinterpret_cast<Op*>(op);
  shortcut->leaves_unusual = leaves_unusual;
  const NativeOp& native = *shortcut->op->native;
  PyObject *name, *value;
  Py_ssize_t position = 0;
  bool fits = PyDict_GET_SIZE(static_parameters) == native.option_count;
  while (fits && PyDict_Next(static_parameters, &position, &name, &value)) {
    fits = read_option(native, name, value, &shortcut->options);
  }
  if (fits) return shortcut.release();
  if (!PyErr_Occurred()) {
    PyErr_Format(PyExc_TypeError, "%R: %R are not its static parameters", op, static_parameters);
  }
  return nullptr;
}

void free_shortcut(Shortcut* shortcut) { delete shortcut; }

PyObject* take_shortcut(const Shortcut& shortcut, PyObject* const* args, Py_ssize_t count,
                        PyObject* kwnames) {
  const NativeOp& native = *shortcut.op->native;
  if (count != native.signature.inputs || layers_on.load(std::memory_order_relaxed) != 0) {
    return kNotMine;
  }
  Stack stack;
  stack.options = shortcut.options;
  const Py_ssize_t keywords = kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames);
  for (Py_ssize_t i = 0; i < keywords; ++i) {
    PyObject* value = args[count + i];
    if (!is_plain_value(value)) return kNotMine;
    if (!read_option(native, PyTuple_GET_ITEM(kwnames, i), value, &stack.options)) {
      PyErr_Clear();  // the function's own words are better
      return kNotMine;
    }
  }
  return run_native(shortcut.op, args, &stack, {0, shortcut.leaves_unusual});
}

void raise_from(PyObject* exception) {
  if (exception == nullptr) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception)), exception);
  Py_DECREF(exception);
}

PyTypeObject OpType = make_op_type();

bool ready_doorway(PyObject* module) {
  return PyType_Ready(&OpType) == 0 &&
         PyModule_AddObjectRef(module, "Op", reinterpret_cast<PyObject*>(&OpType)) == 0;
}

}  // namespace numerics::cpu
