// MuJoCo's side of the race. Its constraints are soft; here they are as hard as it allows.
#include <cstdlib>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include "race.h"

namespace ananke::bench {
namespace {

constexpr double kTimeStep = 1e-3;

struct Freed {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
    void operator()(mjData* data) const { mj_deleteData(data); }
};
using ModelPointer = std::unique_ptr<mjModel, Freed>;
using DataPointer = std::unique_ptr<mjData, Freed>;

std::string numbers(const Eigen::Vector3d& r) {
    return fmt::format("{:.17g} {:.17g} {:.17g}", r.x(), r.y(), r.z());
}

std::string document(const std::string& gravity, const std::string& bodies,
                     const std::string& equalities) {
    return fmt::format(
        R"(<mujoco><size njmax="4000" nconmax="1" nstack="40000000"/>
<option timestep="{}" gravity="{}" integrator="RK4" solver="Newton" tolerance="1e-15"
 iterations="100"><flag contact="disable"/></option>
<default><equality solref="{} 1" solimp="0.9999 0.9999 0.001 0.5 2"/></default>
<worldbody>{}</worldbody><equality>{}</equality></mujoco>)",
        kTimeStep, gravity, 2 * kTimeStep, bodies, equalities);
}

/// Files that include each other: the reader takes no more than a hundred levels in one.
class Files {
  public:
    Files() : files_(std::make_unique<mjVFS>()) { mj_defaultVFS(files_.get()); }
    ~Files() {
        if (files_) {
            mj_deleteVFS(files_.get());
        }
    }
    Files(Files&&) = default;
    Files& operator=(Files&&) = delete;

    void add(const std::string& name, const std::string& text) {
        mj_makeEmptyFileVFS(files_.get(), name.c_str(), static_cast<int>(text.size()));
        std::memcpy(files_->filedata[mj_findFileVFS(files_.get(), name.c_str())], text.data(),
                    text.size());
    }
    const mjVFS* get() const { return files_.get(); }

  private:
    std::unique_ptr<mjVFS> files_;
};

class Simulation {
  public:
    explicit Simulation(const std::string& xml, Files files = {}) {
        files.add("race.xml", xml);
        char message[1000] = "";
        model.reset(mj_loadXML("race.xml", files.get(), message, sizeof message));
        if (!model) {
            mju_error(message);
        }
        data.reset(mj_makeData(model.get()));
    }
    void accelerate() { mj_forward(model.get(), data.get()); }

    ModelPointer model;
    DataPointer data;
};

std::string inertial(double mass, const Eigen::Vector3d& inertia) {
    return fmt::format(R"(<inertial pos="0 0 0" mass="{}" diaginertia="{}"/>)", mass,
                       numbers(inertia));
}

/// Links inside each other, on ball joints; `files` gets what does not fit into one.
std::string nested_links(const Chain& chain, Files& files) {
    constexpr std::size_t kLevels = 40;
    std::string text;
    for (std::size_t i = chain.half.size(); i-- > 0;) {
        const Eigen::Vector3d place =
            chain.half[i] + (i == 0 ? Eigen::Vector3d::Zero().eval() : chain.half[i - 1]);
        text = fmt::format(
            R"(<body name="link{}" pos="{}"><joint type="ball" pos="{}"/>{}{}</body>)", i,
            numbers(place), numbers(-chain.half[i]), inertial(kLinkMass, kLinkInertia), text);
        if (i > 0 && i % kLevels == 0) {
            const std::string name = fmt::format("links{}.xml", i);
            files.add(name, "<mujocoinclude>" + text + "</mujocoinclude>");
            text = fmt::format(R"(<include file="{}"/>)", name);
        }
    }
    return text;
}

std::string free_links(const Chain& chain) {
    std::string text;
    for (std::size_t i = 0; i < chain.half.size(); ++i) {
        text += fmt::format(R"(<body name="link{}" pos="{}"><freejoint/>{}</body>)", i,
                            numbers(chain.centre[i]), inertial(kLinkMass, kLinkInertia));
    }
    return text;
}

std::string joint_equalities(const Chain& chain) {
    std::string text;
    for (std::size_t i = 0; i < chain.half.size(); ++i) {
        const std::string other = i == 0 ? "" : fmt::format(R"(body2="link{}")", i - 1);
        text += fmt::format(R"(<connect body1="link{}" {} anchor="{}"/>)", i, other,
                            numbers(-chain.half[i]));
    }
    return text;
}

std::string chain_document(const Chain& chain, bool redundant, Files& files) {
    std::string equalities = redundant ? joint_equalities(chain) : "";
    if (chain.closed) {
        equalities += fmt::format(R"(<connect body1="link{}" anchor="{}"/>)", chain.links - 1,
                                  numbers(chain.half.back()));
    }
    return document(fmt::format("0 0 {}", -kGravity),
                    redundant ? free_links(chain) : nested_links(chain, files), equalities);
}

void set_velocities(const Chain& chain, bool redundant, mjData& data) {
    double* u = data.qvel;
    Eigen::Vector3d before = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < chain.half.size(); ++i) {
        if (redundant) {
            u = std::copy(chain.velocity[i].begin(), chain.velocity[i].end(), u);
        }
        const Eigen::Vector3d own = redundant ? chain.omega[i] : chain.omega[i] - before;
        u = std::copy(own.begin(), own.end(), u);
        before = chain.omega[i];
    }
}

/// Ball joints: alpha_i = alpha_(i-1) + w' + omega_(i-1) x w with the relative w.
std::vector<Eigen::Vector3d> angular_accelerations(const Chain& chain, bool redundant,
                                                   const mjData& data) {
    std::vector<Eigen::Vector3d> alpha;
    for (std::size_t i = 0; i < chain.half.size(); ++i) {
        const Eigen::Map<const Eigen::Vector3d> own(data.qacc + (redundant ? 6 * i + 3 : 3 * i));
        if (redundant || i == 0) {
            alpha.emplace_back(own);
        } else {
            const Eigen::Vector3d relative = chain.omega[i] - chain.omega[i - 1];
            alpha.emplace_back(alpha.back() + own + chain.omega[i - 1].cross(relative));
        }
    }
    return alpha;
}

void race_chain(const Chain& chain, bool redundant, const char* problem) {
    Files files;
    const std::string xml = chain_document(chain, redundant, files);
    Simulation simulation(xml, std::move(files));
    set_velocities(chain, redundant, *simulation.data);
    simulation.accelerate();
    const double error = relative_error(angular_accelerations(chain, redundant, *simulation.data),
                                        exact_angular_accelerations(chain));
    print_row(problem, chain.links, seconds_per_call([&] { simulation.accelerate(); }), error,
              redundant || chain.closed ? "soft constraints" : "joint coordinates");
}

/// Upright in the document; every loop is closed at two points of the hinge's axis.
std::string four_bars_document(int count) {
    const std::string upright = inertial(1.0, {kBarInertia, kBarAxialInertia, kBarInertia});
    const std::string level = inertial(1.0, {kBarAxialInertia, kBarInertia, kBarInertia});
    std::string bodies;
    std::string equalities;
    for (int i = 0; i <= count; ++i) {
        bodies += fmt::format(
            R"(<body name="upright{}" pos="{} 0.5 0"><joint type="hinge" axis="0 0 1" pos="0 -0.5 0"/>{})",
            i, i, upright);
        if (i < count) {
            bodies += fmt::format(
                R"(<body name="level{}" pos="0.5 0.5 0"><joint type="hinge" axis="0 0 1" pos="-0.5 0 0"/>{}</body>)",
                i, level);
        }
        bodies += "</body>";
        for (const char* side : {"-0.1", "0.1"}) {
            if (i > 0) {
                equalities +=
                    fmt::format(R"(<connect body1="level{}" body2="upright{}" anchor="0.5 0 {}"/>)",
                                i - 1, i, side);
            }
        }
    }
    return document(fmt::format("0 {} 0", -kGravity), bodies, equalities);
}

/// Hinges stand in the order upright, level, upright, ..., upright.
void set_tilt(Simulation& simulation, double tilt) {
    for (int i = 0; i < simulation.model->nv; ++i) {
        const double sign = i % 2 == 0 ? -1.0 : 1.0;
        simulation.data->qpos[i] = sign * tilt;
        simulation.data->qvel[i] = sign;
    }
}

void race_four_bars(int count) {
    Simulation simulation(four_bars_document(count));
    set_tilt(simulation, kTilt);
    simulation.accelerate();
    const double exact = exact_four_bars_acceleration(count);
    double error = 0.0;
    for (int i = 0; i < simulation.model->nv; i += 2) {
        error = std::max(error, std::abs(simulation.data->qacc[i] - exact) / std::abs(exact));
    }
    print_row(kFourBars, count, seconds_per_call([&] { simulation.accelerate(); }), error,
              "soft constraints");
}

void race_four_bars_motion(int count) {
    Simulation simulation(four_bars_document(count));
    set_tilt(simulation, 0.0);
    const double began = cpu_seconds();
    const auto steps = static_cast<int>(kMotionEnd / kTimeStep + 0.5);
    for (int i = 0; i < steps; ++i) {
        mj_step(simulation.model.get(), simulation.data.get());
        if (cpu_seconds() - began > kLongestMotion) {
            print_row(kFourBarsMotion, count, 0.0, 0.0,
                      fmt::format("stopped at t = {:.3g} after a minute", simulation.data->time));
            return;
        }
    }
    const double seconds = cpu_seconds() - began;
    const double angle = simulation.data->qpos[0];
    print_row(kFourBarsMotion, count, seconds,
              four_bars_tip_error(count, {-std::sin(angle), std::cos(angle), 0}),
              fmt::format("RK4; step {}; soft constraints", kTimeStep));
}

[[noreturn]] void fail(const char* message) {
    fmt::print(stderr, "race_mujoco: {}\n", message);
    std::exit(1);
}

void race() {
    mju_user_error = fail;  // its own asks for a key
    print_build("MuJoCo", "Debian " ANANKE_PEER_VERSION ": -O2");
    for (const int n : kSizes) {
        const Chain chain(n, false);
        race_chain(chain, false, kOpenChain);
        race_chain(chain, true, kRedundantChain);
    }
    for (const int n : kClosedSizes) {
        race_chain(Chain(n, true), false, kClosedChain);
    }
    for (const int n : kSizes) {
        race_four_bars(n);
        race_four_bars_motion(n);
    }
}

}  // namespace
}  // namespace ananke::bench

int main() {
    ananke::bench::race();
    return 0;
}
