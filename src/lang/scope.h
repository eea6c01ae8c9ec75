// The names that an expression sees: those of its file or joint, of the files around it, and the
// arguments and loop variables in force.
//
// Owns the files and joints that are carried out, the declared names, functions and kinds of
// joints, and the stack of local names.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lang/ast.h"
#include "lang/names.h"
#include "lang/reports.h"

namespace ananke::lang {

/// A file, or a joint, whose statements are carried out.
struct FileScope {
    const Tree* tree = nullptr;
    std::uint32_t file = 0;
    std::string path;
    std::string prefix;  ///< of its names: "", "pendulum.", "car.wheel."
    /// Names that its statements declare anywhere: "used before it is declared".
    std::unordered_map<std::string, Span> declared_somewhere;
    /// Of a joint: the file that defines it. Names that the joint does not declare are found there.
    FileScope* outer = nullptr;
};

/// An argument or a loop variable.
struct Local {
    std::string_view name;
    Value value;
    Span span;
};

/// A function or a kind of joint, with the file that defines it.
template <class Node>
struct Definition {
    FileScope* scope = nullptr;
    const Node* node = nullptr;  ///< null: the definition failed
    Span span;
};
using Function = Definition<FunctionDefinition>;
using JointKind = Definition<JointDefinition>;
template <class Node>
using Definitions = std::unordered_map<std::string, Definition<Node>>;

class Scope {
  public:
    explicit Scope(Reports& reports) : reports_(reports) {}

    // The present file.
    const FileScope& file() const { return *file_; }
    FileScope& file() { return *file_; }
    const std::string& prefix() const { return file_->prefix; }
    std::string full(std::string_view name) const { return file_->prefix + std::string(name); }
    bool is_imported() const { return !file_->prefix.empty(); }
    const Expr& expr(ExprId id) const { return file_->tree->exprs[id]; }
    Span span(ExprId id) const { return expr(id).span; }
    std::string_view text(ExprId id) const { return reports_.text(span(id)); }
    /// Where the present file declares a name, be it carried out or not; null for nowhere.
    const Span* declared_somewhere(const std::string& name) const {
        const auto found = file_->declared_somewhere.find(name);
        return found == file_->declared_somewhere.end() ? nullptr : &found->second;
    }
    FileScope& add_file() { return files_.emplace_back(); }

    /// While it lives, names belong to this file or joint and to the locals added since.
    class Visit {
      public:
        Visit(Scope& scope, FileScope& file)
            : scope_(scope),
              file_(std::exchange(scope.file_, &file)),
              locals_(scope.locals_.size()),
              begin_(std::exchange(scope.locals_begin_, locals_)) {}
        ~Visit() {
            scope_.file_ = file_;
            scope_.locals_.resize(locals_);
            scope_.locals_begin_ = begin_;
        }
        Visit(const Visit&) = delete;
        Visit& operator=(const Visit&) = delete;

      private:
        Scope& scope_;
        FileScope* file_;
        std::size_t locals_;
        std::size_t begin_;
    };

    // Locals.
    void add_locals(std::span<const Local> locals) {
        locals_.insert(locals_.end(), locals.begin(), locals.end());
    }
    void add_local(const Local& local) { locals_.push_back(local); }
    void remove_local() { locals_.pop_back(); }
    std::span<const Local> locals() const { return std::span(locals_).subspan(locals_begin_); }
    const Local* find_local(std::string_view name) const;

    // Declarations. A name is declared once; a second declaration is reported and false.
    bool declare(const std::string& name, const Entity& entity);
    /// After a mistake in the declaration, which is reported.
    void declare_failed(const std::string& name, const Declaration& failed);
    /// A name that a statement was to declare and did not, which is reported. t, pi, deg and ground
    /// keep their meaning.
    void doubt(const std::string& name);
    /// What a name stands for: the only way from a declared name to its declaration.
    Found find(const std::string& name) const;
    const Names& names() const { return names_; }
    Names& names() { return names_; }

    // Functions and kinds of joints.
    template <class Node>
    const Definition<Node>* find(const Definitions<Node>& known, const std::string& name) const {
        for (const FileScope* file = file_; file != nullptr; file = file->outer) {
            if (const auto found = known.find(file->prefix + name); found != known.end()) {
                return &found->second;
            }
        }
        return nullptr;
    }
    /// `what` is "function" or "joint". `node` is null after a mistake, which is reported.
    template <class Node>
    void define(Definitions<Node>& known, std::string_view what, Span name, const Node* node) {
        const std::string_view text = reports_.text(name);
        const auto [found, is_new] =
            known.try_emplace(full(text), Definition<Node>{file_, node, name});
        if (!is_new) {
            reports_.fail(
                name,
                std::string("the ").append(what) + " '" + std::string(text) + "' is defined twice",
                {"first defined at " + reports_.place_text(found->second.span)});
        }
    }
    Definitions<FunctionDefinition> functions;
    Definitions<JointDefinition> joints;

    int loop_depth = 0;  ///< loops around the present statement, within its file or joint
    Span statement;      ///< that is carried out, the innermost

  private:
    bool is_free(const std::string& name, Span span);

    Reports& reports_;
    Names names_;
    std::deque<FileScope> files_;  ///< addresses stay valid
    FileScope* file_ = nullptr;
    std::vector<Local> locals_;
    std::size_t locals_begin_ = 0;  ///< a function sees only its own arguments
};

}  // namespace ananke::lang
