// The loops that Vandermonde matrices are made of, one table per instruction set.
#pragma once

#include <cstddef>

namespace numerics::cpu {

// Rows of powers that are computed side by side, one by lane of the widest registers.
constexpr std::ptrdiff_t kPowerRows = 8;

// Is every power up to `count` of a number of this magnitude in the middle of the range of double?
bool are_powers_moderate(double magnitude, std::ptrdiff_t count);

struct Powers {
  // Powers 0, 1, ..., count - 1 of up to kPowerRows numbers whose powers are moderate, row by row.
  void (*real)(const double* x, std::ptrdiff_t rows, std::ptrdiff_t count, double* result);
  // Real and imaginary parts in turn.
  void (*complex)(const double* x, std::ptrdiff_t rows, std::ptrdiff_t count, double* result);

  // Of one finite number, whose powers may overflow or underflow.
  void (*any_real)(double x, std::ptrdiff_t count, double* result);
  void (*any_complex)(const double* x, std::ptrdiff_t count, double* result);
};

}  // namespace numerics::cpu
