#include "interrupt.h"

#include <csignal>

namespace ananke::cli {
namespace {

volatile std::sig_atomic_t requested = 0;

void on_signal(int signal) {
    if (requested != 0) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
    requested = 1;
}

}  // namespace

void catch_interrupts() {
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
}

void stop_catching_interrupts() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

void ignore_closed_pipes() {
    std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() {
    return requested != 0;
}

}  // namespace ananke::cli
