#include "judge.h"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "text.h"

namespace mechanisms {

namespace {

// The program's global error may be this many times what a start and steps of its tolerance make,
// and this many tolerances where the motion magnifies nothing.
constexpr double kOfDifference = 20.0;
constexpr double kOfTolerance = 10.0;
/// Motions that magnify errors beyond this are not compared any further.
constexpr double kUnknown = 1e-4;
/// Sizes of mechanisms are about 1 in SI units; a group of numbers that vanish is measured by this.
constexpr double kSmall = 0.1;

/// One compared number of a row.
struct Entry {
    std::string name;
    std::string group;  ///< numbers of one group have one scale
    double expected, beside, found;
};

class Rows {
  public:
    Rows(const Mechanism& m, const Units& units) : m_(m), units_(units) {
        names_ = position_names(m);
        dimensions_ = position_dimensions(m);
    }

    std::vector<Entry> entries(const Sample& sample, const Sample& beside, const Table& table,
                               std::size_t row) const {
        std::vector<Entry> all;
        const auto read = [&](const std::string& column, Dimension d) {
            return table.has(column) ? table.at(row, column) / units_.factor(d) : std::nan("");
        };
        for (std::size_t i = 0; i < names_.size(); ++i) {
            const auto k = static_cast<Eigen::Index>(i);
            const Dimension d = dimensions_[i];
            const std::string kind = std::to_string(d.length) + std::to_string(d.mass);
            all.push_back({names_[i], "q" + kind, sample.q[k], beside.q[k], read(names_[i], d)});
            all.push_back({names_[i] + "'", "v" + kind, sample.v[k], beside.v[k],
                           read(names_[i] + "'", d / kTime)});
            all.push_back({names_[i] + "''", "a" + kind, sample.a[k], beside.a[k],
                           read(names_[i] + "''", d / kTime / kTime)});
        }
        for (const Coordinate& c : m_.coordinates) {
            const std::string column = "Qc[" + c.name + "]";
            const std::string kind = "Qc" + std::to_string(c.dimension.length);
            // A model without constraints has no such columns.
            if (table.has(column)) {
                all.push_back({column, kind, sample.Qc[c.w], beside.Qc[c.w],
                               read(column, kEnergy / c.dimension)});
            }
        }
        for (const SpatialBody& b : m_.spatial) {
            body_forces(b, sample, beside, read, all);
        }
        all.push_back(
            {"kinetic", "energy", sample.kinetic, beside.kinetic, read("kinetic", kEnergy)});
        all.push_back({"potential", "energy", sample.potential, beside.potential,
                       read("potential", kEnergy)});
        return all;
    }

  private:
    /// Qc of the mass centre, and the torque that Qc of the quaternion stands for:
    /// Qc_u . u' = torque . omega with u' = omega u/2.
    void body_forces(const SpatialBody& b, const Sample& sample, const Sample& beside,
                     const std::function<double(const std::string&, Dimension)>& read,
                     std::vector<Entry>& all) const {
        const char* places[] = {".x", ".y", ".z"};
        for (int i = 0; i < 3; ++i) {
            const std::string column = "Qc[" + b.name + places[i] + "]";
            all.push_back(
                {column, "Qc1", sample.Qc[b.w + i], beside.Qc[b.w + i], read(column, kForce)});
        }
        Eigen::Vector4d of_quaternion;
        for (int i = 0; i < 4; ++i) {
            of_quaternion[i] = read("Qc[" + b.name + ".u" + std::to_string(i) + "]", kEnergy);
        }
        for (int i = 0; i < 3; ++i) {
            const Vector3d e = Vector3d::Unit(i);
            const Eigen::Vector4d turn = quaternion_product(
                Eigen::Vector4d(0.0, e.x(), e.y(), e.z()), sample.q.segment<4>(b.q + 3));
            all.push_back({"torque of Qc on " + b.name + places[i], "Qc0", sample.Qc[b.w + 3 + i],
                           beside.Qc[b.w + 3 + i], 0.5 * of_quaternion.dot(turn)});
        }
    }

    const Mechanism& m_;
    const Units& units_;
    std::vector<std::string> names_;
    std::vector<Dimension> dimensions_;
};

/// What is known of a group of numbers up to a time.
struct Group {
    double size = kSmall;
    double difference = 0.0;
};

std::string refusal(const ProgramRun& run) {
    return fmt::format("exit {}: {}", run.exit_code, run.messages.substr(0, 600));
}

}  // namespace

Reference refer(const Mechanism& mechanism, const std::vector<double>& times, double tolerance) {
    constexpr double kFine = 1e-12;
    Reference reference;
    reference.times = times;
    reference.motion = integrate(mechanism, times, kFine);
    reference.beside = integrate_beside(mechanism, times, tolerance, tolerance, 1);
    return reference;
}

ProgramRun run_mechanism(const Mechanism& mechanism, const Units& units,
                         const std::vector<double>& times, double tolerance,
                         const std::vector<std::string>& options) {
    std::vector<double> scaled;
    for (const double t : times) {
        scaled.push_back(std::stod(units.number(t, kTime)));
    }
    std::vector<std::string> all{"--tolerance", exact_text(tolerance)};
    all.insert(all.end(), options.begin(), options.end());
    return run_program(model_text(mechanism, units, mechanism.family), scaled, all);
}

Finding judge(const Mechanism& mechanism, const Reference& reference, const ProgramRun& run,
              const Units& units, double tolerance) {
    Finding finding;
    const std::size_t known =
        std::min(reference.motion.samples.size(), reference.beside.samples.size());
    const Rows rows(mechanism, units);
    std::map<std::string, Group> groups;
    std::size_t compared = 0;
    for (; compared < std::min(known, run.table.rows.size()); ++compared) {
        const std::vector<Entry> entries =
            rows.entries(reference.motion.samples[compared], reference.beside.samples[compared],
                         run.table, compared);
        for (const Entry& e : entries) {
            Group& group = groups[e.group];
            group.size = std::max(group.size, std::abs(e.expected));
            group.difference = std::max(group.difference, std::abs(e.beside - e.expected));
        }
        const auto unknown = [](const auto& g) {
            return g.second.difference > kUnknown * g.second.size;
        };
        if (std::any_of(groups.begin(), groups.end(), unknown)) {
            break;
        }
        for (const Entry& e : entries) {
            const Group& group = groups[e.group];
            const double allowed =
                kOfDifference * group.difference + kOfTolerance * tolerance * group.size;
            const double part = std::abs(e.found - e.expected) / allowed;
            if (!(part <= finding.worst)) {
                finding.worst = std::isnan(part) ? HUGE_VAL : part;
                finding.detail = fmt::format(
                    "{} at t = {}: {:.15g} instead of {:.15g}, {:.3g} times what is allowed",
                    e.name, reference.times[compared], e.found, e.expected, part);
            }
        }
    }
    finding.compared = compared;
    if (finding.worst > 1.0) {
        finding.verdict = Verdict::kWrong;
    } else if (run.exit_code != 0 && compared < known && compared == run.table.rows.size()) {
        finding.verdict = Verdict::kRefused;
        finding.detail = refusal(run);
    } else if (compared < 2) {
        finding.verdict = Verdict::kUnknown;
        finding.detail = reference.motion.end + reference.beside.end;
    }
    return finding;
}

}  // namespace mechanisms
