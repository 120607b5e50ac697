// Static parameters, from Python's values to the Options of a kernel.
#pragma once

#include "python.h"
#include "stack.h"

namespace numerics::cpu {

// Reads one value; false, with or without a Python error set, if it is not one of the parameter's.
using OptionReader = bool (*)(PyObject* value, Options* options);

// By the name of the parameter; nullptr if there is none.
OptionReader find_option_reader(const char* name);

}  // namespace numerics::cpu
