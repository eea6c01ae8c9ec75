#include "interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>

#include "verbs.h"

namespace ananke::cli {
namespace {

volatile std::sig_atomic_t requested = 0;
/// The last words of the program, or none: then a signal asks a run to stop.
std::atomic<const char*> last_words{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free, "read by a signal handler");

constexpr const char* kSecond = "ananke: interrupted again; the rows on the disk are kept\n";

/// Calls nothing but what a signal handler may. Text that waits in the buffers of stdio is lost.
[[noreturn]] void end_with(const char* line) {
    [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, line, std::strlen(line));
    ::_exit(kInterrupted);
}

void on_signal(int /*signal*/) {
    if (const char* line = last_words.load()) {
        end_with(line);
    }
    if (requested != 0) {
        end_with(kSecond);
    }
    requested = 1;
}

void watch() {
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
}

}  // namespace

void end_on_interrupts(const char* line) {
    last_words.store(line);
    watch();
}

void catch_interrupts() {
    last_words.store(nullptr);
    watch();
}

void ignore_write_signals() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

bool interrupted() {
    return requested != 0;
}

}  // namespace ananke::cli
