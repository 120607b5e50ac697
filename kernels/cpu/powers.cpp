// Vandermonde matrices: row i holds powers 0, 1, 2, ... of number i.
#include <cmath>

#include "elements.h"
#include "isa.h"

namespace numerics::cpu {

bool are_powers_moderate(double magnitude, Index count) {
  // Neither a power nor the error of a product of two is near the ends of the range.
  constexpr double kMost = 900;
  if (!(magnitude > 0x1p-900 && magnitude < 0x1p900)) return false;
  const double highest = static_cast<double>(count);
  const int exponent = std::ilogb(magnitude);
  if ((std::abs(exponent) + 1) * highest < kMost) return true;
  return std::fabs(std::log2(magnitude)) * highest < kMost;
}

namespace {

double magnitude(double x) { return std::fabs(x); }
double magnitude(const std::complex<double>& z) { return std::hypot(z.real(), z.imag()); }

void any_powers(double x, Index count, double* result) {
  active_powers().any_real(x, count, result);
}
void any_powers(const std::complex<double>& z, Index count, std::complex<double>* result) {
  active_powers().any_complex(reinterpret_cast<const double*>(&z), count,
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
    for (Index row = 0; row < rows;) {
      Index end = row;
      while (end < rows && are_powers_moderate(magnitude(x_[end]), count_)) ++end;
      if (end > row) {
        const auto loop = kParts == 1 ? active_powers().real : active_powers().complex;
        loop(reinterpret_cast<const double*>(x_ + row), end - row, count_,
             reinterpret_cast<double*>(results + row * count_));
      }
      if (end < rows) compute_unusual(x_[end], results + end * count_, flags);
      row = end + 1;
    }
  }

  void compute_unusual(const T& x, T* results, unsigned* flags) {
    if (is_finite(x)) {
      any_powers(x, count_, results);
      if (!all_finite(results, count_)) *flags |= kOverflow;
      return;
    }
    T power(1);
    for (Index k = 0; k < count_; ++k) {
      results[k] = power;
      power = k == 0 ? x : times(power, x);
    }
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
