// The operands of a job as elimination sees them: entry (i, j) of every lane. Compiled once per
// instruction set.
#pragma once

#include <algorithm>
#include <cmath>

#include "lanes.h"
#include "small.h"

namespace numerics::cpu {
inline namespace NUMERICS_ISA_NAMESPACE {

// Rows of a matrix up to which the lanes of a stack are matrices. Beyond, they are rows, as they are
// of a matrix alone.
constexpr Index kMostInLanes = 16;

template <typename E>
constexpr bool is_complex = Element<E>::kParts == 2;
inline bool is_single_precision(char type) { return type == 'f' || type == 'F'; }
template <typename S>
S load_one(const char* at, char type) {
  if constexpr (is_complex<S>) {
    if (is_single_precision(type)) {
      const float* z = reinterpret_cast<const float*>(at);
      return {z[0], z[1]};
    }
    const double* z = reinterpret_cast<const double*>(at);
    return {z[0], z[1]};
  } else {
    return is_single_precision(type) ? *reinterpret_cast<const float*>(at)
                                     : *reinterpret_cast<const double*>(at);
  }
}

inline void store_part(double x, char* at, char type, int part, bool* overflows) {
  if (!is_single_precision(type)) {
    reinterpret_cast<double*>(at)[part] = x;
    return;
  }
  const float rounded = static_cast<float>(x);
  *overflows |= std::isinf(rounded) && !std::isinf(x);
  reinterpret_cast<float*>(at)[part] = rounded;
}
inline void store_one(double x, char* at, char type, bool* overflows) {
  store_part(x, at, type, 0, overflows);
}
inline void store_one(Complex<double> z, char* at, char type, bool* overflows) {
  store_part(z.re, at, type, 0, overflows);
  store_part(z.im, at, type, 1, overflows);
}

// Memory for elements: in the object itself, so in registers, if their number is known to the
// compiler; else scratch memory, from which `free` is moved on.
template <typename E, int size>
struct Storage {
  Storage(Index, E**) {}
  E data[size];
};
template <typename E>
struct Storage<E, 0> {
  Storage(Index count, E** free) : data(*free) { *free += count; }
  E* data;
};

template <typename S>
constexpr bool is_one_lane = std::is_same_v<RealOf<S>, double>;

// rows × columns entries, `size` if that is known, of the matrices `first` and following.
template <typename E, int size, bool = is_one_lane<E>>
class Input : Storage<E, size> {
 public:
  Input(const SmallOperand& from, int first, Index rows, Index columns, E** free)
      : Storage<E, size>(rows * columns, free) {
    if (is_single_precision(from.type)) {
      load<float>(from, first, rows, columns);
    } else {
      load<double>(from, first, rows, columns);
    }
  }

  const E& operator()(Index i, Index j) const { return this->data[i * row + j * column]; }
  E* entries() { return this->data; }

  Index row, column;  // steps

 private:
  template <typename Stored>
  void load(const SmallOperand& from, int first, Index rows, Index columns) {
    constexpr int kParts = Element<E>::kParts;
    constexpr Index kSize = kParts * Index{sizeof(Stored)};
    const bool by_rows =
        (from.column == kSize || columns == 1) && (from.row == columns * kSize || rows == 1);
    const bool by_columns = !by_rows && from.row == kSize && from.column == rows * kSize;
    row = by_columns ? 1 : columns;
    column = by_columns ? rows : 1;
    Pack* packs = reinterpret_cast<Pack*>(this->data);
    const char* const* lanes = from.at + first;
    if (by_rows || by_columns) {
      load_lanes<kParts, Stored>(lanes, rows * columns * kParts, packs, 1);
      return;
    }
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        for (int part = 0; part < kParts; ++part) {
          packs[(i * columns + j) * kParts + part] =
              gather<Stored>(lanes, i * from.row + j * from.column + part * Index{sizeof(Stored)});
        }
      }
    }
  }
};

// One matrix: its entries are where they are.
template <typename S, int size>
class Input<S, size, true> {
 public:
  Input(const SmallOperand& from, int first, Index, Index, S**)
      : row(from.row), column(from.column), at_(from.at[first]), type_(from.type) {}
  S operator()(Index i, Index j) const { return load_one<S>(at_ + i * row + j * column, type_); }

  Index row, column;  // steps

 private:
  const char* at_;
  char type_;
};

template <typename E, int size, bool = is_one_lane<E>>
class Output : Storage<E, size> {
 public:
  Output(const SmallOperand& to, int first, Index rows, Index columns, E** free)
      : Storage<E, size>(rows * columns, free),
        to_(to),
        first_(first),
        size_(rows * columns),
        columns_(columns) {}

  void set(Index i, Index j, E x) { this->data[i * columns_ + j] = x; }

  void store(SmallJob& job, PackMask used) {
    constexpr int kParts = Element<E>::kParts;
    const Pack* packs = reinterpret_cast<const Pack*>(this->data);
    const int lanes = std::min(job.count - first_, kPackLanes);
    const Index count = size_ * kParts;
    char* const* at = to_.at + first_;
    if (is_single_precision(to_.type)) {
      job.overflows_in_cast |= any(used & store_lanes<kParts, float>(packs, 1, count, at, lanes));
    } else if (count == 1 && lanes == kPackLanes) {
      packs[0].store(reinterpret_cast<double*>(at[0]));
    } else {
      store_lanes<kParts, double>(packs, 1, count, at, lanes);
    }
  }

 private:
  const SmallOperand& to_;
  int first_;
  Index size_, columns_;
};

template <typename S, int size>
class Output<S, size, true> {
 public:
  Output(const SmallOperand& to, int first, Index, Index, S**) : to_(to), first_(first) {}
  void set(Index i, Index j, S x) {
    store_one(x, to_.at[first_] + i * to_.row + j * to_.column, to_.type, &overflows_);
  }
  void store(SmallJob& job, bool used) { job.overflows_in_cast |= overflows_ && used; }

 private:
  const SmallOperand& to_;
  int first_;
  bool overflows_ = false;
};
}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics::cpu
