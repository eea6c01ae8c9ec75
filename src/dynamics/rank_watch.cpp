#include "dynamics/rank_watch.h"

#include <utility>

#include "code/recorder.h"
#include "code/replay.h"
#include "compile/roads.h"
#include "dynamics/recorded_elimination.h"

namespace ananke::dynamics {
namespace {

using code::Recorded;

/// Steps ahead that count as near.
constexpr double kHorizon = 8.0;

}  // namespace

RankWatch::RankWatch(Evaluator& evaluator) : evaluator_(&evaluator) {
    if (evaluator.model().is_large()) {
        go_sparse();
    }
}

void RankWatch::go_sparse() {
    sparse_.emplace(*evaluator_, true);
    direction_.resize(static_cast<std::size_t>(evaluator_->model().n()));
}

/// Nothing if the rows are dependent.
std::optional<double> RankWatch::weakest_pivot(double t, const double* q, const double* v) {
    if (!sparse_->again(evaluator_->sparse_system(t, q, v))) {
        return std::nullopt;
    }
    return sparse_->weakest(direction_).pivot;
}

void RankWatch::choose(const std::vector<int>& rows, double t, const double* q, const double* v,
                       std::optional<double> pivot) {
    if (!sparse_ && rows != rows_) {
        const double most = compile::most_products_of_watch(evaluator_->model(), rows);
        compile::RowSequence found = compile::row_sequence(evaluator_->model(), rows, most);
        if (found.products > most) {
            go_sparse();
        }
        sequence_ = std::move(found.rows);
    }
    if (sparse_) {
        sparse_->count(rows);
        pivot_ = pivot ? *pivot : weakest_pivot(t, q, v).value_or(0.0);
        return;
    }
    if (!kernel_ || rows != rows_ || parameter_changes_ != evaluator_->parameter_changes()) {
        rows_ = rows;
        parameter_changes_ = evaluator_->parameter_changes();
        const std::vector<double> scales = coordinate_scales(*evaluator_);
        const compile::RecordKey key = compile::RecordKey(compile::RecordKey::Kind::kRank)
                                           .add(parameters_of(*evaluator_))
                                           .add(std::span<const int>(rows_))
                                           .add(scales);
        kernel_.emplace(
            *evaluator_->model().programs->get<code::Kernel>(key, [&] { return record(scales); }));
        for (std::vector<double>* values : {&now_, &before_}) {
            values->resize(kernel_->output_count());
        }
    }
    kernel_->run(evaluator_->inputs().data(), before_.data());
    has_before_ = true;
}

code::Kernel RankWatch::record(std::span<const double> scales) const {
    const compile::CompiledModel& model = evaluator_->model();
    const int n = model.n();
    const auto m = rows_.size();
    code::Recorder recorder(static_cast<std::uint32_t>(model.layout.size()));
    code::Replay equations(recorder, model.dynamics.program(),
                           recorded_inputs(recorder, *evaluator_));
    const std::size_t first = model.outputs_of_dynamics().A;

    solve::Elimination<Recorded> elimination(n, static_cast<int>(m));
    for (int j = 0; j < n; ++j) {
        const double scale = scales[static_cast<std::size_t>(j)];
        elimination.set(j, j, Recorded(1.0 / (scale * scale)));
    }
    const std::vector<int> among = places_among(rows_, model.m());
    for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
        const compile::Place& place = model.row_entries[i];
        const int row = among[static_cast<std::size_t>(place.row)];
        if (row >= 0) {
            elimination.set(n + row, place.column, equations.output(first + i));
        }
    }
    for (int j = 0; j < n; ++j) {
        elimination.eliminate({j, -1});
    }
    std::vector<Recorded> lengths;  // with a minus sign, as the pivots
    std::vector<Recorded> outputs;
    for (std::size_t k = 0; k < m; ++k) {
        const int unknown = n + static_cast<int>(k);
        lengths.push_back(*elimination.find(unknown, unknown));
        outputs.push_back(Recorded(0.0) - lengths.back());
    }
    outputs.resize(2 * m);
    for (const std::size_t k : sequence_) {
        const Recorded pivot = elimination.eliminate({-1, static_cast<int>(k)});
        // The first row is all its own.
        outputs[m + k] =
            lengths[k].is_same_as(pivot) ? Recorded(1.0) : lengths[k] * reciprocal(pivot);
    }
    return code::Kernel(recorder.program(outputs));
}

bool RankWatch::falls(double t, const double* q, const double* v) {
    if (sparse_) {
        const std::optional<double> pivot = weakest_pivot(t, q, v);
        const double before = std::exchange(pivot_, pivot.value_or(0.0));
        return !pivot || *pivot * (1.0 + kHorizon) <= kHorizon * before;
    }
    kernel_->run(evaluator_->system_inputs(t, q, v).data(), now_.data());
    const bool falling = has_before_ && now_falls();
    now_.swap(before_);
    has_before_ = true;
    return falling;
}

/// By the outputs of the program at the last two states.
bool RankWatch::now_falls() const {
    // A value x = sqrt(y) falls to zero within the horizon, x <= kHorizon (x_before - x), if
    // y <= kLeast y_before.
    constexpr double kLeast = (kHorizon / (1.0 + kHorizon)) * (kHorizon / (1.0 + kHorizon));
    bool stays = true;  // false also where a value is not a number
    const std::size_t m = rows_.size();
    for (std::size_t k = 0; k < m; ++k) {
        stays &= now_[k] > kLeast * before_[k];
        const double inverse = now_[m + k];
        stays &= inverse > 0.0 && before_[m + k] > kLeast * inverse;
    }
    return !stays;
}

}  // namespace ananke::dynamics
