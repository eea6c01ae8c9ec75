// The context of lowering, in which the tree of a file becomes a mech::Model: statements are
// carried out from top to bottom, loops written out.
//
// Parts own their state. Functions that work on several parts take the context:
// expressions.h, paths.h, functions.h, directions.h, rotations.h (values), statements.h (the rest).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lang/bodies.h"
#include "lang/evaluation.h"
#include "lang/files.h"
#include "lang/parse_model.h"
#include "lang/reports.h"
#include "lang/scope.h"
#include "lang/settings.h"
#include "lang/starts.h"
#include "lang/symbols.h"
#include "mech/model.h"

namespace ananke::lang {

/// Where a joint rubs: the statement, and what its names stood for there.
struct Rub {
    const RubDeclaration* node;
    FileScope* scope;
    std::vector<Local> locals;
};

/// What a statement must remember for later statements of its kind.
struct Given {
    std::optional<Span> title, gravity, G_matrix;    ///< given once
    std::unordered_map<std::string, Span> outputs;   ///< by name
    std::unordered_set<std::string> gauges;          ///< "alpha", "G[3]"
    std::optional<mech::Gauge::RowValue> z_for_all;  ///< of no constraint in particular
    std::unordered_map<int, std::vector<Rub>> rubs;  ///< by joint
    std::uint64_t statements = 0;                    ///< carried out, loops written out
    std::size_t imports = 0;
    bool prelude = false;  ///< it has been read
};

struct Lowering {
    Lowering(Sources& all_sources, const Options& given_options,
             std::vector<Diagnostic>& diagnostics);

    Failed fail(Span span, std::string message, Notes notes = {}) {
        return reports.fail(span, std::move(message), std::move(notes));
    }
    /// A mistake in an expression of the present file.
    Failed fail(ExprId at, std::string message, Notes notes = {}) {
        return reports.fail(scope.span(at), std::move(message), std::move(notes));
    }

    /// Who gives the values of the present file.
    Starts::Origin origin() const {
        return scope.is_imported() ? Starts::Origin::kImported : Starts::Origin::kModel;
    }

    Sources& sources;
    const Options& options;
    mech::Model model;
    sym::Graph& graph;  ///< of the model

    Reports reports;
    Scope scope;
    Symbols symbols;
    Bodies bodies;
    Evaluation evaluation;
    Files files;
    std::vector<Setting> settings;
    Starts starts;
    Given given;
    int joint = -1;  ///< whose definition is carried out; -1 for none
};

/// The whole model from its root file. Absent if there are errors.
std::optional<mech::Model> lower_file(Lowering& in, std::uint32_t root,
                                      std::vector<Diagnostic>& diagnostics);

/// The number of a file that holds `name = expression` over these names.
std::optional<double> lower_number(Lowering& in, std::uint32_t file,
                                   std::span<const NamedNumber> names);

}  // namespace ananke::lang
