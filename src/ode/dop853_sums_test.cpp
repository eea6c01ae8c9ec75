#include "ode/dop853_sums.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace ananke::ode {
namespace {

// With the instructions of the processor and with the library's fma: bit for bit the same, at every
// stage, for sizes that fill pairs and such that do not.
TEST(Dop853Sums, DoNotDependOnTheProcessor) {
    std::mt19937_64 rng(17);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (const std::size_t n : {1, 2, 3, 8, 9, 31}) {
        const std::size_t stride = (n + 1) / 2 * 2;
        std::vector<double> y(n);
        std::vector<double> k(dop853::kStages * stride);
        for (std::vector<double>* values : {&y, &k}) {
            for (double& value : *values) {
                value = number(rng);
            }
        }
        const std::vector<double> atol(n, 1e-9);
        for (std::size_t stage = 1; stage < dop853::kStages; ++stage) {
            std::vector<double> here(n);
            std::vector<double> anywhere(n);
            dop853_sums().advance[stage](y, 0.3, k.data(), stride, here.data());
            portable_dop853_sums().advance[stage](y, 0.3, k.data(), stride, anywhere.data());
            EXPECT_EQ(here, anywhere) << stage;
        }
        std::vector<double> here(n);
        std::vector<double> anywhere(n);
        dop853::ErrorSums<double> error_here(0.0);
        dop853::ErrorSums<double> error_anywhere(0.0);
        dop853_sums().finish(y, 0.3, k.data(), stride, atol.data(), 1e-9, here.data(), error_here);
        portable_dop853_sums().finish(y, 0.3, k.data(), stride, atol.data(), 1e-9, anywhere.data(),
                                      error_anywhere);
        EXPECT_EQ(here, anywhere);
        EXPECT_EQ(error_here.error(0.3, 1.0), error_anywhere.error(0.3, 1.0));
    }
}

}  // namespace
}  // namespace ananke::ode
