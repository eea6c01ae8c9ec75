#include "models.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "classify/classify.h"
#include "dynamics/motion_solver.h"
#include "lang/parse_model.h"
#include "timer.h"

namespace ananke::bench {
namespace {

Result<std::vector<State>> read_reference(const std::string& path, double until) {
    std::ifstream file(path);
    const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
    if (json.is_discarded()) {
        return Error{ErrorCode::kIo, fmt::format("{} could not be read", path)};
    }
    std::vector<State> samples;
    for (const nlohmann::json& sample : json["samples"]) {
        State state{sample["t"], sample["q"], sample["qdot"]};
        if (state.t <= until) {
            samples.push_back(std::move(state));
        }
    }
    if (samples.empty() || samples.back().t != until) {
        return Error{ErrorCode::kInvalidInput, fmt::format("{} has no sample at {}", path, until)};
    }
    return samples;
}

}  // namespace

Result<BenchModel> load(const HandWritten& hand) {
    BenchModel loaded;
    loaded.hand = &hand;
    loaded.path = fmt::format("{}/models/{}.ank", ANANKE_SOURCE_DIR, hand.name);
    Sources sources;
    lang::ParseResult parsed = lang::parse_model_file(sources, loaded.path, {});
    if (!parsed.model) {
        return Error{ErrorCode::kInvalidInput, render(parsed.diagnostics, sources)};
    }
    compile::Preparation preparation = compile::prepare(std::move(*parsed.model), {});
    if (!preparation.prepared) {
        return Error{ErrorCode::kInvalidInput, render(preparation.diagnostics, sources)};
    }
    loaded.prepared = std::move(preparation.prepared);
    dynamics::Evaluator evaluator(loaded.prepared->compiled, loaded.prepared->parameters);
    Result<dynamics::StartState> start = dynamics::assemble(evaluator, loaded.prepared->initial);
    if (!start) {
        return start.error();
    }
    loaded.start = std::move(start).value();
    loaded.until = hand.until;
    Result<std::vector<State>> reference = read_reference(
        fmt::format("{}/tests/reference/{}.json", ANANKE_SOURCE_DIR, hand.name), loaded.until);
    if (!reference) {
        return reference.error();
    }
    loaded.reference = std::move(reference).value();
    return loaded;
}

double error_at_end(const BenchModel& model, const std::vector<double>& q,
                    const std::vector<double>& v) {
    double worst = 0.0;
    const auto compare = [&worst](double ours, double exact) {
        worst = std::max(worst, std::abs(ours - exact) / std::max(1.0, std::abs(exact)));
    };
    const State& end = model.reference.back();
    for (std::size_t i = 0; i < q.size(); ++i) {
        compare(q[i], end.q[i]);
        compare(v[i], end.v[i]);
    }
    return worst;
}

Result<double> largest_disagreement(const BenchModel& model) {
    constexpr int kStates = 2000;
    constexpr double kSpread = 0.05;
    dynamics::Evaluator evaluator(model.prepared->compiled, model.prepared->parameters);
    dynamics::MotionSolver dynamics(evaluator, {});
    std::mt19937_64 random(20130421);
    std::uniform_real_distribution<double> unit(-1.0, 1.0);
    double worst = 0.0;
    std::vector<double> theirs(static_cast<std::size_t>(model.hand->n));
    for (int i = 0; i < kStates; ++i) {
        State state = model.reference[random() % model.reference.size()];
        state.t += kSpread * unit(random);
        for (std::size_t k = 0; k < state.q.size(); ++k) {
            state.q[k] += kSpread * unit(random);
            state.v[k] = (state.v[k] + unit(random)) * (1.0 + unit(random));
        }
        if (dynamics.accelerate(state.t, state.q.data(), state.v.data()) !=
            solve::SolveStatus::kOk) {
            return dynamics.explain(state.t, state.q.data(), state.v.data());
        }
        for (const auto by_hand : {model.hand->acceleration, model.hand->solved}) {
            by_hand(state.t, state.q.data(), state.v.data(), theirs.data());
            double difference = 0.0;
            double size = 1.0;
            for (std::size_t k = 0; k < theirs.size(); ++k) {
                const double ours = dynamics.a()[static_cast<Eigen::Index>(k)];
                difference = std::max(difference, std::abs(ours - theirs[k]));
                size = std::max(size, std::abs(ours));
            }
            // Not std::max, which would let a NaN pass.
            worst = difference / size <= worst ? worst : difference / size;
        }
    }
    return worst;
}

WayToFirstStep time_way_to_first_step(const BenchModel& model) {
    constexpr int kTimes = 15;
    WayToFirstStep least{1.0, 1.0, 1.0, 1.0};
    for (int i = 0; i < kTimes; ++i) {
        const double began = cpu_seconds();
        Sources sources;
        lang::ParseResult parsed = lang::parse_model_file(sources, model.path, {});
        const double after_parse = cpu_seconds();
        mech::Derivation derivation =
            classify::classify(*parsed.model, mech::derive(*parsed.model));
        const double after_derive = cpu_seconds();
        const auto compiled = std::make_shared<const compile::CompiledModel>(
            compile::CompiledModel::compile(*parsed.model, *derivation.equations));
        const double after_compile = cpu_seconds();
        dynamics::Evaluator evaluator(compiled, model.prepared->parameters);
        const Result<dynamics::StartState> start =
            dynamics::assemble(evaluator, model.prepared->initial);
        const double after_assemble = cpu_seconds();
        ANANKE_REQUIRE(start.has_value());
        least.parse = std::min(least.parse, after_parse - began);
        least.derive = std::min(least.derive, after_derive - after_parse);
        least.compile = std::min(least.compile, after_compile - after_derive);
        least.assemble = std::min(least.assemble, after_assemble - after_compile);
    }
    return least;
}

}  // namespace ananke::bench
