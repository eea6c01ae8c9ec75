#include "io/csv.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "io/file.h"

namespace ananke::io {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr auto kFlushInterval = std::chrono::milliseconds(200);
constexpr int kDigits = 17;               // the fewest that tell all doubles apart
constexpr std::size_t kNumberBytes = 32;  // -1.2345678901234567e-308 and to spare

void append_number(std::string& text, double value) {
    if (std::isnan(value)) {
        text += "nan";
        return;
    }
    char buffer[kNumberBytes];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, kDigits);
    text.append(buffer, end.ptr);
}

void append_field(std::string& text, std::string_view field) {
    if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
        text += field;
        return;
    }
    text += '"';
    for (const char c : field) {
        if (c == '"') {
            text += '"';
        }
        text += c;
    }
    text += '"';
}

class CsvRecorder final : public sim::Recorder {
  public:
    CsvRecorder(std::string path, std::unique_ptr<File> file)
        : path_(std::move(path)), file_(std::move(file)) {}

    ~CsvRecorder() override {
        // Best effort for a run that was given up: nobody is left to hear of a failure.
        static_cast<void>(flush());
    }
    CsvRecorder(const CsvRecorder&) = delete;
    CsvRecorder& operator=(const CsvRecorder&) = delete;

    Result<void> begin(const sim::Header& header) override {
        columns_ = header.columns.size();
        buffer_.reserve(kBufferBytes + (columns_ + 1) * kNumberBytes);
        if (auto cleared = file_->clear(); !cleared) {
            return cleared;
        }
        if (keeps_events()) {
            if (auto removed = remove_if_present(events_path()); !removed) {
                return removed;
            }
        }
        for (std::size_t i = 0; i < columns_; ++i) {
            if (i > 0) {
                buffer_ += ',';
            }
            append_field(buffer_, header.columns[i].name);
        }
        buffer_ += '\n';
        return flush();
    }

    Result<void> row(std::span<const double> values) override {
        ANANKE_REQUIRE(values.size() == columns_);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i > 0) {
                buffer_ += ',';
            }
            append_number(buffer_, values[i]);
        }
        buffer_ += '\n';
        if (buffer_.size() >= kBufferBytes || Clock::now() - flushed_ >= kFlushInterval) {
            return flush();
        }
        return {};
    }

    Result<void> event(const sim::Event& event) override {
        if (!keeps_events()) {
            return {};
        }
        std::string line;
        if (!events_) {
            auto opened = File::open(events_path());
            if (!opened) {
                return opened.error();
            }
            events_ = std::move(opened).value();
            line = "t,name,kind,detail\n";
        }
        append_number(line, event.t);
        for (const std::string* field : {&event.name, &event.kind, &event.detail}) {
            line += ',';
            append_field(line, *field);
        }
        line += '\n';
        return events_->append(line);
    }

    Result<void> finish(const std::string& /*ending*/) override {
        if (auto flushed = flush(); !flushed) {
            return flushed;
        }
        if (events_) {
            if (auto closed = events_->close(); !closed) {
                return closed;
            }
        }
        return file_->close();
    }

  private:
    std::string events_path() const { return path_ + ".events.csv"; }
    /// Beside standard output and devices there is no place for a second file.
    bool keeps_events() const {
        std::error_code ignored;
        return path_ != "-" && std::filesystem::is_regular_file(path_, ignored);
    }

    Result<void> flush() {
        // What a failing disk refused once is not offered again.
        const std::string_view all = buffer_;
        auto written = file_->append(all);
        buffer_.clear();
        flushed_ = Clock::now();
        return written;
    }

    std::string path_;
    std::unique_ptr<File> file_;
    std::unique_ptr<File> events_;
    std::size_t columns_ = 0;
    std::string buffer_;
    Clock::time_point flushed_;
};

}  // namespace

Result<std::unique_ptr<sim::Recorder>> open_csv(const std::string& path) {
    auto file = File::open(path);
    if (!file) {
        return file.error();
    }
    return std::unique_ptr<sim::Recorder>(
        std::make_unique<CsvRecorder>(path, std::move(file).value()));
}

}  // namespace ananke::io
