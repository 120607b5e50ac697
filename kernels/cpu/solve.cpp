// Solving and inverting by LU with partial pivoting, and the determinants that LU yields.
#include <cmath>
#include <limits>

#include "lu.h"

namespace numerics::cpu {
namespace {

// x = A⁻¹ b. With no right-hand side A is still factored, for a singular one must be reported.
template <typename T>
class Gesv {
 public:
  Gesv(const Stack& stack, Workspace& workspace)
      : n_(stack.size('n')),
        k_(stack.size('k')),
        lu_(stack, workspace),
        b_(workspace.take<T>(n_ * k_)) {}

  std::int64_t operator()(Stack& stack) {
    const std::int64_t info = lu_.factor(stack, 0);
    if (info != 0) return info;
    load_input(stack, 1, n_, k_, b_, n_);
    lu_.solve(b_, k_);
    store_output<T>(stack, 0, n_, k_, [&](Index i, Index j) { return b_[j * n_ + i]; });
    return 0;
  }

 private:
  Index n_, k_;
  Lu<T> lu_;
  T* b_;
};

// A⁻¹ as the solution of A X = I, which is what NumPy computes.
template <typename T>
class Inverse {
 public:
  Inverse(const Stack& stack, Workspace& workspace)
      : n_(stack.size('n')), lu_(stack, workspace), X_(workspace.take<T>(n_ * n_)) {}

  std::int64_t operator()(Stack& stack) {
    const std::int64_t info = lu_.factor(stack, 0);
    if (info != 0) return info;
    std::fill(X_, X_ + n_ * n_, T(0));
    for (Index i = 0; i < n_; ++i) X_[i * n_ + i] = T(1);
    lu_.solve(X_, n_);
    store_output<T>(stack, 0, n_, n_, [&](Index i, Index j) { return X_[j * n_ + i]; });
    return 0;
  }

 private:
  Index n_;
  Lu<T> lu_;
  T* X_;
};

// A product kept as a value of modest size times a power of two, so that it neither overflows nor
// underflows half way, and multiplying small integers stays exact.
template <typename T>
class ScaledProduct {
 public:
  void multiply(T factor) { value_ = times(normalized(value_), normalized(factor)); }

  T result() const {
    constexpr std::int64_t kRange = 4 * std::numeric_limits<double>::max_exponent;
    const int exponent = static_cast<int>(std::clamp(exponent_, -kRange, kRange));
    return scaled(value_, exponent);
  }

  static double magnitude(double x) { return std::fabs(x); }
  static double magnitude(const std::complex<double>& z) {
    return std::max(std::fabs(z.real()), std::fabs(z.imag()));
  }
  static double times(double a, double b) { return a * b; }
  static std::complex<double> times(const std::complex<double>& a, const std::complex<double>& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

 private:
  static double scaled(double x, int exponent) { return std::ldexp(x, exponent); }
  static std::complex<double> scaled(const std::complex<double>& z, int exponent) {
    return {std::ldexp(z.real(), exponent), std::ldexp(z.imag(), exponent)};
  }
  T normalized(const T& x) {
    const double size = magnitude(x);
    if (size == 0 || !std::isfinite(size)) return x;
    int exponent = 0;
    std::frexp(size, &exponent);
    exponent_ += exponent;
    return scaled(x, -exponent);
  }

  T value_ = T(1);
  std::int64_t exponent_ = 0;
};

template <typename T>
class Determinant {
 public:
  Determinant(const Stack& stack, Workspace& workspace) : lu_(stack, workspace) {}

  std::int64_t operator()(Stack& stack) {
    T result(0);
    if (lu_.factor(stack, 0) == 0) result = lu_.is_odd() ? -pivot_product() : pivot_product();
    if (!is_finite(result)) stack.floating_point |= what_happened(result);
    store_output<T>(stack, 0, 1, 1, [&](Index, Index) { return result; });
    return 0;
  }

 private:
  unsigned what_happened(const T& result) const {
    if (result != result) return kInvalid;
    for (Index i = 0; i < lu_.size(); ++i) {
      if (!is_finite(lu_.pivot(i))) return 0;
    }
    return kOverflow;
  }

  // Powers of two do not round, so the plain product has the same bits wherever it stays well
  // inside the range of numbers, which is nearly always.
  T pivot_product() const {
    constexpr double kSmall = 0x1p-480, kLarge = 0x1p480;
    T plain(1);
    bool is_inside = true;
    for (Index i = 0; i < lu_.size(); ++i) {
      plain = ScaledProduct<T>::times(plain, lu_.pivot(i));
      const double size = ScaledProduct<T>::magnitude(plain);
      is_inside &= size > kSmall && size < kLarge;
    }
    if (is_inside) return plain;
    ScaledProduct<T> scaled;
    for (Index i = 0; i < lu_.size(); ++i) scaled.multiply(lu_.pivot(i));
    return scaled.result();
  }

  Lu<T> lu_;
};

// det A = sign · exp(logabsdet), the sign on the unit circle, or 0 with logabsdet = -inf.
template <typename T>
class SignLogDeterminant {
 public:
  SignLogDeterminant(const Stack& stack, Workspace& workspace) : lu_(stack, workspace) {}

  std::int64_t operator()(Stack& stack) {
    T sign(0);
    double logarithm = -std::numeric_limits<double>::infinity();
    if (lu_.factor(stack, 0) == 0) {
      sign = T(lu_.is_odd() ? -1 : 1);
      logarithm = 0;
      for (Index i = 0; i < lu_.size(); ++i) {
        const double size = std::abs(lu_.pivot(i));
        sign *= direction(lu_.pivot(i), size);
        logarithm += std::log(size);
      }
    }
    if (std::isnan(logarithm)) stack.floating_point |= kInvalid;
    store_output<T>(stack, 0, 1, 1, [&](Index, Index) { return sign; });
    store_output<double>(stack, 1, 1, 1, [&](Index, Index) { return logarithm; });
    return 0;
  }

 private:
  static double direction(double pivot, double) { return pivot < 0 ? -1 : 1; }
  static std::complex<double> direction(const std::complex<double>& pivot, double size) {
    return pivot / size;
  }

  Lu<T> lu_;
};

double largest_size(const Stack& stack) {
  return static_cast<double>(std::max(stack.size('n'), stack.size('k')));
}

}  // namespace

const std::vector<Native> kSolve = {
    {"gesv", NATIVE_RUN(Gesv), &largest_size, {}},
    {"inv", NATIVE_RUN(Inverse), &largest_size, {}},
    {"det", NATIVE_RUN(Determinant), &largest_size, {}},
    {"slogdet", NATIVE_RUN(SignLogDeterminant), &largest_size, {}},
};

}  // namespace numerics::cpu
