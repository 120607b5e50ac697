// Folding strided numbers of any type with the loops of reductions.h: one vector or matrix, or many
// vectors side by side, with the same bits.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "elements.h"
#include "reductions.h"

namespace numerics::cpu {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Numbers in memory, read row by row. A vector is one row.
struct Table {
  const char* data;
  Index rows, columns;
  Index row, column;  // strides in bytes
};

// Vectors side by side.
struct Lines {
  const char* data;
  Index count, length;
  Index apart, step;  // bytes from one vector to the next, and from element to element

  Table operator[](Index i) const { return {data + i * apart, 1, length, 0, step}; }
};

enum class Complex { as_magnitudes, as_squares, in_parts };

// What becomes of numbers before they are folded.
struct Form {
  Complex complex = Complex::as_magnitudes;
  double scale = 1;  // of the numbers; they are divided by it
  double unit = 1;   // of the magnitudes; they are divided by it
  double power = 1;
};

// Reads numbers into what the reductions take: doubles side by side.
class Reader {
 public:
  Reader(const Reductions& loops, char type, const Form& form)
      : loops_(loops),
        form_(form),
        is_complex_(type == 'D' || type == 'F'),
        is_single_(is_single(type)),
        size_((is_complex_ ? 2 : 1) * (is_single_ ? sizeof(float) : sizeof(double))) {}

  // Doubles that a number becomes.
  Index parts() const { return is_complex_ && form_.complex == Complex::in_parts ? 2 : 1; }

  // Is memory already what `read` would make of it, but for the precision?
  bool is_as_read(Index step) const {
    const bool changes = form_.scale != 1 || form_.power != 1;
    return is_dense(step) && !changes && (!is_complex_ || form_.complex == Complex::in_parts);
  }

  // Do numbers lie side by side?
  bool is_dense(Index step) const { return step == size_; }

  // x has room for 2·count doubles.
  void read(const char* data, Index step, Index count, double* x) const {
    if (is_complex_ && form_.complex != Complex::in_parts && step == size_ && form_.scale == 1) {
      if (is_single_) {
        moduli(loops_.single, reinterpret_cast<const float*>(data), count, x);
      } else {
        moduli(loops_.full, reinterpret_cast<const double*>(data), count, x);
      }
    } else {
      is_single_ ? copy<float>(data, step, count, x) : copy<double>(data, step, count, x);
      divide(x, is_complex_ ? 2 * count : count, form_.scale);
      if (is_complex_ && form_.complex != Complex::in_parts) moduli(loops_.full, x, count, x);
    }
    divide(x, parts() * count, form_.unit);
    if (form_.power == 1) return;
    (is_single_ ? loops_.single.powers : loops_.full.powers)(x, parts() * count, form_.power);
  }

 private:
  template <typename T>
  void moduli(const ReductionsOf<T>& loops, const T* z, Index count, double* x) const {
    (form_.complex == Complex::as_squares ? loops.squared_moduli : loops.moduli)(z, count, x);
  }

  template <typename T>
  void copy(const char* data, Index step, Index count, double* x) const {
    is_complex_ ? copy_parts<T, 2>(data, step, count, x) : copy_parts<T, 1>(data, step, count, x);
  }

  template <typename T, int parts>
  static void copy_parts(const char* data, Index step, Index count, double* x) {
    if (step == parts * Index{sizeof(T)}) {
      const T* numbers = reinterpret_cast<const T*>(data);
      std::copy(numbers, numbers + parts * count, x);
      return;
    }
    for (Index i = 0; i < count; ++i, data += step) {
      const T* number = reinterpret_cast<const T*>(data);
      for (int part = 0; part < parts; ++part) x[i * parts + part] = number[part];
    }
  }

  static void divide(double* x, Index count, double divisor) {
    if (divisor == 1) return;
    for (Index i = 0; i < count; ++i) x[i] /= divisor;
  }

  const Reductions& loops_;
  Form form_;
  bool is_complex_, is_single_;
  Index size_;
};

// Sums, maxima or minima over tables and lines of one type.
class Folding {
 public:
  Folding(const Reductions& loops, char type, Fold fold, const Form& form)
      : loops_(loops), is_single_(is_single(type)), fold_(fold), reader_(loops, type, form) {}

  double of(Table table) const {
    if (table.row == table.columns * table.column) {
      table = {table.data, 1, table.rows * table.columns, 0, table.column};
    }
    double lanes[kLanes];
    const Index parts = reader_.parts();
    const Index used = std::min(kLanes, table.rows * table.columns * parts);
    std::fill(lanes, lanes + used, identity());
    if (table.rows == 1 && reader_.is_as_read(table.column)) {
      const Index count = table.columns * parts;
      if (is_single_) {
        loops_.single.along[fold_](reinterpret_cast<const float*>(table.data), count, lanes);
      } else {
        loops_.full.along[fold_](reinterpret_cast<const double*>(table.data), count, lanes);
      }
    } else {
      in_chunks(table, lanes);
    }
    return tree(lanes, used);
  }

  // The same for every line, with the same bits.
  void of(const Lines& lines, double* results) const {
    const Index elements = lines.length * reader_.parts();
    if (elements > 0 && elements <= kLanes && reader_.is_dense(lines.step)) {
      if (reader_.is_as_read(lines.step)) {
        return is_single_ ? dense_lines(loops_.single, lines, elements, results)
                          : dense_lines(loops_.full, lines, elements, results);
      }
      if (lines.apart == lines.length * lines.step) return read_lines(lines, elements, results);
    }
    const bool lie_across = std::abs(lines.apart) < std::abs(lines.step);
    if (lines.count < kFewLines || !(lie_across || lines.length < kLanes)) {
      for (Index i = 0; i < lines.count; ++i) results[i] = of(lines[i]);
      return;
    }
    const Index panel = kPanel / reader_.parts();
    for (Index i = 0; i < lines.count; i += panel) {
      of_panel({lines.data + i * lines.apart, std::min(panel, lines.count - i), lines.length,
                lines.apart, lines.step},
               results + i);
    }
  }

 private:
  static constexpr Index kChunk = 512;   // numbers read at a time
  static constexpr Index kPanel = 256;   // doubles of a row of lines that are folded together
  static constexpr Index kFewLines = 4;  // fewer are not worth it
  static_assert(kChunk % kLanes == 0, "every chunk starts at lane 0");

  double identity() const { return fold_ == kSmallest ? kInfinity : 0; }

  void in_chunks(const Table& table, double* lanes) const {
    const Index parts = reader_.parts();
    double x[2 * kChunk];
    Index filled = 0;
    for (Index i = 0; i < table.rows; ++i) {
      for (Index j = 0; j < table.columns;) {
        const Index count = std::min(kChunk - filled, table.columns - j);
        const char* data = table.data + i * table.row + j * table.column;
        reader_.read(data, table.column, count, x + filled * parts);
        filled += count;
        j += count;
        if (filled < kChunk) continue;
        loops_.full.along[fold_](x, filled * parts, lanes);
        filled = 0;
      }
    }
    loops_.full.along[fold_](x, filled * parts, lanes);
  }

  template <typename T>
  void dense_lines(const ReductionsOf<T>& loops, const Lines& lines, Index elements,
                   double* results) const {
    loops.lines[fold_](reinterpret_cast<const T*>(lines.data), lines.apart / Index{sizeof(T)},
                       elements, lines.count, results);
  }

  // Short lines one behind the other.
  void read_lines(const Lines& lines, Index elements, double* results) const {
    double x[2 * kChunk];
    const Index most = kChunk / lines.length;
    for (Index i = 0; i < lines.count; i += most) {
      const Index count = std::min(most, lines.count - i);
      reader_.read(lines.data + i * lines.apart, lines.step, count * lines.length, x);
      loops_.full.lines[fold_](x, elements, elements, count, results + i);
    }
  }

  // Lane i and lane i + stride, down to one. Lanes that nothing came to are left out.
  double tree(double* lanes, Index used) const {
    if (used == 0) return identity();
    for (Index stride = kLanes / 2; stride > 0; stride /= 2) {
      combine(lanes, lanes + stride, std::min(stride, used - stride));
    }
    return lanes[0];
  }

  void of_panel(const Lines& lines, double* results) const {
    const Index parts = reader_.parts(), width = lines.count * parts, cycle = kLanes / parts;
    const Index used = std::min(lines.length, cycle);
    double lanes[kLanes * kPanel];
    std::fill(lanes, lanes + std::max<Index>(used, 1) * width, identity());
    if (reader_.is_as_read(lines.apart)) {
      if (is_single_) {
        across(loops_.single, lines, width, cycle, lanes);
      } else {
        across(loops_.full, lines, width, cycle, lanes);
      }
    } else {
      double x[2 * kPanel];
      for (Index i = 0; i < lines.length; ++i) {
        reader_.read(lines.data + i * lines.step, lines.apart, lines.count, x);
        loops_.full.across[fold_](x, 1, width, width, 1, lanes + i % cycle * width);
      }
    }
    for (Index stride = cycle / 2; stride > 0; stride /= 2) {
      combine(lanes, lanes + stride * width, std::min(stride, used - stride) * width);
    }
    for (Index i = 0; i < lines.count; ++i) {
      if (parts == 2) combine(lanes + 2 * i, lanes + 2 * i + 1, 1);
      results[i] = lanes[parts * i];
    }
  }

  template <typename T>
  void across(const ReductionsOf<T>& loops, const Lines& lines, Index width, Index cycle,
              double* lanes) const {
    loops.across[fold_](reinterpret_cast<const T*>(lines.data), lines.length,
                        lines.step / Index{sizeof(T)}, width, cycle, lanes);
  }

  void combine(double* a, const double* b, Index count) const {
    if (fold_ == kLargest) {
      for (Index i = 0; i < count; ++i) a[i] = a[i] >= b[i] || a[i] != a[i] ? a[i] : b[i];
    } else if (fold_ == kSmallest) {
      for (Index i = 0; i < count; ++i) a[i] = a[i] <= b[i] || a[i] != a[i] ? a[i] : b[i];
    } else {
      for (Index i = 0; i < count; ++i) a[i] += b[i];
    }
  }

  const Reductions& loops_;
  bool is_single_;
  Fold fold_;
  Reader reader_;
};

}  // namespace numerics::cpu
