#include "signature.h"

#include <cctype>

namespace numerics::cpu {

int Signature::index(char name) const {
  for (int i = 0; i < name_count; ++i) {
    if (names[i] == name) return i;
  }
  return -1;
}

namespace {

bool parse_operand(const char** cursor, bool is_input, Signature* signature) {
  const char* c = *cursor;
  if (signature->inputs + signature->outputs == kMaxOperands || *c++ != '(') return false;
  CoreShape& shape = signature->operands[signature->inputs + signature->outputs];
  while (*c != ')') {
    if (!std::isalpha(static_cast<unsigned char>(*c)) || shape.ndim == 2) return false;
    int name = signature->index(*c);
    if (name < 0) {
      if (signature->name_count == kMaxNames) return false;
      name = signature->name_count++;
      signature->names[name] = *c;
      if (!is_input) {
        const bool is_minimum =
            *c == 'k' && signature->index('m') >= 0 && signature->index('n') >= 0;
        if (!is_minimum && *c != 'N') return false;
        (is_minimum ? signature->derived : signature->given) = name;
      }
    }
    ++c;
    shape.names[shape.ndim] = name;
    if (*c == '?') {
      shape.optional[shape.ndim] = true;
      ++c;
    }
    ++shape.ndim;
    if (*c == ',') ++c;
  }
  ++c;
  ++(is_input ? signature->inputs : signature->outputs);
  *cursor = c;
  return true;
}

}  // namespace

bool parse_signature(const char* text, Signature* result) {
  *result = Signature();
  bool is_input = true;
  while (*text != '\0') {
    if (!parse_operand(&text, is_input, result)) return false;
    if (*text == ',') {
      ++text;
    } else if (text[0] == '-' && text[1] == '>' && is_input) {
      is_input = false;
      text += 2;
    } else if (*text != '\0') {
      return false;
    }
  }
  return !is_input && result->outputs > 0;
}

}  // namespace numerics::cpu
