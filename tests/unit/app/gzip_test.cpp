#include "app/simulate/gzip.h"

#include <catch2/catch.hpp>
#include <string>

namespace dray::app::gzip_test {

std::string zeros(std::size_t count) {
  std::string text;
  text.resize(count, '0');
  return text;
}

TEST_CASE("what was packed comes back") {
  const auto packed = pack_gzip("a,b\n1,2\n");
  CHECK(is_gzip(packed));
  CHECK(unpack_gzip(packed, "t.gz").value() == "a,b\n1,2\n");
  CHECK(unpack_gzip(packed + packed, "t.gz").value() == "a,b\n1,2\na,b\n1,2\n");
  CHECK(unpack_gzip(packed.substr(0, packed.size() - 1), "t.gz").error().message ==
        "t.gz: gzip data that cannot be unpacked");
}

TEST_CASE("a small file that unpacks to a large one is an error with both sizes") {
  CHECK(unpack_gzip(pack_gzip(zeros(60'000'000)), "t.gz").value().size() == 60'000'000);
  const auto bomb = pack_gzip(zeros(200'000'000));
  REQUIRE(bomb.size() < 1'300'000);
  CHECK(unpack_gzip(bomb, "t.gz").error().message ==
        "t.gz: " + std::to_string(bomb.size()) + " bytes of gzip data unpack to more than " +
            std::to_string((std::size_t{64} << 20U) + bomb.size() * 100) +
            " bytes: unpack it yourself if you trust it");
}

}  // namespace dray::app::gzip_test
