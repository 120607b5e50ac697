// Compiled once per instruction set, each time with another NUMERICS_ISA_NAMESPACE.
#include "products.h"

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <type_traits>

#include "numerics/unrolled.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace numerics::cpu {
inline namespace NUMERICS_ISA_NAMESPACE {
namespace {

using Index = std::ptrdiff_t;

#if defined(__AVX512F__)
constexpr int kBytes = 64;  // of a register
constexpr int kRegisters = 32;
#elif defined(__AVX2__)
constexpr int kBytes = 32;
constexpr int kRegisters = 16;
#else
constexpr int kBytes = 16;
constexpr int kRegisters = 16;
#endif

constexpr int kRows = 4;  // of A that are multiplied together

template <typename T, int lanes>
struct VectorOf {
  typedef T type __attribute__((vector_size(lanes * sizeof(T))));
};
template <typename T>
struct VectorOf<T, 1> {
  using type = T;
};
template <typename T, int lanes>
using Vector = typename VectorOf<T, lanes>::type;

template <typename V, typename T>
inline V load(const T* from) {
  V x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

template <typename V, typename T>
inline void store(const V& x, T* to) {
  std::memcpy(to, &x, sizeof x);
}

template <typename V, typename T>
inline V everywhere(T x) {
  if constexpr (std::is_same_v<V, T>)
    return x;
  else
    return x - V{};
}

// x y + sum, rounded once where the instruction set can.
template <typename V>
inline V fused(V x, V y, V sum) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<V, Vector<double, 8>>) return V(_mm512_fmadd_pd(x, y, sum));
  if constexpr (std::is_same_v<V, Vector<float, 16>>) return V(_mm512_fmadd_ps(x, y, sum));
#endif
#if defined(__AVX2__)
  if constexpr (std::is_same_v<V, Vector<double, 4>>) return V(_mm256_fmadd_pd(x, y, sum));
  if constexpr (std::is_same_v<V, Vector<float, 8>>) return V(_mm256_fmadd_ps(x, y, sum));
  if constexpr (std::is_same_v<V, Vector<double, 2>>) return V(_mm_fmadd_pd(x, y, sum));
  if constexpr (std::is_same_v<V, Vector<float, 4>>) return V(_mm_fmadd_ps(x, y, sum));
#elif defined(__aarch64__)
  if constexpr (std::is_same_v<V, Vector<double, 2>>) return V(vfmaq_f64(sum, x, y));
  if constexpr (std::is_same_v<V, Vector<float, 4>>) return V(vfmaq_f32(sum, x, y));
#endif
#if defined(__FMA__) || defined(__aarch64__)
  if constexpr (std::is_floating_point_v<V>) return std::fma(x, y, sum);
  if constexpr (std::is_same_v<V, Vector<float, 2>>) {
    return V{std::fma(x[0], y[0], sum[0]), std::fma(x[1], y[1], sum[1])};
  }
#endif
  return sum + x * y;
}

// With the imaginary parts of A: real parts lose the products of two imaginary ones, imaginary parts
// gain the others.
template <typename V>
inline V turned(V sum, V crossed) {
  constexpr int kReals = sizeof(V) / sizeof(sum[0]);
  V result = sum;
  for (int l = 0; l < kReals; l += 2) {
    result[l] -= crossed[l + 1];
    result[l + 1] += crossed[l];
  }
  return result;
}

// Rows i to i + rows of C, in one register of `lanes` reals that begins at column j[0], or two. The
// registers may overlap: every number is the same whoever computes it. A length of 0 is read from
// the product.
template <typename T, bool is_complex, int rows, int vectors, int lanes, int length>
inline void block(const ProductStack<T>& s, Index i, const Index* j) {
  using V = Vector<T, lanes>;
  V sum[rows][vectors], crossed[rows][vectors];
  unrolled<rows>(
      [&](auto r) { unrolled<vectors>([&](auto v) { sum[r][v] = crossed[r][v] = V{}; }); });
  const T* a = s.a + i * s.a_row;
  const T* b = s.b;
  const Index n = length == 0 ? s.n : length;
  for (Index p = 0; p < n; ++p, a += s.a_column, b += s.b_row) {
    V right[vectors];
    unrolled<vectors>([&](auto v) { right[v] = load<V>(b + j[v]); });
    unrolled<rows>([&](auto r) {
      const V real = everywhere<V>(a[r * s.a_row]);
      unrolled<vectors>([&](auto v) { sum[r][v] = fused(real, right[v], sum[r][v]); });
      if constexpr (is_complex) {
        const V imaginary = everywhere<V>(a[r * s.a_row + 1]);
        unrolled<vectors>(
            [&](auto v) { crossed[r][v] = fused(imaginary, right[v], crossed[r][v]); });
      }
    });
  }
  unrolled<rows>([&](auto r) {
    T* const c = s.c + (i + r) * s.c_row;
    unrolled<vectors>([&](auto v) {
      if constexpr (is_complex) {
        store(turned(sum[r][v], crossed[r][v]), c + j[v]);
      } else {
        store(sum[r][v], c + j[v]);
      }
    });
  });
}

template <typename T, bool is_complex, int vectors, int lanes>
inline void panel(const ProductStack<T>& s, const Index* j) {
  constexpr int kMost = (kRegisters == 32 || vectors == 1) && !is_complex ? 8 : 4;
  const auto rows_from = [&](auto rows, Index i) {
    block<T, is_complex, decltype(rows)::value, vectors, lanes, 0>(s, i, j);
  };
  constexpr std::integral_constant<int, kMost> most;
  constexpr std::integral_constant<int, 4> four;
  Index i = 0;
  for (; i + kMost <= s.m; i += kMost) rows_from(most, i);
  if (i + 4 < s.m) {
    rows_from(four, i);
    i += 4;
  }
  if (i == s.m) return;
  if (s.m >= 4) return rows_from(four, s.m - 4);
  if (s.m == 3) return rows_from(std::integral_constant<int, 3>(), 0);
  if (s.m == 2) return rows_from(std::integral_constant<int, 2>(), 0);
  rows_from(std::integral_constant<int, 1>(), 0);
}

// All columns, which are at least as many as there are lanes.
template <typename T, bool is_complex, int lanes>
inline void columns(const ProductStack<T>& s, Index width) {
  Index j = 0;
  for (; j + 2 * lanes < width; j += 2 * lanes) {
    const Index both[] = {j, j + lanes};
    panel<T, is_complex, 2, lanes>(s, both);
  }
  const Index last[] = {j, width - lanes};
  if (j + lanes < width) return panel<T, is_complex, 2, lanes>(s, last);
  panel<T, is_complex, 1, lanes>(s, last + 1);
}

template <typename T, typename One>
inline void along(ProductStack<T>& s, One one) {
  for (Index i = 0; i < s.count; ++i) {
    one();
    s.a += s.a_next;
    s.b += s.b_next;
    s.c += s.c_next;
  }
}

// The widest registers that the columns fill.
template <typename T, bool is_complex, int lanes>
void by_width(ProductStack<T>& s, Index width) {
  if constexpr (lanes > (is_complex ? 2 : 1)) {
    if (width < lanes) return by_width<T, is_complex, lanes / 2>(s, width);
  }
  along(s, [&] { columns<T, is_complex, lanes>(s, width); });
}

// Square matrices of a size that the compiler knows.
template <typename T, bool is_complex, int size>
void of_size(ProductStack<T>& s) {
  constexpr int kWidth = is_complex ? 2 * size : size;
  constexpr int kLanes = kWidth >= 4 ? 4 : 2;
  constexpr Index kColumns[] = {0, kWidth - kLanes};
  along(s, [&] {
    block<T, is_complex, size, kWidth == kLanes ? 1 : 2, kLanes, size>(s, 0, kColumns);
  });
}

template <typename T, bool is_complex>
void matrices(ProductStack<T> s) {
  if (s.k == 0) return;
  if (s.m == s.n && s.n == s.k) {
    if (s.n == 2) return of_size<T, is_complex, 2>(s);
    if (s.n == 3) return of_size<T, is_complex, 3>(s);
    if (s.n == 4) return of_size<T, is_complex, 4>(s);
  }
  by_width<T, is_complex, kBytes / int{sizeof(T)}>(s, is_complex ? 2 * s.k : s.k);
}

// Whole blocks by lanes, whose sums are added up by halves; then the rest, one by one.
template <typename T>
inline void real(const T* x, const T* y, Index count, T* result) {
  constexpr int kBlock = 32, kLanes = kBytes / int{sizeof(T)};
  constexpr int kVectors = kBlock / kLanes;
  using V = Vector<T, kLanes>;
  T total = 0;
  Index done = 0;
  if (count >= kBlock) {
    V sum[kVectors] = {};
    for (; done + kBlock <= count; done += kBlock) {
      for (int v = 0; v < kVectors; ++v) {
        const Index i = done + v * kLanes;
        sum[v] = fused(load<V>(x + i), load<V>(y + i), sum[v]);
      }
    }
    T lanes[kBlock];
    std::memcpy(lanes, sum, sizeof lanes);
    for (int half = kBlock / 2; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l) lanes[l] += lanes[l + half];
    }
    total = lanes[0];
  }
  for (; done < count; ++done) total += x[done] * y[done];
  *result = total;
}

template <typename T, Conjugates conjugates>
inline void complex(const T* x, const T* y, Index count, T* result) {
  constexpr int kBlock = 8;
  // Products of the parts: real with real, imaginary with imaginary, and so on.
  T rr[kBlock] = {}, ii[kBlock] = {}, ri[kBlock] = {}, ir[kBlock] = {};
  const auto add = [&](Index i, int lane) {
    rr[lane] += x[2 * i] * y[2 * i];
    ii[lane] += x[2 * i + 1] * y[2 * i + 1];
    ri[lane] += x[2 * i] * y[2 * i + 1];
    ir[lane] += x[2 * i + 1] * y[2 * i];
  };
  Index done = 0;
  for (; done + kBlock <= count; done += kBlock) {
    for (int l = 0; l < kBlock; ++l) add(done + l, l);
  }
  if (done > 0) {
    for (T* lanes : {rr, ii, ri, ir}) {
      for (int half = kBlock / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; ++l) lanes[l] += lanes[l + half];
      }
    }
  }
  for (; done < count; ++done) add(done, 0);
  result[0] = conjugates == kFirst ? rr[0] + ii[0] : rr[0] - ii[0];
  result[1] = conjugates == kFirst ? ri[0] - ir[0] : ri[0] + ir[0];
}

template <typename T, void (*one)(const T*, const T*, Index, T*)>
void vectors(VectorStack<T> s) {
  for (Index i = 0; i < s.count; ++i) {
    one(s.x, s.y, s.n, s.result);
    s.x += s.x_next;
    s.y += s.y_next;
    s.result += s.result_next;
  }
}

template <typename T>
constexpr ProductLoops<T> loops() {
  return {{&matrices<T, false>, &matrices<T, true>},
          &vectors<T, &real<T>>,
          {&vectors<T, &complex<T, kNone>>, &vectors<T, &complex<T, kFirst>>}};
}

constexpr Products kTable = {loops<float>(), loops<double>()};

}  // namespace

const Products& products() { return kTable; }

}  // namespace NUMERICS_ISA_NAMESPACE
}  // namespace numerics::cpu
