// For tests: a model from its text, with an evaluator at its start.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "ananke/record.h"
#include "compile/prepare.h"
#include "dynamics/evaluator.h"
#include "dynamics/start.h"
#include "lang/parse_model.h"

namespace ananke::simulate::testing {

inline std::shared_ptr<compile::Prepared> prepare_text(std::string text) {
    Sources sources;
    lang::ParseResult parsed = lang::parse_model_text(sources, "model", std::move(text), {});
    if (!parsed.model) {
        ADD_FAILURE() << render(parsed.diagnostics, sources);
        return nullptr;
    }
    compile::Preparation preparation = compile::prepare(std::move(*parsed.model), {});
    EXPECT_TRUE(preparation.prepared) << render(preparation.diagnostics, sources);
    return std::move(preparation.prepared);
}

/// Keeps the events that are reported.
class EventList final : public Recorder {
  public:
    Result<void> begin(const Header&) override { return {}; }
    Result<void> row(std::span<const double>) override { return {}; }
    Result<void> event(const Event& event) override {
        events.push_back(event);
        return {};
    }
    Result<void> finish(const std::string&) override { return {}; }

    std::vector<Event> events;
};

}  // namespace ananke::simulate::testing
