#include "io/tee.h"

#include <utility>

namespace ananke::io {
namespace {

class Tee final : public sim::Recorder {
  public:
    explicit Tee(std::vector<std::unique_ptr<sim::Recorder>> recorders)
        : recorders_(std::move(recorders)) {}

    Result<void> begin(const sim::Header& header) override {
        return each([&](sim::Recorder& recorder) { return recorder.begin(header); });
    }
    Result<void> row(std::span<const double> values) override {
        return each([&](sim::Recorder& recorder) { return recorder.row(values); });
    }
    Result<void> event(const sim::Event& event) override {
        return each([&](sim::Recorder& recorder) { return recorder.event(event); });
    }
    Result<void> finish(const std::string& ending) override {
        return each([&](sim::Recorder& recorder) { return recorder.finish(ending); });
    }

  private:
    template <class Call>
    Result<void> each(const Call& call) {
        Result<void> first;
        for (const auto& recorder : recorders_) {
            Result<void> answer = call(*recorder);
            if (first && !answer) {
                first = std::move(answer);
            }
        }
        return first;
    }

    std::vector<std::unique_ptr<sim::Recorder>> recorders_;
};

}  // namespace

std::unique_ptr<sim::Recorder> tee(std::vector<std::unique_ptr<sim::Recorder>> recorders) {
    return std::make_unique<Tee>(std::move(recorders));
}

}  // namespace ananke::io
