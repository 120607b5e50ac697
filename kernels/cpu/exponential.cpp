// e^A by scaling and squaring: A. H. Al-Mohy & N. J. Higham, SIAM J. Matrix Anal. Appl. 31 (2009)
// 970-989, algorithm 5.1.
#include <cmath>

#include "lu.h"
#include "scaled_exp.h"
#include "square.h"

namespace numerics::cpu {
namespace {

// The [m/m] Padé approximant r of the exponential, and e^(B + E) = r(B) in exact arithmetic with
// E = Σ c(k) B^k, k >= 2m + 1. While the norms of powers of B, taken to their roots, stay below
// `theta`, ‖E‖ <= 2^-53 ‖B‖; for m = 13 theta is smaller than that, so that the denominator is well
// conditioned. `inverse` is 1 / |c(2m + 1)| = (2m)! (2m + 1)! / m!².
struct Degree {
  int m;
  double theta;
  double inverse;
};
constexpr Degree kThree = {3, 1.495585217958292e-2, 100800};
constexpr Degree kFive = {5, 2.539398330063230e-1, 10059033600};
constexpr Degree kSeven = {7, 9.504178996162932e-1, 4487938430976000};
constexpr Degree kNine = {9, 2.097847961257068, 5914384781877411840000.0};
constexpr Degree kThirteen = {13, 4.25, 113250775606021113483283660800000000.0};

// Coefficients of the numerator over the last one: b(j) = (2m - j)! / (j! (m - j)!). The
// denominator's differ in the signs of the odd ones.
constexpr double kPade3[] = {120, 60, 12, 1};
constexpr double kPade5[] = {30240, 15120, 3360, 420, 30, 1};
constexpr double kPade7[] = {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1};
constexpr double kPade9[] = {17643225600, 8821612800, 2075673600, 302702400, 30270240,
                             2162160,     110880,     3960,       90,        1};
constexpr double kPade13[] = {64764752532480000,
                              32382376266240000,
                              7771770303897600,
                              1187353796428800,
                              129060195264000,
                              10559470521600,
                              670442572800,
                              33522128640,
                              1323241920,
                              40840800,
                              960960,
                              16380,
                              182,
                              1};

template <typename T>
struct Term {
  double factor;
  const T* matrix;
};

template <typename T>
class Exponential {
 public:
  Exponential(const Stack& stack, Workspace& workspace)
      : n_(stack.size('n')),
        lu_(n_, n_, workspace),
        A_(workspace.take<T>(n_ * n_)),
        A2_(workspace.take<T>(n_ * n_)),
        A4_(workspace.take<T>(n_ * n_)),
        A6_(workspace.take<T>(n_ * n_)),
        X_(workspace.take<T>(n_ * n_)),
        spare_(workspace.take<T>(n_ * n_)),
        diagonal_(workspace.take<T>(n_)),
        superdiagonal_(workspace.take<T>(n_)),
        balance_(workspace.take<std::int64_t>(n_)),
        sums_(workspace.take<double>(2 * n_)) {}

  std::int64_t operator()(Stack& stack) {
    if (n_ == 0) return 0;
    load_input(stack, 0, n_, n_, A_, n_);
    if (!all_finite(A_, n_ * n_)) {
      fill_nan(stack.output(0), stack.operands[1].type, n_, n_);
      return 0;
    }
    is_upper_ = is_upper(n_, A_);
    const bool is_transposed = is_lower(n_, A_);
    if (is_upper_ && is_transposed) {
      diagonal(stack);
      return 0;
    }
    if (is_transposed) transpose(n_, A_);
    is_upper_ |= is_transposed;
    exponentiate();
    store_output<T>(stack, 0, n_, n_, [&](Index i, Index j) {
      if (is_transposed) std::swap(i, j);
      return is_upper_ && i > j ? T(0) : X_[j * n_ + i];
    });
    if (!all_finite(X_, n_ * n_)) stack.floating_point |= kOverflow;
    return 0;
  }

 private:
  void diagonal(Stack& stack) {
    for (Index i = 0; i < n_; ++i) {
      diagonal_[i] = std::exp(A_[i * n_ + i]);
      if (!is_finite(diagonal_[i])) stack.floating_point |= kOverflow;
    }
    store_output<T>(stack, 0, n_, n_,
                    [&](Index i, Index j) { return i == j ? diagonal_[i] : T(0); });
  }

  void exponentiate() {
    for (Index i = 0; i < n_; ++i) diagonal_[i] = A_[i * n_ + i];
    for (Index i = 0; i + 1 < n_; ++i) superdiagonal_[i] = A_[(i + 1) * n_ + i];
    exponent_ = 0;
    const bool is_balanced = !is_upper_ && balance();
    const int halvings = prescale();
    square(halvings + approximate());
    for (Index j = 0; (exponent_ != 0 || is_balanced) && j < n_; ++j) {
      for (Index i = 0; i < n_; ++i) {
        const std::int64_t power = is_balanced ? balance_[i] - balance_[j] : 0;
        X_[j * n_ + i] = times_power(X_[j * n_ + i], exponent_ + power);
      }
    }
    exponent_ = 0;
    if (is_upper_) correct(0);
  }

  void scale(T* matrix, std::int64_t exponent) {
    const double factor = times_power(1.0, exponent);
    for (Index i = 0; i < n_ * n_; ++i) matrix[i] *= factor;
  }

  // Replaces A by D⁻¹ A D, with powers of two in D that bring the largest entry of each row near to
  // that of the same column, if that makes a large A much smaller: exp(A) = D exp(D⁻¹ A D) D⁻¹ then
  // takes fewer squarings, in which entries of very different size would be lost. (Parlett and
  // Reinsch, Numer. Math. 13 (1969) 293, in the maximum norm.)
  bool balance() {
    constexpr double kOrdinary = 256, kMuchSmaller = 1.0 / 16;
    constexpr int kSweeps = 50;
    const double before = largest_entry(A_, n_ * n_);
    if (before <= kOrdinary) return false;
    std::copy(A_, A_ + n_ * n_, X_);
    std::fill(balance_, balance_ + n_, std::int64_t{0});
    bool changes = true;
    for (int sweep = 0; changes && sweep < kSweeps; ++sweep) {
      changes = false;
      for (Index i = 0; i < n_; ++i) changes |= balance_line(i);
    }
    if (largest_entry(X_, n_ * n_) > kMuchSmaller * before) return false;
    std::swap(A_, X_);
    return true;
  }

  bool balance_line(Index i) {
    double row = 0, column = 0;
    for (Index j = 0; j < n_; ++j) {
      if (j == i) continue;
      row = std::max(row, largest_part(X_[j * n_ + i]));
      column = std::max(column, largest_part(X_[i * n_ + j]));
    }
    if (row == 0 || column == 0) return false;
    int row_exponent = 0, column_exponent = 0;
    std::frexp(row, &row_exponent);
    std::frexp(column, &column_exponent);
    const int shift = (row_exponent - column_exponent) / 2;
    if (shift == 0) return false;
    for (Index j = 0; j < n_; ++j) {
      if (j == i) continue;
      X_[i * n_ + j] = times_power(X_[i * n_ + j], shift);
      X_[j * n_ + i] = times_power(X_[j * n_ + i], -shift);
    }
    balance_[i] += shift;
    return true;
  }

  // Halves A so often that its tenth power is far from overflow.
  int prescale() {
    constexpr int kLimit = 64;
    int exponent = 0;
    std::frexp(largest_entry(A_, n_ * n_), &exponent);
    if (exponent <= kLimit) return 0;
    scale(A_, kLimit - exponent);
    return exponent - kLimit;
  }

  // Base-2 logarithm of the largest sum of magnitudes in a row.
  double log_norm(const T* matrix) {
    std::fill(sums_, sums_ + n_, 0.0);
    for (Index j = 0; j < n_; ++j) {
      for (Index i = 0; i < n_; ++i) sums_[i] += std::abs(matrix[j * n_ + i]);
    }
    return std::log2(*std::max_element(sums_, sums_ + n_));
  }

  // Halvings after which |c(2m + 1)| ‖|A|^(2m + 1)‖ <= 2^-53 ‖A‖: the first term of the backward
  // error, and with |A| in place of A also a bound for the rounding errors in r.
  int excess(const Degree& degree, double norm) {
    const int twice = 2 * degree.m;
    const double allowed = std::log2(degree.inverse) - 53;
    if (twice * norm <= allowed) return 0;  // ‖|A|^(2m + 1)‖ <= ‖A‖^(2m + 1)
    const double needed = (log_norm_of_power(twice + 1) - norm - allowed) / twice;
    return needed > 0 ? static_cast<int>(std::ceil(needed)) : 0;
  }

  // Base-2 logarithm of ‖|A|^k‖, which for a matrix without negative entries is the largest entry
  // of |A|^k times the vector of ones.
  double log_norm_of_power(int k) {
    constexpr double kSmall = 0x1p-500, kLarge = 0x1p500;
    double* magnitudes = reinterpret_cast<double*>(spare_);
    for (Index i = 0; i < n_ * n_; ++i) magnitudes[i] = std::abs(A_[i]);
    double *from = sums_, *to = sums_ + n_;
    std::fill(from, from + n_, 1.0);
    int exponent = 0;
    double size = 1;
    for (; k > 0 && size > 0; --k) {
      std::fill(to, to + n_, 0.0);
      for (Index j = 0; j < n_; ++j) {
        for (Index i = 0; i < n_; ++i) to[i] += magnitudes[j * n_ + i] * from[j];
      }
      std::swap(from, to);
      size = *std::max_element(from, from + n_);
      if (size > kSmall && size < kLarge) continue;
      int shift = 0;
      size = std::frexp(size, &shift);
      for (Index i = 0; i < n_; ++i) from[i] = std::ldexp(from[i], -shift);
      exponent += shift;
    }
    return std::log2(size) + exponent;
  }

  // X = r(2^-s A) for the cheapest r that is exact to rounding; returns s. The norms of powers that
  // are not at hand are replaced by products of those that are, an upper bound.
  int approximate() {
    const double d1 = log_norm(A_);
    multiply(n_, A_, A_, A2_);
    const double d2 = log_norm(A2_);
    if (d2 / 2 <= std::log2(kThree.theta) && excess(kThree, d1) == 0) return low(kPade3);
    multiply(n_, A2_, A2_, A4_);
    const double d4 = log_norm(A4_);
    if (std::max(d4 / 4, (d2 + d4) / 6) <= std::log2(kFive.theta) && excess(kFive, d1) == 0) {
      return low(kPade5);
    }
    multiply(n_, A2_, A4_, A6_);
    const double d6 = log_norm(A6_);
    const double eta = std::max(d6 / 6, std::min(d4 / 4, (d2 + d6) / 8));
    if (eta <= std::log2(kSeven.theta) && excess(kSeven, d1) == 0) return low(kPade7);
    if (eta <= std::log2(kNine.theta) && excess(kNine, d1) == 0) return nine();
    int halvings = excess(kThirteen, d1);
    if (eta > std::log2(kThirteen.theta)) {
      multiply(n_, A4_, A4_, spare_);
      const double d8 = log_norm(spare_), d10 = std::min(d4 + d6, d2 + d8);
      const double least = std::max(d8 / 8, std::min(d6 / 6, d10 / 10));
      const double needed = std::ceil(least - std::log2(kThirteen.theta));
      if (needed > halvings) halvings = static_cast<int>(needed);
    }
    thirteen(halvings);
    return halvings;
  }

  template <typename... Terms>
  void combine(T* to, double identity, const Terms&... terms) {
    for (Index i = 0; i < n_ * n_; ++i) to[i] = ((terms.factor * terms.matrix[i]) + ...);
    for (Index i = 0; i < n_; ++i) to[i * n_ + i] += identity;
  }

  // r = (V + U) / (V - U), V even and U = A times an even polynomial. The even polynomials come by
  // their coefficients, U's one place behind V's.
  template <std::size_t size>
  int low(const double (&b)[size]) {
    even(b + 1, size - 1, spare_);
    multiply(n_, A_, spare_, X_);
    even(b, size - 1, lu_.matrix());
    divide();
    return 0;
  }

  void even(const double* b, std::size_t size, T* to) {
    const Term<T> A2{b[2], A2_};
    if (size == 3) return combine(to, b[0], A2);
    const Term<T> A4{b[4], A4_};
    if (size == 5) return combine(to, b[0], A4, A2);
    combine(to, b[0], Term<T>{b[6], A6_}, A4, A2);
  }

  int nine() {
    const double* b = kPade9;
    multiply(n_, A4_, A4_, spare_);
    T* V = lu_.matrix();
    const auto sum = [&](const double* c) {
      combine(V, c[0], Term<T>{c[8], spare_}, Term<T>{c[6], A6_}, Term<T>{c[4], A4_},
              Term<T>{c[2], A2_});
    };
    sum(b + 1);
    multiply(n_, A_, V, X_);
    sum(b);
    divide();
    return 0;
  }

  void thirteen(int halvings) {
    const double* b = kPade13;
    if (halvings > 0) {
      T* powers[] = {A_, A2_, A4_, A6_};
      for (int k : {0, 1, 2, 3}) scale(powers[k], -halvings * std::max(2 * k, 1));
    }
    T* V = lu_.matrix();
    const auto sum = [&](const double* c) {  // into spare_
      combine(V, 0.0, Term<T>{c[12], A6_}, Term<T>{c[10], A4_}, Term<T>{c[8], A2_});
      multiply(n_, A6_, V, spare_);
      combine(spare_, c[0], Term<T>{1, spare_}, Term<T>{c[6], A6_}, Term<T>{c[4], A4_},
              Term<T>{c[2], A2_});
    };
    sum(b + 1);
    multiply(n_, A_, spare_, X_);
    sum(b);
    std::copy(spare_, spare_ + n_ * n_, V);
    divide();
  }

  // X = I + 2 (V - U)⁻¹ U, for V in the place of the factors and U in that of X. So written, small
  // entries of A are not rounded to the spacing of the ones on the diagonal.
  void divide() {
    T* V = lu_.matrix();
    for (Index i = 0; i < n_ * n_; ++i) V[i] -= X_[i];
    lu_.factor();
    lu_.solve(X_, n_);
    for (Index i = 0; i < n_ * n_; ++i) X_[i] *= 2.0;
    for (Index i = 0; i < n_; ++i) X_[i * n_ + i] += 1.0;
  }

  // Of a triangular matrix diagonal and superdiagonal are known without squaring, and put in their
  // places lose nothing on the way (code fragment 2.1 of the paper). Of exponents beyond kLimit all
  // that is not zero is infinite.
  void square(int times) {
    constexpr std::int64_t kLimit = std::int64_t{1} << 40;
    for (int left = times; left > 0 && exponent_ < kLimit; --left) {
      if (is_upper_) correct(left);
      keep_in_range();
      multiply(n_, X_, X_, spare_);
      std::swap(X_, spare_);
      exponent_ *= 2;
    }
  }

  // What stands in X is e^(2^-left A) 2^-exponent. The exponent is 0 but for matrices that on the
  // way to the result are larger than the square root of the largest number.
  void keep_in_range() {
    constexpr int kLarge = 480;
    int size = 0;
    std::frexp(largest_entry(X_, n_ * n_), &size);
    if (size <= kLarge && exponent_ == 0) return;
    const std::int64_t shift = std::max<std::int64_t>(size - kLarge, -exponent_);
    for (Index i = 0; i < n_ * n_; ++i) X_[i] = times_power(X_[i], -shift);
    exponent_ += shift;
  }

  // Of [[a, t], [0, b]] the exponential has e^a, e^b and t (e^a - e^b) / (a - b).
  void correct(int left) {
    std::int64_t exponent;
    for (Index i = 0; i < n_; ++i) {
      const T a = times_power(diagonal_[i], -left);
      const T value = exp_parts(a, &exponent);
      X_[i * n_ + i] = times_power(value, exponent - exponent_);
      if (i + 1 == n_) break;
      const T b = times_power(diagonal_[i + 1], -left);
      const bool is_first = std::real(a) >= std::real(b);
      const T larger = is_first ? a : b, difference = is_first ? b - a : a - b;
      const T rest = times(divided_difference(difference), exp_parts(larger, &exponent));
      int size = 0;  // of t, which times the exponential may be larger than any number
      std::frexp(largest_part(superdiagonal_[i]), &size);
      const T value_above = times(times_power(superdiagonal_[i], -size), rest);
      X_[(i + 1) * n_ + i] = times_power(value_above, exponent - exponent_ - left + size);
    }
  }

  Index n_;
  Lu<T> lu_;
  T *A_, *A2_, *A4_, *A6_;
  T* X_;      // U, then the approximant, then its powers
  T* spare_;  // whatever has to stand somewhere for a moment
  T *diagonal_, *superdiagonal_;
  std::int64_t* balance_;  // exponents of the powers of two in D
  double* sums_;
  bool is_upper_ = false;
  std::int64_t exponent_ = 0;
};

double largest_size(const Stack& stack) { return static_cast<double>(stack.size('n')); }

}  // namespace

const std::vector<Native> kExponential = {
    {"matrix_exp", NATIVE_RUN(Exponential), &largest_size, {}},
};

}  // namespace numerics::cpu
