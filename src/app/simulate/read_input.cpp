#include "app/simulate/read_input.h"

#include <utility>

#include "app/common/files.h"
#include "app/simulate/gzip.h"

namespace dray::app {

Result<std::string> read_input(const std::string& path) {
  auto text = read_file(path);
  if (!text || !is_gzip(*text)) return text;
  return unpack_gzip(std::move(*text), path);
}

}  // namespace dray::app
