// What a report page shows, as data: the contract with app/viewer (its src/report.ts).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/data_block.h"

namespace ananke::report {

using Vector = std::array<double, 3>;

/// `rows` values in the data block.
struct StoredColumn {
    std::string name;
    std::string kind;  ///< time, position, ... as the recorder's columns
    std::size_t offset = 0;
    bool wide = false;   ///< f64, else f32
    std::string unit{};  ///< "" where none is known
};

/// Three (a place) or four (a quaternion w x y z) f32 per row.
struct Track {
    std::size_t offset = 0;
    int width = 3;
};

struct Shape {
    enum class Kind { kSphere, kBox, kCylinder, kLine };
    Kind kind = Kind::kSphere;
    double radius = 0.0;                                 ///< sphere, cylinder
    double length = 0.0;                                 ///< cylinder
    Vector size{};                                       ///< box
    Vector axis{};                                       ///< cylinder
    Vector at{};                                         ///< middle; start of a line. Body axes
    Vector to{};                                         ///< end of a line
    std::array<double, 4> rotation{1.0, 0.0, 0.0, 0.0};  ///< of a box, body axes
};

struct ScenePoint {
    enum class Kind { kParticle, kPoint, kGround };
    std::string name;
    Track track;
    Kind kind = Kind::kPoint;
    std::optional<double> mass{};
    std::string color{};  ///< "#rrggbb", or "" for the page's choice
    bool trail = false;
    std::optional<double> size{};
};

struct SceneBody {
    std::string name;
    Track position;
    std::optional<Track> rotation{};
    std::vector<Shape> shapes{};
    std::string color{};
    bool trail = false;
    double mass = 0.0;
};

struct SceneJoint {
    struct Place {
        int body = -1;  ///< in Scene::bodies; -1: the ground
        Track track;
    };
    std::string name;
    std::string definition;
    std::vector<Place> places;
};

struct SceneLink {
    bool spring = false;
    int from = 0, to = 0;  ///< in Scene::points
    std::string color{};
    std::string label{};
};

struct SceneArrow {
    std::string owner;  ///< constraint or joint
    std::string on;     ///< point or body
    bool torque = false;
    Track at;
    std::array<int, 3> columns{};  ///< in Report::columns; -1: zero
    int size = -1;                 ///< in Report::columns: its magnitude, or its only component
    bool unique = true;
    std::string note{};
};

struct SceneCamera {
    Vector from{}, to{};
};

struct Scene {
    bool planar = false;
    Vector up{0.0, 0.0, 1.0};
    double length = 1.0;  ///< typical of the drawing
    std::optional<SceneCamera> camera;
    std::vector<ScenePoint> points;
    std::vector<SceneBody> bodies;
    std::vector<SceneJoint> joints;
    std::vector<SceneLink> links;
    std::vector<SceneArrow> arrows;
    std::vector<int> rails;  ///< points that stand for one coordinate: beads along x
};

struct Table {
    std::string title;
    std::string note{};
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;
};

struct PlotSpec {
    std::string title;
    std::string x = "t";
    std::vector<std::string> y;
    bool log = false;
    bool compare = false;
    std::string note{};
};

struct EquationBlock {
    std::string title;
    std::string latex;
    std::string note{};
};

struct Comparison {
    std::string label;
    std::size_t rows = 0;
    std::vector<StoredColumn> columns;
};

struct ReportEvent {
    double t = 0.0;
    std::string name, kind, detail;
};

struct Report {
    std::string version, title, model_text, file;
    std::vector<std::pair<std::string, double>> parameters;
    std::string ending;
    std::vector<std::pair<std::string, std::string>> summary;
    std::vector<Table> tables;
    std::vector<ReportEvent> events;
    std::size_t rows = 0;
    std::vector<StoredColumn> columns;
    std::optional<Comparison> compare;
    std::vector<PlotSpec> plots;
    std::vector<EquationBlock> equations;
    Scene scene;
    DataBlock data;
};

/// Everything but the data block.
std::string to_json(const Report& report);

}  // namespace ananke::report
