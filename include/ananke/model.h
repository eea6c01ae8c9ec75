// A model read from text, derived and compiled: what can be checked and run.
//
//   ananke::Loaded loaded = ananke::load_model("pendulum.ank", {.settings = {"L=2"}});
//   if (!loaded.model) std::cerr << loaded.report();
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ananke/record.h"
#include "ananke/result.h"

namespace ananke {

/// Of the library, as "0.1.0".
std::string_view version();

/// The known name nearest to `wanted`, or "" when none is near enough to be a likely slip: what
/// messages propose.
std::string nearest_name(std::string_view wanted, std::span<const std::string> known);

struct LoadOptions {
    /// "name=value" for parameters and initial values: "L=2", "x'=0.5", "x~1" (a guess).
    std::vector<std::string> settings{};
    /// "x=1e-6", "x'=2": typical sizes, where the program cannot know them.
    std::vector<std::string> scales{};
    std::vector<std::string> without{};  ///< constraints left out; `*` matches any run of letters
    /// Where imports are looked up that are not beside the importing file; "" for nowhere.
    std::string prelude_directory{};
};

/// Something about the text of a model, and where.
struct Message {
    bool is_error = true;  ///< else a warning
    std::string file;
    std::size_t line = 0;    ///< from 1
    std::size_t column = 0;  ///< from 1, in code points
    std::string text;        ///< one sentence: what was found
    std::vector<std::string> notes;
};

struct Parameter {
    std::string name;
    double value = 0.0;
    bool structural = false;  ///< a loop bound or an index
};

/// One scalar constraint.
struct ConstraintRow {
    std::string name;  ///< "rod", "c[2]" for the second row of a vector constraint
    std::string kind;  ///< "holonomic, scleronomic", ...
    bool servo = false;
};

/// What the `simulate` statement says.
struct Simulation {
    double until = 0.0;
    std::optional<double> every;
    std::optional<double> max_step;
    bool stiff = false;
};

/// Constant; copies share what they hold, and threads may share a model.
class Model {
  public:
    const std::string& title() const;
    const std::string& text() const;                ///< of the file itself, without its imports
    const std::vector<std::string>& files() const;  ///< paths that were read, imports among them
    std::vector<std::string> coordinates() const;
    std::vector<Parameter> parameters() const;
    std::vector<ConstraintRow> constraints() const;
    std::vector<Column> columns() const;  ///< of a run
    std::optional<Simulation> simulation() const;
    /// The value of an expression of numbers, pi, deg, functions and parameters. The error is one
    /// sentence that begins with `what`: "--until", say.
    Result<double> value_of(const std::string& what, const std::string& expression) const;

    struct Data;
    explicit Model(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
    const Data& data() const { return *data_; }

  private:
    std::shared_ptr<const Data> data_;
};

struct Loaded {
    std::optional<Model> model;     ///< absent if anything is wrong
    std::vector<Message> messages;  ///< errors and warnings about the text
    std::vector<Error> errors;      ///< about the options
    std::string rendered;           ///< the messages with their source lines, for a person

    /// All of it for a person: `rendered`, then a line per error.
    std::string report() const;
};

/// Reads, derives and compiles. All errors of a text are found in one go.
Loaded load_model(const std::string& path, const LoadOptions& options = {});

/// `name` is shown in messages; imports are looked up beside it.
Loaded load_model_text(std::string name, std::string text, const LoadOptions& options = {});

}  // namespace ananke
