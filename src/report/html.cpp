#include "report/html.h"

#include <array>
#include <cstddef>

#include "io/file.h"
#include "report/sha256.h"
#include "report/viewer_bundle.h"

namespace ananke::report {
namespace {

/// How a policy names the text of an element (Content Security Policy 3, 2.3.1).
std::string hash_source(std::string_view text) {
    const std::array<std::byte, 32> digest = sha256(text);
    return "'sha256-" + base64({reinterpret_cast<const char*>(digest.data()), digest.size()}) + "'";
}

/// What may act in the page: this script, this style, and nothing from elsewhere.
std::string policy(std::string_view script, std::string_view style) {
    return "default-src 'none'; script-src " + hash_source(script) + "; style-src " +
           hash_source(style) + "; img-src data: blob:; font-src data:";
}

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
    const std::string own_script = "\n" + contained(script, "</script") + "\n";
    const std::string own_style = "\n" + contained(style, "</style") + "\n";
    const std::string data = base64(report.data.bytes());
    const std::string json = to_json(report);
    std::string page;
    page.reserve(data.size() + json.size() + script.size() + style.size() + 4096);
    page += "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    page += "<meta http-equiv=\"Content-Security-Policy\" content=\"";
    page += policy(own_script, own_style);
    page += "\">\n<title>";
    page += html_escaped(report.title.empty() ? "Ananke report" : report.title);
    page += "</title>\n<style>";
    page += own_style;
    page += "</style>\n</head>\n<body>\n<div id=\"ananke-app\"></div>\n";
    page += "<noscript>This report needs JavaScript, which runs in this page alone.</noscript>\n";
    page += "<script type=\"application/json\" id=\"ananke-report\">";
    page += json;
    page += "</script>\n<script type=\"text/plain\" id=\"ananke-data\">";
    page += data;
    page += "</script>\n<script type=\"module\">";
    page += own_script;
    page += "</script>\n</body>\n</html>\n";
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
