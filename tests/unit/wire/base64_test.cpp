#include "wire/base64.h"

#include <catch2/catch.hpp>

namespace dray::wire::base64_test {

TEST_CASE("base64 decodes as RFC 4648 says") {
  struct Row {
    const char* text;
    const char* want;
  };
  const auto row = GENERATE(Row{"", ""}, Row{"Zg==", "f"}, Row{"Zm8=", "fo"}, Row{"Zm9v", "foo"},
                            Row{"Zm9v\nYmFy\n", "foobar"}, Row{"+/+/", "\xfb\xff\xbf"});
  DYNAMIC_SECTION(row.text) {
    CHECK(decode_base64(row.text).value() == row.want);
  }
}

TEST_CASE("base64 encodes as RFC 4648 says") {
  struct Row {
    const char* bytes;
    const char* want;
  };
  const auto row = GENERATE(Row{"", ""}, Row{"f", "Zg=="}, Row{"fo", "Zm8="}, Row{"foo", "Zm9v"},
                            Row{"foob", "Zm9vYg=="}, Row{"\xff\xfe\xfd", "//79"});
  DYNAMIC_SECTION(row.want) {
    CHECK(encode_base64(row.bytes) == row.want);
  }
}

TEST_CASE("what is no base64 is refused") {
  const auto* const text = GENERATE("Z", "Zg=", "Zm9v=", "Zg==Zg==", "Z===", "Zm9-", "=Zg=");
  DYNAMIC_SECTION(text) {
    CHECK_FALSE(decode_base64(text));
  }
}

}  // namespace dray::wire::base64_test
