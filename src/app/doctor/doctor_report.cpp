#include "app/doctor/doctor_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "wire/json/json_writer.h"

namespace dray::app {
namespace {

void text_field(wire::JsonWriter& out, std::string_view name, std::string_view value) {
  out.key(name);
  out.string(value);
}

/// `{"NAME":[…]}`, an object an item.
template <class Items, class F>
std::string json_list(std::string_view name, const Items& items, F&& describe) {
  wire::JsonWriter out;
  out.begin_object();
  out.key(name);
  out.begin_list();
  for (const auto& item : items) {
    out.begin_object();
    describe(out, item);
    out.end_object();
  }
  out.end_list();
  out.end_object();
  return std::move(out).take();
}

}  // namespace

std::string findings_text(const Findings& findings) {
  if (findings.empty()) return "Nothing is wrong.\n";
  std::string text;
  for (const auto& finding : findings) {
    const auto& info = fault_info(finding.fault);
    text += fmt::format("{}: {}\n  what: {}\n  why:  {}\n  mend: {}\n\n", info.name, finding.object,
                        finding.what, info.why, finding.mend);
  }
  return text + fmt::format("{} found.\n", findings.size());
}

std::string findings_json(const Findings& findings) {
  return json_list("findings", findings, [](wire::JsonWriter& out, const Finding& finding) {
    const auto& info = fault_info(finding.fault);
    text_field(out, "name", info.name);
    text_field(out, "object", finding.object);
    text_field(out, "what", finding.what);
    text_field(out, "why", info.why);
    text_field(out, "mend", finding.mend);
  });
}

std::string stranded_text(const std::vector<Stranded>& stranded) {
  if (stranded.empty()) return "Nothing would be left behind.\n";
  std::size_t name = 8;
  std::size_t object = 6;
  for (const auto& each : stranded) {
    name = std::max(name, stranded_name(each.kind).size());
    object = std::max(object, each.object.size());
  }
  auto text = fmt::format("{:<{}}  {:<{}}  {}\n", "STRANDED", name, "OBJECT", object, "WHAT");
  for (const auto& each : stranded) {
    text += fmt::format("{:<{}}  {:<{}}  {}\n", stranded_name(each.kind), name, each.object, object,
                        each.what);
  }
  return text;
}

std::string stranded_json(const std::vector<Stranded>& stranded) {
  return json_list("stranded", stranded, [](wire::JsonWriter& out, const Stranded& each) {
    text_field(out, "name", stranded_name(each.kind));
    text_field(out, "object", each.object);
    text_field(out, "what", each.what);
  });
}

}  // namespace dray::app
