#include "inspect/cost_text.h"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "compile/roads.h"

namespace ananke::inspect {
namespace {

enum class Used : std::uint8_t { kFirst, kSecond };

/// Two methods for the same task, of which one is used.
std::string choice(const std::string& task, std::vector<std::string> first,
                   std::vector<std::string> second, Used used) {
    first.insert(first.begin(), used == Used::kFirst ? "*" : " ");
    second.insert(second.begin(), used == Used::kSecond ? "*" : " ");
    return "\n" + task + "\n" + format_table({std::move(first), std::move(second)});
}

std::string number(double operations) {
    return std::isfinite(operations) ? fmt::format("{:.2g}", operations) : "not made";
}

}  // namespace

std::string cost_text(const compile::Prepared& prepared) {
    const compile::CompiledModel& model = *prepared.compiled;
    const compile::RoadCosts costs = compile::predict_costs(model);
    std::vector<int> rows(static_cast<std::size_t>(model.constraint_rows));
    std::iota(rows.begin(), rows.end(), 0);
    const compile::WatchCosts watch = compile::predict_watch(model, rows);
    return fmt::format(
               "predicted cost of the methods for {} coordinates and {} constraint rows, in "
               "arithmetic operations; the one that is used has a star\n",
               model.n(), model.constraint_rows) +
           choice("which constraints are independent, the start, each row of output",
                  {"full matrices", number(costs.full)}, {"sparse matrices", number(costs.sparse)},
                  model.sparse ? Used::kSecond : Used::kFirst) +
           choice("watching for singular configurations, each step",
                  {"one program", number(watch.program)}, {"sparse matrices", number(watch.sparse)},
                  watch.program > watch.sparse ? Used::kSecond : Used::kFirst) +
           fmt::format(
               "\nThe acceleration is compiled as one program of up to {} operations, else in "
               "segments that bodies of equal structure share.\n",
               model.most_operations);
}

}  // namespace ananke::inspect
