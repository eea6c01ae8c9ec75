// Ctrl-C asks the run to stop, so that what it has computed is kept.
#pragma once

namespace ananke::cli {

/// From now on SIGINT and SIGTERM set a flag; a second one ends the program at once.
void catch_interrupts();
bool interrupted();
/// From now on they end the program at once.
void stop_catching_interrupts();
/// A closed pipe is an ordinary write error.
void ignore_closed_pipes();

}  // namespace ananke::cli
