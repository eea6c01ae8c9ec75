#include "report/html.h"

#include "io/file.h"
#include "report/viewer_bundle.h"

namespace ananke::report {
namespace {

/// What may stand in the page: its own text and nothing from elsewhere.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:";

bool begins_with(std::string_view text, std::string_view lower_case) {
    if (text.size() < lower_case.size()) {
        return false;
    }
    for (std::size_t i = 0; i < lower_case.size(); ++i) {
        const char c = text[i];
        if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c) != lower_case[i]) {
            return false;
        }
    }
    return true;
}

/// `text` with what would end its element, or hide that end, made harmless: `<\/script` and `<\!--`
/// mean the same as without the stroke in the texts of a script or a style.
std::string contained(std::string_view text, std::string_view end_tag) {
    std::string out;
    out.reserve(text.size() + 16);
    for (std::size_t i = 0; i < text.size(); ++i) {
        out += text[i];
        if (text[i] == '<' &&
            (begins_with(text.substr(i), end_tag) || text.substr(i, 4) == "<!--")) {
            out += '\\';
        }
    }
    return out;
}

}  // namespace

std::string html_escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '&':
                out += "&amp;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string to_html(const Report& report, std::string_view script, std::string_view style) {
    const std::string data = base64(report.data.bytes());
    const std::string json = to_json(report);
    std::string page;
    page.reserve(data.size() + json.size() + script.size() + style.size() + 4096);
    page += "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    page += "<meta http-equiv=\"Content-Security-Policy\" content=\"";
    page += kPolicy;
    page += "\">\n<title>";
    page += html_escaped(report.title.empty() ? "Ananke report" : report.title);
    page += "</title>\n<style>\n";
    page += contained(style, "</style");
    page += "\n</style>\n</head>\n<body>\n<div id=\"ananke-app\"></div>\n";
    page += "<noscript>This report needs JavaScript, which runs in this page alone.</noscript>\n";
    page += "<script type=\"application/json\" id=\"ananke-report\">";
    page += json;
    page += "</script>\n<script type=\"text/plain\" id=\"ananke-data\">";
    page += data;
    page += "</script>\n<script type=\"module\">\n";
    page += contained(script, "</script");
    page += "\n</script>\n</body>\n</html>\n";
    return page;
}

Result<void> require_viewer() {
    if (viewer_script().empty()) {
        return Error{ErrorCode::kNotApplicable,
                     "this program was built without the report page; install node and npm "
                     "(Debian: apt-get install nodejs npm) and build again with `make build`"};
    }
    return {};
}

Result<void> write_html(const std::string& path, const Report& report) {
    if (const Result<void> viewer = require_viewer(); !viewer) {
        return viewer.error();
    }
    return io::write_whole(path, to_html(report, viewer_script(), viewer_style()));
}

}  // namespace ananke::report
