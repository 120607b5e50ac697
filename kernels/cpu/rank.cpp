// What is read off singular values: the hot paths of linalg/_rank.py and of the condition number.
// They do what nearly every matrix asks for. Where care is needed, the matrix is reported, and the
// body of the public function begins anew.
#include "isa.h"
#include "svd.h"

namespace numerics::cpu {
namespace {

constexpr std::int64_t kNeedsCare = 1;

// Nothing that is made of such numbers, of their products or reciprocals is near the limits of
// double. NaN is none.
bool is_moderate(double x) { return x > 0x1p-300 && x < 0x1p300; }

// Up to here singular values count as zero: `threshold` of linalg/_rank.py by default.
template <typename T>
double threshold(const Decomposition<T>& matrix) {
  const double longer = static_cast<double>(std::max(matrix.m, matrix.n));
  return longer * std::numeric_limits<double>::epsilon() * matrix.s[0];
}

template <typename T>
Index rank_of(const Decomposition<T>& matrix) {
  const double zero = threshold(matrix);
  return std::count_if(matrix.s, matrix.s + matrix.k(), [&](double x) { return x > zero; });
}

template <typename T, char job>
class OfSingularValues {
 public:
  OfSingularValues(const Stack& stack, Workspace& workspace) : svd_(stack, workspace) {}

 protected:
  // 0 if the matrix is an ordinary one.
  std::int64_t decompose(const Stack& stack) {
    if (svd_.matrix.k() == 0) return kNeedsCare;
    const std::int64_t info = svd_(stack);
    if (info != 0) return info;
    return is_moderate(svd_.matrix.s[0]) ? 0 : kNeedsCare;
  }

  SingularValues<T, job> svd_;
};

void store_rank(Stack& stack, int output, Index rank) {
  *reinterpret_cast<Index*>(stack.output(output).data) = rank;
}

template <typename T>
class Rank : OfSingularValues<T, 'N'> {
 public:
  using OfSingularValues<T, 'N'>::OfSingularValues;

  std::int64_t operator()(Stack& stack) {
    const std::int64_t info = this->decompose(stack);
    if (info == 0) store_rank(stack, 0, rank_of(this->svd_.matrix));
    return info;
  }
};

template <typename T>
class Condition : OfSingularValues<T, 'N'> {
 public:
  using OfSingularValues<T, 'N'>::OfSingularValues;

  std::int64_t operator()(Stack& stack) {
    const std::int64_t info = this->decompose(stack);
    if (info != 0) return info;
    const auto& matrix = this->svd_.matrix;
    const double largest = matrix.s[0], smallest = matrix.s[matrix.k() - 1];
    if (!is_moderate(smallest)) return kNeedsCare;
    store_output<double>(stack, 0, 1, 1, [&](Index, Index) { return largest / smallest; });
    return 0;
  }
};

// The first columns of U, and zeros.
template <typename T>
class RangeBasis : OfSingularValues<T, 'S'> {
 public:
  using OfSingularValues<T, 'S'>::OfSingularValues;

  std::int64_t operator()(Stack& stack) {
    const std::int64_t info = this->decompose(stack);
    if (info != 0) return info;
    const auto& matrix = this->svd_.matrix;
    const Index rank = rank_of(matrix);
    store_output<T>(stack, 0, matrix.m, matrix.k(),
                    [&](Index i, Index j) { return j < rank ? matrix.U[j * matrix.m + i] : T(0); });
    store_rank(stack, 1, rank);
    return 0;
  }
};

// The last columns of V, the last one first, and zeros.
template <typename T>
class NullSpace : OfSingularValues<T, 'A'> {
 public:
  using OfSingularValues<T, 'A'>::OfSingularValues;

  std::int64_t operator()(Stack& stack) {
    const std::int64_t info = this->decompose(stack);
    if (info != 0) return info;
    const auto& matrix = this->svd_.matrix;
    const Index rank = rank_of(matrix), n = matrix.n;
    store_output<T>(stack, 0, n, n, [&](Index i, Index j) {
      return j < n - rank ? conjugate(matrix.Vh[i * n + (n - 1 - j)]) : T(0);
    });
    store_rank(stack, 1, rank);
    return 0;
  }
};

// Vᴴᵀ S⁻¹ Uᵀ, conjugated. The product is the one of matmul.cpp, which takes matrices of these sizes.
template <typename T>
class PseudoInverse : OfSingularValues<T, 'S'> {
 public:
  PseudoInverse(const Stack& stack, Workspace& workspace)
      : OfSingularValues<T, 'S'>(stack, workspace),
        is_small_(std::max(this->svd_.matrix.m, this->svd_.matrix.n) <= kLargest),
        inverse_(workspace.take<T>(is_small_ ? kLargest * kLargest : 0)) {}

  std::int64_t operator()(Stack& stack) {
    const auto& matrix = this->svd_.matrix;
    const Index m = matrix.m, n = matrix.n, k = matrix.k();
    if (!is_small_ || m * n == 1) return kNeedsCare;
    const std::int64_t info = this->decompose(stack);
    if (info != 0) return info;
    const double zero = kRelative * matrix.s[0];
    for (Index p = 0; p < k; ++p) {
      const double reciprocal = matrix.s[p] > zero ? 1 / matrix.s[p] : 0;
      for (Index i = 0; i < m; ++i) matrix.U[p * m + i] *= reciprocal;
    }
    constexpr Index kParts = sizeof(T) / sizeof(double);
    ProductStack<double> product = {n, k, m};
    product.a = reinterpret_cast<const double*>(matrix.Vh);
    product.a_row = matrix.v_rows * kParts;
    product.a_column = kParts;
    product.b = reinterpret_cast<const double*>(matrix.U);
    product.b_row = product.c_row = m * kParts;
    product.c = reinterpret_cast<double*>(inverse_);
    product.count = 1;
    active_products().full.matrices[kParts - 1](product);
    store_output<T>(stack, 0, n, m,
                    [&](Index i, Index j) { return conjugate(inverse_[i * m + j]); });
    return 0;
  }

 private:
  static constexpr Index kLargest = 16;
  static constexpr double kRelative = 1e-15;  // `rcond` by default

  bool is_small_;
  T* inverse_;
};

double largest_size(const Stack& stack) {
  const double m = static_cast<double>(stack.size('m')), n = static_cast<double>(stack.size('n'));
  const double k = std::min(m, n);
  return 4 * k * k + 10 * k + std::max(m, n);
}

}  // namespace

const std::vector<Native> kRank = {
    {"rank", NATIVE_RUN(Rank), &largest_size, {}},
    {"cond", NATIVE_RUN(Condition), &largest_size, {}},
    {"pinv", NATIVE_RUN(PseudoInverse), &largest_size, {}},
    {"range", NATIVE_RUN(RangeBasis), &largest_size, {}},
    {"null_space", NATIVE_RUN(NullSpace), &largest_size, {}},
};

}  // namespace numerics::cpu
