#include "net/line_cutter.h"

#include <algorithm>
#include <utility>

namespace dray::net {

std::vector<std::string> LineCutter::take(std::string& body, bool ended) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (;;) {
    const auto end = body.find('\n', std::max(start, searched_));
    if (end == std::string::npos) break;
    if (end > start) lines.push_back(body.substr(start, end - start));
    start = end + 1;
  }
  body.erase(0, start);
  searched_ = body.size();
  if (ended && !body.empty()) {
    lines.push_back(std::exchange(body, {}));
    searched_ = 0;
  }
  return lines;
}

}  // namespace dray::net
