// Native code of either kind and the interpreter give the same motion to the last bit: the program
// as a person runs it, with ANANKE_CODE in its environment.
#include <array>
#include <cstdio>

#include "pipeline.h"
#include "places.h"

namespace ananke::pipeline {
namespace {

struct Output {
    std::string text;
    bool succeeded = false;
};

Output run_program(const std::string& tier, const std::string& arguments) {
    const std::string command =
        "ANANKE_CODE=" + tier + " '" + places::program() + "' " + arguments + " 2>&1";
    Output output;
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) {
        return output;
    }
    std::array<char, 65536> buffer{};
    for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
        output.text.append(buffer.data(), n);
    }
    output.succeeded = pclose(pipe) == 0;
    return output;
}

/// The results to 17 digits, which tell all doubles apart.
std::string run_arguments(const std::string& model, const std::string& until) {
    return "run '" + (source_directory() / "models" / (model + ".ank")).string() + "' --until " +
           until + " --quiet --csv -";
}

TEST(Tier, EveryModelMovesTheSameInEveryTier) {
    for (const std::string& name : stems(source_directory() / "models", ".ank")) {
        SCOPED_TRACE(name);
        const std::string arguments = run_arguments(name, "0.05");
        const Output expected = run_program("interpreter", arguments);
        EXPECT_TRUE(expected.succeeded) << expected.text;
        EXPECT_GT(expected.text.size(), 200U);
        for (const char* tier : {"avx2", "native"}) {
            EXPECT_EQ(run_program(tier, arguments).text, expected.text) << tier;
        }
    }
}

TEST(Tier, ALongRunIsTheSameInEveryTier) {
    for (const auto& [name, until] :
         {std::pair{"andrews", "0.3"}, std::pair{"two_link_pendulum_redundant", "60"}}) {
        SCOPED_TRACE(name);
        const std::string arguments = run_arguments(name, until);
        const Output expected = run_program("interpreter", arguments);
        EXPECT_TRUE(expected.succeeded) << expected.text;
        for (const char* tier : {"avx2", "native"}) {
            EXPECT_EQ(std::hash<std::string>()(run_program(tier, arguments).text),
                      std::hash<std::string>()(expected.text))
                << tier;
        }
    }
}

TEST(Tier, AnUnknownChoiceIsReported) {
    const Output output = run_program("fast", run_arguments("duffing", "0.001"));
    EXPECT_TRUE(output.succeeded);
    EXPECT_NE(output.text.find("ANANKE_CODE=fast is unknown and ignored"), std::string::npos);
}

}  // namespace
}  // namespace ananke::pipeline
