// Every motion of tests/reference, known to 30 digits, against the model of the gallery that says
// the same: which columns belong to which quantity is in tests/reference/cases.json.
#include <cctype>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "pipeline.h"

namespace ananke::pipeline {
namespace {

using Json = nlohmann::json;

const fs::path kFolder = source_directory() / "tests" / "reference";
constexpr double kMotionTolerance = 1e-9;
constexpr double kForceTolerance = 1e-8;
constexpr double kResidualTolerance = 1e-12;
constexpr int kRandomTimes = 60;
constexpr double kNoEnd = 1e300;

Json read_json(const fs::path& path) {
    return Json::parse(contents(path), nullptr, false);
}

/// "vcom3" is a quantity of the third body: "vcom".
bool is_motion(std::string quantity) {
    quantity.erase(std::remove_if(quantity.begin(), quantity.end(),
                                  [](unsigned char c) { return std::isdigit(c) != 0; }),
                   quantity.end());
    static const std::set<std::string> kMotion{"q",
                                               "qdot",
                                               "r",
                                               "v",
                                               "u",
                                               "udot",
                                               "uA",
                                               "uB",
                                               "theta",
                                               "thetadot",
                                               "omega_body",
                                               "omega_inertial",
                                               "omegaA_body",
                                               "omegaB_body",
                                               "omegaA_inertial",
                                               "omegaB_inertial",
                                               "alpha",
                                               "beta",
                                               "P",
                                               "com",
                                               "vcom",
                                               "Lz",
                                               "L_inertial",
                                               "energy",
                                               "kinetic_energy"};
    return kMotion.count(quantity) > 0;
}

/// A number counts as a list of one.
std::vector<double> list_of(const Json& value) {
    return value.is_array() ? value.get<std::vector<double>>()
                            : std::vector<double>{value.get<double>()};
}

/// The sample times and some others that fall inside steps, ascending.
std::vector<double> times_of(const Json& samples) {
    std::set<double> times;
    for (const Json& sample : samples) {
        times.insert(sample.at("t").get<double>());
    }
    std::mt19937 random(7);
    std::uniform_real_distribution<double> inside(0.0, *times.rbegin());
    for (int i = 0; i < kRandomTimes; ++i) {
        times.insert(inside(random));
    }
    return {times.begin(), times.end()};
}

/// +1, or -1 where the quaternion of the run is the negative of the sample's: the same rotation.
double sign_of(const Json& columns, const Json& sample, const Recording& run, std::size_t row) {
    if (!columns.contains("u")) {
        return 1.0;
    }
    const std::vector<double> expected = list_of(sample.at("u"));
    double product = 0.0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        product += expected[i] * run.at(row, columns.at("u")[i].get<std::string>());
    }
    return product < 0.0 ? -1.0 : 1.0;
}

bool flips_with_quaternion(const std::string& quantity) {
    return quantity[0] == 'u' || quantity == "Qc_quaternion";
}

void compare_sample(const Json& columns, const Json& sample, const Recording& run,
                    std::size_t row) {
    const double sign = sign_of(columns, sample, run, row);
    for (const auto& [quantity, names] : columns.items()) {
        ASSERT_TRUE(sample.contains(quantity)) << quantity;
        const std::vector<double> expected = list_of(sample.at(quantity));
        ASSERT_EQ(names.size(), expected.size()) << quantity;
        const double tolerance = is_motion(quantity) ? kMotionTolerance : kForceTolerance;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            auto name = names[i].get<std::string>();
            double factor = flips_with_quaternion(quantity) ? sign : 1.0;
            if (name[0] == '-') {
                factor = -factor;
                name.erase(0, 1);
            }
            EXPECT_LT(scaled_error(factor * run.at(row, name), expected[i]), tolerance)
                << quantity << ": " << name << " at t = " << sample.at("t");
        }
    }
}

void compare_case(const Json& entry) {
    const auto name = entry.at("case").get<std::string>();
    const auto model = entry.at("model").get<std::string>();
    SCOPED_TRACE(model);
    const Json reference = read_json(kFolder / (name + ".json"));
    Json samples = Json::array();
    for (const Json& sample : reference.at("samples")) {
        if (sample.at("t").get<double>() <= entry.value("until", kNoEnd)) {
            samples.push_back(sample);
        }
    }
    const Loaded loaded = load_text(model, contents(source_directory() / model),
                                    entry.value("set", std::vector<std::string>{}));
    ASSERT_TRUE(loaded.prepared) << loaded.messages;

    const Recording run = run_model(*loaded.prepared, {.times = times_of(samples)});
    ASSERT_FALSE(run.error) << run.error->message;
    std::map<double, std::size_t> row_at;
    for (std::size_t i = 0; i < run.rows.rows(); ++i) {
        row_at[run.rows.row(i)[0]] = i;
    }
    for (const Json& sample : samples) {
        const auto found = row_at.find(sample.at("t").get<double>());
        ASSERT_NE(found, row_at.end()) << "no row at t = " << sample.at("t");
        compare_sample(entry.at("columns"), sample, run, found->second);
    }
    EXPECT_LT(largest_residual(run), kResidualTolerance);
    for (const simulate::RowSummary& row : run.summary.constraints) {
        EXPECT_LT(row.residual, kResidualTolerance) << row.name;
        EXPECT_LT(row.rate, kResidualTolerance) << row.name;
    }
}

TEST(Reference, EveryMotionHasAModelOrNamesWhatItWaitsFor) {
    const Json cases = read_json(kFolder / "cases.json").at("cases");
    std::set<std::string> listed;
    for (const Json& entry : cases) {
        const auto name = entry.at("case").get<std::string>();
        listed.insert(name);
        EXPECT_TRUE(fs::exists(kFolder / (name + ".json"))) << name;
        static const std::set<std::string> kLaterFeatures{};
        if (!entry.contains("model")) {
            ASSERT_TRUE(entry.contains("waits_for")) << name;
            EXPECT_EQ(kLaterFeatures.count(entry.at("waits_for").get<std::string>()), 1U) << name;
        }
    }
    for (const std::string& name : stems(kFolder, ".json")) {
        EXPECT_TRUE(name == "cases" || listed.count(name) == 1) << name << " has no case";
    }
}

TEST(Reference, EveryMotionIsReproduced) {
    const Json cases = read_json(kFolder / "cases.json").at("cases");
    std::size_t compared = 0;
    for (const Json& entry : cases) {
        if (entry.contains("model")) {
            compare_case(entry);
            ++compared;
        }
    }
    EXPECT_GE(compared, 30U);
}

}  // namespace
}  // namespace ananke::pipeline
