#include <string>
#include <string_view>

#include "app/common/unpacked_size.h"
#include "app/common/zip.h"
#include "app/simulate/gzip.h"
#include "dray/base/check.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/targets.h"

/// gzip and ZIP: the first character says whether the text is to be packed first.
void dray::fuzz::packed(std::string_view bytes) {
  Input input(bytes);
  const bool pack = input.pick(2) == 1;
  const std::string rest(input.rest());
  if (pack) {
    const auto packed = app::pack_gzip(rest);
    DRAY_CHECK(app::is_gzip(packed));
    DRAY_CHECK(app::unpack_gzip(packed, "file") == rest);
    return;
  }
  for (const auto& made : {app::unpack_gzip(rest, "file"), app::unzip(rest, "trace.csv", "file")}) {
    DRAY_CHECK(made ? made->size() <= app::most_unpacked(rest.size())
                    : made.error().message.starts_with("file: "));
  }
}
