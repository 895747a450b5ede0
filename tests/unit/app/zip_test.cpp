#include "app/common/zip.h"

#include <zlib.h>

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/common/files.h"

namespace dray::app::zip_test {
namespace {

std::string number(std::uint32_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 0xffU);
  return text;
}

/// Files as they are, not packed.
std::string archive_of(const std::vector<std::pair<std::string, std::string>>& files,
                       std::uint32_t flags = 0, std::uint32_t method = 0) {
  std::string all;
  std::string directory;
  for (const auto& [name, text] : files) {
    const auto sum = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
    const auto size = number(static_cast<std::uint32_t>(text.size()), 4);
    const auto name_size = number(static_cast<std::uint32_t>(name.size()), 2);
    const auto middle = number(flags, 2) + number(method, 2) + number(0, 4) + number(sum, 4) +
                        size + size + name_size;
    directory += "PK\x01\x02" + number(20, 2) + number(20, 2) + middle + number(0, 2) +
                 number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4) +
                 number(static_cast<std::uint32_t>(all.size()), 4) + name;
    all += "PK\x03\x04" + number(20, 2) + middle + number(0, 2) + name + text;
  }
  const auto begin = static_cast<std::uint32_t>(all.size());
  const auto count = number(static_cast<std::uint32_t>(files.size()), 2);
  return all + directory + "PK\x05\x06" + number(0, 4) + count + count +
         number(static_cast<std::uint32_t>(directory.size()), 4) + number(begin, 4) + number(0, 2);
}

std::string error_of(const std::string& archive) {
  const auto text = unzip(archive, "snapshot.json", "a.zip");
  return text ? "" : text.error().message;
}

}  // namespace

TEST_CASE("an archive has the file that is asked for, or the only one") {
  CHECK(unzip(archive_of({{"other.json", "{}"}}), "snapshot.json", "a.zip") == "{}");
  CHECK(unzip(archive_of({{"a/", ""}, {"a/b", "1"}, {"snapshot.json", "2"}}), "snapshot.json",
              "a.zip") == "2");
  CHECK(unzip(archive_of({{"empty", ""}}), "snapshot.json", "a.zip") == "");
  CHECK(is_zip(archive_of({{"a", ""}})));
  CHECK_FALSE(is_zip("{}"));
}

TEST_CASE("what is wrong with an archive is told") {
  CHECK(error_of(archive_of({{"a", "1"}, {"b", "2"}})) ==
        "a.zip: a ZIP archive without snapshot.json: it has a, b");
  CHECK(error_of(archive_of({})) == "a.zip: a ZIP archive without snapshot.json: it has no file");
  CHECK(error_of(archive_of({{"a", "1"}}, 1)) ==
        "a.zip: a in it is encrypted, or packed by another method than deflate");
  CHECK(error_of(archive_of({{"a", "1"}}, 0, 12)) ==
        "a.zip: a in it is encrypted, or packed by another method than deflate");
  CHECK(error_of("PK\x03\x04 and no more") == "a.zip: a ZIP archive that is cut off or damaged");
}

TEST_CASE("a small archive that says it is a large file is not unpacked") {
  auto archive = archive_of({{"a", "1"}}, 0, 8);
  const auto entry = archive.find("PK\x01\x02");
  archive.replace(entry + 24, 4, number(70'000'000, 4));
  CHECK(error_of(archive) ==
        "a.zip: a in it has 1 bytes packed, and says that it unpacks to 70000000, which is more "
        "than 67108964: unpack it yourself if you trust it");
}

TEST_CASE("of an archive that is cut off or changed nothing else is read") {
  const auto archive = read_file("tests/data/snapshots/kai.zip").value();
  const auto whole = unzip(archive, "snapshot.json", "a.zip").value();
  CHECK(whole.starts_with(R"({"config":)"));
  for (std::size_t size = 0; size < archive.size(); ++size) {
    CHECK_FALSE(unzip(archive.substr(0, size), "snapshot.json", "a.zip"));
  }
  for (std::size_t at = 0; at < archive.size(); ++at) {
    for (const unsigned bit : {0U, 3U, 7U}) {
      auto changed = archive;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ (1U << bit));
      const auto text = unzip(changed, "snapshot.json", "a.zip");
      if (text) CHECK(*text == whole);
    }
  }
}

}  // namespace dray::app::zip_test
