// LU and Cholesky factorizations of one matrix, kPackLanes rows in a pack. Compiled once per
// instruction set.
//
// Column j is `chunks` packs, filled up with zeros. Elements see their updates in the order of the
// columns, several columns (a panel) at a time: an element is loaded and stored once per panel.
#pragma once

#include <utility>

#include "lanes.h"

namespace numerics::cpu {
inline namespace NUMERICS_ISA_NAMESPACE {

template <typename E>
class Columns {
 public:
  using Scalar = ScalarOf<E>;

  Columns(E* data, Index chunks) : data_(data), chunks_(chunks) {}

  E& operator()(Index chunk, Index j) const { return data_[j * chunks_ + chunk]; }

  Scalar at(Index i, Index j) const {
    const double* parts = part(i, j);
    if constexpr (Element<E>::kParts == 1) return parts[0];
    else return {parts[0], parts[kPackLanes]};
  }

  void set(Index i, Index j, Scalar x) const {
    double* parts = part(i, j);
    if constexpr (Element<E>::kParts == 1) {
      parts[0] = x;
    } else {
      parts[0] = x.re;
      parts[kPackLanes] = x.im;
    }
  }

  void exchange(Index i, Index k, Index j) const {
    double *a = part(i, j), *b = part(k, j);
    for (int p = 0; p < Element<E>::kParts * kPackLanes; p += kPackLanes) std::swap(a[p], b[p]);
  }

  Index chunks() const { return chunks_; }

 private:
  double* part(Index i, Index j) const {
    return reinterpret_cast<double*>(&(*this)(i / kPackLanes, j)) + i % kPackLanes;
  }

  E* data_;
  Index chunks_;
};

inline Pack in_every_lane(double x) { return Pack(x); }
inline Complex<Pack> in_every_lane(Complex<double> z) { return {Pack(z.re), Pack(z.im)}; }

// Lane `lane` of x, in every lane.
inline Pack spread(const Pack& x, Index lane) {
  return Pack(reinterpret_cast<const double*>(&x)[lane]);
}
inline Complex<Pack> spread(const Complex<Pack>& z, Index lane) {
  return {spread(z.re, lane), spread(z.im, lane)};
}

constexpr Index kPanel = kPackLanes < 8 ? 8 : kPackLanes;  // columns
constexpr Index kPanelChunks = kPanel / kPackLanes;

inline Index panel_end(Index k, Index n) { return k + kPanel < n ? k + kPanel : n; }

// Subtracts from chunk `chunk` of `width` columns of `to` the products of columns k0 to k1 of A and
// of rows k0 to k1 of those columns.
template <int width, typename E>
inline void subtract_products(const Columns<E>& A, const Columns<E>& to, Index j, Index chunk,
                              Index k0, Index k1) {
  E sums[width];
  for (int w = 0; w < width; ++w) sums[w] = to(chunk, j + w);
  for (Index k = k0; k < k1; ++k) {
    const E factor = A(chunk, k);
    for (int w = 0; w < width; ++w) {
      sums[w] = minus_product(sums[w], factor, in_every_lane(to.at(k, j + w)));
    }
  }
  for (int w = 0; w < width; ++w) to(chunk, j + w) = sums[w];
}

// Calls visit(j, columns) with columns 4 or 1 for the columns from `begin` to `end`.
template <typename Visit>
inline void by_fours(Index begin, Index end, Visit visit) {
  Index j = begin;
  for (; j + 4 <= end; j += 4) visit(j, std::integral_constant<int, 4>());
  for (; j < end; ++j) visit(j, std::integral_constant<int, 1>());
}

// Rows k0 to k1, a panel, of `width` columns of x are solved for, and the rows below brought up to
// date: one step of L⁻¹ x.
template <int width, typename E>
inline void forward_panel(const Columns<E>& L, const Columns<E>& x, Index j, Index k0, Index k1) {
  const Index first = k0 / kPackLanes;
  const Index past = first + kPanelChunks < x.chunks() ? first + kPanelChunks : x.chunks();
  for (Index k = k0; k < k1; ++k) {
    const Index own = k / kPackLanes;
    const PackMask done = lanes_below(k % kPackLanes + 1);
    for (int w = 0; w < width; ++w) {
      const E solved = in_every_lane(x.at(k, j + w));
      x(own, j + w) = select(done, x(own, j + w), minus_product(x(own, j + w), L(own, k), solved));
      for (Index chunk = own + 1; chunk < past; ++chunk) {
        x(chunk, j + w) = minus_product(x(chunk, j + w), L(chunk, k), solved);
      }
    }
  }
  for (Index chunk = past; chunk < x.chunks(); ++chunk) {
    subtract_products<width>(L, x, j, chunk, k0, k1);
  }
}

// The largest entry of column k from the diagonal on, the first of equals.
template <typename E>
inline Index find_pivot(const Columns<E>& A, Index k) {
  const Index first = k / kPackLanes;
  Pack largest = select(lanes_below(k % kPackLanes), Pack(-1.0), pivot_size(A(first, k)));
  Pack row = lane_numbers() + Pack(static_cast<double>(first * kPackLanes));
  for (Index chunk = first + 1; chunk < A.chunks(); ++chunk) {
    const Pack size = pivot_size(A(chunk, k));
    const PackMask is_larger = size > largest;
    largest = select(is_larger, size, largest);
    row = select(is_larger, lane_numbers() + Pack(static_cast<double>(chunk * kPackLanes)), row);
  }
  Pack most = largest;
#if defined(__AVX512F__)
  most = select(Pack(SHUFFLED(most.lanes, most.lanes, 4, 5, 6, 7, 0, 1, 2, 3)) > most,
                Pack(SHUFFLED(most.lanes, most.lanes, 4, 5, 6, 7, 0, 1, 2, 3)), most);
  most = select(Pack(SHUFFLED(most.lanes, most.lanes, 2, 3, 0, 1, 6, 7, 4, 5)) > most,
                Pack(SHUFFLED(most.lanes, most.lanes, 2, 3, 0, 1, 6, 7, 4, 5)), most);
  most = select(Pack(SHUFFLED(most.lanes, most.lanes, 1, 0, 3, 2, 5, 4, 7, 6)) > most,
                Pack(SHUFFLED(most.lanes, most.lanes, 1, 0, 3, 2, 5, 4, 7, 6)), most);
#elif defined(__AVX2__)
  most = select(Pack(SHUFFLED(most.lanes, most.lanes, 2, 3, 0, 1)) > most,
                Pack(SHUFFLED(most.lanes, most.lanes, 2, 3, 0, 1)), most);
  most = select(Pack(SHUFFLED(most.lanes, most.lanes, 1, 0, 3, 2)) > most,
                Pack(SHUFFLED(most.lanes, most.lanes, 1, 0, 3, 2)), most);
#else
  most = select(Pack(SHUFFLED(most.lanes, most.lanes, 1, 0)) > most,
                Pack(SHUFFLED(most.lanes, most.lanes, 1, 0)), most);
#endif
  unsigned candidates = to_bits(largest == most);
  const double* rows = reinterpret_cast<const double*>(&row);
  double found = static_cast<double>(A.chunks() * kPackLanes);
  for (; candidates != 0; candidates &= candidates - 1) {
    const double candidate = rows[__builtin_ctz(candidates)];
    if (candidate < found) found = candidate;
  }
  const Index result = static_cast<Index>(found);
  return result < A.chunks() * kPackLanes ? result : k;  // a column of NaN has no largest
}

// P A = L U with partial pivoting. `exchanged` gets the row that changed places with each row,
// `reciprocals` those of the pivots. False, and no result, if a pivot is not tame.
template <typename E>
inline bool eliminate(const Columns<E>& A, Index n, Index* exchanged, ScalarOf<E>* reciprocals) {
  bool tame = true;
  for (Index k0 = 0; k0 < n && tame; k0 += kPanel) {
    const Index k1 = panel_end(k0, n);
    for (Index k = k0; k < k1; ++k) {
      const Index own = k / kPackLanes;
      const Index row = find_pivot(A, k);
      exchanged[k] = row;
      if (row != k) {
        for (Index j = k0; j < k1; ++j) A.exchange(row, k, j);
      }
      const ScalarOf<E> pivot = A.at(k, k);
      tame = tame && is_tame(largest_part(pivot));
      reciprocals[k] = reciprocal_of(pivot);
      const E divisor = in_every_lane(pivot), reciprocal = in_every_lane(reciprocals[k]);
      const PackMask done = lanes_below(k % kPackLanes + 1);
      A(own, k) = select(done, A(own, k), quotient(A(own, k), divisor, reciprocal));
      for (Index chunk = own + 1; chunk < A.chunks(); ++chunk) {
        A(chunk, k) = quotient(A(chunk, k), divisor, reciprocal);
      }
      for (Index j = k + 1; j < k1; ++j) {
        const E factor = in_every_lane(A.at(k, j));
        A(own, j) = select(done, A(own, j), minus_product(A(own, j), A(own, k), factor));
        for (Index chunk = own + 1; chunk < A.chunks(); ++chunk) {
          A(chunk, j) = minus_product(A(chunk, j), A(chunk, k), factor);
        }
      }
    }
    for (Index k = k0; k < k1; ++k) {
      if (exchanged[k] == k) continue;
      for (Index j = 0; j < k0; ++j) A.exchange(exchanged[k], k, j);
      for (Index j = k1; j < n; ++j) A.exchange(exchanged[k], k, j);
    }
    by_fours(k1, n, [&](Index j, auto width) { forward_panel<width.value>(A, A, j, k0, k1); });
  }
  return tame;
}

// L⁻¹ x for `columns` columns of x.
template <typename E>
inline void substitute_forward(const Columns<E>& L, Index n, const Columns<E>& x, Index columns) {
  for (Index k0 = 0; k0 < n; k0 += kPanel) {
    by_fours(0, columns, [&](Index j, auto width) {
      forward_panel<width.value>(L, x, j, k0, panel_end(k0, n));
    });
  }
}

// One step of U⁻¹ x: rows k0 to k1, a panel, are solved for and the rows above brought up to date.
template <int width, typename E>
inline void backward_panel(const Columns<E>& U, const ScalarOf<E>* reciprocals, const Columns<E>& x,
                           Index j, Index k0, Index k1) {
  const Index first = k0 / kPackLanes;
  for (Index k = k1 - 1; k >= k0; --k) {
    const Index own = k / kPackLanes;
    const PackMask above = lanes_below(k % kPackLanes);
    for (int w = 0; w < width; ++w) {
      const ScalarOf<E> solved = quotient(x.at(k, j + w), U.at(k, k), reciprocals[k]);
      const E factor = in_every_lane(solved);
      x(own, j + w) = select(above, minus_product(x(own, j + w), U(own, k), factor), x(own, j + w));
      x.set(k, j + w, solved);
      for (Index chunk = first; chunk < own; ++chunk) {
        x(chunk, j + w) = minus_product(x(chunk, j + w), U(chunk, k), factor);
      }
    }
  }
  for (Index chunk = 0; chunk < first; ++chunk) {
    E sums[width];
    for (int w = 0; w < width; ++w) sums[w] = x(chunk, j + w);
    for (Index k = k1 - 1; k >= k0; --k) {
      const E factor = U(chunk, k);
      for (int w = 0; w < width; ++w) {
        sums[w] = minus_product(sums[w], factor, in_every_lane(x.at(k, j + w)));
      }
    }
    for (int w = 0; w < width; ++w) x(chunk, j + w) = sums[w];
  }
}

// U⁻¹ x for `columns` columns of x.
template <typename E>
inline void substitute_back(const Columns<E>& U, Index n, const ScalarOf<E>* reciprocals,
                            const Columns<E>& x, Index columns) {
  for (Index k0 = (n - 1) / kPanel * kPanel; k0 >= 0; k0 -= kPanel) {
    by_fours(0, columns, [&](Index j, auto width) {
      backward_panel<width.value>(U, reciprocals, x, j, k0, panel_end(k0, n));
    });
  }
}

// The step of A - L Lᴴ that belongs to columns k0 to k1 of L, for `width` columns of A.
template <int width, typename E>
inline void subtract_squares(const Columns<E>& A, Index j, Index k0, Index k1) {
  for (Index chunk = j / kPackLanes; chunk < A.chunks(); ++chunk) {
    E sums[width];
    for (int w = 0; w < width; ++w) sums[w] = A(chunk, j + w);
    for (Index k = k0; k < k1; ++k) {
      const E factor = A(chunk, k);
      for (int w = 0; w < width; ++w) {
        sums[w] = minus_product(sums[w], factor, in_every_lane(conjugate(A.at(j + w, k))));
      }
    }
    for (int w = 0; w < width; ++w) A(chunk, j + w) = sums[w];
  }
}

// A = L Lᴴ from the lower triangle; above the diagonal there is no result. False, and no result at
// all, if a pivot is not tame, let alone positive.
template <typename E>
inline bool factor_definite(const Columns<E>& A, Index n) {
  bool tame = true;
  for (Index k0 = 0; k0 < n && tame; k0 += kPanel) {
    const Index k1 = panel_end(k0, n);
    for (Index k = k0; k < k1; ++k) {
      const Index own = k / kPackLanes;
      const double pivot = real_part(A.at(k, k));
      tame = tame && is_tame(pivot);
      const double root = std::sqrt(pivot), reciprocal = reciprocal_of(root);
      for (Index chunk = own; chunk < A.chunks(); ++chunk) {
        A(chunk, k) = quotient_by_real(A(chunk, k), Pack(root), Pack(reciprocal));
      }
      A.set(k, k, from_real<ScalarOf<E>>(root));
      for (Index j = k + 1; j < k1; ++j) {
        const E factor = in_every_lane(conjugate(A.at(j, k)));
        for (Index chunk = j / kPackLanes; chunk < A.chunks(); ++chunk) {
          A(chunk, j) = minus_product(A(chunk, j), A(chunk, k), factor);
        }
      }
    }
    by_fours(k1, n, [&](Index j, auto width) { subtract_squares<width.value>(A, j, k0, k1); });
  }
  return tame;
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics::cpu
