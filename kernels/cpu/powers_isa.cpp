// Compiled once per instruction set, each time with another NUMERICS_ISA_NAMESPACE.
//
// Products of rounded numbers lose up to k/2 units in the last place of power k, in whatever order.
// Numbers here are sums high + low without overlap, which leaves k·2^-100 as the relative error of
// power k before it is rounded; of complex numbers, relative to the magnitude. See T. J. Dekker,
// Numer. Math. 18 (1971) 224-242, and M. Joldes, J.-M. Muller, V. Popescu, ACM Trans. Math. Softw.
// 44 (2017), article 15, algorithm 10.
#include "powers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/double_double.h"

namespace numerics::cpu {
inline namespace NUMERICS_ISA_NAMESPACE {
namespace {

using Index = std::ptrdiff_t;

template <typename V>
using Real = DoubleDouble<V>;

template <typename V>
struct Complex {
  Real<V> real, imaginary;
};

template <typename V>
inline Real<V> times(Real<V> a, Real<V> b) {
  const Real<V> product = two_prod(a.high, b.high);
  return fast_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

// a b ± c d. Where the two cancel, what is lost is small beside either.
template <bool is_sum, typename V>
inline Real<V> of_products(Real<V> a, Real<V> b, Real<V> c, Real<V> d) {
  const Real<V> first = two_prod(a.high, b.high);
  const Real<V> second = two_prod(is_sum ? c.high : -c.high, d.high);
  const V sum = first.high + second.high, share = sum - first.high;
  const V error = (first.high - (sum - share)) + (second.high - share);
  const V ab = a.high * b.low + a.low * b.high, cd = c.high * d.low + c.low * d.high;
  const V small = (first.low + second.low) + (is_sum ? ab + cd : ab - cd);
  return fast_two_sum(sum, error + small);
}

template <typename V>
inline Complex<V> times(const Complex<V>& a, const Complex<V>& b) {
  return {of_products<false>(a.real, b.real, a.imaginary, b.imaginary),
          of_products<true>(a.real, b.imaginary, a.imaginary, b.real)};
}

template <typename V>
inline void make_one(Real<V>* x) {
  *x = {V(1), V(0)};
}
template <typename V>
inline void make_one(Complex<V>* z) {
  *z = {{V(1), V(0)}, {V(0), V(0)}};
}

// The lanes of the rounded number: real parts, then imaginary ones.
inline void store_lanes(const Real<Pack>& x, double* to) { x.high.store(to); }
inline void store_lanes(const Complex<Pack>& z, double* to) {
  z.real.high.store(to);
  z.imaginary.high.store(to + kPackLanes);
}

inline Real<Pack> load_lanes(const double* x, Real<Pack>*) { return {Pack::load(x), Pack(0)}; }
inline Complex<Pack> load_lanes(const double* z, Complex<Pack>*) {
  return {{Pack::load(z), Pack(0)}, {Pack::load(z + kPackLanes), Pack(0)}};
}

// Zero in the lanes where powers have left the range, or subnormal numbers would go on for ever.
inline Real<Pack> unless(PackMask is_gone, Real<Pack> x) {
  return {select(is_gone, Pack(0), x.high), select(is_gone, Pack(0), x.low)};
}
inline Real<Pack> while_in_range(const Real<Pack>& power, const Real<Pack>& factor) {
  return unless(abs(power.high) < Pack(0x1p-950), factor);
}
inline Complex<Pack> while_in_range(const Complex<Pack>& power, const Complex<Pack>& factor) {
  const PackMask is_gone = abs(power.real.high) + abs(power.imaginary.high) < Pack(0x1p-950);
  return {unless(is_gone, factor.real), unless(is_gone, factor.imaginary)};
}

// Up to kPackLanes rows. Powers 0 to 7 follow from one another, and each block of 8 from the one
// before, on every instruction set.
template <typename Number, int parts>
void pack_of_rows(const double* x, Index rows, Index count, double* result) {
  constexpr Index kBlock = 8;
  double lanes[kBlock * parts * kPackLanes];
  for (int part = 0; part < parts; ++part) {
    for (Index row = 0; row < kPackLanes; ++row) {
      lanes[part * kPackLanes + row] = row < rows ? x[row * parts + part] : 1;
    }
  }
  const Number base = load_lanes(lanes, static_cast<Number*>(nullptr));
  Number powers[kBlock], factor = base;
  make_one(&powers[0]);
  powers[1] = base;
  const Index first = std::min(count, kBlock);
  for (Index k = 2; k < first; ++k) powers[k] = times(powers[k - 1], base);
  if (count > kBlock) factor = times(powers[kBlock - 1], base);
  for (Index done = 0; done < count; done += kBlock) {
    const Index size = std::min(count - done, kBlock);
    factor = while_in_range(powers[0], factor);
    for (Index k = 0; k < size; ++k) {
      if (done > 0) powers[k] = times(powers[k], factor);
      store_lanes(powers[k], lanes + k * parts * kPackLanes);
    }
    for (Index row = 0; row < rows; ++row) {
      double* to = result + (row * count + done) * parts;
      for (Index k = 0; k < size * parts; ++k) to[k] = lanes[k * kPackLanes + row];
    }
  }
}

template <typename Number, int parts>
void moderate(const double* x, Index rows, Index count, double* result) {
  for (Index row = 0; row < rows; row += kPackLanes) {
    pack_of_rows<Number, parts>(x + row * parts, std::min<Index>(rows - row, kPackLanes), count,
                                result + row * count * parts);
  }
}

// --- At the ends of the range: mantissa times a power of two -----------------------------------

inline double largest_part(const Real<double>& x) { return std::fabs(x.high); }
inline double largest_part(const Complex<double>& z) {
  return std::max(std::fabs(z.real.high), std::fabs(z.imaginary.high));
}

inline Real<double> scaled(const Real<double>& x, int exponent) {
  return {std::ldexp(x.high, exponent), std::ldexp(x.low, exponent)};
}
inline Complex<double> scaled(const Complex<double>& z, int exponent) {
  return {scaled(z.real, exponent), scaled(z.imaginary, exponent)};
}

template <typename Number>
struct Scaled {
  Number mantissa;  // neither it nor products of two are near the ends of the range
  Index exponent;

  void normalize() {
    const double part = largest_part(mantissa);
    if (part > 0x1p-200 && part < 0x1p200) return;
    int shift = 0;
    std::frexp(part, &shift);
    if (shift == 0) return;
    mantissa = scaled(mantissa, -shift);
    exponent += shift;
  }
};

inline void store(const Real<double>& x, int exponent, double* to) {
  to[0] = std::ldexp(x.high, exponent);
}
inline void store(const Complex<double>& z, int exponent, double* to) {
  store(z.real, exponent, to);
  store(z.imaginary, exponent, to + 1);
}

template <typename Number>
Scaled<Number> times(const Scaled<Number>& a, const Scaled<Number>& b) {
  Scaled<Number> product = {times(a.mantissa, b.mantissa), a.exponent + b.exponent};
  product.normalize();
  return product;
}

template <typename Number>
Scaled<Number> power(Scaled<Number> base, Index exponent) {
  Scaled<Number> result = {base.mantissa, 0};
  make_one(&result.mantissa);
  for (; exponent > 0; exponent /= 2, base = times(base, base)) {
    if (exponent % 2 == 1) result = times(result, base);
  }
  return result;
}

template <typename Number, int parts>
void extreme(const Number& x, Index first, Index count, double* result) {
  constexpr Index kBeyond = 1400;  // every finite number, whatever the mantissa
  Scaled<Number> base = {x, 0};
  base.normalize();
  Scaled<Number> last = power(base, first);
  for (Index k = first; k < count; ++k) {
    const Index exponent = std::clamp(last.exponent, -kBeyond, kBeyond);
    // All that follow are zero, or those of real numbers infinite.
    if (exponent == -kBeyond) {
      std::fill(result + k * parts, result + count * parts, 0.0);
      return;
    }
    if (parts == 1 && exponent == kBeyond) {
      std::fill(result + k, result + count, std::numeric_limits<double>::infinity());
      return;
    }
    store(last.mantissa, static_cast<int>(exponent), result + k * parts);
    last = times(last, base);
  }
}

void extreme_real(double x, Index first, Index count, double* result) {
  extreme<Real<double>, 1>({std::fabs(x), 0}, first, count, result);
  // Sums would lose the sign of zero.
  for (Index k = first; k < count; ++k) {
    if (k % 2 == 1) result[k] = std::copysign(result[k], x);
  }
}

void extreme_complex(const double* z, Index first, Index count, double* result) {
  extreme<Complex<double>, 2>({{z[0], 0}, {z[1], 0}}, first, count, result);
}

constexpr Powers kPowers = {&moderate<Real<Pack>, 1>, &moderate<Complex<Pack>, 2>, &extreme_real,
                            &extreme_complex};

}  // namespace

const Powers& powers() { return kPowers; }

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics::cpu
