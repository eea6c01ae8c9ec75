#include "compile/program_store.h"

#include <gtest/gtest.h>

namespace ananke::compile {
namespace {

RecordKey key(RecordKey::Kind kind, double number) {
    return RecordKey(kind).add(std::span<const double>(&number, 1));
}

TEST(ProgramStore, KeepsTheLatestAnswerOfEachKind) {
    ProgramStore store;
    int made = 0;
    const auto ask = [&](RecordKey::Kind kind, double number) {
        return *store.latest<double>(key(kind, number), [&] {
            ++made;
            return 10.0 * number;
        });
    };
    EXPECT_EQ(ask(RecordKey::Kind::kRows, 1.0), 10.0);
    EXPECT_EQ(ask(RecordKey::Kind::kOrder, 1.0), 10.0);
    EXPECT_EQ(ask(RecordKey::Kind::kRows, 1.0), 10.0);
    EXPECT_EQ(made, 2);
    EXPECT_EQ(ask(RecordKey::Kind::kRows, 2.0), 20.0);
    EXPECT_EQ(ask(RecordKey::Kind::kOrder, 1.0),
              10.0);  // of another kind: still there
    EXPECT_EQ(made, 3);
    EXPECT_EQ(ask(RecordKey::Kind::kRows, 1.0), 10.0);  // made again
    EXPECT_EQ(made, 4);
}

}  // namespace
}  // namespace ananke::compile
