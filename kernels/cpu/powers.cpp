// Vandermonde matrices: row i holds powers 0, 1, 2, ... of number i.
#include <cmath>
#include <cstring>

#include "elements.h"
#include "isa.h"

namespace numerics::cpu {

namespace {

double magnitude(double x) { return std::fabs(x); }
double magnitude(const std::complex<double>& z) { return std::hypot(z.real(), z.imag()); }

// How many of `count` powers, from power 0 on, are in the middle of the range of double, and so is
// the error of a product of two?
template <typename T>
Index moderate_powers(const T& x, Index count) {
  constexpr double kMost = 900;  // of the exponent
  const double part = largest_part(x), highest = static_cast<double>(count);
  if (!(part > 0x1p-900 && part < 0x1p900)) return 0;
  // 2^e <= part < 2^(e+1), and the magnitude is below 2^(e+3/2).
  std::int64_t bits;
  std::memcpy(&bits, &part, sizeof bits);
  const std::int64_t e = (bits >> 52) - 1023;
  if (static_cast<double>(std::max(-e, e + 2)) * highest < kMost) return count;
  const double exponent = std::fabs(std::log2(magnitude(x)));
  return exponent * highest < kMost ? count : static_cast<Index>(kMost / exponent);
}

void extreme_powers(double x, Index first, Index count, double* result) {
  active_powers().extreme_real(x, first, count, result);
}
void extreme_powers(const std::complex<double>& z, Index first, Index count,
                    std::complex<double>* result) {
  active_powers().extreme_complex(reinterpret_cast<const double*>(&z), first, count,
                                  reinterpret_cast<double*>(result));
}

template <typename T>
class VanderRows {
 public:
  VanderRows(const Stack& stack, Workspace& workspace)
      : n_(stack.size('n')),
        count_(stack.size('N')),
        is_single_(is_single(stack.operands[0].type)),
        x_(workspace.take<T>(kPowerRows)),
        rounded_(workspace.take<T>(is_single_ ? kPowerRows * count_ : 0)) {}

  std::int64_t operator()(Stack& stack) {
    const View from = stack.input(0), to = stack.output(0);
    for (Index i = 0; i < n_; i += kPowerRows) {
      const Index rows = std::min(n_ - i, kPowerRows);
      for (Index row = 0; row < rows; ++row) {
        x_[row] = element<T>(from, stack.operands[0].type, i + row, 0);
      }
      T* const results = is_single_ ? rounded_ : reinterpret_cast<T*>(to.data + i * to.row);
      compute(rows, results, &stack.floating_point);
      if (!is_single_) continue;
      auto* narrow = reinterpret_cast<typename SingleOf<T>::type*>(to.data + i * to.row);
      unsigned flags = 0;
      for (Index k = 0; k < rows * count_; ++k) narrow[k] = round_once(results[k], &flags);
      if (flags != 0) stack.floating_point |= kOverflow;
    }
    return 0;
  }

 private:
  void compute(Index rows, T* results, unsigned* flags) {
    constexpr Index kParts = sizeof(T) / sizeof(double);
    const auto loop = kParts == 1 ? active_powers().real : active_powers().complex;
    loop(reinterpret_cast<const double*>(x_), rows, count_, reinterpret_cast<double*>(results));
    for (Index row = 0; row < rows; ++row) {
      const Index done = moderate_powers(x_[row], count_);
      if (done < count_) compute_extreme(x_[row], done, results + row * count_, flags);
    }
  }

  void compute_extreme(const T& x, Index done, T* results, unsigned* flags) {
    if (is_finite(x)) {
      extreme_powers(x, done, count_, results);
      if (!all_finite(results + done, count_ - done)) *flags |= kOverflow;
    } else {
      results[0] = T(1);
      for (Index k = 1; k < count_; ++k) results[k] = k == 1 ? x : times(results[k - 1], x);
    }
    if (count_ > 1) results[1] = x;  // the parts of which may be far apart
  }

  Index n_, count_;
  bool is_single_;
  T* x_;
  T* rounded_;
};

double none(const Stack&) { return 0; }

double entries_of_result(const Stack& stack) {
  return as_number(stack.size('n')) * as_number(stack.size('N'));
}

}  // namespace

const std::vector<Native> kVander = {
    {"powers", NATIVE_RUN(VanderRows), &none, {"N"}, {20, 1, &entries_of_result, 1e18}},
};

}  // namespace numerics::cpu
