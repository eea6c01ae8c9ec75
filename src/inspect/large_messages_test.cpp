// What large models say when something is wrong: the same names and places as small ones.
#include <string>

#include <fmt/format.h>

#include "dynamics/some_names.h"
#include "inspect/check.h"
#include "large.h"

namespace ananke::pipeline {
namespace {

/// Many particles on a line, each by itself.
std::string particles(const std::string& more) {
    return fmt::format(R"(parameter N = 1000
for i in 1..N {{ coordinate x[i]
  particle P[i] mass 1 at (x[i], i, 0) }}
{}
)",
                       more);
}

std::string message_of(const std::string& more) {
    const Loaded loaded = load_text("many.ank", particles(more));
    EXPECT_TRUE(loaded.prepared) << loaded.messages;
    if (!loaded.prepared) {
        return "";
    }
    loaded.prepared->compiled = as_large(*loaded.prepared);
    const Result<inspect::CheckReport> report =
        inspect::check(*loaded.prepared, inspect::Agreement::kSkip);
    EXPECT_FALSE(report);
    return report ? "" : report.error().message;
}

void expect_words(const std::string& message, std::initializer_list<const char*> words) {
    for (const char* word : words) {
        EXPECT_NE(message.find(word), std::string::npos) << word << " in:\n" << message;
    }
}

TEST(LargeMessages, AContradictionNamesBothSidesAndTheirPlaces) {
    expect_words(message_of("constraint slow: x[7] = t^2\nconstraint fast: 2*x[7] = 4*t^2\n"),
                 {"slow", "fast", "contradict each other", "slow is written at many.ank:4",
                  "fast is written at many.ank:5"});
}

TEST(LargeMessages, WhatHasNoMassIsNamed) {
    expect_words(message_of("coordinate idle\n"), {"not determined", "idle"});
}

TEST(LargeMessages, WhatIsNotANumberIsNamed) {
    EXPECT_EQ(message_of("force on x[3] = sqrt(x[3] - 1)\n"),
              "at t = 0: the force on x[3] is not a number: many.ank:4:17: sqrt(x[3] - 1) with "
              "x[3] - 1 = -1");
}

TEST(LargeMessages, AStartThatFailsTellsWhatIsNotMetAndWhere) {
    expect_words(message_of("initial x[5] = 0, x[6] = 0\nconstraint apart: x[5]^2 + x[6]^2 = 4\n"),
                 {"apart", "left - right", "apart is written at many.ank:5"});
}

TEST(LargeMessages, LongListsAreCut) {
    std::vector<std::string> names;
    for (int i = 1; i <= 12; ++i) {
        names.push_back(fmt::format("c[{}]", i));
    }
    EXPECT_EQ(dynamics::some_names(names), join_names(names));
    for (int i = 13; i <= 200; ++i) {
        names.push_back(fmt::format("c[{}]", i));
    }
    EXPECT_EQ(dynamics::some_names(names),
              "c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10] and 190 more");
}

}  // namespace
}  // namespace ananke::pipeline
