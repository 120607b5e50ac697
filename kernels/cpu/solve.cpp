// Solving and inverting by LU with partial pivoting, and the determinants that LU yields.
#include <cmath>
#include <limits>

#include "elements.h"

namespace numerics::cpu {
namespace {

using lapack::Integer;

// x = A⁻¹ b. With no right-hand side A is still factored, for a singular one must be reported.
template <typename T>
class Gesv {
 public:
  Gesv(const Stack& stack, Workspace& workspace)
      : n_(stack.size('n')),
        k_(stack.size('k')),
        leading_(std::max<Index>(1, n_)),
        A_(workspace.take<T>(n_ * n_)),
        b_(workspace.take<T>(n_ * k_)),
        pivots_(workspace.take<Integer>(n_)) {}

  std::int64_t operator()(Stack& stack) {
    if (n_ == 0) return 0;
    load_input(stack, 0, n_, n_, A_, leading_);
    load_input(stack, 1, n_, k_, b_, leading_);
    Integer n = n_, k = k_, leading = leading_, info = 0;
    if (k_ == 0) {
      lapack::call<T>(lapack::getrf, &n, &n, A_, &leading, pivots_, &info);
    } else {
      lapack::call<T>(lapack::gesv, &n, &k, A_, &leading, pivots_, b_, &leading, &info);
    }
    store_output<T>(stack, 0, n_, k_, [&](Index i, Index j) { return b_[j * leading_ + i]; });
    return lapack::value(info);
  }

 private:
  Index n_, k_, leading_;
  T* A_;
  T* b_;
  Integer* pivots_;
};

// A⁻¹ as the solution of A X = I, which is what NumPy computes.
template <typename T>
class Inverse {
 public:
  Inverse(const Stack& stack, Workspace& workspace)
      : n_(stack.size('n')),
        A_(workspace.take<T>(n_ * n_)),
        X_(workspace.take<T>(n_ * n_)),
        pivots_(workspace.take<Integer>(n_)) {}

  std::int64_t operator()(Stack& stack) {
    if (n_ == 0) return 0;
    load_input(stack, 0, n_, n_, A_, n_);
    std::fill(X_, X_ + n_ * n_, T(0));
    for (Index i = 0; i < n_; ++i) X_[i * n_ + i] = T(1);
    Integer n = n_, info = 0;
    lapack::call<T>(lapack::gesv, &n, &n, A_, &n, pivots_, X_, &n, &info);
    store_output<T>(stack, 0, n_, n_, [&](Index i, Index j) { return X_[j * n_ + i]; });
    return lapack::value(info);
  }

 private:
  Index n_;
  T* A_;
  T* X_;
  Integer* pivots_;
};

// The factors of one matrix, as far as a determinant asks for them.
template <typename T>
class Factored {
 public:
  Factored(const Stack& stack, Workspace& workspace)
      : n_(stack.size('n')), A_(workspace.take<T>(n_ * n_)), pivots_(workspace.take<Integer>(n_)) {}

  void factor(const Stack& stack) {
    is_singular_ = false;
    if (n_ == 0) return;
    load_input(stack, 0, n_, n_, A_, n_);
    Integer n = n_, info = 0;
    lapack::call<T>(lapack::getrf, &n, &n, A_, &n, pivots_, &info);
    is_singular_ = lapack::value(info) > 0;
  }

  Index size() const { return n_; }
  bool is_singular() const { return is_singular_; }
  T diagonal(Index i) const { return A_[i * n_ + i]; }
  bool is_odd() const {
    bool odd = false;
    for (Index i = 0; i < n_; ++i) odd ^= lapack::element(pivots_, i) != i + 1;
    return odd;
  }

 private:
  Index n_;
  T* A_;
  Integer* pivots_;
  bool is_singular_ = false;
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
    lu_.factor(stack);
    T result(0);
    if (!lu_.is_singular()) {
      result = lu_.is_odd() ? -pivot_product() : pivot_product();
    }
    store_output<T>(stack, 0, 1, 1, [&](Index, Index) { return result; });
    return 0;
  }

 private:
  // Powers of two do not round, so the plain product has the same bits wherever it stays well
  // inside the range of numbers, which is nearly always.
  T pivot_product() const {
    constexpr double kSmall = 0x1p-480, kLarge = 0x1p480;
    T plain(1);
    bool is_inside = true;
    for (Index i = 0; i < lu_.size(); ++i) {
      plain = ScaledProduct<T>::times(plain, lu_.diagonal(i));
      const double size = ScaledProduct<T>::magnitude(plain);
      is_inside &= size > kSmall && size < kLarge;
    }
    if (is_inside) return plain;
    ScaledProduct<T> scaled;
    for (Index i = 0; i < lu_.size(); ++i) scaled.multiply(lu_.diagonal(i));
    return scaled.result();
  }

  Factored<T> lu_;
};

// det A = sign · exp(logabsdet), the sign on the unit circle, or 0 with logabsdet = -inf.
template <typename T>
class SignLogDeterminant {
 public:
  SignLogDeterminant(const Stack& stack, Workspace& workspace) : lu_(stack, workspace) {}

  std::int64_t operator()(Stack& stack) {
    lu_.factor(stack);
    T sign(lu_.is_singular() ? 0 : 1);
    double logarithm = lu_.is_singular() ? -std::numeric_limits<double>::infinity() : 0;
    if (!lu_.is_singular()) {
      for (Index i = 0; i < lu_.size(); ++i) {
        const T pivot = lu_.diagonal(i);
        const double size = std::abs(pivot);
        sign *= pivot / size;
        logarithm += std::log(size);
      }
      if (lu_.is_odd()) sign = -sign;
    }
    store_output<T>(stack, 0, 1, 1, [&](Index, Index) { return sign; });
    store_output<double>(stack, 1, 1, 1, [&](Index, Index) { return logarithm; });
    return 0;
  }

 private:
  Factored<T> lu_;
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
