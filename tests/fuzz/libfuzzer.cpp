#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/targets.h"

/// libFuzzer's entry. DRAY_FUZZ_TARGET is the name of the target.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dray::fuzz::DRAY_FUZZ_TARGET(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
