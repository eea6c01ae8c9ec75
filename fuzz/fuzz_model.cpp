// Any text as a model: checked, derived and run for some steps, as `ananke check`, `ananke derive`
// and `ananke run` do with a file.
#include <cstdint>
#include <string>
#include <vector>

#include "bounds.h"

namespace ananke::fuzz {
namespace {

/// The form and the notation differ from text to text, and are the same for the same text.
void write_out(const Model& model, std::size_t choice) {
    const std::vector<Form> forms = written_forms();
    DeriveOptions options;
    options.form = forms[choice % forms.size()];
    options.notation = static_cast<Notation>(choice % 3);
    static_cast<void>(derive(model, options));
}

void use(const std::string& text) {
    const Loaded loaded = load_model_text("fuzzed", text, {}, bounds());
    static_cast<void>(loaded.report());
    if (!loaded.model || !is_small(*loaded.model, kMostUnknowns)) {
        return;
    }
    if (is_small(*loaded.model, kMostWritten)) {
        static_cast<void>(check(*loaded.model));
        write_out(*loaded.model, text.size());
    }
    run_and_show(*loaded.model, {});
}

}  // namespace
}  // namespace ananke::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size <= ananke::fuzz::kMostBytes) {
        ananke::fuzz::use({reinterpret_cast<const char*>(data), size});
    }
    return 0;
}
