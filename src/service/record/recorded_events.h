#pragma once

#include <cstdint>
#include <string_view>

#include "dray/base/error.h"
#include "dray/simulate/recorded.h"

namespace dray::service {

/// Shows a record, line by line, to who makes a load of it, whether dray decided in it or not.
class RecordedEvents {
 public:
  explicit RecordedEvents(simulate::LoadReader& reader) : reader_(reader) {}
  [[nodiscard]] Result<void> feed(std::string_view line);

 private:
  simulate::LoadReader& reader_;
  std::int64_t run_ = -1;
  std::int64_t segment_ = -1;
  bool opening_ = false;  ///< the next line is the first of what is told anew
};

}  // namespace dray::service
