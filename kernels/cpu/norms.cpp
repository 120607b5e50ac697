// Norms of vectors and matrices. Every number is computed in double and rounded once.
//
// The plain sum is right nearly always. Where it left the range of numbers, it is done again with
// everything scaled: squares by an exact power of two, other powers by the largest magnitude. What
// is scaled away is too small to matter; what remains neither overflows nor underflows. Only an
// infinite norm of finite numbers is an overflow, and reported as one.
#include <algorithm>
#include <cmath>

#include "folding.h"
#include "isa.h"

namespace numerics::cpu {
namespace {

// The norms of one order.
class Norm {
 public:
  Norm(char type, double order)
      : loops_(active_reductions()),
        type_(type),
        order_(order),
        fold_(fold(order)),
        is_power_(fold_ == kMagnitudes && order != 1),
        is_complex_(type == 'D' || type == 'F'),
        plain_(loops_, type, fold_, form(1, 1)) {}

  double of(const Table& table, unsigned* flags) const {
    const double sum = plain_.of(table);
    return finished(sum, is_power_ ? root(sum) : sum, table, flags);
  }

  void of(const Lines& lines, double* results, unsigned* flags) const {
    plain_.of(lines, results);
    constexpr Index kMost = 64;  // roots at a time
    double roots[kMost];
    for (Index done = 0; done < lines.count; done += kMost) {
      const Index count = std::min(kMost, lines.count - done);
      double* const sums = results + done;
      if (is_power_) {
        std::copy(sums, sums + count, roots);
        loops_.roots(roots, count, order_);
      }
      for (Index i = 0; i < count; ++i) {
        sums[i] = finished(sums[i], is_power_ ? roots[i] : sums[i], lines[done + i], flags);
      }
    }
  }

 private:
  static constexpr double kLow = 0x1p-900;

  static Fold fold(double order) {
    if (order == 2) return kSquares;
    if (order == 0) return kNonZeros;
    if (order == kInfinity) return kLargest;
    if (order == -kInfinity) return kSmallest;
    return kMagnitudes;
  }

  Form form(double scale, double unit) const {
    const bool is_extreme = fold_ == kLargest || fold_ == kSmallest;
    return {fold_ == kSquares ? Complex::in_parts
            : is_extreme      ? Complex::as_squares
                              : Complex::as_magnitudes,
            scale, unit, is_power_ ? order_ : 1};
  }

  double root(double sum) const {
    loops_.roots(&sum, 1, order_);
    return sum;
  }

  // `result` is the sum, or its root.
  double finished(double sum, double result, const Table& table, unsigned* flags) const {
    // A sum in here has lost nothing that matters to terms that left the range of normal numbers,
    // be they 2^100.
    const bool is_inside = sum > kLow && sum < 0x1p1000;
    if (fold_ == kSquares) {
      result = is_inside ? std::sqrt(sum) : scaled_squares(table);
    } else if (is_power_) {
      // Magnitudes of subnormal complex numbers are rounded.
      if (!is_inside || result < kLow) result = scaled_powers(table);
    } else if (is_complex_ && (fold_ == kLargest || fold_ == kSmallest)) {
      result = is_inside ? std::sqrt(sum) : Folding(loops_, type_, fold_, {}).of(table);
    }
    if (result == kInfinity && table.columns != 0 && largest_part(table) < kInfinity) {
      *flags |= kOverflow;
    }
    return result;
  }

  double largest_part(const Table& table) const {
    return Folding(loops_, type_, kLargest, {Complex::in_parts}).of(table);
  }

  // Of the power of two below `size`, held where that and its reciprocal are normal.
  static int exponent(double size) { return std::clamp(std::ilogb(size), -1000, 1000); }

  double scaled_squares(const Table& table) const {
    const double size = largest_part(table);
    if (size == 0 || !std::isfinite(size)) return size;
    const Form scaled = form(std::ldexp(1.0, exponent(size)), 1);
    const double sum = Folding(loops_, type_, fold_, scaled).of(table);
    return std::ldexp(std::sqrt(sum), exponent(size));
  }

  // In units of the magnitude that counts most, so that one term is 1 and none is larger.
  double scaled_powers(const Table& table) const {
    const Fold extreme = order_ > 0 ? kLargest : kSmallest;
    const double size = Folding(loops_, type_, extreme, {}).of(table);
    if (size == 0 || !std::isfinite(size)) return size;
    const double scale = std::ldexp(1.0, exponent(size));
    const double unit = Folding(loops_, type_, extreme, {Complex::as_magnitudes, scale}).of(table);
    const double sum = Folding(loops_, type_, fold_, form(scale, unit)).of(table);
    return std::ldexp(unit * root(sum), exponent(size));
  }

  const Reductions& loops_;
  char type_;
  double order_;
  Fold fold_;
  bool is_power_, is_complex_;
  Folding plain_;
};

// --- Stacks ------------------------------------------------------------------------------------

// Batch axes in the order of memory, and those that follow each other without a gap as one: a stack
// that NumPy has as many short axes is read as few long ones.
void arrange(Stack& stack) {
  int kept = 0;
  for (int d = 0; d < stack.batch_ndim; ++d) {
    if (stack.batch_shape[d] == 1) continue;
    int place = kept++;
    const auto copy = [&](int from, int to) {
      stack.batch_shape[to] = stack.batch_shape[from];
      for (int i = 0; i < 2; ++i) {
        stack.operands[i].batch_strides[to] = stack.operands[i].batch_strides[from];
      }
    };
    const Index size = stack.batch_shape[d];
    const Index strides[2] = {stack.operands[0].batch_strides[d],
                              stack.operands[1].batch_strides[d]};
    for (; place > 0; --place) {
      if (std::abs(stack.operands[0].batch_strides[place - 1]) >= std::abs(strides[0])) break;
      copy(place - 1, place);
    }
    stack.batch_shape[place] = size;
    for (int i = 0; i < 2; ++i) stack.operands[i].batch_strides[place] = strides[i];
  }
  stack.batch_ndim = kept;
  for (int d = stack.batch_ndim - 2; d >= 0; --d) {
    const Index inner = stack.batch_shape[d + 1];
    bool follow = true;
    for (int i = 0; i < 2; ++i) {
      const Index* strides = stack.operands[i].batch_strides;
      follow &= strides[d] == inner * strides[d + 1];
    }
    if (!follow) continue;
    for (int i = 0; i < 2; ++i) {
      Index* strides = stack.operands[i].batch_strides;
      std::copy(strides + d + 1, strides + stack.batch_ndim, strides + d);
    }
    stack.batch_shape[d] *= inner;
    std::copy(stack.batch_shape + d + 2, stack.batch_shape + stack.batch_ndim,
              stack.batch_shape + d + 1);
    --stack.batch_ndim;
  }
}

// Short vectors are folded side by side, and the more of them the better: the longest axis comes last
// if the last one is short.
void put_longest_last(Stack& stack, Index length) {
  constexpr Index kMany = 8;
  const int last = stack.batch_ndim - 1;
  if (last < 1 || length >= kLanes || stack.batch_shape[last] >= kMany) return;
  const Index* longest = std::max_element(stack.batch_shape, stack.batch_shape + last);
  if (*longest <= stack.batch_shape[last]) return;
  const Index d = longest - stack.batch_shape;
  std::swap(stack.batch_shape[d], stack.batch_shape[last]);
  for (int i = 0; i < 2; ++i) {
    std::swap(stack.operands[i].batch_strides[d], stack.operands[i].batch_strides[last]);
  }
}

void store_norm(char* to, char type, double norm, unsigned* flags) {
  if (type == 'f') {
    *reinterpret_cast<float*>(to) = round_once(norm, flags);
  } else {
    *reinterpret_cast<double*>(to) = norm;
  }
}

void vector_norms(Stack& stack, Index length, Index step) {
  const Norm norm(stack.operands[0].type, stack.options.ord);
  const char type = stack.operands[1].type;
  unsigned* flags = &stack.floating_point;
  if (stack.batch_ndim == 0) {
    const char* x = stack.operands[0].data;
    return store_norm(stack.operands[1].data, type, norm.of({x, 1, length, 0, step}, flags), flags);
  }
  if (stack.count == 0) return;
  arrange(stack);
  put_longest_last(stack, length);
  Workspace workspace;
  constexpr Index kMost = 256;  // results at a time
  double* results = workspace.take<double>(std::min(stack.count, kMost));
  for (Range range; stack.take(&range);) {
    stack.seek(range.first);
    while (stack.matrix() < range.last) {
      const Index count = std::min({kMost, stack.row(), range.last - stack.matrix()});
      const Lines lines{stack.input(0).data, count, length, stack.distance(0), step};
      norm.of(lines, results, flags);
      char* to = stack.output(0).data;
      for (Index i = 0; i < count; ++i) {
        store_norm(to + i * stack.distance(1), type, results[i], flags);
      }
      stack.skip(count);
    }
  }
}

void vector_norm(Stack& stack) {
  vector_norms(stack, stack.size('n'), stack.operands[0].core_strides[0]);
}

// The norm of all entries as one vector, in the order of memory.
void frobenius_norm(Stack& stack) {
  Index rows = stack.size('m'), columns = stack.size('n');
  Index row = stack.operands[0].core_strides[0], column = stack.operands[0].core_strides[1];
  if (std::abs(row) < std::abs(column)) {
    std::swap(rows, columns);
    std::swap(row, column);
  }
  if (columns == 1) return vector_norms(stack, rows, row);
  if (rows == 1 || row == columns * column) return vector_norms(stack, rows * columns, column);
  const Norm norm(stack.operands[0].type, 2);
  each_matrix(stack, [&] {
    const Table table{stack.input(0).data, rows, columns, row, column};
    store_norm(stack.output(0).data, stack.operands[1].type, norm.of(table, &stack.floating_point),
               &stack.floating_point);
  });
}

Index element_size(char type) {
  const Index parts = type == 'D' || type == 'F' ? 2 : 1;
  return parts * (is_single(type) ? Index{sizeof(float)} : Index{sizeof(double)});
}

// The largest or smallest sum of magnitudes of a column or row.
class ExtremeSum {
 public:
  ExtremeSum(const Stack& stack, Workspace& workspace)
      : is_largest_(stack.options.ord > 0),
        sum_(stack.operands[0].type, 1),
        sums_(workspace.take<double>(kMost)) {
    const Index rows = stack.size('m'), columns = stack.size('n');
    const Index row = stack.operands[0].core_strides[0], column = stack.operands[0].core_strides[1];
    const bool of_columns = std::fabs(stack.options.ord) == 1;
    count_ = of_columns ? columns : rows;
    length_ = of_columns ? rows : columns;
    apart_ = of_columns ? column : row;
    step_ = of_columns ? row : column;
    is_block_ = step_ == element_size(stack.operands[0].type) && apart_ == length_ * step_;
  }

  double of(const char* matrix, unsigned* flags) const {
    double norm = identity();
    unsigned overflow = 0;
    for (Index done = 0; done < count_; done += kMost) {
      const Index count = std::min(kMost, count_ - done);
      sum_.of(Lines{matrix + done * apart_, count, length_, apart_, step_}, sums_, &overflow);
      for (Index i = 0; i < count; ++i) fold(&norm, sums_[i]);
    }
    if (norm == kInfinity) *flags |= overflow;
    return norm;
  }

  // Of many small matrices, with the same bits.
  void of(const char* matrices, Index apart, Index count, double* norms, unsigned* flags) const {
    unsigned overflow = 0;
    std::fill(norms, norms + count, identity());
    if (is_block_ && apart == count_ * apart_) {  // all lines follow each other
      sum_.of(Lines{matrices, count * count_, length_, apart_, step_}, sums_, &overflow);
      const double* sum = sums_;
      for (Index i = 0; i < count; ++i) {
        for (Index line = 0; line < count_; ++line) fold(&norms[i], *sum++);
      }
    } else {  // their first columns or rows together, and so on
      for (Index line = 0; line < count_; ++line) {
        sum_.of(Lines{matrices + line * apart_, count, length_, apart, step_}, sums_, &overflow);
        for (Index i = 0; i < count; ++i) fold(&norms[i], sums_[i]);
      }
    }
    if (overflow == 0) return;
    for (Index i = 0; i < count; ++i) norms[i] = of(matrices + i * apart, flags);
  }

  // Of how many matrices the lines are folded together.
  Index together() const {
    constexpr Index kSmall = 36, kEntries = 2048;  // that the nearest cache holds
    const Index entries = count_ * length_;
    if (entries == 0) return 1;
    if (is_block_) return std::max<Index>(1, kMost / count_);
    return entries <= kSmall ? std::min(kMost, kEntries / entries) : 1;
  }

  static constexpr Index kMost = 256;  // sums at a time

 private:
  double identity() const { return is_largest_ ? 0 : kInfinity; }

  void fold(double* norm, double sum) const {
    const bool keeps = is_largest_ ? *norm >= sum : *norm <= sum;
    if (!keeps && *norm == *norm) *norm = sum;
  }

  bool is_largest_, is_block_;
  Norm sum_;
  Index count_, length_, apart_, step_;
  double* sums_;
};

void extreme_sum(Stack& stack) {
  Workspace workspace;
  const ExtremeSum extreme(stack, workspace);
  const char type = stack.operands[1].type;
  unsigned* flags = &stack.floating_point;
  if (stack.count == 0) return;
  arrange(stack);
  double norms[ExtremeSum::kMost];
  for (Range range; stack.take(&range);) {
    stack.seek(range.first);
    while (stack.matrix() < range.last) {
      const Index count = std::min({extreme.together(), stack.row(), range.last - stack.matrix()});
      const char* x = stack.input(0).data;
      if (count == 1) {
        norms[0] = extreme.of(x, flags);
      } else {
        extreme.of(x, stack.distance(0), count, norms, flags);
      }
      char* to = stack.output(0).data;
      for (Index i = 0; i < count; ++i) {
        store_norm(to + i * stack.distance(1), type, norms[i], flags);
      }
      stack.skip(count);
    }
  }
}

void matrix_norm(Stack& stack) {
  if (stack.options.ord == 2) return frobenius_norm(stack);
  extreme_sum(stack);
}

double nothing_for_lapack(const Stack&) { return 0; }

}  // namespace

constexpr Cost kOfNorms{10, 0.2, &linear, std::numeric_limits<double>::infinity()};

const std::vector<Native> kNorms = {
    {"vector_norm", {&vector_norm, &vector_norm}, &nothing_for_lapack, {"ord"}, kOfNorms},
    {"matrix_norm", {&matrix_norm, &matrix_norm}, &nothing_for_lapack, {"ord"}, kOfNorms},
};

}  // namespace numerics::cpu
