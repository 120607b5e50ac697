// LAPACK through the function pointers that SciPy publishes: no link-time dependency, and one copy
// of the vendor library shared with SciPy.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

namespace numerics::cpu::lapack {

// Routines by LAPACK's names without the letter; the real and the complex one share a name, so
// heevd is dsyevd/zheevd and orgqr is dorgqr/zungqr. Only routines that return void are listed:
// calling conventions for complex return values differ between vendors. gemm is BLAS's.
enum Routine {
  getrf,
  getrs,
  trtrs,
  potrf,
  sytrf,
  sytrs,
  hetrf,
  hetrs,
  heev,
  heevd,
  geev,
  gees,
  gesdd,
  gesvd,
  geqrf,
  geqp3,
  orgqr,
  gelsd,
  gemm,
  trsm,
  kRoutines
};

// Every integer that crosses the border lives in 64 bits set to its value beforehand. A library
// with 32-bit integers reads and writes the low half in place (all supported machines are
// little-endian, checked when the pointers are loaded), so one call serves both widths; `value`
// takes the width into account when a result comes back.
using Integer = std::int64_t;

int integer_bytes();
double integer_limit();
Integer value(Integer written);
// Element i of an integer array (pivots) that the library filled.
Integer element(const Integer* array, std::int64_t i);
void set_element(Integer* array, std::int64_t i, Integer value);

void* address(Routine routine, bool is_complex);
// Puts another function in the place of LAPACK's `name` ("dgesdd") and returns the one before;
// nullptr, and nothing changed, if no such routine is in use.
void* exchange(const char* name, void* routine);

// Fetches the pointers; false with a Python error set when that fails. Holds the GIL.
bool load();

template <typename T>
constexpr bool is_complex = !std::is_floating_point_v<T>;

template <typename T>
struct RealOf {
  using type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <typename T>
using Real = typename RealOf<T>::type;

template <typename T, typename... Args>
void call(Routine routine, Args*... args) {
  reinterpret_cast<void (*)(Args*...)>(address(routine, is_complex<T>))(args...);
}

}  // namespace numerics::cpu::lapack
