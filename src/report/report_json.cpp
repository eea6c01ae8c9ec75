#include <string_view>

#include "report/json.h"
#include "report/report.h"

namespace ananke::report {
namespace {

void write_track(JsonWriter& json, std::string_view name, const Track& track) {
    json.key(name).begin_object();
    json.field("offset", track.offset).field("width", track.width).end_object();
}

void write_columns(JsonWriter& json, const std::vector<Series>& columns) {
    json.objects("columns", columns, [&](const Series& column) {
        json.field("name", column.name).field("kind", column.kind);
        json.field("offset", column.offset).field("type", column.wide ? "f64" : "f32");
        json.field_unless_empty("unit", column.unit);
    });
}

void write_shape(JsonWriter& json, const Shape& shape) {
    switch (shape.kind) {
        case Shape::Kind::kSphere:
            json.field("kind", "sphere").field("radius", shape.radius);
            break;
        case Shape::Kind::kBox:
            json.field("kind", "box").field("size", shape.size).field("rotation", shape.rotation);
            break;
        case Shape::Kind::kCylinder:
            json.field("kind", "cylinder").field("radius", shape.radius);
            json.field("length", shape.length).field("axis", shape.axis);
            break;
        case Shape::Kind::kLine:
            json.field("kind", "line").field("from", shape.at).field("to", shape.to);
            return;
    }
    json.field("at", shape.at);
}

std::string_view kind_name(ScenePoint::Kind kind) {
    return kind == ScenePoint::Kind::kParticle ? "particle"
           : kind == ScenePoint::Kind::kPoint  ? "point"
                                               : "ground";
}

void write_points_and_bodies(JsonWriter& json, const Scene& scene) {
    json.objects("points", scene.points, [&](const ScenePoint& point) {
        json.field("name", point.name).field("kind", kind_name(point.kind));
        write_track(json, "track", point.track);
        json.field("trail", point.trail);
        if (point.mass) {
            json.field("mass", *point.mass);
        }
        if (point.size) {
            json.field("size", *point.size);
        }
        json.field_unless_empty("color", point.color);
    });
    json.objects("bodies", scene.bodies, [&](const SceneBody& body) {
        json.field("name", body.name).field("mass", body.mass);
        write_track(json, "position", body.position);
        if (body.rotation) {
            write_track(json, "rotation", *body.rotation);
        } else {
            json.key("rotation").null();
        }
        json.field("trail", body.trail);
        json.objects("shapes", body.shapes, [&](const Shape& shape) { write_shape(json, shape); });
        json.field_unless_empty("color", body.color);
    });
}

void write_connections(JsonWriter& json, const Scene& scene) {
    json.objects("joints", scene.joints, [&](const SceneJoint& joint) {
        json.field("name", joint.name).field("definition", joint.definition);
        json.objects("places", joint.places, [&](const SceneJoint::Place& place) {
            json.field("body", place.body);
            write_track(json, "track", place.track);
        });
    });
    json.objects("links", scene.links, [&](const SceneLink& link) {
        json.field("kind", link.spring ? "spring" : "line");
        json.field("from", link.from).field("to", link.to);
        json.field_unless_empty("color", link.color).field_unless_empty("label", link.label);
    });
    json.objects("arrows", scene.arrows, [&](const SceneArrow& arrow) {
        json.field("owner", arrow.owner).field("on", arrow.on);
        json.field("what", arrow.torque ? "torque" : "force");
        write_track(json, "at", arrow.at);
        json.field("columns", arrow.columns).field("unique", arrow.unique);
        json.field_unless_empty("note", arrow.note);
    });
    json.objects("rails", scene.rails, [&](int point) {
        json.field("point", point).field("axis", Vector{1.0, 0.0, 0.0});
    });
}

void write_scene(JsonWriter& json, const Scene& scene, std::size_t frames) {
    json.key("scene").begin_object().field("planar", scene.planar).field("up", scene.up);
    json.field("length", scene.length).field("frames", frames);
    if (scene.camera) {
        json.key("camera").begin_object();
        json.field("from", scene.camera->from).field("to", scene.camera->to).end_object();
    }
    write_points_and_bodies(json, scene);
    write_connections(json, scene);
    json.end_object();
}

void write_findings(JsonWriter& json, const Report& report) {
    json.objects("summary", report.summary, [&](const auto& fact) {
        json.field("label", fact.first).field("value", fact.second);
    });
    json.objects("tables", report.tables, [&](const Table& table) {
        json.field("title", table.title).field_unless_empty("note", table.note);
        json.field("head", table.head).field("rows", table.rows);
    });
    json.objects("events", report.events, [&](const ReportEvent& event) {
        json.field("t", event.t).field("name", event.name);
        json.field("kind", event.kind).field("detail", event.detail);
    });
}

void write_plots_and_equations(JsonWriter& json, const Report& report) {
    json.objects("plots", report.plots, [&](const PlotSpec& plot) {
        json.field("title", plot.title).field("x", plot.x).field("y", plot.y);
        if (plot.log) {
            json.field("log", true);
        }
        if (plot.compare) {
            json.field("compare", true);
        }
        json.field_unless_empty("note", plot.note);
    });
    json.objects("equations", report.equations, [&](const EquationBlock& block) {
        json.field("title", block.title).field("latex", block.latex);
        json.field_unless_empty("note", block.note);
    });
}

}  // namespace

std::string to_json(const Report& report) {
    JsonWriter json;
    json.begin_object().field("format", 1).field("version", report.version);
    json.field("title", report.title).field("modelText", report.model_text);
    json.field("file", report.file);
    json.objects("parameters", report.parameters, [&](const auto& parameter) {
        json.field("name", parameter.first).field("value", parameter.second);
    });
    json.field("ending", report.ending).field("rows", report.rows);
    write_findings(json, report);
    write_columns(json, report.columns);
    if (report.compare) {
        json.key("compare").begin_object().field("label", report.compare->label);
        json.field("rows", report.compare->rows);
        write_columns(json, report.compare->columns);
        json.end_object();
    }
    write_plots_and_equations(json, report);
    write_scene(json, report.scene, report.rows);
    json.end_object();
    return json.text();
}

}  // namespace ananke::report
