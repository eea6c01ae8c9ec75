// What the `view` statements of a model change in its scene.
#include <algorithm>

#include "base/ranges.h"
#include "report/drawing.h"

namespace ananke::report {
namespace {

class Views {
  public:
    explicit Views(Drawing& drawing) : drawing_(drawing) {}

    void apply(const mech::View& view) {
        switch (view.kind) {
            case mech::View::Kind::kSphere:
            case mech::View::Kind::kBox:
            case mech::View::Kind::kCylinder:
                add_shape(view);
                break;
            case mech::View::Kind::kColour:
                break;
            case mech::View::Kind::kLine:
            case mech::View::Kind::kSpring:
                add_link(view);
                return;
            case mech::View::Kind::kTrail:
                set_trail(view);
                break;
            case mech::View::Kind::kHide:
                hide(view);
                return;
            case mech::View::Kind::kCamera:
                drawing_.scene().camera = SceneCamera{vector(view.at), vector(view.axis)};
                return;
        }
        set_colour(view);
    }

  private:
    double number(const std::optional<sym::Expr>& e) const {
        return e ? drawing_.value_at_start(*e) : 0.0;
    }
    Vector vector(const std::optional<mech::Vec3>& v) const {
        return v ? drawing_.vector_at_start(*v) : Vector{};
    }

    SceneBody* body_of(const mech::View& view) {
        const int body = view.body >= 0 ? drawing_.body_of[view.body] : -1;
        return body >= 0 ? &drawing_.scene().bodies[body] : nullptr;
    }

    /// The first shape that is given takes the place of the default ones.
    void add_shape(const mech::View& view) {
        if (view.point >= 0) {
            if (view.radius) {
                point_at(view.point).size = number(view.radius);
            }
            return;
        }
        SceneBody* body = body_of(view);
        if (body == nullptr) {
            return;
        }
        if (!contains(shaped_, view.body)) {
            shaped_.push_back(view.body);
            std::erase_if(body->shapes,
                          [](const Shape& shape) { return shape.kind != Shape::Kind::kLine; });
        }
        Shape shape;
        shape.kind = view.kind == mech::View::Kind::kSphere ? Shape::Kind::kSphere
                     : view.kind == mech::View::Kind::kBox  ? Shape::Kind::kBox
                                                            : Shape::Kind::kCylinder;
        shape.radius = number(view.radius);
        shape.length = number(view.length);
        shape.size = vector(view.size);
        shape.axis = vector(view.axis);
        shape.at = vector(view.at);
        body->shapes.push_back(shape);
    }

    void set_colour(const mech::View& view) {
        if (view.colour.empty()) {
            return;
        }
        if (view.point >= 0) {
            point_at(view.point).color = view.colour;
        } else if (SceneBody* body = body_of(view)) {
            body->color = view.colour;
        }
    }

    void set_trail(const mech::View& view) {
        if (view.point >= 0) {
            point_at(view.point).trail = true;
        } else if (SceneBody* body = body_of(view)) {
            body->trail = true;
        }
    }

    void hide(const mech::View& view) {
        if (SceneBody* body = body_of(view)) {
            body->shapes.clear();
            body->name.clear();  // what has no name stands in no list
        }
        if (view.point >= 0 && drawing_.point_of[view.point] >= 0) {
            drawing_.hidden_points.push_back(drawing_.point_of[view.point]);
        }
    }

    /// The point in the scene, added without a name where only a view knows it.
    int scene_point(int point) {
        int& place = drawing_.point_of[point];
        if (place < 0) {
            ScenePoint drawn{"", {}};
            drawn.size = 0.0;
            place = drawing_.add_point(std::move(drawn),
                                       drawing_.states.evaluate(drawing_.position(point)));
        }
        return place;
    }

    ScenePoint& point_at(int point) { return drawing_.scene().points[scene_point(point)]; }

    int end_of(int body, int point) {
        return scene_point(point >= 0 ? point : drawing_.model().bodies[body].centre);
    }

    void add_link(const mech::View& view) {
        SceneLink link;
        link.spring = view.kind == mech::View::Kind::kSpring;
        link.from = end_of(view.body, view.point);
        link.to = end_of(view.other_body, view.other_point);
        link.color = view.colour;
        std::vector<SceneLink>& links = drawing_.scene().links;
        const auto same = [&](const SceneLink& other) {
            return std::minmax(other.from, other.to) == std::minmax(link.from, link.to);
        };
        for (const SceneLink& other : links) {
            link.label = same(other) ? other.label : link.label;
        }
        std::erase_if(links, same);
        links.push_back(std::move(link));
    }

    Drawing& drawing_;
    std::vector<int> shaped_;  ///< bodies of the model
};

/// Takes hidden points out of the scene, with the lines that end in them.
void remove_hidden(Scene& scene, const std::vector<int>& hidden) {
    std::vector<int> place(scene.points.size(), -1);
    std::vector<ScenePoint> kept;
    for (std::size_t i = 0; i < scene.points.size(); ++i) {
        if (!contains(hidden, static_cast<int>(i))) {
            place[i] = static_cast<int>(kept.size());
            kept.push_back(std::move(scene.points[i]));
        }
    }
    scene.points = std::move(kept);
    for (SceneLink& link : scene.links) {
        link.from = place[link.from];
        link.to = place[link.to];
    }
    std::erase_if(scene.links, [](const SceneLink& l) { return l.from < 0 || l.to < 0; });
    for (int& rail : scene.rails) {
        rail = place[rail];
    }
    std::erase(scene.rails, -1);
}

}  // namespace

void apply_views(Drawing& drawing) {
    Views views(drawing);
    for (const mech::View& view : drawing.model().views) {
        views.apply(view);
    }
}

void hide_points(Drawing& drawing) {
    if (!drawing.hidden_points.empty()) {
        remove_hidden(drawing.scene(), drawing.hidden_points);
    }
}

}  // namespace ananke::report
