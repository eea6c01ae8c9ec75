#include "report/html.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/text.h"
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

/// Content security policy: only this script and this style run, and nothing is loaded.
std::string policy(std::string_view script, std::string_view style) {
    return "default-src 'none'; script-src " + hash_source(script) + "; style-src " +
           hash_source(style) + "; img-src data: blob:; font-src data:";
}

bool begins_with(std::string_view text, std::string_view lower_case) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::ranges::equal(text.substr(0, lower_case.size()), lower_case, {}, lower);
}

/// Escapes the end tag, which would end the element, and `<!--`, which would hide its end: in a
/// script or a style `<\/script` and `<\!--` mean the same as without the backslash.
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
