// What arithmetic of the calling thread met with: overflow, underflow, and results that are no
// numbers. Cheaper than <cfenv>, which visits the x87 unit as well.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace numerics::cpu {

class FloatingPointFlags {
 public:
#if defined(__SSE2__)
  FloatingPointFlags() { _mm_setcsr(_mm_getcsr() & ~unsigned{_MM_EXCEPT_MASK}); }
  bool underflow() const { return (_mm_getcsr() & _MM_EXCEPT_UNDERFLOW) != 0; }
  bool overflow() const { return (_mm_getcsr() & _MM_EXCEPT_OVERFLOW) != 0; }
  bool invalid() const { return (_mm_getcsr() & _MM_EXCEPT_INVALID) != 0; }
  bool any() const {
    return (_mm_getcsr() & (_MM_EXCEPT_UNDERFLOW | _MM_EXCEPT_OVERFLOW | _MM_EXCEPT_INVALID)) != 0;
  }
#else
  FloatingPointFlags() { std::feclearexcept(FE_ALL_EXCEPT); }
  bool underflow() const { return std::fetestexcept(FE_UNDERFLOW) != 0; }
  bool overflow() const { return std::fetestexcept(FE_OVERFLOW) != 0; }
  bool invalid() const { return std::fetestexcept(FE_INVALID) != 0; }
  bool any() const { return std::fetestexcept(FE_UNDERFLOW | FE_OVERFLOW | FE_INVALID) != 0; }
#endif
};

}  // namespace numerics::cpu
