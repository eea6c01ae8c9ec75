// Models treated as large ones, and what they are compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "dynamics/acceleration.h"
#include "dynamics/acceleration_program.h"
#include "dynamics/motion_solver.h"
#include "dynamics/sparse_rows.h"
#include "pipeline.h"

namespace ananke::pipeline {

/// The same model, treated as a large one.
inline std::shared_ptr<const compile::CompiledModel> as_large(const compile::Prepared& prepared) {
    auto large = std::make_shared<compile::CompiledModel>(*prepared.compiled);
    large->large = true;
    large->most_operations = 0;
    large->programs =
        std::make_shared<compile::ProgramStore>();  // those in one piece are not for it
    return large;
}

/// The same model, by full matrices and programs in one piece.
inline std::shared_ptr<const compile::CompiledModel> as_full(const compile::Prepared& prepared) {
    auto full = std::make_shared<compile::CompiledModel>(*prepared.compiled);
    full->sparse = false;
    full->large = false;
    full->most_operations = std::numeric_limits<std::size_t>::max();
    full->programs = std::make_shared<compile::ProgramStore>();
    return full;
}

inline double difference(std::span<const double> x, std::span<const double> y) {
    double most = 0.0;
    double size = 1.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        most = std::max(most, std::abs(x[i] - y[i]));
        size = std::max(size, std::abs(y[i]));
    }
    return most / size;
}

inline std::span<const double> span(const dynamics::MotionSolver::Vector& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

/// Start, accelerations by segments and by sparse factors, multipliers, against the dense roads.
inline void compare(const compile::Prepared& prepared, double tolerance, bool unique_multipliers) {
    dynamics::Evaluator dense(as_full(prepared), prepared.parameters);
    dynamics::Evaluator sparse(as_large(prepared), prepared.parameters);
    const Result<dynamics::StartState> start = dynamics::assemble(dense, prepared.initial);
    const Result<dynamics::StartState> other = dynamics::assemble(sparse, prepared.initial);
    ASSERT_TRUE(start) << start.error().message;
    ASSERT_TRUE(other) << other.error().message;
    EXPECT_LT(difference(other.value().q, start.value().q), 1e-8);
    EXPECT_LT(difference(other.value().v, start.value().v), 1e-8);
    const double* q = start.value().q.data();
    const double* v = start.value().v.data();
    dynamics::MotionSolver by_matrices(dense, {});
    dynamics::MotionSolver by_factors(sparse, {});
    ASSERT_EQ(by_matrices.accelerate(0.0, q, v), solve::SolveStatus::kOk);
    ASSERT_EQ(by_factors.accelerate(0.0, q, v), solve::SolveStatus::kOk);
    EXPECT_EQ(by_factors.rank(), by_matrices.rank());
    EXPECT_LT(difference(span(by_factors.a()), span(by_matrices.a())), tolerance);
    EXPECT_LT(difference(span(by_factors.Qc()), span(by_matrices.Qc())), tolerance);
    EXPECT_LT(difference(span(by_factors.Qc_ideal()), span(by_matrices.Qc_ideal())), tolerance);
    if (unique_multipliers) {
        EXPECT_LT(difference(span(by_factors.lambda()), span(by_matrices.lambda())), tolerance);
    }
    dynamics::Acceleration program(sparse, {});
    ASSERT_EQ(program.on_constraints(0.0, q, v), solve::SolveStatus::kOk);
    ASSERT_EQ(program.in_step(0.0, q, v), solve::SolveStatus::kOk);
    EXPECT_TRUE(program.by_program());
    EXPECT_LT(difference({program.a(), start.value().q.size()}, span(by_matrices.a())), tolerance);
    dynamics::MotionSolver by_segments(sparse, {});
    if (program.forces_by_program(0.0, q, v, by_segments)) {
        EXPECT_LT(difference(span(by_segments.a()), span(by_matrices.a())), tolerance);
        EXPECT_LT(difference(span(by_segments.Qc()), span(by_matrices.Qc())), tolerance);
        EXPECT_LT(difference(span(by_segments.lambda()), span(by_matrices.lambda())), tolerance);
        EXPECT_EQ(by_segments.rank(), by_matrices.rank());
    } else {
        EXPECT_TRUE(by_matrices.rank() < prepared.compiled->m() || prepared.compiled->has_nonideal);
    }
}

/// In segments, with the rows that count, at the start.
inline code::SegmentedProgram program_of(const std::string& text) {
    const Loaded loaded = load_text("large.ank", text);
    EXPECT_TRUE(loaded.prepared) << loaded.messages;
    dynamics::Evaluator evaluator(as_large(*loaded.prepared), loaded.prepared->parameters);
    const compile::SparseValues at = evaluator.sparse_system(0.0, loaded.prepared->initial.q.data(),
                                                             loaded.prepared->initial.v.data());
    dynamics::SparseRows rows(evaluator);
    rows.choose(at);
    dynamics::AccelerationProgram acceleration(evaluator);
    EXPECT_TRUE(acceleration.choose(dynamics::EntryValues{at.M, at.A}, rows.kept()));
    return *acceleration.segments();
}

}  // namespace ananke::pipeline
