#include "wire/yaml/yaml_progress.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>
#include <string>

namespace dray::wire {
namespace {

using YAML::anchor_t;
using YAML::Mark;

/// Looks where documents begin, and at nothing else.
class DocumentStarts final : public YAML::EventHandler {
 public:
  /// Whether the last document began where the one before it did.
  [[nodiscard]] bool stands_still() const { return stands_still_; }
  [[nodiscard]] TextPlace place() const { return {last_.line + 1, last_.column + 1}; }

  void OnDocumentStart(const Mark& mark) override {
    stands_still_ = mark.pos == last_.pos;
    last_ = mark;
  }
  void OnDocumentEnd() override {}
  void OnNull(const Mark& /*mark*/, anchor_t /*anchor*/) override {}
  void OnAlias(const Mark& /*mark*/, anchor_t /*anchor*/) override {}
  void OnScalar(const Mark& /*mark*/, const std::string& /*tag*/, anchor_t /*anchor*/,
                const std::string& /*value*/) override {}
  void OnSequenceStart(const Mark& /*mark*/, const std::string& /*tag*/, anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const Mark& /*mark*/, const std::string& /*tag*/, anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {}
  void OnMapEnd() override {}

 private:
  Mark last_ = Mark::null_mark();
  bool stands_still_ = false;
};

}  // namespace

std::optional<TextPlace> endless_yaml(std::string_view text) {
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    DocumentStarts starts;
    while (parser.HandleNextDocument(starts)) {
      if (starts.stands_still()) return starts.place();
    }
  } catch (const YAML::Exception&) {
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace dray::wire
