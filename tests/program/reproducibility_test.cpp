// The same run gives the same bits: twice, with other output times, in another process.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "pipeline.h"
#include "places.h"

namespace ananke::pipeline {
namespace {

/// FNV-1a over the bytes of the values.
std::uint64_t hash_of(std::span<const double> values) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const double value : values) {
        std::array<unsigned char, sizeof value> bytes{};
        std::memcpy(bytes.data(), &value, sizeof value);
        for (const unsigned char byte : bytes) {
            hash = (hash ^ byte) * 1099511628211ULL;
        }
    }
    return hash;
}

TEST(Reproducibility, TheSameRunTwiceGivesTheSameBits) {
    for (const std::string& name : stems(source_directory() / "models", ".ank")) {
        SCOPED_TRACE(name);
        const Loaded first = load_model(name);
        const Loaded second = load_model(name);
        ASSERT_TRUE(first.prepared && second.prepared) << first.messages;
        const Settings settings{.times = even_times(std::min(1.0, end_of(*first.prepared)), 20),
                                .tolerance = 1e-9};
        const Recording a = run_model(*first.prepared, settings);
        const Recording b = run_model(*second.prepared, settings);
        ASSERT_FALSE(a.error) << a.error->message;
        EXPECT_EQ(hash_of(a.rows.values), hash_of(b.rows.values));
    }
}

// Output times must not influence the steps: rows at common times are the same to the last bit.
TEST(Reproducibility, OutputTimesDoNotInfluenceTheMotion) {
    for (const std::string name : {"andrews", "two_link_pendulum_redundant", "duffing",
                                   "parallel_in_space", "free_top", "car_axis"}) {
        SCOPED_TRACE(name);
        const Loaded loaded = load_model(name);
        ASSERT_TRUE(loaded.prepared) << loaded.messages;
        const double until = end_of(*loaded.prepared) * (name == "andrews" ? 5.0 : 1.0);
        const std::vector<double> few = even_times(until, 7);
        std::vector<double> many = few;
        std::mt19937 random(3);
        std::uniform_real_distribution<double> inside(0.0, until);
        for (int i = 0; i < 500; ++i) {
            many.push_back(inside(random));
        }
        std::sort(many.begin(), many.end());
        const Recording a = run_model(*loaded.prepared, {.times = few, .tolerance = 1e-9});
        const Recording b = run_model(*loaded.prepared, {.times = many, .tolerance = 1e-9});
        ASSERT_FALSE(a.error) << a.error->message;
        EXPECT_EQ(a.summary.steps.steps, b.summary.steps.steps);
        EXPECT_EQ(a.summary.steps.rejected, b.summary.steps.rejected);
        std::vector<double> common;
        for (std::size_t i = 0; i < b.rows.rows(); ++i) {
            if (std::binary_search(few.begin(), few.end(), b.rows.row(i)[0])) {
                common.insert(common.end(), b.rows.row(i).begin(), b.rows.row(i).end());
            }
        }
        ASSERT_EQ(common.size(), a.rows.values.size());
        EXPECT_EQ(hash_of(common), hash_of(a.rows.values));
        if (name == "andrews") {
            std::cout << "andrews to t = " << until << ", " << a.summary.steps.steps
                      << " steps: hash " << std::hex << hash_of(a.rows.values) << std::dec << "\n";
        }
    }
}

std::string output_of(const std::string& command) {
    std::string text;
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) {
        return text;
    }
    std::array<char, 65536> buffer{};
    for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
        text.append(buffer.data(), n);
    }
    EXPECT_EQ(pclose(pipe), 0) << command;
    return text;
}

TEST(Reproducibility, TwoProcessesWriteTheSameFile) {
    const std::string command = std::string("'") + places::program() + "' run '" +
                                (source_directory() / "models" / "andrews.ank").string() +
                                "' --until 0.1 --quiet --csv -";
    const std::string first = output_of(command);
    EXPECT_GT(first.size(), 10000U);
    EXPECT_EQ(first, output_of(command));
}

// Two parameters in turn, thousands of times: programs are made, found again, forgotten and made
// anew, and none stands in for another.
TEST(Reproducibility, ProgramsOfChangingParametersAreTheirOwn) {
    const std::string relay =
        "parameter u = 1\ncoordinate x\nkinetic x'^2/2\nforce on x = u - x'\n"
        "event up: x = 0 rising { u = -1 }\nevent down: x = 0 falling { u = 1 }\n"
        "initial x = -1\n";
    const Settings settings{.times = {0.0, 25.0}, .tolerance = 1e-10};
    const Recording once = run_text(relay, settings);
    const Recording again = run_text(relay, settings);
    ASSERT_GT(once.rows.events.size(), 1000U);
    EXPECT_EQ(hash_of(once.rows.values), hash_of(again.rows.values));
    // The motion is periodic: every other event comes after the same time.
    const auto gap = [&](std::size_t i) {
        return once.rows.events[i].t - once.rows.events[i - 2].t;
    };
    for (std::size_t i = 4; i < 200; ++i) {
        EXPECT_GT(gap(i), 0.0) << i;
    }
}

}  // namespace
}  // namespace ananke::pipeline
