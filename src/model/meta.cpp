#include "dray/model/meta.h"

#include <charconv>
#include <cstdint>

namespace dray {
namespace {

std::uint64_t count_of(const ResourceVersion& version) {
  std::uint64_t value = 0;
  const auto& text = version.get();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

bool is_older(const ResourceVersion& a, const ResourceVersion& b) {
  return count_of(a) < count_of(b);
}

}  // namespace dray
