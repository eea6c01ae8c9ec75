// For CPUs other than x86-64; there see elementary_avx2.cpp.
#if !defined(__x86_64__)

#include "code/elementary.h"

#include <cmath>

#include "code/elementary_plain.h"

// Exported by libsleef though sleef.h does not declare all of them.
extern "C" {
double Sleef_finz_sind1_u10purecfma(double);
double Sleef_finz_cosd1_u10purecfma(double);
double Sleef_finz_expd1_u10purecfma(double);
}

namespace ananke::code {

double sine(double x) {
    return std::abs(x) <= kMostAngle ? plain_sine(x, 0) : Sleef_finz_sind1_u10purecfma(x);
}

double cosine(double x) {
    return std::abs(x) <= kMostAngle ? plain_sine(x, 1) : Sleef_finz_cosd1_u10purecfma(x);
}

double exponential(double x) {
    return std::abs(x) <= kMostExponent ? plain_exponential(x) : Sleef_finz_expd1_u10purecfma(x);
}

}  // namespace ananke::code

#endif
