// LU and Cholesky factorizations of one matrix, kPackLanes rows in a pack. Compiled once per
// instruction set.
//
// A column is `chunks` packs, filled up with zeros. Elements see their updates in the order of the
// columns, several columns (a panel) at a time: an element is loaded and stored once per panel.
#pragma once

#include <algorithm>
#include <utility>

#include "columns.h"

namespace numerics::cpu {
inline namespace NUMERICS_ISA_NAMESPACE {

constexpr Index kPanel = kPackLanes < 8 ? 8 : kPackLanes;  // columns
constexpr Index kPanelChunks = kPanel / kPackLanes;

inline Index panel_end(Index k, Index n) { return k + kPanel < n ? k + kPanel : n; }

// Calls visit(j, columns) with columns 4 or 1 for the columns from `begin` to `end`.
template <typename Visit>
inline void by_fours(Index begin, Index end, Visit visit) {
  Index j = begin;
  for (; j + 4 <= end; j += 4) visit(j, std::integral_constant<int, 4>());
  for (; j < end; ++j) visit(j, std::integral_constant<int, 1>());
}

// The rows of a panel, of `width` columns.
template <typename E, int width>
struct PanelRows {
  PanelRows(const Columns<E>& x, Index j, Index k0) : x_(x), j_(j), first_(chunk_of(k0)) {
    for (Index q = 0; q < kPanelChunks; ++q) {
      for (int w = 0; w < width; ++w) {
        rows[q][w] = has(q) ? x(first_ + q, j + w) : from_real<E>(Pack(0.0));
      }
    }
  }
  void store() const {
    for (Index q = 0; q < kPanelChunks; ++q) {
      for (int w = 0; has(q) && w < width; ++w) x_(first_ + q, j_ + w) = rows[q][w];
    }
  }

  E rows[kPanelChunks][width];

 private:
  // Where a panel is more than one chunk, the last one may be short of some.
  bool has(Index chunk) const { return chunk == 0 || first_ + chunk < x_.chunks(); }

  const Columns<E>& x_;
  Index j_, first_;
};

// Subtracts from `height` chunks of `width` columns of x the products of columns k0 to k1 of A, a
// panel, and of the rows k0 to k1 of x, in that order or backwards.
template <int height, int width, bool forward, typename E>
inline void subtract_products(const Columns<E>& A, const Columns<E>& x, Index j, Index chunk,
                              Index k0, Index k1) {
  E sums[height][width];
  const double* rows[width];
  for (int w = 0; w < width; ++w) {
    for (int h = 0; h < height; ++h) sums[h][w] = x(chunk + h, j + w);
    rows[w] = x.part(k0, j + w);
  }
  for_each_below<kPanel>([&](auto number) {
    constexpr Index t = forward ? number.value : kPanel - 1 - number.value;
    if (k0 + t >= k1) return;
    constexpr Index place = t / kPackLanes * Element<E>::kParts * kPackLanes + t % kPackLanes;
    E factors[height];
    for (int h = 0; h < height; ++h) factors[h] = A(chunk + h, k0 + t);
    for (int w = 0; w < width; ++w) {
      const E row = in_every_lane<E>(rows[w] + place);
      for (int h = 0; h < height; ++h) sums[h][w] = minus_product(sums[h][w], factors[h], row);
    }
  });
  for (int w = 0; w < width; ++w) {
    for (int h = 0; h < height; ++h) x(chunk + h, j + w) = sums[h][w];
  }
}

template <int width, bool forward, typename E>
inline void subtract_products(const Columns<E>& A, const Columns<E>& x, Index j, Index begin,
                              Index end, Index k0, Index k1) {
  Index chunk = begin;
  for (; chunk + 2 <= end; chunk += 2) {
    subtract_products<2, width, forward>(A, x, j, chunk, k0, k1);
  }
  if (chunk < end) subtract_products<1, width, forward>(A, x, j, chunk, k0, k1);
}

// Row k of x, from what the other rows have left of it.
template <bool unit_diagonal, typename E>
inline E solved_row(const E& rest, const Columns<E>& A, const ScalarOf<E>* reciprocals, Index k) {
  if constexpr (unit_diagonal)
    return rest;
  else
    return quotient(rest, in_every_lane(A.at(k, k)), in_every_lane(reciprocals[k]));
}

// Rows k0 to k1, a panel, of `width` columns of x are solved for, and the rows below brought up to
// date: one step of L⁻¹ x.
template <int width, bool unit_diagonal, typename E>
inline void forward_panel(const Columns<E>& L, const ScalarOf<E>* reciprocals, const Columns<E>& x,
                          Index j, Index k0, Index k1) {
  PanelRows<E, width> panel(x, j, k0);
  const Index first = chunk_of(k0);
  for_each_below<kPanel>([&](auto number) {
    constexpr int t = number.value, lane = t % kPackLanes, own = t / kPackLanes;
    const Index k = k0 + t;
    if (k >= k1) return;
    const PackMask above = lanes_below(lane), below = !lanes_below(lane + 1);
    for (int w = 0; w < width; ++w) {
      E& rows = panel.rows[own][w];
      const E solved = solved_row<unit_diagonal>(spread<lane>(rows), L, reciprocals, k);
      rows = select(below, minus_product(rows, L(first + own, k), solved),
                    select(above, rows, solved));
      for (int q = own + 1; q < kPanelChunks; ++q) {
        if (first + q >= x.chunks()) break;
        panel.rows[q][w] = minus_product(panel.rows[q][w], L(first + q, k), solved);
      }
    }
  });
  panel.store();
  subtract_products<width, true>(L, x, j, first + kPanelChunks, x.chunks(), k0, k1);
}

// The largest entry of column k from the diagonal on, the first of equals.
struct Pivot {
  Index row;
  double size;
};

template <typename E>
inline Pivot find_pivot(const Columns<E>& A, Index k) {
  const Index first = chunk_of(k);
  const PackMask done = lanes_below(lane_of(k));
  Pack largest = select(done, Pack(-1.0), pivot_size(A(first, k)));
  for (Index chunk = first + 1; chunk < A.chunks(); ++chunk) {
    largest = maximum(largest, pivot_size(A(chunk, k)));
  }
  largest = largest_lane(largest);
  const double size = largest.lanes[0];
  unsigned found = to_bits(!done & (pivot_size(A(first, k)) == largest));
  if (found != 0) return {first * kPackLanes + __builtin_ctz(found), size};
  for (Index chunk = first + 1; chunk < A.chunks(); ++chunk) {
    found = to_bits(pivot_size(A(chunk, k)) == largest);
    if (found != 0) return {chunk * kPackLanes + __builtin_ctz(found), size};
  }
  return {k, size};  // NaN is no size
}

// 1 / p. Of a real number whose size was found first, the division begins before p is at hand.
inline double reciprocal_of(double p, double size) { return std::copysign(1 / size, p); }
inline Complex<double> reciprocal_of(Complex<double> p, double) { return reciprocal_of(p); }

// P A = L U with partial pivoting. `exchanged` gets the row that changed places with each row,
// `reciprocals` those of the pivots. False, and no result, if a pivot is not tame.
template <typename E>
[[gnu::flatten, gnu::noinline]] bool eliminate(const Columns<E>& A, Index n, Index* exchanged,
                                               ScalarOf<E>* reciprocals) {
  bool tame = true;
  for (Index k0 = 0; k0 < n && tame; k0 += kPanel) {
    const Index k1 = panel_end(k0, n);
    for (Index k = k0; k < k1; ++k) {
      const Index own = chunk_of(k);
      const Pivot found = find_pivot(A, k);
      exchanged[k] = found.row;
      if (found.row != k) {
        for (Index j = k0; j < k1; ++j) A.exchange(found.row, k, j);
      }
      const ScalarOf<E> pivot = A.at(k, k);
      tame = tame && is_tame(largest_part(pivot));
      reciprocals[k] = reciprocal_of(pivot, found.size);
      const E divisor = in_every_lane(pivot), reciprocal = in_every_lane(reciprocals[k]);
      const PackMask done = lanes_below(lane_of(k) + 1);
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
    by_fours(k1, n, [&](Index j, auto width) {
      forward_panel<width.value, true>(A, nullptr, A, j, k0, k1);
    });
  }
  return tame;
}

// L⁻¹ x for `columns` columns of x. The diagonal is one or is divided by.
template <bool unit_diagonal, typename E>
[[gnu::flatten, gnu::noinline]] void substitute_forward(const Columns<E>& L, Index n,
                                                        const ScalarOf<E>* reciprocals,
                                                        const Columns<E>& x, Index columns) {
  for (Index k0 = 0; k0 < n; k0 += kPanel) {
    by_fours(0, columns, [&](Index j, auto width) {
      forward_panel<width.value, unit_diagonal>(L, reciprocals, x, j, k0, panel_end(k0, n));
    });
  }
}

// One step of U⁻¹ x: rows k0 to k1, a panel, are solved for and the rows above brought up to date.
template <int width, bool unit_diagonal, typename E>
inline void backward_panel(const Columns<E>& U, const ScalarOf<E>* reciprocals, const Columns<E>& x,
                           Index j, Index k0, Index k1) {
  PanelRows<E, width> panel(x, j, k0);
  const Index first = chunk_of(k0);
  for_each_below<kPanel>([&](auto number) {
    constexpr int t = kPanel - 1 - number.value, lane = t % kPackLanes, own = t / kPackLanes;
    const Index k = k0 + t;
    if (k >= k1) return;
    const PackMask above = lanes_below(lane), below = !lanes_below(lane + 1);
    for (int w = 0; w < width; ++w) {
      E& rows = panel.rows[own][w];
      const E solved = solved_row<unit_diagonal>(spread<lane>(rows), U, reciprocals, k);
      rows = select(above, minus_product(rows, U(first + own, k), solved),
                    select(below, rows, solved));
      for (int q = 0; q < own; ++q) {
        panel.rows[q][w] = minus_product(panel.rows[q][w], U(first + q, k), solved);
      }
    }
  });
  panel.store();
  subtract_products<width, false>(U, x, j, 0, first, k0, k1);
}

// U⁻¹ x for `columns` columns of x.
template <bool unit_diagonal, typename E>
[[gnu::flatten, gnu::noinline]] void substitute_back(const Columns<E>& U, Index n,
                                                     const ScalarOf<E>* reciprocals,
                                                     const Columns<E>& x, Index columns) {
  for (Index k0 = (n - 1) / kPanel * kPanel; k0 >= 0; k0 -= kPanel) {
    by_fours(0, columns, [&](Index j, auto width) {
      backward_panel<width.value, unit_diagonal>(U, reciprocals, x, j, k0, panel_end(k0, n));
    });
  }
}

// The step of A - L Lᴴ that belongs to columns k0 to k1 of L, a panel, for `height` chunks of `width`
// columns of A.
template <int height, int width, typename E>
inline void subtract_squares(const Columns<E>& A, Index j, Index chunk, Index k0) {
  E sums[height][width];
  const double* rows[width];
  for (int w = 0; w < width; ++w) {
    for (int h = 0; h < height; ++h) sums[h][w] = A(chunk + h, j + w);
    rows[w] = A.part(j + w, k0);
  }
  const Index distance = A.leading() * Index{sizeof(E) / sizeof(double)};
  for_each_below<kPanel>([&](auto t) {
    E factors[height];
    for (int h = 0; h < height; ++h) factors[h] = A(chunk + h, k0 + t.value);
    for (int w = 0; w < width; ++w) {
      const E row = conjugate(in_every_lane<E>(rows[w] + t.value * distance));
      for (int h = 0; h < height; ++h) sums[h][w] = minus_product(sums[h][w], factors[h], row);
    }
  });
  for (int w = 0; w < width; ++w) {
    for (int h = 0; h < height; ++h) A(chunk + h, j + w) = sums[h][w];
  }
}

template <int width, typename E>
inline void subtract_squares(const Columns<E>& A, Index j, Index k0) {
  Index chunk = chunk_of(j);
  for (; chunk + 2 <= A.chunks(); chunk += 2) subtract_squares<2, width>(A, j, chunk, k0);
  if (chunk < A.chunks()) subtract_squares<1, width>(A, j, chunk, k0);
}

// A = L Lᴴ from the lower triangle; above the diagonal there is no result. False, and no result at
// all, if a pivot is not tame, let alone positive.
template <typename E>
[[gnu::flatten, gnu::noinline]] bool factor_definite(const Columns<E>& A, Index n) {
  bool tame = true;
  for (Index k0 = 0; k0 < n && tame; k0 += kPanel) {
    const Index k1 = panel_end(k0, n);
    for (Index k = k0; k < k1; ++k) {
      const Index own = chunk_of(k);
      const double pivot = real_part(A.at(k, k));
      tame = tame && is_tame(pivot);
      const double root = std::sqrt(pivot), reciprocal = reciprocal_of(root);
      for (Index chunk = own; chunk < A.chunks(); ++chunk) {
        A(chunk, k) = quotient_by_real(A(chunk, k), Pack(root), Pack(reciprocal));
      }
      A.set(k, k, from_real<ScalarOf<E>>(root));
      for (Index j = k + 1; j < k1; ++j) {
        const E factor = in_every_lane(conjugate(A.at(j, k)));
        for (Index chunk = chunk_of(j); chunk < A.chunks(); ++chunk) {
          A(chunk, j) = minus_product(A(chunk, j), A(chunk, k), factor);
        }
      }
    }
    by_fours(k1, n, [&](Index j, auto width) { subtract_squares<width.value>(A, j, k0); });
  }
  return tame;
}

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics::cpu
