// The elementary functions that every execution tier calls: one family, so one set of bits.
//
// sin, cos and exp are our own (elementary.h, at most 0.8 ulp), the others SLEEF's deterministic
// FMA functions (`finz`, at most 1.0 ulp): all give the same result in scalar and packet form. They
// need a CPU with FMA; where there is none SLEEF's deterministic functions without FMA (`cinz`,
// also 1.0 ulp) stand in, and results may differ in the last bits from those of a CPU that has it.
// The choice is made once per process.
#pragma once

namespace ananke::code {

struct Functions {
    using Unary = double (*)(double);
    using Binary = double (*)(double, double);

    Unary sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log;
    Binary atan2;  ///< (y, x)
    Binary pow;    ///< (base, exponent)
};

/// The family of this CPU.
const Functions& functions();

/// The family for CPUs without FMA; runs everywhere.
const Functions& portable_functions();

/// The CPU has fused multiply-add instructions (and the vector registers they work on).
bool cpu_has_fma();

}  // namespace ananke::code
