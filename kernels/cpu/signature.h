// NumPy's gufunc notation, "(n,n),(n,k?)->(n,k?)", as the stack engine needs it. The words about
// mismatches live on the Python side, which reads the same string.
#pragma once

#include "stack.h"

namespace numerics::cpu {

struct CoreShape {
  int ndim = 0;
  int names[2] = {0, 0};  // indices into Signature::names
  bool optional[2] = {false, false};
};

struct Signature {
  int inputs = 0, outputs = 0;
  CoreShape operands[kMaxOperands];
  char names[kMaxNames];
  int name_count = 0;
  // A dimension `k` that only outputs name is min(m, n) by convention; -1 if there is none.
  int derived = -1;
  // A dimension `N` that only outputs name is the static parameter; -1 if there is none.
  int given = -1;

  int index(char name) const;
};

// False if the text is not in the notation or too large for the engine.
bool parse_signature(const char* text, Signature* result);

}  // namespace numerics::cpu
