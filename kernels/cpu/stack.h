// A stack of matrices on its way through one kernel: what the doorway hands over and what a kernel
// sees. Kernels never touch Python; they read strided views, write strided views, and return
// LAPACK's info for one matrix at a time.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "lapack.h"

namespace numerics::cpu {

using Index = std::ptrdiff_t;

constexpr int kMaxOperands = 8;
constexpr int kMaxNames = 6;
constexpr int kMaxBatch = 64;

enum class Driver { automatic, gesdd, gesvd, jacobi };

// Static parameters of the native kernels, under the names the public functions give them.
struct Options {
  char UPLO = 'L';
  bool upper = false;
  bool lower = false;
  bool unit_diagonal = false;
  bool hermitian = false;
  char trans = 'N';  // LAPACK's letter for 0, 1, 2: as it is, transposed, conjugate transposed
  Driver driver = Driver::automatic;
  Index N = -1;    // of powers; below 0 as many as there are numbers
  double ord = 2;  // of a norm; 2 for "fro" too
  // By matrix; the last one serves all that follow. Shared by the threads of a call.
  std::shared_ptr<const std::vector<double>> rcond;
};

// One core operand: byte strides of rows and columns (of elements, for vectors).
struct View {
  char* data;
  Index row;
  Index column;
};

// Statuses that are no LAPACK info: the kernel requires finite input and met NaN or infinity; the
// integers handed in cannot be the pivots of a factorization; the matrix has no square root.
constexpr std::int64_t kNotFinite = INT64_MIN;
constexpr std::int64_t kNotPivots = INT64_MIN + 1;
constexpr std::int64_t kNoRoot = INT64_MIN + 2;

// What happened to results that NumPy's `errstate` has a say in.
enum FloatingPoint : unsigned {
  kOverflowInCast = 1,  // finite in double, but not in float
  kOverflow = 2,        // infinite, from finite numbers
  kInvalid = 4,         // NaN
};

struct Failure {
  Index matrix;
  std::int64_t info;
};

struct Operand {
  char* data;
  char type;  // NumPy's letter of the stored elements
  Index core_strides[2];
  Index batch_strides[kMaxBatch];
};

// Matrices of a stack that follow each other, by their numbers in the flattened stack.
struct Range {
  Index first, last;
};

// Hands out a long stack in pieces: to the threads that share it, and to a single one that has to
// look up from its work now and then.
class Chunks {
 public:
  virtual bool take(Range* range) = 0;  // false when no more is to be done

 protected:
  ~Chunks() = default;
};

// The description of one call, a cursor, and a report. Threads that share a call have a copy each.
struct Stack {
  int inputs, outputs;
  Operand operands[kMaxOperands];  // inputs first
  char names[kMaxNames];           // dimension letters of the signature, and their sizes
  Index sizes[kMaxNames];
  int name_count;
  int batch_ndim;
  Index batch_shape[kMaxBatch];
  Index count;  // matrices in the stack
  Options options;
  Chunks* chunks = nullptr;

  // What a kernel reports.
  std::vector<Failure> failures;
  bool has_complex_values = false;  // of real matrices: some result, declared complex, is not real
  unsigned floating_point = 0;      // FloatingPoint flags, for `errstate`

  bool has(char name) const {
    return std::find(names, names + name_count, name) != names + name_count;
  }

  Index size(char name) const {
    for (int i = 0; i < name_count; ++i) {
      if (names[i] == name) return sizes[i];
    }
    return 1;  // an optional dimension that the operands lack
  }

  View input(int i) const { return view(operands[i]); }
  View output(int i) const { return view(operands[inputs + i]); }

  // The next matrices that are this run's to do; at once the whole stack, if it came undivided.
  bool take(Range* range) {
    if (chunks != nullptr) return chunks->take(range);
    *range = {0, is_taken_ ? 0 : count};
    is_taken_ = true;
    return range->last != 0;
  }

  // Number of the matrix at hand in the flattened stack.
  Index matrix() const { return matrix_; }

  void seek(Index matrix) {
    matrix_ = matrix;
    for (int i = 0; i < inputs + outputs; ++i) offsets_[i] = 0;
    for (int d = batch_ndim - 1; d >= 0; --d) {
      position_[d] = matrix % batch_shape[d];
      matrix /= batch_shape[d];
      for (int i = 0; i < inputs + outputs; ++i) {
        offsets_[i] += position_[d] * operands[i].batch_strides[d];
      }
    }
  }

  // Matrices, the one at hand included, that follow each other at equal distances.
  Index row() const {
    return batch_ndim == 0 ? 1 : batch_shape[batch_ndim - 1] - position_[batch_ndim - 1];
  }

  // The distance from one to the next, in bytes.
  Index distance(int operand) const {
    return batch_ndim == 0 ? 0 : operands[operand].batch_strides[batch_ndim - 1];
  }

  // Goes further by so many matrices, no more than row().
  void skip(Index matrices) {
    matrix_ += matrices - 1;
    if (batch_ndim > 0) position_[batch_ndim - 1] += matrices - 1;
    for (int i = 0; i < inputs + outputs; ++i) offsets_[i] += (matrices - 1) * distance(i);
    next();
  }

  void next() {
    ++matrix_;
    for (int d = batch_ndim - 1; d >= 0; --d) {
      const bool carries = ++position_[d] == batch_shape[d];
      for (int i = 0; i < inputs + outputs; ++i) {
        const Index stride = operands[i].batch_strides[d];
        offsets_[i] += carries ? -stride * (batch_shape[d] - 1) : stride;
      }
      if (!carries) return;
      position_[d] = 0;
    }
  }

 private:
  View view(const Operand& operand) const {
    return {operand.data + offsets_[&operand - operands], operand.core_strides[0],
            operand.core_strides[1]};
  }

  bool is_taken_ = false;
  Index matrix_ = 0;
  Index offsets_[kMaxOperands];
  Index position_[kMaxBatch];
};

// Scratch memory of one call: a few kilobytes come with it, more is taken from the heap.
class Workspace {
 public:
  template <typename T>
  T* take(Index count) {
    const std::size_t exact = static_cast<std::size_t>(count > 0 ? count : 1) * sizeof(T);
    const std::size_t bytes = kGuarded ? exact : (exact + 63) & ~static_cast<std::size_t>(63);
    if (!kGuarded && bytes <= kInline - used_) {
      T* result = reinterpret_cast<T*>(inline_ + used_);
      used_ += bytes;
      return result;
    }
    blocks_.emplace_back(std::malloc(bytes), &std::free);
    if (blocks_.back() == nullptr) throw std::bad_alloc();
    return static_cast<T*>(blocks_.back().get());
  }

 private:
// Under a sanitizer each array is a block of exactly its size, so that its end is seen.
#ifdef NUMERICS_SANITIZE
  static constexpr bool kGuarded = true;
#else
  static constexpr bool kGuarded = false;
#endif
  static constexpr std::size_t kInline = 4096;
  alignas(64) char inline_[kInline];
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<void, void (*)(void*)>> blocks_;
};

// Visits the matrices that this run is handed, one after the other.
template <typename Visit>
void each_matrix(Stack& stack, Visit visit) {
  for (Range range; stack.take(&range);) {
    for (stack.seek(range.first); stack.matrix() < range.last; stack.next()) visit();
  }
}

// Runs one kernel object over the matrices that this run is handed. The kernel's constructor takes
// its scratch memory, its call operator does one matrix and returns LAPACK's info, of which
// `report` is told.
template <typename Kernel, typename Report>
void run_kernel(Stack& stack, Report report) {
  Workspace workspace;
  Kernel kernel(stack, workspace);
  each_matrix(stack, [&] { report(kernel(stack)); });
}

template <typename Kernel>
void over_stack(Stack& stack) {
  run_kernel<Kernel>(stack, [&](std::int64_t info) {
    if (info != 0) stack.failures.push_back({stack.matrix(), info});
  });
}

// What a kernel takes for a matrix, roughly and in nanoseconds: so much for each, and so much for
// each multiplication of real numbers.
struct Cost {
  double matrix, multiplication;
  double (*multiplications)(const Stack&);
  // Threads share a stack of matrices with no more entries. OpenBLAS works on larger ones
  // with threads of its own, one call after the other: those of several callers only wait.
  double most_entries;
};

inline double as_number(Index size) { return static_cast<double>(std::max<Index>(1, size)); }

// Entries of the first operand.
inline double entries_of_first(const Stack& stack) {
  return as_number(stack.size('n')) * as_number(stack.size(stack.has('m') ? 'm' : 'n'));
}

// Of factorizations, and of what else is cubic: the entries of the first operand times the largest
// dimension.
inline double cubic(const Stack& stack) {
  Index rows = 0, columns = 1, largest = 1;
  for (int i = 0; i < stack.name_count; ++i) {
    const Index size = stack.sizes[i];
    largest = std::max(largest, size);
    if (stack.names[i] == 'm') rows = size;
    if (stack.names[i] == 'n') columns = size;
  }
  return as_number(rows != 0 ? rows : columns) * as_number(columns) * as_number(largest);
}

// Of what looks at every entry once.
inline double linear(const Stack& stack) {
  return as_number(stack.size('m')) * as_number(stack.size('n'));
}

constexpr Cost kOfLapack{1000, 0.3, &cubic, 1e4};

// What one kernel brings to the table.
struct Native {
  const char* name;
  void (*run[2])(Stack&);  // computing in double, in complex<double>
  // The largest integer that LAPACK will have to hold for these sizes.
  double (*largest_integer)(const Stack&);
  const char* options[3];  // names of the static parameters, in the order of struct Options
  Cost cost = kOfLapack;
};

#define NATIVE_RUN(Kernel) {&over_stack<Kernel<double>>, &over_stack<Kernel<std::complex<double>>>}

extern const std::vector<Native> kSolve, kDeterminants, kTriangular, kLdl, kFactor, kEigen, kSvd,
    kLstsq, kNorms, kExponential, kSquareRoot, kRank, kVander;

const Native* find_native(const char* name);
std::vector<const Native*> all_native();

}  // namespace numerics::cpu
