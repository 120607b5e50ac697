// Compiled once per instruction set, each time with another NUMERICS_ISA_NAMESPACE.
#include "reductions.h"

#include <type_traits>
#include <utility>

#include "numerics/exp.h"
#include "numerics/log.h"
#include "numerics/unrolled.h"

namespace numerics::cpu {
inline namespace NUMERICS_ISA_NAMESPACE {
namespace {

using Index = std::ptrdiff_t;

#if defined(__FMA__) || defined(__aarch64__)
constexpr bool kHasFma = true;
#else
constexpr bool kHasFma = false;
#endif

template <typename T, Fold fold, typename V>
inline V folded(V lane, V x) {
  // The square of a number of single precision is exact in double: one instruction, the same bits.
  if constexpr (fold == kSquares && kHasFma && std::is_same_v<T, float>) return fma(x, x, lane);
  if constexpr (fold == kSquares) return lane + x * x;
  if constexpr (fold == kMagnitudes) return lane + abs(x);
  if constexpr (fold == kNonZeros) return lane + select(x == V(0), V(0), V(1));
  const V size = abs(x);  // neither comparison holds for NaN, which replaces the lane and stays
  if constexpr (fold == kLargest) return select((size <= lane) | (lane != lane), lane, size);
  if constexpr (fold == kSmallest) return select((size >= lane) | (lane != lane), lane, size);
}

// The largest or smallest of numbers of single precision needs no other.
template <Fold fold>
void extreme_along(const float* x, Index count, double* lanes) {
  constexpr int kFloats = 2 * kPackLanes, kRegisters = kLanes / kFloats;
  typedef float Register __attribute__((vector_size(4 * kFloats)));
  typedef std::int32_t Bits __attribute__((vector_size(4 * kFloats)));
  Index done = 0;
  if (count >= kLanes) {
    float narrow[kLanes];
    for (Index i = 0; i < kLanes; ++i) narrow[i] = static_cast<float>(lanes[i]);
    Register held[kRegisters];
    std::memcpy(held, narrow, sizeof held);
    for (; done + kLanes <= count; done += kLanes) {
      for (int k = 0; k < kRegisters; ++k) {
        Register size;
        std::memcpy(&size, x + done + k * kFloats, sizeof size);
        size = (Register)((Bits)size & Bits(0x7fffffff - Bits{}));
        const Bits stays = fold == kLargest ? (Bits)(size <= held[k]) : (Bits)(size >= held[k]);
        held[k] = (stays | (Bits)(held[k] != held[k])) ? held[k] : size;
      }
    }
    std::memcpy(narrow, held, sizeof held);
    for (Index i = 0; i < kLanes; ++i) lanes[i] = narrow[i];
  }
  for (Index i = 0; done + i < count; ++i) {
    lanes[i] = folded<float, fold>(lanes[i], double(x[done + i]));
  }
}

template <typename T, Fold fold>
void along(const T* x, Index count, double* lanes) {
  if constexpr (std::is_same_v<T, float> && (fold == kLargest || fold == kSmallest)) {
    return extreme_along<fold>(x, count, lanes);
  }
  constexpr int kPacks = kLanes / kPackLanes;
  Index done = 0;
  if (count >= kLanes) {
    Pack held[kPacks];
    for (int k = 0; k < kPacks; ++k) held[k] = Pack::load(lanes + k * kPackLanes);
    for (; done + kLanes <= count; done += kLanes) {
      for (int k = 0; k < kPacks; ++k) {
        held[k] = folded<T, fold>(held[k], Pack::load(x + done + k * kPackLanes));
      }
    }
    for (int k = 0; k < kPacks; ++k) held[k].store(lanes + k * kPackLanes);
  }
  for (Index i = 0; done + i < count; ++i) {
    lanes[i] = folded<T, fold>(lanes[i], double(x[done + i]));
  }
}

template <typename T, Fold fold>
void across(const T* x, Index rows, Index pitch, Index width, Index cycle, double* lanes) {
  double* lane = lanes;
  for (Index i = 0; i < rows; ++i, x += pitch) {
    Index j = 0;
    for (; j + kPackLanes <= width; j += kPackLanes) {
      folded<T, fold>(Pack::load(lane + j), Pack::load(x + j)).store(lane + j);
    }
    for (; j < width; ++j) lane[j] = folded<T, fold>(lane[j], double(x[j]));
    lane = (i + 1) % cycle == 0 ? lanes : lane + width;
  }
}

// Of two lanes.
template <Fold fold>
inline double combined(double a, double b) {
  if constexpr (fold == kLargest) return a >= b || a != a ? a : b;
  if constexpr (fold == kSmallest) return a <= b || a != a ? a : b;
  return a + b;
}

template <Fold fold>
constexpr double kIdentity = fold == kSmallest ? std::numeric_limits<double>::infinity() : 0;

template <typename T, Fold fold, int length>
void lines_of(const T* x, Index apart, Index count, double* results) {
  for (Index i = 0; i < count; ++i, x += apart) {
    double lanes[length];
    unrolled<length>([&](auto l) { lanes[l] = folded<T, fold>(kIdentity<fold>, double(x[l])); });
    const auto halve = [&](auto stride) {
      constexpr int kStride = decltype(stride)::value;
      constexpr int kAbove = length > kStride ? length - kStride : 0;
      unrolled<(kAbove < kStride ? kAbove : kStride)>(
          [&](auto l) { lanes[l] = combined<fold>(lanes[l], lanes[l + kStride]); });
    };
    halve(std::integral_constant<int, 16>());
    halve(std::integral_constant<int, 8>());
    halve(std::integral_constant<int, 4>());
    halve(std::integral_constant<int, 2>());
    halve(std::integral_constant<int, 1>());
    results[i] = lanes[0];
  }
}

// Lengths that the compiler knows: those of 4 by 4 real and 3 by 3 complex matrices are among them.
constexpr int kKnownLengths = 18;

template <typename T, Fold fold, int... lengths>
void known_lines(const T* x, Index apart, Index length, Index count, double* results,
                 std::integer_sequence<int, lengths...>) {
  constexpr void (*kBy[])(const T*, Index, Index, double*) = {&lines_of<T, fold, lengths + 1>...};
  kBy[length - 1](x, apart, count, results);
}

template <typename T, Fold fold>
void lines(const T* x, Index apart, Index length, Index count, double* results) {
  if (length <= kKnownLengths) {
    constexpr auto kLengths = std::make_integer_sequence<int, kKnownLengths>();
    return known_lines<T, fold>(x, apart, length, count, results, kLengths);
  }
  for (Index i = 0; i < count; ++i, x += apart) {
    double lanes[kLanes];
    for (Index l = length; l < kLanes; ++l) lanes[l] = kIdentity<fold>;  // which change nothing
    Index l = 0;
    for (; l + kPackLanes <= length; l += kPackLanes) {
      folded<T, fold>(Pack(kIdentity<fold>), Pack::load(x + l)).store(lanes + l);
    }
    for (; l < length; ++l) lanes[l] = folded<T, fold>(kIdentity<fold>, double(x[l]));
    for (Index stride = kLanes / 2; stride > 0; stride /= 2) {
      for (Index k = 0; k < stride; ++k) lanes[k] = combined<fold>(lanes[k], lanes[k + stride]);
    }
    results[i] = lanes[0];
  }
}

template <typename V>
inline V squared(V real, V imaginary) {
  return real * real + imaginary * imaginary;
}

// Both parts are scaled by the power of two below the larger one, held where its reciprocal is a
// normal number.
template <typename V>
inline V scaled_modulus(V real, V imaginary) {
  constexpr std::int64_t kExponent = std::int64_t{0x7ff} << 52;
  constexpr double kLow = 0x1p-1022, kHigh = 0x1p1022;
  const V x = abs(real), y = abs(imaginary);
  V power = from_bits(to_bits(select(y > x, y, x)) & kExponent);
  power = select(power < V(kLow), V(kLow), power);
  power = select(power > V(kHigh), V(kHigh), power);
  const V reciprocal = from_bits((std::int64_t{2046} << 52) - to_bits(power));
  return sqrt(squared(x * reciprocal, y * reciprocal)) * power;
}

enum class Modulus { rooted, squared };

// Squares of numbers of single precision stay inside the range of double.
template <typename T, Modulus modulus, typename V>
inline V modulus_of(V real, V imaginary) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if constexpr (modulus == Modulus::squared) return squared(real, imaginary);
  V result;
  if constexpr (std::is_same_v<T, float>) {
    result = sqrt(squared(real, imaginary));
  } else {
    result = scaled_modulus(real, imaginary);
  }
  const auto is_infinite = (abs(real) == V(kInfinity)) | (abs(imaginary) == V(kInfinity));
  return select(is_infinite, V(kInfinity), result);
}

// Real and imaginary parts of the numbers of two registers.
template <typename V, int... lanes>
inline void separate(const V& first, const V& second, V* real, V* imaginary,
                     std::integer_sequence<int, lanes...>) {
  *real = __builtin_shufflevector(first, second, (2 * lanes)...);
  *imaginary = __builtin_shufflevector(first, second, (2 * lanes + 1)...);
}

template <typename T, Modulus modulus>
void moduli(const T* z, Index count, double* result) {
  using Register = std::conditional_t<std::is_same_v<T, float>, FloatVector, DoubleVector>;
  Index i = 0;
  for (; i + kPackLanes <= count; i += kPackLanes) {
    Register numbers[2], real, imaginary;
    std::memcpy(numbers, z + 2 * i, sizeof numbers);
    separate(numbers[0], numbers[1], &real, &imaginary,
             std::make_integer_sequence<int, kPackLanes>());
    modulus_of<T, modulus>(Pack(__builtin_convertvector(real, DoubleVector)),
                           Pack(__builtin_convertvector(imaginary, DoubleVector)))
        .store(result + i);
  }
  for (; i < count; ++i) {
    result[i] = modulus_of<T, modulus>(double(z[2 * i]), double(z[2 * i + 1]));
  }
}

// x^(twice/2) for x >= 0 by repeated squaring.
template <typename V>
inline V half_power(V x, unsigned twice) {
  V result = twice % 2 == 1 ? sqrt(x) : V(1);
  for (unsigned rest = twice / 2; rest != 0; rest /= 2) {
    if (rest % 2 == 1) result = result * x;
    x = x * x;
  }
  return result;
}

// 2^n for any n, in two factors, so that a product with them is rounded once if it is normal.
template <typename V>
inline V times_pow2(V x, Integer<V> n) {
  const Integer<V> half = n >> 1;
  return x * pow2<V>(half) * pow2<V>(n - half);
}

// exp(factor log x), or exp(log x / factor), for normal x > 0. The relative error is that of
// exp_scaled, and the factor times the error of log.
template <bool is_root, typename V>
inline V power_of_log(DoubleDouble<V> y, double factor) {
  constexpr double kFarthest = 1400;
  V high, low;
  if constexpr (is_root) {
    high = y.high / factor;
    low = (fma(-high, V(factor), y.high) + y.low) / factor;
  } else {
    const DoubleDouble<V> product = two_prod(y.high, V(factor));
    high = product.high;
    low = fma(y.low, V(factor), product.low);
  }
  const auto is_far = abs(high) > V(kFarthest);
  high = select(is_far, select(high > V(0.0), V(kFarthest), V(-kFarthest)), high);
  low = select(is_far, V(0.0), low);
  const Scaled<V> result = exp_scaled(DoubleDouble<V>{high, low});
  return times_pow2(result.high + result.low, result.exponent);
}

// x^p for normal x > 0, right to single precision and 2^-10 of its last place, of which the error
// of the logarithm is 2^-53 |p log x|. Both series are Taylor's; what they leave out is below 2^-36.
template <typename V>
inline V single_power(V x, double p) {
  constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1, kLn2 = 0x1.62e42fefa39efp-1;
  constexpr double kLog2E = 0x1.71547652b82fep+0, kShift = 0x1.8p52, kFarthest = 700;
  constexpr double artanh[] = {2.0, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13};
  constexpr double exp[] = {1.0,       1.0,       1.0 / 2,    1.0 / 6,     1.0 / 24,
                            1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880};
  const Integer<V> exponent = (to_bits(x) - to_bits(kSqrtHalf)) >> 52;
  const V m = from_bits(to_bits(x) - (exponent << 52));
  const V e = from_bits(exponent + to_bits(kShift)) - kShift;
  const V s = (m - 1.0) / (m + 1.0);
  const V y = p * fma(e, V(kLn2), s * polynomial(s * s, artanh));
  const V held = select(abs(y) > V(kFarthest), select(y > V(0.0), V(kFarthest), V(-kFarthest)), y);
  const Rounded<V> n = round(held * kLog2E);
  return polynomial(fma(n.value, V(-kLn2), held), exp) * pow2<V>(n.integer);
}

// `power_of_log` for any x >= 0, and NaN.
template <bool is_root, typename V>
inline V power(V x, double factor) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kLeast = 0x1p-1022, kUp = 0x1p54;
  if (all((x >= V(kLeast)) & (x < V(kInfinity)))) return power_of_log<is_root>(log(x), factor);
  const auto is_subnormal = x < V(kLeast);
  const auto is_outside = (x == V(0.0)) | (x == V(kInfinity)) | (x != x);
  DoubleDouble<V> y = log(select(is_outside, V(1.0), select(is_subnormal, x * kUp, x)));
  constexpr double kLnUpHigh = 0x1.2b708872320e2p+5;   // 54 ln 2 rounded
  constexpr double kLnUpLow = -0x1.570da7e077bcbp-50;  // 54 ln 2 - kLnUpHigh rounded
  const DoubleDouble<V> moved = fast_two_sum(y.high, V(-kLnUpHigh));
  y.low = select(is_subnormal, moved.low + (y.low - kLnUpLow), y.low);
  y.high = select(is_subnormal, moved.high, y.high);
  const V at_zero = factor > 0 ? 0.0 : kInfinity, at_infinity = factor > 0 ? kInfinity : 0.0;
  const V outside = select(x == V(0.0), at_zero, select(x == V(kInfinity), at_infinity, x));
  return select(is_outside, outside, power_of_log<is_root>(y, factor));
}

// An order that `power` is not made for: NaN, or so large that products overflow.
inline bool is_beyond(double p) { return !(std::fabs(p) < 0x1p500); }

template <typename Function>
inline void everywhere(double* x, Index count, Function function) {
  Index i = 0;
  for (; i + kPackLanes <= count; i += kPackLanes) function(Pack::load(x + i)).store(x + i);
  for (; i < count; ++i) x[i] = function(x[i]);
}

// Where powers of single precision stay inside single_power: everywhere if |p| is modest.
constexpr double kSingleLow = 0x1p-149, kSingleHigh = 0x1p128;

// Multiples of 1/2 are products, which is faster than logarithms and, divided by p as the root will,
// as accurate.
template <typename T>
void powers(double* x, Index count, double p) {
  constexpr double kMostByProducts = 32;
  const double size = std::fabs(p);
  if (size <= kMostByProducts && 2 * size == static_cast<int>(2 * size)) {
    const unsigned twice = static_cast<unsigned>(2 * size);
    everywhere(x, count, [=](auto base) {
      const auto result = half_power(abs(base), twice);
      return p < 0 ? 1.0 / result : result;
    });
  } else if (is_beyond(p)) {
    for (Index i = 0; i < count; ++i) x[i] = std::pow(std::fabs(x[i]), p);
  } else {
    everywhere(x, count, [=](auto base) {
      using V = decltype(base);
      const V size = abs(base);
      if constexpr (std::is_same_v<T, float>) {
        if (all((size >= V(kSingleLow)) & (size <= V(kSingleHigh)))) return single_power(size, p);
      }
      return power<false>(size, p);
    });
  }
}

void roots(double* x, Index count, double p) {
  if (is_beyond(p)) {
    for (Index i = 0; i < count; ++i) x[i] = std::pow(x[i], 1 / p);
  } else {
    everywhere(x, count, [=](auto sum) { return power<true>(sum, p); });
  }
}

template <typename T, int... folds>
constexpr ReductionsOf<T> loops(std::integer_sequence<int, folds...>) {
  return {{&along<T, Fold(folds)>...}, {&across<T, Fold(folds)>...}, {&lines<T, Fold(folds)>...},
          &moduli<T, Modulus::rooted>, &moduli<T, Modulus::squared>, &powers<T>};
}

constexpr auto kAllFolds = std::make_integer_sequence<int, kFolds>();
constexpr Reductions kTable = {loops<float>(kAllFolds), loops<double>(kAllFolds), &roots};

}  // namespace

const Reductions& reductions() { return kTable; }

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics::cpu
