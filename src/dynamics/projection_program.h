// The projection of a step onto the constraints as two straight-line programs, one for positions
// and one for velocities, in the order of elimination of the acceleration. THEORY section 6.
//
//   [ M  J^T ] [  dx ]   [  0   ]
//   [ J   0  ] [ ... ] = [ -phi ]
//
// For states that a step has left near the constraints; solve::Projector takes all others.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "code/recorded_kernel.h"
#include "dynamics/evaluator.h"
#include "dynamics/recording.h"
#include "solve/projection.h"

namespace ananke::dynamics {

/// Largest scaled residual that is left alone, as in solve::ProjectionOptions.
inline constexpr double kSmallResidual = 2e-15;
/// One correction by Newton's method leaves less than round-off of a residual below this.
inline constexpr double kOneCorrection = 1e-9;

class ProjectionProgram {
  public:
    explicit ProjectionProgram(Evaluator& evaluator);

    /// Makes or finds the programs for this order, at a state near the constraints. False if there
    /// is no program. Allocates where the order is a new one.
    bool take(const RowOrder& order, double t, const double* q, const double* v);

    /// The programs of the last take() are those of this order.
    bool holds(const RowOrder& order) const {
        return active_ != nullptr && parameter_changes_ == evaluator_->parameter_changes() &&
               active_->order == order;
    }

    enum class Aim : std::uint8_t {
        kEnough,   ///< as round-off of a step allows
        kOnce,     ///< one correction, where the state is near
        kClosest,  ///< until corrections no longer help
    };
    /// Nothing, and q and v as they were, if the constraints are not met in a few corrections.
    std::optional<solve::ProjectionReport> project(double t, std::span<double> q,
                                                   std::span<double> v, Aim aim = Aim::kEnough);

  private:
    struct Slope {
        compile::Place place;
        double size;  ///< of the entry of J
    };
    /// One program: dx (n), then the residuals of all rows, then the magnitudes of their terms.
    struct Level {
        code::RecordedKernel kernel;
        std::size_t rows;
        std::vector<Slope> slopes = {};   ///< where the program was made
        std::vector<double> floors = {};  ///< rows: least scale of each
    };
    struct Recording {
        RowOrder order;
        Level position, velocity;
        std::size_t sizes = 0;  ///< version of the scales that the floors are of
    };

    std::unique_ptr<Recording> record(const RowOrder& order, double t, const double* q,
                                      const double* v) const;
    Level make_level(bool velocity, const RowOrder& order) const;
    code::RecordedKernel record_level(const code::Program& program, std::size_t rows,
                                      std::span<const compile::Place> places, const RowOrder& order,
                                      std::span<const int> norms) const;
    std::optional<std::vector<solve::Pivot>> own_pivots(std::span<const int> rows, double t,
                                                        const double* q, const double* v) const;
    void take_slopes(Level& level, bool velocity, double t, const double* q, const double* v) const;
    static void follow_sizes(Level& level, std::span<const double> sizes,
                             std::span<const double> tied);
    double measure(Level& level, double t, std::span<double> q, std::span<double> v);
    bool descend(Level& level, double t, std::span<double> q, std::span<double> v, bool velocity,
                 double one_correction, double& residual, double& correction);
    bool descend_closest(Level& level, double t, std::span<double> q, std::span<double> v,
                         bool velocity);

    Evaluator* evaluator_;
    std::size_t n_;
    std::size_t parameter_changes_ = 0;
    std::vector<char> varies_;
    std::vector<std::unique_ptr<Recording>> recordings_;
    Recording* active_ = nullptr;
    std::vector<double> outputs_, kept_q_, kept_v_, before_;
};

}  // namespace ananke::dynamics
