// Determinants: of integers by elimination without fractions, of other numbers by LU.
#include "lu.h"
#include "small_stack.h"

namespace numerics::cpu {
namespace {

// A product kept as a value of modest size times a power of two, so that it neither overflows nor
// underflows half way, and multiplying small integers stays exact.
template <typename T>
class ScaledProduct {
 public:
  explicit ScaledProduct(std::int64_t exponent) : exponent_(exponent) {}

  void multiply(T factor) { value_ = times(normalized(value_), normalized(factor)); }

  T result() const { return times_power(value_, exponent_); }

 private:
  T normalized(const T& x) {
    const double size = largest_part(x);
    if (size == 0 || !std::isfinite(size)) return x;
    int exponent = 0;
    std::frexp(size, &exponent);
    exponent_ += exponent;
    return times_power(x, -exponent);
  }

  T value_ = T(1);
  std::int64_t exponent_;
};

// The determinant of a matrix of small integers, or of complex numbers with such parts, exactly:
// Bareiss's elimination, whose every intermediate value is a minor of the matrix (Math. Comp. 22
// (1968) 565), in double precision.
template <typename T>
class IntegerDeterminant {
 public:
  IntegerDeterminant(Index n, Workspace& workspace)
      : n_(n), A_(workspace.take<T>(n <= kLargest ? n * n : 0)) {}

  // Whether every entry of input 0 is an integer and no minor can reach kBound.
  bool takes(const Stack& stack) {
    if (n_ == 0 || n_ > kLargest) return false;
    const View a = stack.input(0);
    const char type = stack.operands[0].type;
    double bound = 1;  // Hadamard's, on every minor: rows of integers are zero or at least 1 long
    for (Index i = 0; i < n_; ++i) {
      double square = 0;
      for (Index j = 0; j < n_; ++j) {
        const T x = element<T>(a, type, i, j);
        if (!(largest_part(x) < kBound) || x != rounded(x)) return false;
        A_[j * n_ + i] = x;
        square += std::norm(x);
      }
      bound *= std::max(1.0, std::sqrt(square));
      if (!(bound < kBound)) return false;
    }
    return true;
  }

  T value() {
    T previous(1);
    double sign = 1;
    for (Index k = 0; k + 1 < n_; ++k) {
      Index row = k;
      while (row < n_ && A_[k * n_ + row] == T(0)) ++row;
      if (row == n_) return T(0);
      if (row != k) {
        for (Index j = k; j < n_; ++j) std::swap(A_[j * n_ + k], A_[j * n_ + row]);
        sign = -sign;
      }
      const T pivot = A_[k * n_ + k];
      for (Index j = k + 1; j < n_; ++j) {
        const T top = A_[j * n_ + k];
        for (Index i = k + 1; i < n_; ++i) {
          T& entry = A_[j * n_ + i];
          entry = quotient(pivot, entry, A_[k * n_ + i], top, previous);
        }
      }
      previous = pivot;
    }
    return sign * A_[n_ * n_ - 1] + T(0);  // no negative zero
  }

 private:
  static double rounded(double x) { return std::nearbyint(x); }
  static std::complex<double> rounded(const std::complex<double>& z) {
    return {std::nearbyint(z.real()), std::nearbyint(z.imag())};
  }

  // (a b - c d) / divisor, which is an integer below kBound. Both products are split into their
  // rounded values and the rounding errors, so that the difference is off by some 2⁻⁵² of itself at
  // most, and the quotient by less than one half.
  static double quotient(double a, double b, double c, double d, double divisor) {
    const double p = a * b, q = c * d;
    const double rest = std::fma(a, b, -p) - std::fma(c, d, -q);
    return rounded(((p - q) + rest) / divisor);
  }
  // The same of complex numbers so small that the difference is exact.
  static std::complex<double> quotient(const std::complex<double>& a, const std::complex<double>& b,
                                       const std::complex<double>& c, const std::complex<double>& d,
                                       const std::complex<double>& divisor) {
    return rounded((times(a, b) - times(c, d)) / divisor);
  }

  static constexpr Index kLargest = 32;  // beyond it LU is much faster, and the bound rarely holds
  static constexpr double kBound = lapack::is_complex<T> ? 0x1p24 : 0x1p50;

  Index n_;
  T* A_;
};

// What both functions below know of one matrix: an exact determinant, or pivots.
template <typename T>
class Elimination {
 public:
  Elimination(const Stack& stack, Workspace& workspace)
      : lu_(stack.size('n'), stack.size('n'), workspace), integers_(stack.size('n'), workspace) {}

  // False if the determinant is an integer that is known exactly.
  bool needs_pivots(const Stack& stack) {
    if (integers_.takes(stack)) return false;
    is_singular_ = lu_.factor_scaled(stack, 0) != 0;
    return true;
  }

  T integer() { return integers_.value(); }
  bool is_singular() const { return is_singular_; }
  const Lu<T>& lu() const { return lu_; }
  // A is 2^exponent times what was factored, as a whole.
  std::int64_t exponent() const { return std::int64_t{lu_.exponent()} * lu_.pivot_count(); }

 private:
  Lu<T> lu_;
  IntegerDeterminant<T> integers_;
  bool is_singular_ = false;
};

template <typename T>
class Determinant {
 public:
  static constexpr bool kHasUnrolled = true;
  static SmallKernel small(const SmallKernels& kernels) {
    return small_family<T>(kernels).determinant;
  }

  Determinant(const Stack& stack, Workspace& workspace) : elimination_(stack, workspace) {}

  std::int64_t operator()(Stack& stack) {
    const T result = value(stack);
    if (!is_finite(result)) stack.floating_point |= what_happened(result);
    store_output<T>(stack, 0, 1, 1, [&](Index, Index) { return result; });
    return 0;
  }

 private:
  T value(const Stack& stack) {
    if (!elimination_.needs_pivots(stack)) return elimination_.integer();
    if (elimination_.is_singular()) return T(0);
    return elimination_.lu().is_odd() ? -pivot_product() : pivot_product();
  }

  unsigned what_happened(const T& result) const {
    if (result != result) return kInvalid;
    const Lu<T>& lu = elimination_.lu();
    for (Index i = 0; i < lu.pivot_count(); ++i) {
      if (!is_finite(lu.pivot(i))) return 0;
    }
    return kOverflow;
  }

  // Powers of two do not round, so the plain product has the same bits wherever it stays well
  // inside the range of numbers, which is nearly always.
  T pivot_product() const {
    constexpr double kSmall = 0x1p-480, kLarge = 0x1p480;
    const Lu<T>& lu = elimination_.lu();
    T plain(1);
    bool is_inside = lu.exponent() == 0;
    for (Index i = 0; i < lu.pivot_count(); ++i) {
      plain = times(plain, lu.pivot(i));
      const double size = largest_part(plain);
      is_inside &= size > kSmall && size < kLarge;
    }
    if (is_inside) return plain;
    ScaledProduct<T> scaled(elimination_.exponent());
    for (Index i = 0; i < lu.pivot_count(); ++i) scaled.multiply(lu.pivot(i));
    return scaled.result();
  }

  Elimination<T> elimination_;
};

// det A = sign · exp(logabsdet), the sign on the unit circle, or 0 with logabsdet = -inf.
template <typename T>
class SignLogDeterminant {
 public:
  static constexpr bool kHasUnrolled = true;
  static SmallKernel small(const SmallKernels& kernels) {
    return small_family<T>(kernels).sign_and_logarithm;
  }

  SignLogDeterminant(const Stack& stack, Workspace& workspace) : elimination_(stack, workspace) {}

  std::int64_t operator()(Stack& stack) {
    T sign(0);
    double logarithm = -std::numeric_limits<double>::infinity();
    if (!elimination_.needs_pivots(stack)) {
      const T determinant = elimination_.integer();
      const double size = std::abs(determinant);
      if (size > 0) sign = determinant / size;
      logarithm = std::log(size);
    } else if (!elimination_.is_singular()) {
      const Lu<T>& lu = elimination_.lu();
      sign = T(lu.is_odd() ? -1 : 1);
      logarithm = 0;
      for (Index i = 0; i < lu.pivot_count(); ++i) add(lu.pivot(i), &sign, &logarithm);
      if (lu.exponent() != 0) {
        constexpr double kLog2 = 0.693147180559945309417232;
        logarithm += static_cast<double>(elimination_.exponent()) * kLog2;
      }
    }
    if (std::isnan(logarithm)) stack.floating_point |= kInvalid;
    store_output<T>(stack, 0, 1, 1, [&](Index, Index) { return sign; });
    store_output<double>(stack, 1, 1, 1, [&](Index, Index) { return logarithm; });
    return 0;
  }

 private:
  static void add(double pivot, double* sign, double* logarithm) {
    if (pivot < 0) *sign = -*sign;
    *logarithm += std::log(std::fabs(pivot));
  }
  static void add(const std::complex<double>& pivot, std::complex<double>* sign,
                  double* logarithm) {
    const double size = std::abs(pivot);
    if (std::isfinite(size) && size >= std::numeric_limits<double>::min()) {
      *sign *= pivot / size;
      *logarithm += std::log(size);
      return;
    }
    // The magnitude overflows, or is subnormal and short of digits, where the parts are neither.
    int exponent = 0;
    std::frexp(largest_part(pivot), &exponent);
    const std::complex<double> modest = is_finite(pivot) ? times_power(pivot, -exponent) : pivot;
    const double modest_size = std::abs(modest);
    *sign *= modest / modest_size;
    *logarithm += std::log(modest_size) + (is_finite(pivot) ? exponent : 0) * std::log(2.0);
  }

  Elimination<T> elimination_;
};

double largest_size(const Stack& stack) { return static_cast<double>(stack.size('n')); }

}  // namespace

const std::vector<Native> kDeterminants = {
    {"det", SOLVE_RUN(Determinant), &largest_size, {}, kOfSmall},
    {"slogdet", SOLVE_RUN(SignLogDeterminant), &largest_size, {}, kOfSmall},
};

}  // namespace numerics::cpu
