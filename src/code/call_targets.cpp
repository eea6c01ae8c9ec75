#include "code/call_targets.h"

#if defined(__x86_64__)

#include <array>
#include <cstddef>

#include "base/check.h"
#include "code/elementary.h"

// Only the addresses are taken: the true types need vector registers that this file is not
// compiled for. Exported by libsleef though sleef.h does not declare all of them.
extern "C" {
void Sleef_finz_tand1_u10purecfma();
void Sleef_finz_tand4_u10avx2();
void Sleef_finz_tand8_u10avx512f();
void Sleef_finz_asind1_u10purecfma();
void Sleef_finz_asind4_u10avx2();
void Sleef_finz_asind8_u10avx512f();
void Sleef_finz_acosd1_u10purecfma();
void Sleef_finz_acosd4_u10avx2();
void Sleef_finz_acosd8_u10avx512f();
void Sleef_finz_atand1_u10purecfma();
void Sleef_finz_atand4_u10avx2();
void Sleef_finz_atand8_u10avx512f();
void Sleef_finz_sinhd1_u10purecfma();
void Sleef_finz_sinhd4_u10avx2();
void Sleef_finz_sinhd8_u10avx512f();
void Sleef_finz_coshd1_u10purecfma();
void Sleef_finz_coshd4_u10avx2();
void Sleef_finz_coshd8_u10avx512f();
void Sleef_finz_tanhd1_u10purecfma();
void Sleef_finz_tanhd4_u10avx2();
void Sleef_finz_tanhd8_u10avx512f();
void Sleef_finz_logd1_u10purecfma();
void Sleef_finz_logd4_u10avx2();
void Sleef_finz_logd8_u10avx512f();
void Sleef_finz_atan2d1_u10purecfma();
void Sleef_finz_atan2d4_u10avx2();
void Sleef_finz_atan2d8_u10avx512f();
void Sleef_finz_powd1_u10purecfma();
void Sleef_finz_powd4_u10avx2();
void Sleef_finz_powd8_u10avx512f();
}

namespace ananke::code {
namespace {

using Target = void (*)();

struct Entry {
    Target scalar, lanes4, lanes8;
};

constexpr std::size_t kFirst = static_cast<std::size_t>(Op::kSin);

/// In the order of Op, without our own.
constexpr std::array<Entry, static_cast<std::size_t>(kOpCount) - kFirst> kTargets{{
    {},
    {},
    {Sleef_finz_tand1_u10purecfma, Sleef_finz_tand4_u10avx2, Sleef_finz_tand8_u10avx512f},
    {Sleef_finz_asind1_u10purecfma, Sleef_finz_asind4_u10avx2, Sleef_finz_asind8_u10avx512f},
    {Sleef_finz_acosd1_u10purecfma, Sleef_finz_acosd4_u10avx2, Sleef_finz_acosd8_u10avx512f},
    {Sleef_finz_atand1_u10purecfma, Sleef_finz_atand4_u10avx2, Sleef_finz_atand8_u10avx512f},
    {Sleef_finz_sinhd1_u10purecfma, Sleef_finz_sinhd4_u10avx2, Sleef_finz_sinhd8_u10avx512f},
    {Sleef_finz_coshd1_u10purecfma, Sleef_finz_coshd4_u10avx2, Sleef_finz_coshd8_u10avx512f},
    {Sleef_finz_tanhd1_u10purecfma, Sleef_finz_tanhd4_u10avx2, Sleef_finz_tanhd8_u10avx512f},
    {},
    {Sleef_finz_logd1_u10purecfma, Sleef_finz_logd4_u10avx2, Sleef_finz_logd8_u10avx512f},
    {Sleef_finz_atan2d1_u10purecfma, Sleef_finz_atan2d4_u10avx2, Sleef_finz_atan2d8_u10avx512f},
    {Sleef_finz_powd1_u10purecfma, Sleef_finz_powd4_u10avx2, Sleef_finz_powd8_u10avx512f},
}};

Target of_width(const Entry& entry, int lanes) {
    return lanes == 1 ? entry.scalar : lanes == 4 ? entry.lanes4 : entry.lanes8;
}

Target own(Op op, int lanes) {
    const auto scalar = [](double (*function)(double)) {
        return reinterpret_cast<Target>(function);
    };
    const ElementaryPackets packets =
        lanes == 1   ? ElementaryPackets{scalar(sine), scalar(cosine), scalar(exponential)}
        : lanes == 4 ? elementary_packets4()
                     : elementary_packets8();
    return op == Op::kSin ? packets.sine : op == Op::kCos ? packets.cosine : packets.exponential;
}

}  // namespace

const void* call_target(Op op, int lanes) {
    ANANKE_REQUIRE(is_call(op) && (lanes == 1 || lanes == 4 || lanes == 8));
    const bool is_own = op == Op::kSin || op == Op::kCos || op == Op::kExp;
    const Target target =
        is_own ? own(op, lanes) : of_width(kTargets[static_cast<std::size_t>(op) - kFirst], lanes);
    return reinterpret_cast<const void*>(target);
}

const void* turned_call_target() {
    return reinterpret_cast<const void*>(sine_or_cosine4());
}

}  // namespace ananke::code

#endif
