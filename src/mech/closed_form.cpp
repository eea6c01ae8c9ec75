#include "mech/closed_form.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "mech/elimination.h"
#include "sym/print.h"

namespace ananke::mech {
namespace {

struct NamedForm {
    WrittenForm form;
    std::string_view name;
};
constexpr std::array kForms{
    NamedForm{WrittenForm::kFundamental, "fundamental"},
    NamedForm{WrittenForm::kPhohomsiri, "phohomsiri"},
    NamedForm{WrittenForm::kSchutte, "schutte"},
    NamedForm{WrittenForm::kWanichanon, "wanichanon"},
    NamedForm{WrittenForm::kMultipliers, "multipliers"},
    NamedForm{WrittenForm::kMinimal, "minimal"},
};

using Vector = std::vector<Expr>;

Label plain(std::string_view name) {
    return {std::string(name), std::string(name), std::string(name)};
}

/// One derivation: the given equations, then one form on top of them.
class Derivator {
  public:
    Derivator(Model& model, const Equations& equations, std::span<const int> rows,
              sym::Values<double> at)
        : model_(model),
          equations_(equations),
          g_(model.graph),
          sheet_(model.graph, std::move(at)),
          n_(static_cast<std::size_t>(equations.n)),
          m_(rows.size()),
          rows_(rows.begin(), rows.end()),
          M_(n_, n_, g_.zero()),
          A_(m_, n_, g_.zero()),
          Q_(n_, g_.zero()),
          C_(n_, g_.zero()),
          b_(m_, g_.zero()),
          a_(n_, g_.zero()),
          lambda_(m_, g_.zero()) {
        for (const Coordinate& c : model.coordinates) {
            sheet_.name(
                c.a, {sym::text_name(g_.symbol_record(c.a)), sym::latex_name(g_.symbol_record(c.a)),
                      sym::c_name(g_.symbol_record(c.a))});
        }
    }

    void write_given();
    std::optional<Error> write(WrittenForm form);
    ClosedForm finish(WrittenForm form);

  private:
    std::optional<Error> fundamental();
    void show_B();
    std::optional<Error> phohomsiri();
    std::optional<Error> auxiliary(WrittenForm form);
    std::optional<Error> multipliers();
    std::optional<Error> minimal();

    /// What the fundamental equation leaves behind.
    struct Core {
        Vector a;   ///< n, not yet written
        Vector mu;  ///< m, W^-1 (b - A a0 - A M^-1 C)
    };
    /// The names that differ between the actual and an auxiliary system.
    struct CoreNames {
        std::string title;  ///< of a0
        Label M, Q, a0, multiplier;
        std::string mass, mass_latex;  ///< M in headings
        std::string source;            ///< of a0
    };
    Result<Core> core(const Grid& M, const Vector& Q, const CoreNames& names);

    /// A A^T, written once.
    Result<Factor> factor_AAt();
    void write_acceleration(const Vector& a, std::string formula, std::string latex,
                            std::string source);
    std::optional<Error> write_multipliers_from_force(const Vector& a);
    void write_force();
    void write_gauge(WrittenForm form);

    Label coordinate(std::size_t i) const {
        const sym::Symbol& s = g_.symbol_record(model_.coordinates[i].q);
        return {sym::text_name(s), sym::latex_name(s), sym::c_name(s)};
    }
    Label row(std::size_t k) const { return row_label(static_cast<std::size_t>(rows_[k])); }
    Label row_label(std::size_t k) const {
        const sym::Symbol s{sym::SymbolKind::kParameter, equations_.rows[k].name};
        return {s.name, sym::latex_name(s), sym::c_name(s)};
    }
    Labels coordinates() const {
        return [this](std::size_t i) { return coordinate(i); };
    }
    Labels row_labels() const {
        return [this](std::size_t k) { return row(k); };
    }
    Label lambda_label(std::size_t k) const {
        return joined({"lambda", "\\lambda", "lambda"}, row(k));
    }
    Expr lambda_symbol(std::size_t k) {
        return g_.symbol(sym::SymbolKind::kParameter, "@" + lambda_label(k).text);
    }
    Vector A_row(std::size_t k) const {
        Vector result;
        for (std::size_t i = 0; i < n_; ++i) {
            result.push_back(A_(k, i));
        }
        return result;
    }
    Vector A_column(std::size_t i) const {
        Vector result;
        for (std::size_t k = 0; k < m_; ++k) {
            result.push_back(A_(k, i));
        }
        return result;
    }
    Vector M_row(std::size_t i) const {
        Vector result;
        for (std::size_t j = 0; j < n_; ++j) {
            result.push_back(M_(i, j));
        }
        return result;
    }
    Expr add(Expr a, Expr b) { return g_.add(a, b); }
    std::string with_C(std::string_view before, std::string_view part) const {
        return std::string(before) + (equations_.has_nonideal ? std::string(part) : "");
    }

    Model& model_;
    const Equations& equations_;
    sym::Graph& g_;
    Worksheet sheet_;
    std::size_t n_, m_;
    std::vector<int> rows_;
    Grid M_, A_;
    Vector Q_, C_, b_, a_, lambda_, Qc_;
    std::optional<Factor> AAt_;
    std::vector<Stage> given_;
    // Gauge, written by write_gauge().
    Expr alpha2_;
    std::optional<Grid> G_;  ///< absent: identity
    Vector z_;               ///< m
    bool z_given_ = false;
};

void Derivator::write_given() {
    sheet_.begin({"Mass matrix", "M, symmetric", "M", "", {}});
    for (const MassEntry& entry : equations_.M) {
        const auto i = static_cast<std::size_t>(entry.row);
        const auto j = static_cast<std::size_t>(entry.column);
        M_(i, j) = M_(j, i) = sheet_.define(joined(plain("M"), coordinate(i), coordinate(j)),
                                            entry.value, Inline::kShort);
    }
    sheet_.begin({"Given force", "Q", "Q", "", {}});
    for (std::size_t i = 0; i < n_; ++i) {
        Q_[i] = sheet_.define(joined(plain("Q"), coordinate(i)), equations_.Q[i], Inline::kShort);
    }
    if (equations_.has_nonideal) {
        sheet_.begin({"Non-ideal constraint force", "C", "C", "UK02 (5)", {}});
        for (std::size_t i = 0; i < n_; ++i) {
            C_[i] =
                sheet_.define(joined(plain("C"), coordinate(i)), equations_.C[i], Inline::kShort);
        }
    }
    if (equations_.rows.empty()) {
        given_ = sheet_.take_stages();
        return;
    }
    sheet_.begin({"Constraints", "A a = b", "A\\,\\ddot{q} = b", "", {}});
    for (std::size_t r = 0; r < equations_.rows.size(); ++r) {
        const auto kept = std::find(rows_.begin(), rows_.end(), static_cast<int>(r));
        const auto k = static_cast<std::size_t>(kept - rows_.begin());
        for (const Entry& entry : equations_.rows[r].A) {
            const auto i = static_cast<std::size_t>(entry.column);
            const Expr value = sheet_.define(joined(plain("A"), row_label(r), coordinate(i)),
                                             entry.value, Inline::kShort);
            if (k < m_) {
                A_(k, i) = value;
            }
        }
        const Label label = joined(plain("b"), row_label(r));
        const Expr value = sheet_.define(label, equations_.rows[r].b, Inline::kShort);
        if (g_.is_zero(value)) {
            const Expr symbol = g_.symbol(sym::SymbolKind::kParameter, "@" + label.text);
            sheet_.define(symbol, label, value);
        }
        if (k < m_) {
            b_[k] = value;
        }
    }
    given_ = sheet_.take_stages();
}

void Derivator::write_acceleration(const Vector& a, std::string formula, std::string latex,
                                   std::string source) {
    sheet_.begin({"Acceleration", std::move(formula), std::move(latex), std::move(source), {}});
    for (std::size_t i = 0; i < n_; ++i) {
        const Expr symbol = model_.coordinates[i].a;
        const sym::Symbol& s = g_.symbol_record(symbol);
        a_[i] =
            sheet_.define(symbol, {sym::text_name(s), sym::latex_name(s), sym::c_name(s)}, a[i]);
    }
}

void Derivator::write_force() {
    if (equations_.rows.empty()) {
        Qc_.assign(n_, g_.zero());
        return;
    }
    sheet_.begin({"Force of constraint",
                  with_C("Qc = A^T lambda", " + C"),
                  with_C("Q^{c} = A^{T}\\lambda", " + C"),
                  "UW13 (2.5)",
                  {}});
    for (std::size_t i = 0; i < n_; ++i) {
        const Expr value = add(sheet_.dot(A_column(i), lambda_), C_[i]);
        Qc_.push_back(sheet_.define(joined({"Qc", "Q^{c}", "Qc"}, coordinate(i)), value));
    }
}

/// UK02 (6), (32) with B+ = B^T (B B^T)^-1 and W = B B^T = A M^-1 A^T:
///   a = a0 + M^-1 (A^T mu + C),   mu = W^-1 (b - A a0 - A M^-1 C)
Result<Derivator::Core> Derivator::core(const Grid& M, const Vector& Q, const CoreNames& names) {
    const std::string& mass = names.mass;
    const std::string& mass_latex = names.mass_latex;
    sheet_.begin({names.title,
                  fmt::format("{} = {}^-1 {}", names.a0.text, mass, names.Q.text),
                  fmt::format("{} = {}^{{-1}} {}", names.a0.latex, mass_latex, names.Q.latex),
                  names.source,
                  {}});
    Result<Factor> factored = Factor::of(sheet_, M, names.M, coordinates());
    if (!factored) {
        return factored.error();
    }
    const Factor& factor = factored.value();
    const Vector a0 = factor.solve(sheet_, Q, names.a0, coordinates());
    if (m_ == 0 && !equations_.has_nonideal) {
        return Core{a0, {}};
    }

    // M^-1 C and M^-1 A^T in the places where M is not a division.
    std::vector<std::size_t> coupled;
    for (std::size_t i = 0; i < n_; ++i) {
        if (!factor.alone(i)) {
            coupled.push_back(i);
        }
    }
    Vector c(n_, g_.zero());
    if (equations_.has_nonideal) {
        sheet_.begin({"Acceleration by the non-ideal force",
                      fmt::format("c = {}^-1 C", mass),
                      fmt::format("c = {}^{{-1}} C", mass_latex),
                      "UK02 (32)",
                      {}});
        c = factor.solve(sheet_, C_, plain("c"), coordinates());
    }
    Grid Y(n_, m_, g_.zero());
    if (!coupled.empty() && m_ > 0) {
        sheet_.begin({"Acceleration by unit multipliers",
                      fmt::format("Y = {}^-1 A^T", mass),
                      fmt::format("Y = {}^{{-1}} A^{{T}}", mass_latex),
                      "",
                      {}});
        for (std::size_t k = 0; k < m_; ++k) {
            Vector column(n_, g_.zero());
            for (const std::size_t i : coupled) {
                column[i] = A_(k, i);
            }
            // Y[x,rod]: the label of the row is the second index.
            const auto entry = [&](std::size_t i) {
                const Label x = coordinate(i);
                const Label r = row(k);
                return Label{x.text + "," + r.text, x.latex + "," + r.latex, x.c + "_" + r.c};
            };
            const Vector y = factor.solve(sheet_, column, plain("Y"), entry);
            for (const std::size_t i : coupled) {
                Y(i, k) = y[i];
            }
        }
    }

    Core result{a0, Vector(m_, g_.zero())};
    if (m_ > 0) {
        sheet_.begin({"Violation by the unconstrained acceleration",
                      with_C("e = b - A " + names.a0.text, " - A c"),
                      with_C("e = b - A\\," + names.a0.latex, " - A\\,c"),
                      "UK02 (13)",
                      {}});
        Vector e;
        for (std::size_t k = 0; k < m_; ++k) {
            const Vector A = A_row(k);
            Vector terms{b_[k]};
            for (std::size_t i = 0; i < n_; ++i) {
                terms.push_back(g_.neg(g_.mul(A[i], a0[i])));
                terms.push_back(g_.neg(g_.mul(A[i], c[i])));
            }
            e.push_back(sheet_.define(joined(plain("e"), row(k)), sheet_.sum(terms)));
        }

        sheet_.begin(
            {"Compliance of the constraints",
             fmt::format("W = A {}^-1 A^T = B B^T,  B = A {}^-1/2", mass, mass),
             fmt::format("W = A\\,{}^{{-1}} A^{{T}} = B B^{{T}},\\quad B = A\\,{}^{{-1/2}}",
                         mass_latex, mass_latex),
             "UK02 (6)",
             {}});
        Grid W(m_, m_, g_.zero());
        for (std::size_t k = 0; k < m_; ++k) {
            for (std::size_t l = k; l < m_; ++l) {
                // Entries over equal masses share one fraction bar.
                Vector masses;
                std::vector<Vector> groups;
                Vector parts;
                for (std::size_t i = 0; i < n_; ++i) {
                    if (g_.is_zero(A_(k, i))) {
                        continue;
                    }
                    if (!factor.alone(i)) {
                        parts.push_back(g_.mul(A_(k, i), Y(i, l)));
                    } else if (!g_.is_zero(A_(l, i))) {
                        const Expr m_i = factor.diagonal(i);
                        const auto at = std::find(masses.begin(), masses.end(), m_i);
                        const auto place = static_cast<std::size_t>(at - masses.begin());
                        if (at == masses.end()) {
                            masses.push_back(m_i);
                            groups.emplace_back();
                        }
                        groups[place].push_back(g_.mul(A_(k, i), A_(l, i)));
                    }
                }
                for (std::size_t p = 0; p < masses.size(); ++p) {
                    parts.push_back(g_.div(sheet_.sum(groups[p]), masses[p]));
                }
                W(k, l) = W(l, k) =
                    sheet_.define(joined(plain("W"), row(k), row(l)), sheet_.sum(parts));
            }
        }
        const Label& mu = names.multiplier;
        sheet_.begin({"Multipliers", mu.text + " = W^-1 e", mu.latex + " = W^{-1} e", "", {}});
        Result<Factor> compliance = Factor::of(sheet_, W, plain("W"), row_labels());
        if (!compliance) {
            return compliance.error();
        }
        result.mu = compliance.value().solve(sheet_, e, mu, row_labels());
    }
    for (std::size_t i = 0; i < n_; ++i) {
        Vector terms{a0[i], c[i]};
        if (factor.alone(i)) {
            terms.push_back(g_.div(sheet_.dot(A_column(i), result.mu), factor.diagonal(i)));
        } else {
            for (std::size_t k = 0; k < m_; ++k) {
                terms.push_back(g_.mul(Y(i, k), result.mu[k]));
            }
        }
        result.a[i] = sheet_.sum(terms);
    }
    return result;
}

/// B = A M^-1/2 as the papers print it, where M is diagonal. Nothing is computed with it.
void Derivator::show_B() {
    for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = 0; j < n_; ++j) {
            if (i != j && !g_.is_zero(M_(i, j))) {
                return;
            }
        }
    }
    sheet_.begin({"Constraint matrix in the metric of the mass",
                  "B = A M^-1/2",
                  "B = A\\,M^{-1/2}",
                  "UK02 (6), P21 (66)",
                  {}});
    for (std::size_t k = 0; k < m_; ++k) {
        for (std::size_t i = 0; i < n_; ++i) {
            sheet_.show(joined(plain("B"), row(k), coordinate(i)),
                        g_.div(A_(k, i), g_.apply(sym::Op::kSqrt, M_(i, i))));
        }
    }
}

std::optional<Error> Derivator::fundamental() {
    show_B();
    Result<Core> result = core(M_, Q_,
                               {"Unconstrained acceleration",
                                plain("M"),
                                plain("Q"),
                                {"a0", "a^{0}", "a0"},
                                {"lambda", "\\lambda", "lambda"},
                                "M",
                                "M",
                                "UK02 (13)"});
    if (!result) {
        return Error{ErrorCode::kNotApplicable,
                     "the fundamental form asks for M > 0, but " + result.error().message};
    }
    lambda_ = result.value().mu;
    write_acceleration(result.value().a, with_C("a = a0 + M^-1 A^T lambda", " + c"),
                       with_C("\\ddot{q} = a^{0} + M^{-1} A^{T}\\lambda", " + c"),
                       "UK02 (6), (15), (32)");
    return std::nullopt;
}

Result<Factor> Derivator::factor_AAt() {
    if (AAt_) {
        return *AAt_;
    }
    sheet_.begin({"Products of the rows", "H = A A^T", "H = A A^{T}", "", {}});
    Grid H(m_, m_, g_.zero());
    for (std::size_t k = 0; k < m_; ++k) {
        for (std::size_t l = k; l < m_; ++l) {
            H(k, l) = H(l, k) =
                sheet_.define(joined(plain("H"), row(k), row(l)), sheet_.dot(A_row(k), A_row(l)));
        }
    }
    Result<Factor> factor = Factor::of(sheet_, H, plain("H"), row_labels());
    if (factor) {
        AAt_ = factor.value();
    }
    return factor;
}

/// alpha, G and z as the model gives them, or 1, identity and alpha^2 b.
void Derivator::write_gauge(WrittenForm form) {
    const GaugeChoice& gauge = equations_.gauge;
    const bool weighted =
        form == WrittenForm::kWanichanon && (!gauge.G_diagonal.empty() || !gauge.G_matrix.empty());
    const bool identity = form == WrittenForm::kWanichanon && !weighted;
    sheet_.begin({"Gauge",
                  fmt::format("free choices, the motion is the same for all{}",
                              identity ? "; here G = I" : ""),
                  identity ? "G = I" : "",
                  "UW13 remark 1",
                  {}});
    const Expr alpha = sheet_.define({"alpha", "\\alpha", "alpha_gauge"},
                                     gauge.alpha_given ? gauge.alpha : g_.one());
    alpha2_ = g_.square(alpha);
    if (weighted) {
        G_.emplace(m_, m_, g_.zero());
        for (std::size_t k = 0; k < m_; ++k) {
            for (std::size_t l = 0; l < m_; ++l) {
                const auto r = static_cast<std::size_t>(rows_[k]);
                const auto s = static_cast<std::size_t>(rows_[l]);
                const Expr value = !gauge.G_matrix.empty() ? gauge.G_matrix[r][s]
                                   : k == l                ? gauge.G_diagonal[r]
                                                           : g_.zero();
                (*G_)(k, l) = sheet_.define(joined(plain("G"), row(k), row(l)), value);
            }
        }
    }
    z_given_ = !gauge.z.empty();
    for (std::size_t k = 0; k < m_; ++k) {
        const Expr value =
            z_given_ ? gauge.z[static_cast<std::size_t>(rows_[k])] : g_.mul(alpha2_, b_[k]);
        z_.push_back(sheet_.define(joined(plain("z"), row(k)), value));
    }
}

/// US10 (49) and UW13 (3.18): the fundamental equation of the auxiliary system. X stands for A+ and
/// for A^T G in turn: M_A = M + alpha^2 X A, Q_z = Q + X z, X = A^T P with P = (A A^T)^-1 or G.
std::optional<Error> Derivator::auxiliary(WrittenForm form) {
    const bool transpose = form == WrittenForm::kWanichanon;
    write_gauge(form);
    Grid PA(m_, n_, g_.zero());  // X^T
    if (transpose) {
        for (std::size_t k = 0; k < m_; ++k) {
            for (std::size_t i = 0; i < n_; ++i) {
                Vector G_row(m_, g_.zero());
                for (std::size_t l = 0; l < m_; ++l) {
                    G_row[l] = G_ ? (*G_)(k, l) : (k == l ? g_.one() : g_.zero());
                }
                PA(k, i) = sheet_.dot(G_row, A_column(i));
            }
        }
    } else {
        Result<Factor> factor = factor_AAt();
        if (!factor) {
            return factor.error();
        }
        sheet_.begin({"Moore-Penrose inverse of A",
                      "A+ = A^T (A A^T)^-1",
                      "A^{+} = A^{T}(A A^{T})^{-1}",
                      "",
                      {}});
        for (std::size_t i = 0; i < n_; ++i) {
            const auto entry = [&](std::size_t k) {
                const Label x = coordinate(i);
                const Label r = row(k);
                return Label{x.text + "," + r.text, x.latex + "," + r.latex, x.c + "_" + r.c};
            };
            const Vector column =
                AAt_->solve(sheet_, A_column(i), {"A+", "A^{+}", "A_plus"}, entry);
            for (std::size_t k = 0; k < m_; ++k) {
                PA(k, i) = column[k];
            }
        }
    }
    const Label name =
        transpose ? Label{"M_ATG", "M_{A^{T}G}", "M_ATG"} : Label{"M_A", "M_{A}", "M_A"};
    sheet_.begin({"Mass matrix of the auxiliary system",
                  transpose ? "M_ATG = M + alpha^2 A^T G A > 0" : "M_A = M + alpha^2 A+ A > 0",
                  transpose ? "M_{A^{T}G} = M + \\alpha^{2} A^{T} G A > 0"
                            : "M_{A} = M + \\alpha^{2} A^{+} A > 0",
                  transpose ? "UW13 (3.19), Table 1 step 1" : "US10 (50)",
                  {}});
    const Label index_free =
        transpose ? Label{"M_ATG", "M^{A^{T}G}", "M_ATG"} : Label{"M_A", "M^{A}", "M_A"};
    Grid M_A(n_, n_, g_.zero());
    for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = i; j < n_; ++j) {
            Vector PA_column;
            for (std::size_t k = 0; k < m_; ++k) {
                PA_column.push_back(PA(k, j));
            }
            const Expr value = add(M_(i, j), g_.mul(alpha2_, sheet_.dot(A_column(i), PA_column)));
            M_A(i, j) = M_A(j, i) =
                sheet_.define(joined(index_free, coordinate(i), coordinate(j)), value);
        }
    }
    sheet_.begin({"Given force of the auxiliary system",
                  transpose ? "Q_z = Q + A^T G z" : "Q_z = Q + A+ z",
                  transpose ? "Q^{z} = Q + A^{T} G z" : "Q^{z} = Q + A^{+} z",
                  transpose ? "UW13 (3.20), Table 1 step 1" : "US10 (51)",
                  {}});
    Vector Q_z;
    for (std::size_t i = 0; i < n_; ++i) {
        Vector column;
        for (std::size_t k = 0; k < m_; ++k) {
            column.push_back(PA(k, i));
        }
        Q_z.push_back(sheet_.define(joined({"Q_z", "Q^{z}", "Q_z"}, coordinate(i)),
                                    add(Q_[i], sheet_.dot(column, z_))));
    }
    const Label a_aux =
        transpose ? Label{"a_ATG", "a^{A^{T}G}", "a_ATG"} : Label{"a_A", "a^{A}", "a_A"};
    Result<Core> result = core(M_A, Q_z,
                               {"Unconstrained acceleration of the auxiliary system",
                                index_free,
                                {"Q_z", "Q^{z}", "Q_z"},
                                a_aux,
                                {"mu", "\\mu", "mu"},
                                name.text,
                                name.latex,
                                transpose ? "UW13 (3.21), Table 1 step 1" : "US10 (51)"});
    if (!result) {
        return result.error();
    }
    write_acceleration(
        result.value().a,
        with_C(fmt::format("a = {} + {}^-1 A^T mu", a_aux.text, name.text), " + c"),
        with_C(fmt::format("\\ddot{{q}} = {} + {}^{{-1}} A^{{T}}\\mu", a_aux.latex, name.latex),
               " + c"),
        transpose ? "UW13 (3.18), Table 1 step 3" : "US10 (49)");
    sheet_.begin(
        {"Multipliers of the actual system",
         transpose ? "lambda = mu + G (z - alpha^2 b)" : "lambda = mu + (A A^T)^-1 (z - alpha^2 b)",
         transpose ? "\\lambda = \\mu + G\\,(z - \\alpha^{2} b)"
                   : "\\lambda = \\mu + (A A^{T})^{-1}(z - \\alpha^{2} b)",
         transpose ? "UW13 (3.39)" : "US10 (71)",
         {}});
    Vector excess(m_, g_.zero());
    for (std::size_t k = 0; k < m_ && z_given_; ++k) {
        excess[k] = g_.sub(z_[k], g_.mul(alpha2_, b_[k]));
    }
    if (!transpose && z_given_) {
        excess = AAt_->solve(sheet_, excess, {"h", "h", "h"}, row_labels());
    }
    for (std::size_t k = 0; k < m_; ++k) {
        Expr shift = excess[k];
        if (transpose && G_) {
            Vector G_row;
            for (std::size_t l = 0; l < m_; ++l) {
                G_row.push_back((*G_)(k, l));
            }
            shift = sheet_.dot(G_row, excess);
        }
        lambda_[k] = sheet_.define(lambda_label(k), add(result.value().mu[k], shift));
    }
    return std::nullopt;
}

/// A^T lambda = M a - Q - C, so lambda = (A A^T)^-1 A (M a - Q - C).
std::optional<Error> Derivator::write_multipliers_from_force(const Vector& a) {
    if (m_ == 0) {
        return std::nullopt;
    }
    sheet_.begin({"Force that the constraints must supply",
                  with_C("F = M a - Q", " - C"),
                  with_C("F = M\\ddot{q} - Q", " - C"),
                  "UW13 (2.5)",
                  {}});
    Vector F;
    for (std::size_t i = 0; i < n_; ++i) {
        const Expr terms[] = {sheet_.dot(M_row(i), a), g_.neg(Q_[i]), g_.neg(C_[i])};
        F.push_back(sheet_.define(joined(plain("F"), coordinate(i)), sheet_.sum(terms)));
    }
    Result<Factor> H = factor_AAt();
    if (!H) {
        return H.error();
    }
    sheet_.begin(
        {"Multipliers", "lambda = (A A^T)^-1 A F", "\\lambda = (A A^{T})^{-1} A F", "", {}});
    Vector AF;
    for (std::size_t k = 0; k < m_; ++k) {
        AF.push_back(sheet_.dot(A_row(k), F));
    }
    lambda_ = H.value().solve(sheet_, AF, {"lambda", "\\lambda", "lambda"}, row_labels());
    return std::nullopt;
}

/// UW13 (2.9). The stacked matrix S = [(I - A+A) M; A] has full column rank where the motion is
/// unique, so S+ = (S^T S)^-1 S^T; I - A+A is a projector: S^T S = M (I - A+A) M + A^T A.
std::optional<Error> Derivator::phohomsiri() {
    Result<Factor> H = factor_AAt();
    if (!H) {
        return H.error();
    }
    sheet_.begin({"Projector on the directions free of constraint",
                  "P = I - A+ A,  A+ = A^T (A A^T)^-1",
                  "P = I - A^{+}A,\\quad A^{+} = A^{T}(A A^{T})^{-1}",
                  "UW13 (2.9)",
                  {}});
    Grid P(n_, n_, g_.zero());
    for (std::size_t j = 0; j < n_; ++j) {
        const auto entry = [&](std::size_t k) {
            const Label x = coordinate(j);
            const Label r = row(k);
            return Label{x.text + "," + r.text, x.latex + "," + r.latex, x.c + "_" + r.c};
        };
        const Vector column =
            H.value().solve(sheet_, A_column(j), {"A+", "A^{+}", "A_plus"}, entry);
        for (std::size_t i = 0; i <= j; ++i) {
            const Expr AA = sheet_.dot(A_column(i), column);
            P(i, j) = P(j, i) = sheet_.define(joined(plain("P"), coordinate(i), coordinate(j)),
                                              g_.sub(i == j ? g_.one() : g_.zero(), AA));
        }
    }
    sheet_.begin({"Stacked matrix, upper part; A is the lower part",
                  "S = [ P M ; A ]",
                  "S = \\begin{bmatrix} P M \\\\ A \\end{bmatrix}",
                  "UW13 (2.9)",
                  {}});
    Grid S(n_, n_, g_.zero());
    for (std::size_t i = 0; i < n_; ++i) {
        Vector P_row;
        for (std::size_t j = 0; j < n_; ++j) {
            P_row.push_back(P(i, j));
        }
        for (std::size_t j = 0; j < n_; ++j) {
            S(i, j) = sheet_.define(joined(plain("S"), coordinate(i), coordinate(j)),
                                    sheet_.dot(P_row, M_row(j)));
        }
    }
    sheet_.begin(
        {"Normal equations",
         with_C("K a = k,  K = S^T S,  k = S^T [ Q", " + C") + " ; b ]",
         with_C("K\\ddot{q} = k,\\quad K = S^{T}S,\\quad k = S^{T}\\begin{bmatrix} Q", " + C") +
             " \\\\ b \\end{bmatrix}",
         "",
         {}});
    Grid K(n_, n_, g_.zero());
    Vector k(n_, g_.zero());
    for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = i; j < n_; ++j) {
            Vector terms;
            for (std::size_t p = 0; p < n_; ++p) {
                terms.push_back(g_.mul(S(p, i), S(p, j)));
            }
            terms.push_back(sheet_.dot(A_column(i), A_column(j)));
            K(i, j) = K(j, i) =
                sheet_.define(joined(plain("K"), coordinate(i), coordinate(j)), sheet_.sum(terms));
        }
        Vector terms;
        for (std::size_t p = 0; p < n_; ++p) {
            terms.push_back(g_.mul(S(p, i), add(Q_[p], C_[p])));
        }
        terms.push_back(sheet_.dot(A_column(i), b_));
        k[i] = sheet_.define(joined(plain("k"), coordinate(i)), sheet_.sum(terms));
    }
    Result<Factor> factor = Factor::of(sheet_, K, plain("K"), coordinates());
    if (!factor) {
        return factor.error();
    }
    const Vector a = factor.value().solve(sheet_, k, {"s", "s", "s"}, coordinates());
    write_acceleration(
        a, with_C("a = s = S+ [ Q", " + C") + " ; b ]",
        with_C("\\ddot{q} = s = S^{+}\\begin{bmatrix} Q", " + C") + " \\\\ b \\end{bmatrix}",
        "UW13 (2.9)");
    return write_multipliers_from_force(a_);
}

std::optional<Error> Derivator::multipliers() {
    sheet_.begin({"Equations with multipliers",
                  with_C("M a - A^T lambda = Q", " + C") + ",  A a = b",
                  with_C("M\\ddot{q} - A^{T}\\lambda = Q", " + C") + ",\\quad A\\ddot{q} = b",
                  "",
                  {}});
    const std::size_t size = n_ + m_;
    Vector unknowns;
    std::vector<Label> labels;
    for (std::size_t i = 0; i < n_; ++i) {
        const sym::Symbol& s = g_.symbol_record(model_.coordinates[i].a);
        unknowns.push_back(model_.coordinates[i].a);
        labels.push_back({sym::text_name(s), sym::latex_name(s), sym::c_name(s)});
    }
    for (std::size_t k = 0; k < m_; ++k) {
        unknowns.push_back(lambda_symbol(k));
        labels.push_back(lambda_label(k));
        sheet_.name(unknowns.back(), labels.back());
    }
    Grid K(size, size, g_.zero());
    Vector r;
    for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = 0; j < n_; ++j) {
            K(i, j) = M_(i, j);
        }
        for (std::size_t k = 0; k < m_; ++k) {
            K(i, n_ + k) = g_.neg(A_(k, i));
            K(n_ + k, i) = A_(k, i);
        }
        r.push_back(add(Q_[i], C_[i]));
    }
    r.insert(r.end(), b_.begin(), b_.end());
    for (std::size_t i = 0; i < size; ++i) {
        Vector terms;
        for (std::size_t j = 0; j < size; ++j) {
            terms.push_back(g_.mul(K(i, j), unknowns[j]));
        }
        sheet_.relate(sheet_.sum(terms), r[i]);
    }
    sheet_.begin({"Elimination", "k, r: entries changed by step; f: factors of a row", "", "", {}});
    Result<Vector> x = solve_regular(sheet_, K, r, unknowns, labels);
    if (!x) {
        return x.error();
    }
    std::copy_n(x.value().begin(), n_, a_.begin());
    std::copy_n(x.value().begin() + static_cast<std::ptrdiff_t>(n_), m_, lambda_.begin());
    return std::nullopt;
}

/// RH (8): a = N u' + a_p, N^T M N u' = N^T (Q + C - M a_p).
std::optional<Error> Derivator::minimal() {
    Grid R = A_;
    Vector a_p(n_, g_.zero());
    std::vector<std::size_t> pivot;
    if (m_ > 0) {
        sheet_.begin({"Constraints solved for the dependent accelerations",
                      "[ A | b ] reduced to [ I R | r ]",
                      "[\\,A \\mid b\\,] \\to [\\,I\\ R \\mid r\\,]",
                      "",
                      {}});
        Result<Reduced> reduced = reduce_rows(sheet_, A_, b_, row_labels(), coordinates());
        if (!reduced) {
            return reduced.error();
        }
        R = reduced.value().A;
        pivot = reduced.value().pivot;
        for (std::size_t k = 0; k < m_; ++k) {
            a_p[pivot[k]] = reduced.value().b[k];
        }
    }
    std::vector<std::size_t> independent;
    for (std::size_t i = 0; i < n_; ++i) {
        if (std::find(pivot.begin(), pivot.end(), i) == pivot.end()) {
            independent.push_back(i);
        }
    }
    const std::size_t c = independent.size();
    Vector u;
    for (const std::size_t i : independent) {
        u.push_back(model_.coordinates[i].a);
    }
    Grid N(n_, c, g_.zero());
    std::string chosen, chosen_latex;
    for (const Expr e : u) {
        const sym::Symbol& symbol = g_.symbol_record(e);
        chosen += (chosen.empty() ? "" : ", ") + sym::text_name(symbol);
        chosen_latex += (chosen_latex.empty() ? "" : ",\\ ") + sym::latex_name(symbol);
    }
    sheet_.begin(
        {"Dependent accelerations by the independent ones",
         fmt::format("a = N u' + a_p,  u' = ({})", chosen),
         fmt::format("\\ddot{{q}} = N\\dot{{u}} + a_{{p}},\\quad \\dot{{u}} = ({})", chosen_latex),
         "RH (10)-(12)",
         {}});
    for (std::size_t j = 0; j < c; ++j) {
        N(independent[j], j) = g_.one();
    }
    Vector dependent_value(n_, g_.zero());
    for (std::size_t k = 0; k < m_; ++k) {
        Vector terms{a_p[pivot[k]]};
        for (std::size_t j = 0; j < c; ++j) {
            N(pivot[k], j) = g_.neg(R(k, independent[j]));
            terms.push_back(g_.mul(N(pivot[k], j), u[j]));
        }
        dependent_value[pivot[k]] = sheet_.sum(terms);
        sheet_.relate(model_.coordinates[pivot[k]].a, dependent_value[pivot[k]]);
    }

    sheet_.begin(
        {"Minimal equations",
         with_C("M_u u' = f_u,  M_u = N^T M N,  f_u = N^T (Q", " + C") + " - M a_p)",
         with_C("M^{u}\\dot{u} = f^{u},\\quad M^{u} = N^{T} M N,\\quad f^{u} = N^{T}(Q", " + C") +
             " - M a_{p})",
         "RH (8)",
         {}});
    const auto column = [&](std::size_t j) {
        Vector result;
        for (std::size_t i = 0; i < n_; ++i) {
            result.push_back(N(i, j));
        }
        return result;
    };
    const auto independent_label = [&](std::size_t j) { return coordinate(independent[j]); };
    const Label small_m{"M_u", "M^{u}", "M_u"};
    Vector rest;  // Q + C - M a_p
    for (std::size_t i = 0; i < n_; ++i) {
        const Expr terms[] = {Q_[i], C_[i], g_.neg(sheet_.dot(M_row(i), a_p))};
        rest.push_back(sheet_.sum(terms));
    }
    Grid reduced_M(c, c, g_.zero());
    Vector f;
    for (std::size_t j = 0; j < c; ++j) {
        for (std::size_t l = j; l < c; ++l) {
            Vector MN;
            for (std::size_t i = 0; i < n_; ++i) {
                MN.push_back(sheet_.dot(M_row(i), column(l)));
            }
            reduced_M(j, l) = reduced_M(l, j) =
                sheet_.define(joined(small_m, independent_label(j), independent_label(l)),
                              sheet_.dot(column(j), MN));
        }
        f.push_back(sheet_.define(joined({"f_u", "f^{u}", "f_u"}, independent_label(j)),
                                  sheet_.dot(column(j), rest)));
    }
    Result<Factor> factor = Factor::of(sheet_, reduced_M, small_m, independent_label);
    if (!factor) {
        return factor.error();
    }
    const Vector u_dot =
        factor.value().solve(sheet_, f, {"u'", "\\dot{u}", "u_dot"}, independent_label);
    for (std::size_t j = 0; j < c; ++j) {
        a_[independent[j]] = u_dot[j];
    }
    for (std::size_t k = 0; k < m_; ++k) {
        Vector terms{a_p[pivot[k]]};
        for (std::size_t j = 0; j < c; ++j) {
            terms.push_back(g_.mul(N(pivot[k], j), u_dot[j]));
        }
        a_[pivot[k]] = sheet_.sum(terms);
    }
    write_acceleration(Vector(a_), "a = N u' + a_p", "\\ddot{q} = N\\dot{u} + a_{p}", "RH (8)");
    return write_multipliers_from_force(a_);
}

std::optional<Error> Derivator::write(WrittenForm form) {
    std::optional<Error> error;
    switch (form) {
        case WrittenForm::kFundamental:
            error = fundamental();
            break;
        case WrittenForm::kPhohomsiri:
            error = phohomsiri();
            break;
        case WrittenForm::kSchutte:
        case WrittenForm::kWanichanon:
            error = auxiliary(form);
            break;
        case WrittenForm::kMultipliers:
            error = multipliers();
            break;
        case WrittenForm::kMinimal:
            error = minimal();
            break;
    }
    if (!error) {
        write_force();
    }
    return error;
}

ClosedForm Derivator::finish(WrittenForm form) {
    ClosedForm result;
    result.form = form;
    result.given = std::move(given_);
    result.stages = sheet_.take_stages();
    result.labels = sheet_.take_labels();
    result.a = std::move(a_);
    result.Qc = std::move(Qc_);
    result.lambda.assign(equations_.rows.size(), g_.zero());
    for (std::size_t k = 0; k < m_; ++k) {
        result.lambda[static_cast<std::size_t>(rows_[k])] = lambda_[k];
    }
    std::erase_if(result.stages, [](const Stage& stage) { return stage.lines.empty(); });
    return result;
}

}  // namespace

std::string_view written_form_name(WrittenForm form) {
    return std::find_if(kForms.begin(), kForms.end(),
                        [&](const NamedForm& f) { return f.form == form; })
        ->name;
}

std::optional<WrittenForm> parse_written_form(std::string_view name) {
    for (const NamedForm& f : kForms) {
        if (f.name == name) {
            return f.form;
        }
    }
    return std::nullopt;
}

const std::vector<WrittenForm>& all_written_forms() {
    static const std::vector<WrittenForm> kAll = [] {
        std::vector<WrittenForm> forms;
        for (const NamedForm& f : kForms) {
            forms.push_back(f.form);
        }
        return forms;
    }();
    return kAll;
}

std::size_t ClosedForm::line_count() const {
    std::size_t count = 0;
    for (const std::vector<Stage>* part : {&given, &stages}) {
        for (const Stage& stage : *part) {
            count += stage.lines.size();
        }
    }
    return count;
}

ClosedForm given_equations(Model& model, const Equations& equations, sym::Values<double> at) {
    Derivator derivator(model, equations, {}, std::move(at));
    derivator.write_given();
    ClosedForm result = derivator.finish(WrittenForm::kMultipliers);
    result.a.clear();
    result.lambda.clear();
    return result;
}

Result<ClosedForm> closed_form(Model& model, const Equations& equations, WrittenForm form,
                               std::span<const int> rows, const sym::Values<double>& at) {
    Derivator derivator(model, equations, rows, at);
    derivator.write_given();
    if (std::optional<Error> error = derivator.write(form)) {
        return *error;
    }
    return derivator.finish(form);
}

std::vector<Expr> written_out(sym::Graph& graph, const ClosedForm& form,
                              std::span<const Expr> roots) {
    std::vector<Stage> all = form.given;
    all.insert(all.end(), form.stages.begin(), form.stages.end());
    return written_out(graph, all, roots);
}

}  // namespace ananke::mech
