// Ctrl-C: before there are results the program ends at once, and a run keeps what it has computed.
#pragma once

namespace ananke::cli {

/// From now on SIGINT and SIGTERM end the program at once with kInterrupted, after this line on
/// standard error. The text must outlive the program.
void end_on_interrupts(const char* line);
/// From now on they set a flag; a second one ends the program at once.
void catch_interrupts();
bool interrupted();
/// A closed pipe is an ordinary write error.
void ignore_write_signals();

}  // namespace ananke::cli
