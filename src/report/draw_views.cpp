// What the `view` statements of a model change in its scene.
#include <algorithm>

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
                drawing_.scene().camera = SceneCamera{vector(*view.at), vector(*view.axis)};
                return;
        }
        set_colour(view);
    }

  private:
    Vector vector(const mech::Vec3& v) const {
        const std::vector<double> numbers = drawing_.states.evaluate_at_start(v);
        Vector result{};
        std::copy_n(numbers.begin(), std::min<std::size_t>(3, numbers.size()), result.begin());
        return result;
    }

    double number(sym::Expr e) const {
        const std::vector<double> numbers = drawing_.states.evaluate_at_start({&e, 1});
        return numbers.empty() ? 0.0 : numbers.front();
    }

    SceneBody* body_of(const mech::View& view) {
        const int body = view.body >= 0 ? drawing_.body_of[at(view.body)] : -1;
        return body >= 0 ? &drawing_.scene().bodies[at(body)] : nullptr;
    }

    /// The first shape that is given takes the place of the default ones.
    void add_shape(const mech::View& view) {
        if (view.point >= 0) {
            if (view.radius) {
                point_at(view.point).size = number(*view.radius);
            }
            return;
        }
        SceneBody* body = body_of(view);
        if (body == nullptr) {
            return;
        }
        if (std::find(shaped_.begin(), shaped_.end(), view.body) == shaped_.end()) {
            shaped_.push_back(view.body);
            std::erase_if(body->shapes,
                          [](const Shape& shape) { return shape.kind != Shape::Kind::kLine; });
        }
        Shape shape;
        shape.kind = view.kind == mech::View::Kind::kSphere ? Shape::Kind::kSphere
                     : view.kind == mech::View::Kind::kBox  ? Shape::Kind::kBox
                                                            : Shape::Kind::kCylinder;
        shape.radius = view.radius ? number(*view.radius) : 0.0;
        shape.length = view.length ? number(*view.length) : 0.0;
        shape.size = view.size ? vector(*view.size) : Vector{};
        shape.axis = view.axis ? vector(*view.axis) : Vector{};
        shape.at = view.at ? vector(*view.at) : Vector{};
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
        if (view.point >= 0 && drawing_.point_of[at(view.point)] >= 0) {
            drawing_.hidden_points.push_back(drawing_.point_of[at(view.point)]);
        }
    }

    /// The point in the scene, added without a name where only a view knows it.
    int scene_point(int point) {
        int& place = drawing_.point_of[at(point)];
        if (place < 0) {
            ScenePoint drawn{"", {}};
            drawn.size = 0.0;
            place = drawing_.add_point(
                std::move(drawn),
                drawing_.states.evaluate(drawing_.equations().points[at(point)].position));
        }
        return place;
    }

    ScenePoint& point_at(int point) { return drawing_.scene().points[at(scene_point(point))]; }

    int end_of(int body, int point) {
        return scene_point(point >= 0 ? point : drawing_.model().bodies[at(body)].centre);
    }

    void add_link(const mech::View& view) {
        SceneLink link;
        link.spring = view.kind == mech::View::Kind::kSpring;
        link.from = end_of(view.body, view.point);
        link.to = end_of(view.other_body, view.other_point);
        link.color = view.colour;
        std::vector<SceneLink>& links = drawing_.scene().links;
        for (const SceneLink& other : links) {
            const bool same = (other.from == link.from && other.to == link.to) ||
                              (other.from == link.to && other.to == link.from);
            link.label = same ? other.label : link.label;
        }
        std::erase_if(links, [&](const SceneLink& other) {
            return (other.from == link.from && other.to == link.to) ||
                   (other.from == link.to && other.to == link.from);
        });
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
        if (std::find(hidden.begin(), hidden.end(), static_cast<int>(i)) == hidden.end()) {
            place[i] = static_cast<int>(kept.size());
            kept.push_back(std::move(scene.points[i]));
        }
    }
    scene.points = std::move(kept);
    for (SceneLink& link : scene.links) {
        link.from = place[at(link.from)];
        link.to = place[at(link.to)];
    }
    std::erase_if(scene.links, [](const SceneLink& l) { return l.from < 0 || l.to < 0; });
    for (int& rail : scene.rails) {
        rail = place[at(rail)];
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
