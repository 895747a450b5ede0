#include "service/record/record_line.h"

#include "wire/json/json_reader.h"

namespace dray::service {

Time record_time(std::int64_t micros) {
  return Time(Duration(micros));
}

Result<RecordLine> read_record_line(std::string_view json) {
  RecordLine line;
  wire::Document document(json);
  document.visit([&](const wire::Reader& root) {
    root.fields([&](auto& io) {
      io.field("at", line.at);
      io.field("record", line.record);
      io.field("run", line.run);
      io.field("segment", line.segment);
      io.field("observed", line.observed);
      io.raw("options", line.options);
      io.raw("state", line.state);
      io.raw("in", line.input);
      io.field("idle", line.idle);
      if (io.member().key() == "out") {
        io.member().items([&](const wire::Reader& item) { line.out.push_back(item.raw()); });
      }
    });
  });
  if (document.problem()) return std::unexpected(document.problem()->to_error());
  return line;
}

}  // namespace dray::service
