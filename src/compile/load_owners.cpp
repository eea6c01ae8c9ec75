#include "compile/load_owners.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace ananke::compile {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// Coordinates that M or a quaternion ties to each other.
class TiedCoordinates {
  public:
    explicit TiedCoordinates(const CompiledModel& compiled) : leader_(at(compiled.n())) {
        std::iota(leader_.begin(), leader_.end(), 0);
        for (const Place& place : compiled.mass_entries) {
            tie(place.row, place.column);
        }
        for (const solve::CoordinateGroup& group : compiled.groups) {
            for (int i = 1; i < group.count; ++i) {
                tie(group.first, group.first + i);
            }
        }
        members_.resize(leader_.size());
        for (int i = 0; i < compiled.n(); ++i) {
            members_[at(leader(i))].push_back(i);
        }
    }

    const std::vector<int>& with(int i) { return members_[at(leader(i))]; }

  private:
    int leader(int i) {
        while (leader_[at(i)] != i) {
            i = leader_[at(i)] = leader_[at(leader_[at(i)])];
        }
        return i;
    }
    void tie(int i, int j) { leader_[at(leader(i))] = leader(j); }

    std::vector<int> leader_;
    std::vector<std::vector<int>> members_;
};

/// Where the entries of each row begin, and their end.
std::vector<int> first_entries(const CompiledModel& compiled) {
    std::vector<int> first(at(compiled.m()) + 1, 0);
    for (const Place& place : compiled.row_entries) {
        ++first[at(place.row) + 1];
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
    return first;
}

/// Norm rows by the first coordinate of their quaternion.
std::map<int, int> norms_of_quaternions(const CompiledModel& compiled, const mech::Model& model) {
    std::map<int, int> row_of;  // the first, by constraint
    for (int row = compiled.constraint_rows - 1; row >= 0; --row) {
        row_of[compiled.rows[at(row)].constraint] = row;
    }
    std::map<int, int> norms;
    for (const mech::Body& body : model.bodies) {
        const auto row = row_of.find(body.norm);
        if (body.kind == mech::Body::Kind::kSpatial && row != row_of.end()) {
            norms[body.first + 3] = row->second;
        }
    }
    return norms;
}

/// Joints, constraints outside joints and frictions have numbers of their own.
std::pair<int, int> owner_of(const mech::Row& row, const mech::Model& model) {
    const mech::Constraint& constraint = model.constraints[at(row.constraint)];
    return constraint.joint >= 0 ? std::pair(0, constraint.joint) : std::pair(1, row.constraint);
}

}  // namespace

std::vector<solve::LoadOwner> find_load_owners(const CompiledModel& compiled,
                                               const mech::Model& model) {
    std::vector<solve::LoadOwner> owners;
    const std::map<int, int> norms = norms_of_quaternions(compiled, model);
    std::vector<bool> is_norm(at(compiled.m()), false);
    for (const auto& [first, row] : norms) {
        is_norm[at(row)] = true;
    }
    std::map<std::pair<int, int>, std::size_t> place_of;
    const auto add = [&](std::pair<int, int> key, int row) {
        const auto [found, is_new] = place_of.emplace(key, owners.size());
        if (is_new) {
            owners.emplace_back();
        }
        owners[found->second].rows.push_back(row);
    };
    for (int row = 0; row < compiled.constraint_rows; ++row) {
        if (!is_norm[at(row)]) {
            add(owner_of(compiled.rows[at(row)], model), row);
        }
    }
    for (std::size_t f = 0; f < compiled.frictions.size(); ++f) {
        const CompiledFriction& friction = compiled.frictions[f];
        for (int i = 0; i < friction.components && friction.dry; ++i) {
            add({2, static_cast<int>(f)}, friction.first_row + i);
        }
    }
    const std::vector<int> first_entry = first_entries(compiled);
    TiedCoordinates tied(compiled);
    for (solve::LoadOwner& owner : owners) {
        std::vector<int>& coordinates = owner.coordinates;
        for (const int row : owner.rows) {
            for (int i = first_entry[at(row)]; i < first_entry[at(row) + 1]; ++i) {
                const int column = compiled.row_entries[at(i)].column;
                if (std::find(coordinates.begin(), coordinates.end(), column) ==
                    coordinates.end()) {
                    const std::vector<int>& all = tied.with(column);
                    coordinates.insert(coordinates.end(), all.begin(), all.end());
                }
            }
        }
        std::sort(coordinates.begin(), coordinates.end());
        for (std::size_t i = 0; i < coordinates.size(); ++i) {
            if (const auto norm = norms.find(coordinates[i]); norm != norms.end()) {
                owner.quaternions.push_back({static_cast<int>(i), norm->second});
            }
        }
    }
    return owners;
}

std::vector<bool> rows_that_give_way(const CompiledModel& model) {
    std::vector<bool> gives_way(at(model.m()), false);
    for (const solve::LoadOwner& owner : model.load_owners) {
        for (const int row : owner.rows) {
            gives_way[at(row)] = owner.compliances > 0;
        }
    }
    return gives_way;
}

std::vector<std::string> partly_rigid(const CompiledModel& model,
                                      const std::vector<std::vector<int>>& dependent_sets) {
    std::vector<std::string> warnings;
    if (model.compliance_size == 0) {
        return warnings;
    }
    const std::vector<bool> gives_way = rows_that_give_way(model);
    std::vector<bool> shares(gives_way.size(), false);  // the norm of a quaternion does not
    for (const solve::LoadOwner& owner : model.load_owners) {
        for (const int row : owner.rows) {
            shares[at(row)] = true;
        }
    }
    for (const std::vector<int>& set : dependent_sets) {
        std::vector<std::string> rigid;
        bool some = false;
        for (const int row : set) {
            some = some || gives_way[at(row)];
            if (shares[at(row)] && !gives_way[at(row)]) {
                rigid.push_back(model.rows[at(row)].name);
            }
        }
        if (!some || rigid.empty()) {
            continue;
        }
        constexpr std::size_t kShown = 8;
        const std::size_t more = rigid.size() - std::min(rigid.size(), kShown);
        rigid.resize(rigid.size() - more);
        if (more > 0) {
            rigid.push_back(fmt::format("{} more", more));
        }
        const bool one = rigid.size() == 1;
        warnings.push_back(fmt::format(
            "{} {} no compliance and count{} as rigid beside the constraints that share their load "
            "and have one; what that leaves open is shared by the masses",
            join_names(rigid), one ? "has" : "have", one ? "s" : ""));
    }
    return warnings;
}

std::vector<solve::SparseEntry> sparse_load_form(const CompiledModel& model,
                                                 const SparseValues& values,
                                                 const std::vector<bool>& counts) {
    const int n = model.n();
    std::vector<double> mass(at(n), 0.0);
    std::vector<std::vector<std::size_t>> beside(at(n));  // entries of M off the diagonal
    for (std::size_t i = 0; i < model.mass_entries.size(); ++i) {
        const Place& place = model.mass_entries[i];
        if (place.row == place.column) {
            mass[at(place.row)] = values.M[i];
        } else {
            beside[at(place.row)].push_back(i);
        }
    }
    const std::vector<double> diagonal = mass;
    solve::mean_masses(mass, model.groups);
    std::vector<double> work(2 * at(n)), seen(at(model.m()));
    solve::load_units(n, mass.data(), work.data(), model.m(), seen.data(), [&](auto&& use) {
        for (std::size_t i = 0; i < model.row_entries.size(); ++i) {
            const Place& place = model.row_entries[i];
            if (counts[at(place.row)]) {
                use(place.row, place.column, values.A[i]);
            }
        }
    });
    const std::vector<int> first_entry = first_entries(model);
    std::vector<int> local(at(n), -1);
    std::vector<double> all;
    solve::LoadForm form;
    const double* compliances = values.compliances.data();
    for (const solve::LoadOwner& owner : model.load_owners) {
        const std::size_t p = owner.coordinates.size();
        for (std::size_t i = 0; i < p; ++i) {
            local[at(owner.coordinates[i])] = static_cast<int>(i);
        }
        form.begin(owner);
        for (std::size_t i = 0; i < p; ++i) {
            const int column = owner.coordinates[i];
            form.unit[i] = mass[at(column)];
            form.M[i * p + i] = diagonal[at(column)];
            for (const std::size_t entry : beside[at(column)]) {
                const auto j = at(local[at(model.mass_entries[entry].column)]);
                form.M[std::max(i, j) * p + std::min(i, j)] = values.M[entry];
            }
        }
        const auto row_entries = [&](int row, auto&& use) {
            for (int i = first_entry[at(row)]; i < first_entry[at(row) + 1]; ++i) {
                use(local[at(model.row_entries[at(i)].column)], values.A[at(i)]);
            }
        };
        for (std::size_t k = 0; k < owner.rows.size(); ++k) {
            row_entries(owner.rows[k],
                        [&](int column, double value) { form.A[k * p + at(column)] = value; });
        }
        for (std::size_t g = 0; g < owner.quaternions.size(); ++g) {
            const solve::LoadOwner::Quaternion& one = owner.quaternions[g];
            row_entries(one.norm_row, [&](int column, double value) {
                form.norms[4 * g + at(column - one.first)] = value;
            });
        }
        std::copy_n(compliances, form.C.size(), form.C.begin());
        compliances += form.C.size();
        const std::size_t begin = all.size();
        all.resize(begin + at(solve::LoadForm::height(owner)) * owner.rows.size());
        form.find(owner, all.data() + begin);
        for (const int column : owner.coordinates) {
            local[at(column)] = -1;
        }
    }
    solve::LoadForm::weigh_compliances(model.load_owners, all.data());
    std::vector<solve::SparseEntry> K;
    const double* value = all.data();
    int row = 0;
    for (const solve::LoadOwner& owner : model.load_owners) {
        for (int i = 0; i < solve::LoadForm::height(owner); ++i, ++row) {
            for (const int column : owner.rows) {
                if (*value != 0.0) {
                    K.push_back({row, column, *value});
                }
                ++value;
            }
        }
    }
    return K;
}

}  // namespace ananke::compile
