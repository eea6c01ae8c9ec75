// Results as comma-separated values: open_csv().
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <string_view>
#include <utility>

#include "ananke/record.h"
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

class CsvRecorder final : public Recorder {
  public:
    CsvRecorder(std::string path, std::unique_ptr<File> file)
        : path_(std::move(path)), file_(std::move(file)) {}

    ~CsvRecorder() override {
        // Best effort for a run that was given up: nobody is left to hear of a failure.
        if (!failed_) {
            static_cast<void>(flush());
        }
    }
    CsvRecorder(const CsvRecorder&) = delete;
    CsvRecorder& operator=(const CsvRecorder&) = delete;

    Result<void> begin(const Header& header) override {
        columns_ = header.columns.size();
        buffer_.reserve(kBufferBytes + (columns_ + 1) * kNumberBytes);
        flushed_ = Clock::now();
        for (std::size_t i = 0; i < columns_; ++i) {
            if (i > 0) {
                buffer_ += ',';
            }
            append_field(buffer_, header.columns[i].name);
        }
        buffer_ += '\n';
        return file_->is_regular() ? Result<void>{} : flush();
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
        ++new_rows_;
        if (buffer_.size() >= kBufferBytes || Clock::now() - flushed_ >= kFlushInterval) {
            return flush();
        }
        return {};
    }

    Result<void> event(const Event& event) override {
        if (!file_->is_regular()) {
            return {};  // beside standard output and devices there is no place for a second file
        }
        append_number(new_events_, event.t);
        for (const std::string* field : {&event.name, &event.kind, &event.detail}) {
            new_events_ += ',';
            append_field(new_events_, *field);
        }
        new_events_ += '\n';
        return file_->is_in_place() ? write_events() : Result<void>{};
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

    /// Rows and what belongs to them to the disk. The first rows bring the file to its place; a run
    /// without rows leaves what was there.
    Result<void> flush() {
        flushed_ = Clock::now();
        if (file_->is_regular() && rows_ + new_rows_ == 0) {
            return {};
        }
        auto done = write_rows();
        if (!done || file_->is_in_place()) {
            return done;
        }
        if (done = file_->put_in_place(); !done) {
            rows_ = 0;
            return lost(done.error());
        }
        if (done = remove_if_present(events_path()); !done) {  // those of an earlier run
            return done;
        }
        return write_events();
    }

    Result<void> write_rows() {
        const std::uint64_t before = file_->is_regular() ? file_->size() : 0;
        auto written = file_->append(buffer_);
        if (!written && file_->is_in_place()) {
            rows_ += keep_whole_lines(before);
        } else if (written) {
            rows_ += new_rows_;
        }
        new_rows_ = 0;
        buffer_.clear();  // what a failing disk refused once is not offered again
        return written ? written : lost(written.error());
    }

    /// Cuts off a line of which only a part found room; how many of the new ones are whole.
    std::size_t keep_whole_lines(std::uint64_t before) {
        if (!file_->is_regular()) {
            return 0;
        }
        const std::uint64_t now = std::clamp(file_->size(), before, before + buffer_.size());
        const std::string_view written(buffer_.data(), static_cast<std::size_t>(now - before));
        const std::size_t end = written.rfind('\n') + 1;  // npos + 1 is 0
        const bool cut = file_->resize(before + end).has_value();
        return cut ? static_cast<std::size_t>(std::count(
                         written.begin(), written.begin() + static_cast<std::ptrdiff_t>(end), '\n'))
                   : 0;
    }

    Error lost(const Error& error) {
        failed_ = true;
        return file_->is_regular() ? with_rows_kept(error, rows_) : error;
    }

    Result<void> write_events() {
        if (new_events_.empty()) {
            return {};
        }
        if (!events_) {
            auto opened = File::open(events_path());
            if (!opened) {
                return opened.error();
            }
            events_ = std::move(opened).value();
            new_events_.insert(0, "t,name,kind,detail\n");
        }
        const std::string lines = std::exchange(new_events_, {});
        auto done = events_->append(lines);
        return done ? events_->put_in_place() : done;
    }

    std::string path_;
    std::unique_ptr<File> file_;
    std::unique_ptr<File> events_;
    std::size_t columns_ = 0;
    std::size_t rows_ = 0;      ///< in the file
    std::size_t new_rows_ = 0;  ///< in the buffer
    std::string buffer_;
    std::string new_events_;
    bool failed_ = false;
    Clock::time_point flushed_;
};

}  // namespace

Result<std::unique_ptr<Recorder>> open_csv(const std::string& path) {
    auto file = File::open(path);
    if (!file) {
        return file.error();
    }
    return std::unique_ptr<Recorder>(std::make_unique<CsvRecorder>(path, std::move(file).value()));
}

}  // namespace ananke::io
