// Real and complex numbers, one or a pack of them, as elimination needs them. Compiled once per
// instruction set.
//
// One operation does the same to every lane, and a double is a pack of one lane: so a matrix has the
// same bits alone, in a stack, and cut into rows. Where the processor has no fused multiply-add,
// products are rounded before they are added.
#pragma once

#include <type_traits>

#include "numerics/log.h"
#include "numerics/pack.h"

namespace numerics::cpu {
inline namespace NUMERICS_ISA_NAMESPACE {

#if defined(__FMA__) || defined(__aarch64__)
constexpr bool kHasFma = true;
#else
constexpr bool kHasFma = false;
#endif

template <typename V>
struct Complex {
  V re, im;
};

// What an element E is made of: V, its real type, and the same for one lane.
template <typename E>
struct Element {
  using Real = E;
  using Scalar = double;
  static constexpr int kParts = 1;
};
template <typename V>
struct Element<Complex<V>> {
  using Real = V;
  using Scalar = Complex<double>;
  static constexpr int kParts = 2;
};
template <typename E>
using RealOf = typename Element<E>::Real;
template <typename E>
using ScalarOf = typename Element<E>::Scalar;
template <typename E>
using MaskOf = Mask<RealOf<E>>;

template <typename V>
inline V multiply_add(V a, V b, V c) {
  if constexpr (kHasFma) return fma(a, b, c);
  return a * b + c;
}

// c - a b.
template <typename V>
inline V minus_product(V c, V a, V b) {
  return multiply_add(-a, b, c);
}
template <typename V>
inline Complex<V> minus_product(Complex<V> c, Complex<V> a, Complex<V> b) {
  return {multiply_add(a.im, b.im, multiply_add(-a.re, b.re, c.re)),
          multiply_add(-a.im, b.re, multiply_add(-a.re, b.im, c.im))};
}

template <typename V>
inline V product(V a, V b) {
  return a * b;
}
template <typename V>
inline Complex<V> product(Complex<V> a, Complex<V> b) {
  return {multiply_add(a.re, b.re, -(a.im * b.im)), multiply_add(a.re, b.im, a.im * b.re)};
}

inline double conjugate(double x) { return x; }
inline Pack conjugate(Pack x) { return x; }
template <typename V>
inline Complex<V> conjugate(Complex<V> z) {
  return {z.re, -z.im};
}

inline double real_part(double x) { return x; }
inline Pack real_part(Pack x) { return x; }
template <typename V>
inline V real_part(Complex<V> z) {
  return z.re;
}

template <typename V>
inline Complex<V> select(Mask<V> mask, Complex<V> yes, Complex<V> no) {
  return {numerics::select(mask, yes.re, no.re), numerics::select(mask, yes.im, no.im)};
}
using numerics::select;

template <typename V>
inline V negative(V x) {
  return -x;
}
template <typename V>
inline Complex<V> negative(Complex<V> z) {
  return {-z.re, -z.im};
}

template <typename E>
inline E from_real(RealOf<E> x) {
  if constexpr (Element<E>::kParts == 1)
    return x;
  else
    return {x, RealOf<E>(0.0)};
}

// Not NaN.
template <typename V>
inline Mask<V> is_number(V x) {
  return x == x;
}
template <typename V>
inline Mask<V> is_number(Complex<V> z) {
  return (z.re == z.re) & (z.im == z.im);
}

template <typename V>
inline Mask<V> is_integer(V x) {
  return round(x).value == x;
}
template <typename V>
inline Mask<V> is_integer(Complex<V> z) {
  return is_integer(z.re) & is_integer(z.im);
}

// |x|, of numbers whose squares neither overflow nor underflow.
inline double modulus(double x) { return abs(x); }
inline Pack modulus(Pack x) { return abs(x); }
template <typename V>
inline V modulus(Complex<V> z) {
  return sqrt(multiply_add(z.re, z.re, z.im * z.im));
}

// log x of tame numbers. Where fused multiply-add is a function call, the library's is faster.
template <typename V>
inline V logarithm(V x) {
  if constexpr (kHasFma) {
    return numerics::log(x).high;
  } else if constexpr (std::is_same_v<V, double>) {
    return std::log(x);
  } else {
    V result;
    for (int lane = 0; lane < kPackLanes; ++lane) result.lanes[lane] = std::log(x.lanes[lane]);
    return result;
  }
}

// By what pivots are chosen, as LAPACK does.
template <typename V>
inline V pivot_size(V x) {
  return abs(x);
}
template <typename V>
inline V pivot_size(Complex<V> z) {
  return abs(z.re) + abs(z.im);
}

template <typename V>
inline V largest_part(V x) {
  return abs(x);
}
template <typename V>
inline V largest_part(Complex<V> z) {
  const V re = abs(z.re), im = abs(z.im);
  return select(re < im, im, re);
}

// Numbers of this size can be divided by as below, and squared, without overflow or underflow. NaN
// is not among them.
template <typename V>
inline Mask<V> is_tame(V size) {
  return (size >= V(0x1p-500)) & (size <= V(0x1p500));
}

template <typename E>
inline E reciprocal_of(E p) {
  return E(1.0) / p;
}
template <typename V>
inline Complex<V> reciprocal_of(Complex<V> p) {
  const V square = multiply_add(p.re, p.re, p.im * p.im);
  return {p.re / square, -p.im / square};
}

// a / p, p being tame, from its reciprocal: the quotient is corrected by its remainder, which leaves
// hardly any error (Markstein, IBM J. Res. Dev. 34 (1990) 111). An infinite quotient has none.
template <typename V>
inline V quotient(V a, V p, V reciprocal) {
  if constexpr (!kHasFma) return a / p;
  const V first = a * reciprocal;
  const V corrected = fma(minus_product(a, first, p), reciprocal, first);
  return select(is_number(corrected), corrected, first);
}
template <typename V>
inline Complex<V> quotient(Complex<V> a, Complex<V> p, Complex<V> reciprocal) {
  const Complex<V> first = product(a, reciprocal);
  if constexpr (!kHasFma) return first;
  const Complex<V> rest = product(minus_product(a, first, p), reciprocal);
  const Complex<V> corrected = {first.re + rest.re, first.im + rest.im};
  return select(is_number(corrected), corrected, first);
}

template <typename V>
inline V quotient_by_real(V a, V p, V reciprocal) {
  return quotient(a, p, reciprocal);
}
template <typename V>
inline Complex<V> quotient_by_real(Complex<V> a, V p, V reciprocal) {
  return {quotient(a.re, p, reciprocal), quotient(a.im, p, reciprocal)};
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics::cpu
