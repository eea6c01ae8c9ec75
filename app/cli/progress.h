// A progress bar with the time left, on a terminal only.
#pragma once

#include <chrono>

namespace ananke::cli {

class Progress {
  public:
    /// `shown` false, or standard error not a terminal: nothing is ever printed.
    explicit Progress(bool shown);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void update(double t, double until);
    void clear();

  private:
    bool shown_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace ananke::cli
