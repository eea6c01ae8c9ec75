#include <string_view>

#include "report/json.h"
#include "report/report.h"

namespace ananke::report {
namespace {

void optional_text(JsonWriter& json, std::string_view name, const std::string& text) {
    if (!text.empty()) {
        json.field(name, text);
    }
}

void strings(JsonWriter& json, std::string_view name, const std::vector<std::string>& list) {
    json.key(name).begin_array();
    for (const std::string& text : list) {
        json.value(text);
    }
    json.end_array();
}

void track(JsonWriter& json, std::string_view name, const Track& track) {
    json.key(name).begin_object();
    json.field("offset", track.offset).field("width", track.width).end_object();
}

void series(JsonWriter& json, std::string_view name, const std::vector<Series>& columns) {
    json.key(name).begin_array();
    for (const Series& column : columns) {
        json.begin_object().field("name", column.name).field("kind", column.kind);
        json.field("offset", column.offset).field("type", column.wide ? "f64" : "f32");
        optional_text(json, "unit", column.unit);
        json.end_object();
    }
    json.end_array();
}

void shape(JsonWriter& json, const Shape& shape) {
    json.begin_object();
    switch (shape.kind) {
        case Shape::Kind::kSphere:
            json.field("kind", "sphere").field("radius", shape.radius);
            break;
        case Shape::Kind::kBox:
            json.field("kind", "box").key("size").numbers(shape.size);
            json.key("rotation").numbers(shape.rotation);
            break;
        case Shape::Kind::kCylinder:
            json.field("kind", "cylinder").field("radius", shape.radius);
            json.field("length", shape.length).key("axis").numbers(shape.axis);
            break;
        case Shape::Kind::kLine:
            json.field("kind", "line").key("from").numbers(shape.at);
            json.key("to").numbers(shape.to).end_object();
            return;
    }
    json.key("at").numbers(shape.at).end_object();
}

std::string_view kind_name(ScenePoint::Kind kind) {
    return kind == ScenePoint::Kind::kParticle ? "particle"
           : kind == ScenePoint::Kind::kPoint  ? "point"
                                               : "ground";
}

void points_and_bodies(JsonWriter& json, const Scene& scene) {
    json.key("points").begin_array();
    for (const ScenePoint& point : scene.points) {
        json.begin_object().field("name", point.name).field("kind", kind_name(point.kind));
        track(json, "track", point.track);
        json.field("trail", point.trail);
        if (point.mass) {
            json.field("mass", *point.mass);
        }
        if (point.size) {
            json.field("size", *point.size);
        }
        optional_text(json, "color", point.color);
        json.end_object();
    }
    json.end_array().key("bodies").begin_array();
    for (const SceneBody& body : scene.bodies) {
        json.begin_object().field("name", body.name).field("mass", body.mass);
        track(json, "position", body.position);
        if (body.rotation) {
            track(json, "rotation", *body.rotation);
        } else {
            json.key("rotation").null();
        }
        json.field("trail", body.trail).key("shapes").begin_array();
        for (const Shape& one : body.shapes) {
            shape(json, one);
        }
        json.end_array();
        optional_text(json, "color", body.color);
        json.end_object();
    }
    json.end_array();
}

void connections(JsonWriter& json, const Scene& scene) {
    json.key("joints").begin_array();
    for (const SceneJoint& joint : scene.joints) {
        json.begin_object().field("name", joint.name).field("definition", joint.definition);
        json.key("places").begin_array();
        for (const SceneJoint::Place& place : joint.places) {
            json.begin_object().field("body", place.body);
            track(json, "track", place.track);
            json.end_object();
        }
        json.end_array().end_object();
    }
    json.end_array().key("links").begin_array();
    for (const SceneLink& link : scene.links) {
        json.begin_object().field("kind", link.spring ? "spring" : "line");
        json.field("from", link.from).field("to", link.to);
        optional_text(json, "color", link.color);
        optional_text(json, "label", link.label);
        json.end_object();
    }
    json.end_array().key("arrows").begin_array();
    for (const SceneArrow& arrow : scene.arrows) {
        json.begin_object().field("owner", arrow.owner).field("on", arrow.on);
        json.field("what", arrow.torque ? "torque" : "force");
        track(json, "at", arrow.at);
        json.key("columns").begin_array();
        for (const int column : arrow.columns) {
            json.value(column);
        }
        json.end_array().field("unique", arrow.unique);
        optional_text(json, "note", arrow.note);
        json.end_object();
    }
    json.end_array().key("rails").begin_array();
    for (const int point : scene.rails) {
        json.begin_object().field("point", point);
        json.key("axis").numbers(Vector{1.0, 0.0, 0.0}).end_object();
    }
    json.end_array();
}

void scene(JsonWriter& json, const Scene& scene, std::size_t frames) {
    json.key("scene").begin_object().field("planar", scene.planar);
    json.key("up").numbers(scene.up).field("length", scene.length).field("frames", frames);
    if (scene.camera) {
        json.key("camera").begin_object();
        json.key("from").numbers(scene.camera->from).key("to").numbers(scene.camera->to);
        json.end_object();
    }
    points_and_bodies(json, scene);
    connections(json, scene);
    json.end_object();
}

void findings(JsonWriter& json, const Report& report) {
    json.key("summary").begin_array();
    for (const auto& [label, text] : report.summary) {
        json.begin_object().field("label", label).field("value", text).end_object();
    }
    json.end_array().key("tables").begin_array();
    for (const Table& table : report.tables) {
        json.begin_object().field("title", table.title);
        optional_text(json, "note", table.note);
        strings(json, "head", table.head);
        json.key("rows").begin_array();
        for (const std::vector<std::string>& row : table.rows) {
            json.begin_array();
            for (const std::string& cell : row) {
                json.value(cell);
            }
            json.end_array();
        }
        json.end_array().end_object();
    }
    json.end_array().key("events").begin_array();
    for (const ReportEvent& event : report.events) {
        json.begin_object().field("t", event.t).field("name", event.name);
        json.field("kind", event.kind).field("detail", event.detail).end_object();
    }
    json.end_array();
}

void plots_and_equations(JsonWriter& json, const Report& report) {
    json.key("plots").begin_array();
    for (const PlotSpec& plot : report.plots) {
        json.begin_object().field("title", plot.title).field("x", plot.x);
        strings(json, "y", plot.y);
        if (plot.log) {
            json.field("log", true);
        }
        if (plot.compare) {
            json.field("compare", true);
        }
        optional_text(json, "note", plot.note);
        json.end_object();
    }
    json.end_array().key("equations").begin_array();
    for (const EquationBlock& block : report.equations) {
        json.begin_object().field("title", block.title).field("latex", block.latex);
        optional_text(json, "note", block.note);
        json.end_object();
    }
    json.end_array();
}

}  // namespace

std::string to_json(const Report& report) {
    JsonWriter json;
    json.begin_object().field("format", 1).field("version", report.version);
    json.field("title", report.title).field("modelText", report.model_text);
    json.field("file", report.file).key("parameters").begin_array();
    for (const auto& [name, number] : report.parameters) {
        json.begin_object().field("name", name).field("value", number).end_object();
    }
    json.end_array().field("ending", report.ending).field("rows", report.rows);
    findings(json, report);
    series(json, "columns", report.columns);
    if (report.compare) {
        json.key("compare").begin_object().field("label", report.compare->label);
        json.field("rows", report.compare->rows);
        series(json, "columns", report.compare->columns);
        json.end_object();
    }
    plots_and_equations(json, report);
    scene(json, report.scene, report.rows);
    json.end_object();
    return json.text();
}

}  // namespace ananke::report
