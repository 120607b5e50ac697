// The exponential of a number as a number of modest size and a power of two, so that it may be
// larger or smaller than any double.
#pragma once

#include <cmath>
#include <limits>

#include "elements.h"

namespace numerics::cpu {

// e^x = the result times 2^exponent. Beyond the range of double precision ln 2, in two parts of
// which the first is the nearest double, is taken away as often as it fits.
inline double exp_parts(double x, std::int64_t* exponent) {
  constexpr double kPlain = 700, kLn2 = 0x1.62e42fefa39efp-1, kRest = 0x1.abc9e3b39803fp-56;
  constexpr double kLimit = 0x1p40;
  *exponent = 0;
  if (std::fabs(x) < kPlain) return std::exp(x);
  x = std::clamp(x, -kLimit, kLimit);
  const double multiple = std::nearbyint(x / kLn2);
  *exponent = static_cast<std::int64_t>(multiple);
  return std::exp(std::fma(-multiple, kRest, std::fma(-multiple, kLn2, x)));
}
inline std::complex<double> exp_parts(const std::complex<double>& z, std::int64_t* exponent) {
  const double size = exp_parts(z.real(), exponent);
  return {size * std::cos(z.imag()), size * std::sin(z.imag())};
}

// (e^w - 1) / w for Re w <= 0, about 1 / |w| where that is large. A difference of numbers may be
// infinite, but not so large that what it divides becomes a number.
constexpr double kLargest = 0x1p1020;
inline double divided_difference(double w) {
  return w == 0 ? 1 : std::expm1(w) / std::max(w, -kLargest);
}
inline std::complex<double> divided_difference(const std::complex<double>& w) {
  if (w == std::complex<double>(0)) return 1;
  const double x = std::max(w.real(), -kLargest), y = std::clamp(w.imag(), -kLargest, kLargest);
  const double half = std::sin(y / 2);
  return std::complex<double>(std::expm1(x) * std::cos(y) - 2 * half * half,
                              std::exp(x) * std::sin(y)) /
         std::complex<double>(x, y);
}

}  // namespace numerics::cpu
