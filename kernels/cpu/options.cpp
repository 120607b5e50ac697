#include "options.h"

#include <cstring>
#include <utility>

namespace numerics::cpu {
namespace {

template <bool Options::* member>
bool read_truth(PyObject* value, Options* options) {
  const int truth = PyObject_IsTrue(value);
  options->*member = truth > 0;
  return truth >= 0;
}

bool read_triangle(PyObject* value, Options* options) {
  if (!PyUnicode_Check(value) || PyUnicode_GET_LENGTH(value) != 1) return false;
  options->UPLO = static_cast<char>(PyUnicode_READ_CHAR(value, 0));
  return options->UPLO == 'L' || options->UPLO == 'U';
}

bool read_trans(PyObject* value, Options* options) {
  const long trans = PyLong_Check(value) ? PyLong_AsLong(value) : -1;
  if (trans < 0 || trans > 2) return false;
  options->trans = "NTC"[trans];
  return true;
}

bool read_driver(PyObject* value, Options* options) {
  constexpr struct {
    const char* name;
    Driver driver;
  } kDrivers[] = {{"gesdd", Driver::gesdd}, {"gesvd", Driver::gesvd}, {"jacobi", Driver::jacobi}};
  if (value == Py_None) return true;
  if (!PyUnicode_Check(value)) return false;
  for (const auto& known : kDrivers) {
    if (PyUnicode_CompareWithASCIIString(value, known.name) != 0) continue;
    options->driver = known.driver;
    return true;
  }
  return false;
}

// A number, or "fro", which is the 2-norm of all entries.
bool read_ord(PyObject* value, Options* options) {
  if (PyUnicode_Check(value)) return PyUnicode_CompareWithASCIIString(value, "fro") == 0;
  options->ord = PyFloat_AsDouble(value);
  return options->ord != -1 || PyErr_Occurred() == nullptr;
}

// None, or how many.
bool read_count(PyObject* value, Options* options) {
  options->N = -1;
  if (value == Py_None) return true;
  if (!PyLong_Check(value)) return false;
  int overflow = 0;
  options->N = static_cast<Index>(PyLong_AsLongLongAndOverflow(value, &overflow));
  return options->N >= 0 && overflow == 0;
}

// A number, or a tuple with one for each matrix of the flattened stack.
bool read_rcond(PyObject* value, Options* options) {
  const Py_ssize_t count = PyTuple_Check(value) ? PyTuple_GET_SIZE(value) : 1;
  if (count == 0) return false;
  auto numbers = std::make_shared<std::vector<double>>();
  for (Py_ssize_t i = 0; i < count; ++i) {
    const double number =
        PyFloat_AsDouble(PyTuple_Check(value) ? PyTuple_GET_ITEM(value, i) : value);
    if (number == -1 && PyErr_Occurred() != nullptr) return false;
    numbers->push_back(number);
  }
  options->rcond = std::move(numbers);
  return true;
}

// How each member of Options is read.
constexpr struct {
  const char* name;
  OptionReader read;
} kOptionReaders[] = {
    {"upper", &read_truth<&Options::upper>},
    {"lower", &read_truth<&Options::lower>},
    {"unit_diagonal", &read_truth<&Options::unit_diagonal>},
    {"hermitian", &read_truth<&Options::hermitian>},
    {"UPLO", &read_triangle},
    {"trans", &read_trans},
    {"driver", &read_driver},
    {"N", &read_count},
    {"ord", &read_ord},
    {"rcond", &read_rcond},
};

}  // namespace

OptionReader find_option_reader(const char* name) {
  for (const auto& option : kOptionReaders) {
    if (std::strcmp(option.name, name) == 0) return option.read;
  }
  return nullptr;
}

}  // namespace numerics::cpu
