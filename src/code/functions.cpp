#include "code/functions.h"

#include "code/elementary.h"

// Exported by libsleef though sleef.h does not declare all of them.
extern "C" {
double Sleef_finz_tand1_u10purecfma(double);
double Sleef_finz_asind1_u10purecfma(double);
double Sleef_finz_acosd1_u10purecfma(double);
double Sleef_finz_atand1_u10purecfma(double);
double Sleef_finz_sinhd1_u10purecfma(double);
double Sleef_finz_coshd1_u10purecfma(double);
double Sleef_finz_tanhd1_u10purecfma(double);
double Sleef_finz_logd1_u10purecfma(double);
double Sleef_finz_atan2d1_u10purecfma(double, double);
double Sleef_finz_powd1_u10purecfma(double, double);

double Sleef_cinz_sind1_u10purec(double);
double Sleef_cinz_cosd1_u10purec(double);
double Sleef_cinz_tand1_u10purec(double);
double Sleef_cinz_asind1_u10purec(double);
double Sleef_cinz_acosd1_u10purec(double);
double Sleef_cinz_atand1_u10purec(double);
double Sleef_cinz_sinhd1_u10purec(double);
double Sleef_cinz_coshd1_u10purec(double);
double Sleef_cinz_tanhd1_u10purec(double);
double Sleef_cinz_expd1_u10purec(double);
double Sleef_cinz_logd1_u10purec(double);
double Sleef_cinz_atan2d1_u10purec(double, double);
double Sleef_cinz_powd1_u10purec(double, double);
}

namespace ananke::code {
namespace {

constexpr Functions kFma{
    .sin = sine,
    .cos = cosine,
    .tan = Sleef_finz_tand1_u10purecfma,
    .asin = Sleef_finz_asind1_u10purecfma,
    .acos = Sleef_finz_acosd1_u10purecfma,
    .atan = Sleef_finz_atand1_u10purecfma,
    .sinh = Sleef_finz_sinhd1_u10purecfma,
    .cosh = Sleef_finz_coshd1_u10purecfma,
    .tanh = Sleef_finz_tanhd1_u10purecfma,
    .exp = exponential,
    .log = Sleef_finz_logd1_u10purecfma,
    .atan2 = Sleef_finz_atan2d1_u10purecfma,
    .pow = Sleef_finz_powd1_u10purecfma,
};

constexpr Functions kPortable{
    .sin = Sleef_cinz_sind1_u10purec,
    .cos = Sleef_cinz_cosd1_u10purec,
    .tan = Sleef_cinz_tand1_u10purec,
    .asin = Sleef_cinz_asind1_u10purec,
    .acos = Sleef_cinz_acosd1_u10purec,
    .atan = Sleef_cinz_atand1_u10purec,
    .sinh = Sleef_cinz_sinhd1_u10purec,
    .cosh = Sleef_cinz_coshd1_u10purec,
    .tanh = Sleef_cinz_tanhd1_u10purec,
    .exp = Sleef_cinz_expd1_u10purec,
    .log = Sleef_cinz_logd1_u10purec,
    .atan2 = Sleef_cinz_atan2d1_u10purec,
    .pow = Sleef_cinz_powd1_u10purec,
};

}  // namespace

bool cpu_has_fma() {
#if defined(__x86_64__)
    static const bool has =
        __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("avx2") != 0;
    return has;
#else
    return true;  // part of every 64-bit ARM, POWER and RISC-V with doubles
#endif
}

const Functions& functions() {
    return cpu_has_fma() ? kFma : kPortable;
}

const Functions& portable_functions() {
    return kPortable;
}

}  // namespace ananke::code
