// One run, several recorders: tee().
#include <utility>

#include "ananke/record.h"

namespace ananke::io {
namespace {

class Tee final : public Recorder {
  public:
    explicit Tee(std::vector<std::unique_ptr<Recorder>> recorders)
        : recorders_(std::move(recorders)) {}

    Result<void> begin(const Header& header) override {
        return each([&](Recorder& recorder) { return recorder.begin(header); });
    }
    Result<void> row(std::span<const double> values) override {
        return each([&](Recorder& recorder) { return recorder.row(values); });
    }
    Result<void> event(const Event& event) override {
        return each([&](Recorder& recorder) { return recorder.event(event); });
    }
    Result<void> finish(const std::string& ending) override {
        return each([&](Recorder& recorder) { return recorder.finish(ending); });
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

    std::vector<std::unique_ptr<Recorder>> recorders_;
};

}  // namespace

std::unique_ptr<Recorder> tee(std::vector<std::unique_ptr<Recorder>> recorders) {
    return std::make_unique<Tee>(std::move(recorders));
}

}  // namespace ananke::io
