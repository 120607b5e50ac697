#include "lapack.h"

#include <Python.h>

#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace numerics::cpu::lapack {
namespace {

struct Names {
  const char* real;
  const char* complex;
};

// In the order of the enumeration; from gemm on, BLAS's.
constexpr Names kNames[kRoutines] = {
    {"dgetrf", "zgetrf"}, {"dgetrs", "zgetrs"}, {"dtrtrs", "ztrtrs"}, {"dpotrf", "zpotrf"},
    {"dsytrf", "zsytrf"}, {"dsytrs", "zsytrs"}, {"dsytrf", "zhetrf"}, {"dsytrs", "zhetrs"},
    {"dsyev", "zheev"},   {"dsyevd", "zheevd"}, {"dgeev", "zgeev"},   {"dgees", "zgees"},
    {"dgesdd", "zgesdd"}, {"dgesvd", "zgesvd"}, {"dgeqrf", "zgeqrf"}, {"dgeqp3", "zgeqp3"},
    {"dorgqr", "zungqr"}, {"dgelsd", "zgelsd"}, {"dgemm", "zgemm"},   {"dtrsm", "ztrsm"},
};

void* addresses[kRoutines][2];
int width = 0;

// Bytes of the first integer type among the C parameters, 0 if none is recognised.
int integer_width(const std::string& signature) {
  static constexpr struct {
    const char* word;
    int bytes;
  } kTypes[] = {
      {"int64_t", 8},
      {"npy_int64", 8},
      {"long long", 8},
      {"ptrdiff_t", 8},
      {"long", static_cast<int>(sizeof(long))},
      {"int32_t", 4},
      {"int", 4},
  };
  std::size_t start = signature.find('(');
  while (start != std::string::npos) {
    const std::size_t end = signature.find_first_of(",)", start + 1);
    const std::string parameter = signature.substr(start + 1, end - start - 1);
    for (const auto& type : kTypes) {
      if (parameter.find(type.word) != std::string::npos) return type.bytes;
    }
    start = end != std::string::npos && signature[end] == ',' ? end : std::string::npos;
  }
  return 0;
}

bool load_one(PyObject* capsules, const char* name, void** target) {
  PyObject* capsule = PyDict_GetItemString(capsules, name);
  if (capsule == nullptr) {
    PyErr_Format(PyExc_ImportError, "numerics: this SciPy offers no routine %s", name);
    return false;
  }
  const char* signature = PyCapsule_GetName(capsule);
  if (signature == nullptr) return false;
  const int bytes = integer_width(signature);
  if (bytes == 0 || (width != 0 && bytes != width)) {
    PyErr_Format(PyExc_ImportError,
                 "numerics: cannot tell the integer width of LAPACK's %s from its signature `%s`",
                 name, signature);
    return false;
  }
  width = bytes;
  *target = PyCapsule_GetPointer(capsule, signature);
  return *target != nullptr;
}

bool load_range(const char* module_name, int begin, int end) {
  PyObject* module = PyImport_ImportModule(module_name);
  if (module == nullptr) return false;
  PyObject* capsules = PyObject_GetAttrString(module, "__pyx_capi__");
  Py_DECREF(module);
  if (capsules == nullptr) return false;
  bool ok = true;
  for (int i = begin; ok && i < end; ++i) {
    ok = load_one(capsules, kNames[i].real, &addresses[i][0]) &&
         load_one(capsules, kNames[i].complex, &addresses[i][1]);
  }
  Py_DECREF(capsules);
  return ok;
}

}  // namespace

int integer_bytes() { return width; }

double integer_limit() {
  return width == 4 ? static_cast<double>(std::numeric_limits<std::int32_t>::max())
                    : static_cast<double>(std::numeric_limits<std::int64_t>::max());
}

Integer value(Integer written) { return width == 4 ? static_cast<std::int32_t>(written) : written; }

Integer element(const Integer* array, std::int64_t i) {
  if (width == 8) return array[i];
  std::int32_t narrow;
  std::memcpy(&narrow, reinterpret_cast<const char*>(array) + 4 * i, 4);
  return narrow;
}

void set_element(Integer* array, std::int64_t i, Integer value) {
  if (width == 8) {
    array[i] = value;
    return;
  }
  const auto narrow = static_cast<std::int32_t>(value);
  std::memcpy(reinterpret_cast<char*>(array) + 4 * i, &narrow, 4);
}

void* exchange(const char* name, void* routine) {
  for (int i = 0; i < kRoutines; ++i) {
    for (int is_complex : {0, 1}) {
      if (std::strcmp(is_complex ? kNames[i].complex : kNames[i].real, name) != 0) continue;
      return std::exchange(addresses[i][is_complex], routine);
    }
  }
  return nullptr;
}

void* address(Routine routine, bool is_complex) { return addresses[routine][is_complex]; }

bool load() {
  const std::uint16_t probe = 1;
  if (*reinterpret_cast<const unsigned char*>(&probe) != 1) {
    PyErr_SetString(PyExc_ImportError, "numerics: big-endian machines are not supported");
    return false;
  }
  return load_range("scipy.linalg.cython_lapack", 0, gemm) &&
         load_range("scipy.linalg.cython_blas", gemm, kRoutines);
}

}  // namespace numerics::cpu::lapack
