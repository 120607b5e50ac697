// The loops that Vandermonde matrices are made of, one table per instruction set.
#pragma once

#include <cstddef>

namespace numerics::cpu {

// Rows of powers that are computed side by side, one by lane of the widest registers.
constexpr std::ptrdiff_t kPowerRows = 8;

// Of complex numbers, real and imaginary parts in turn.
struct Powers {
  // Powers 0, 1, ..., count - 1 of up to kPowerRows numbers, row by row, as far as they are in the
  // middle of the range of double; what follows in a row means nothing.
  void (*real)(const double* x, std::ptrdiff_t rows, std::ptrdiff_t count, double* result);
  void (*complex)(const double* x, std::ptrdiff_t rows, std::ptrdiff_t count, double* result);

  // Powers first, ..., count - 1 of one finite number, which may overflow or underflow.
  void (*extreme_real)(double x, std::ptrdiff_t first, std::ptrdiff_t count, double* result);
  void (*extreme_complex)(const double* x, std::ptrdiff_t first, std::ptrdiff_t count,
                          double* result);
};

}  // namespace numerics::cpu
