#include "net/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/net/support.h"

namespace dray::net::file_test {

using testing::TempFolder;

TEST_CASE("a file is read whole, with every byte that it has") {
  const TempFolder folder;
  const std::string text = std::string(200'000, 'x') + '\0' + "\r\nend";
  CHECK(read_file(folder.write("long", text)) == text);
  CHECK(read_file(folder.write("empty", "")) == "");
  CHECK(read_file("/proc/self/comm").has_value());  // its size is 0 until it is read
}

TEST_CASE("what cannot be read is named, with the system's reason") {
  const TempFolder folder;
  const auto nowhere = folder.path() + "/nowhere";
  CHECK(read_file(nowhere).error().message ==
        nowhere + ": cannot be read: no such file or directory");
  CHECK(read_file(folder.path()).error().message ==
        folder.path() + ": cannot be read: is a directory");
  CHECK(read_file(folder.path()).error().code == ErrorCode::not_found);
}

TEST_CASE("a pipe is read until it ends") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  REQUIRE(::write(ends[1], "ab", 2) == 2);
  ::close(ends[1]);
  CHECK(read_all(ends[0], "-") == "ab");
  ::close(ends[0]);
  CHECK(read_all(ends[0], "standard input")
            .error()
            .message.starts_with("standard input: cannot be read: "));
}

}  // namespace dray::net::file_test
