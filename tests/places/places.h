// Where the tests find the tree, the program under test, and room for what they write.
//
// Functions and not definitions of the compiler: objects that hold no place can be shared between
// trees by ccache.
#pragma once

namespace ananke::places {

const char* source_dir();  ///< root of the tree
const char* program();     ///< build/.../app/cli/ananke
const char* build_dir();   ///< build/...

}  // namespace ananke::places
