#include "app/match/match_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "app/common/colour.h"
#include "wire/json/json_writer.h"

namespace dray::app {
namespace {

struct Counts {
  std::int64_t matched = 0;
  std::int64_t not_matched = 0;
  std::int64_t failed = 0;
};

Counts count(const std::vector<DeviceMatch>& matches) {
  Counts counts;
  for (const auto& match : matches) {
    ++(match.verdict == cel::Verdict::yes  ? counts.matched
       : match.verdict == cel::Verdict::no ? counts.not_matched
                                           : counts.failed);
  }
  return counts;
}

std::string_view word(cel::Verdict verdict) {
  if (verdict == cel::Verdict::yes) return "yes";
  return verdict == cel::Verdict::no ? "no" : "error";
}

std::string shown_node(const OfferedDevice& device) {
  return device.node.empty() ? "*" : device.node;
}

/// On one line, as expressions over several lines are not in a table.
std::string flat(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (blank && (line.empty() || line.back() == ' ')) continue;
    line += blank ? ' ' : c;
  }
  return line;
}

std::string title(const NamedSelector& selector) {
  return selector.name.empty() ? "expression" : selector.name;
}

std::string counts_line(const std::vector<DeviceMatch>& matches) {
  const auto counts = count(matches);
  return fmt::format("{} of {} devices match, {} do not, {} failed\n", counts.matched,
                     matches.size(), counts.not_matched, counts.failed);
}

Paint paint_of(cel::Verdict verdict) {
  if (verdict == cel::Verdict::yes) return Paint::good;
  return verdict == cel::Verdict::no ? Paint::warn : Paint::bad;
}

/// Devices that answer alike.
struct AlikeDevices {
  const DeviceMatch* first = nullptr;
  std::size_t devices = 0;
  std::set<std::string> nodes;
  std::set<std::string> reasons;
};

void add_to(AlikeDevices& group, const DeviceMatch& match) {
  if (group.first == nullptr) group.first = &match;
  ++group.devices;
  group.nodes.insert(shown_node(*match.device));
  group.reasons.insert(match.why);
}

/// What comes before the values.
std::string decided_by(const DeviceMatch& match) {
  return match.why.substr(0, match.why.find(": "));
}

/// Those that match, then the others, the most devices first, then those that failed.
std::vector<AlikeDevices> alike(const std::vector<DeviceMatch>& matches) {
  constexpr std::size_t most_values = 12;
  using Key = std::tuple<cel::Verdict, std::string, std::string>;
  std::map<Key, std::set<std::string>> values;
  for (const auto& match : matches) {
    values[{match.verdict, match.selector, decided_by(match)}].insert(match.why);
  }
  std::map<std::pair<Key, std::string>, AlikeDevices> groups;
  for (const auto& match : matches) {
    const Key key{match.verdict, match.selector, decided_by(match)};
    add_to(groups[{key, values[key].size() > most_values ? "" : match.why}], match);
  }
  std::vector<AlikeDevices> all;
  all.reserve(groups.size());
  for (auto& [key, group] : groups) all.push_back(std::move(group));
  const auto rank = [](const AlikeDevices& group) {
    return group.first->verdict == cel::Verdict::yes  ? 0
           : group.first->verdict == cel::Verdict::no ? 1
                                                      : 2;
  };
  std::ranges::stable_sort(all, [&](const AlikeDevices& a, const AlikeDevices& b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : a.devices > b.devices;
  });
  return all;
}

void write_part(wire::JsonWriter& out, const cel::ExplainedPart& part) {
  out.begin_object();
  out.key("expression");
  out.string(part.text);
  out.key("depth");
  out.integer(part.depth);
  out.key(part.failed ? "error" : "value");
  out.string(part.value);
  out.key("reached");
  out.boolean(part.reached);
  out.end_object();
}

void write_match(wire::JsonWriter& out, const DeviceMatch& match) {
  out.begin_object();
  out.key("node");
  match.device->node.empty() ? out.null() : out.string(match.device->node);
  out.key("device");
  out.string(match.device->id());
  out.key("match");
  out.boolean(match.verdict == cel::Verdict::yes);
  if (match.verdict != cel::Verdict::yes) {
    out.key("failed");
    out.boolean(match.verdict == cel::Verdict::error);
    out.key("selector");
    out.string(match.selector);
    out.key("why");
    out.string(match.why);
  }
  out.end_object();
}

}  // namespace

std::string match_names(const std::vector<DeviceMatch>& matches) {
  std::string text;
  for (const auto& match : matches) {
    if (match.verdict == cel::Verdict::yes) text += "device/" + match.device->id() + "\n";
  }
  return text;
}

std::string match_rows(const std::vector<DeviceMatch>& matches) {
  std::size_t node = 4;
  std::size_t device = 6;
  for (const auto& match : matches) {
    node = std::max(node, shown_node(*match.device).size());
    device = std::max(device, match.device->id().size());
  }
  auto text =
      fmt::format("{:<{}}  {:<{}}  {:<5}  WHY NOT\n", "NODE", node, "DEVICE", device, "MATCH");
  for (const auto& match : matches) {
    const auto why =
        match.selector.empty() ? flat(match.why) : match.selector + ": " + flat(match.why);
    auto line = fmt::format("{:<{}}  {:<{}}  {:<5}  {}", shown_node(*match.device), node,
                            match.device->id(), device, word(match.verdict), why);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text + counts_line(matches);
}

std::string match_table(const std::vector<DeviceMatch>& matches, bool coloured) {
  const auto groups = alike(matches);
  std::size_t first = 5;
  for (const auto& group : groups) first = std::max(first, group.first->device->id().size());
  auto text = fmt::format("{:<5}  {:>7}  {:>5}  {:<{}}  WHY NOT\n", "MATCH", "DEVICES", "NODES",
                          "FIRST", first);
  for (const auto& group : groups) {
    const auto& one = *group.first;
    const auto verdict = word(one.verdict);
    auto why = one.selector.empty() ? flat(one.why) : one.selector + ": " + flat(one.why);
    if (group.reasons.size() > 1) {
      why += fmt::format(" (and {} other values)", group.reasons.size() - 1);
    }
    auto line = fmt::format("{}{}  {:>7}  {:>5}  {:<{}}  {}",
                            paint(verdict, paint_of(one.verdict), coloured),
                            std::string(5 - verdict.size(), ' '), group.devices, group.nodes.size(),
                            one.device->id(), first, why);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text + counts_line(matches);
}

std::string match_json(const std::vector<DeviceMatch>& matches) {
  wire::JsonWriter out;
  const auto counts = count(matches);
  out.begin_object();
  out.key("devices");
  out.begin_list();
  for (const auto& match : matches) write_match(out, match);
  out.end_list();
  out.key("matched");
  out.integer(counts.matched);
  out.key("notMatched");
  out.integer(counts.not_matched);
  out.key("failed");
  out.integer(counts.failed);
  out.end_object();
  return std::move(out).take();
}

std::string explain_table(const OfferedDevice& device, std::vector<NamedSelector>& selectors) {
  auto text = fmt::format("device {} on {}\n", device.id(), shown_node(device));
  for (auto& selector : selectors) {
    text += title(selector) + ":\n";
    for (const auto& part : selector.explainer.explain(*device.shape)) {
      text += fmt::format("  {:{}}{} {} {}{}\n", "", 2 * part.depth, flat(part.text),
                          part.failed ? "fails:" : "=", part.value,
                          part.reached ? "" : "  (not needed)");
    }
  }
  return text;
}

std::string explain_json(const OfferedDevice& device, std::vector<NamedSelector>& selectors) {
  wire::JsonWriter out;
  out.begin_object();
  out.key("device");
  out.string(device.id());
  out.key("selectors");
  out.begin_list();
  for (auto& selector : selectors) {
    out.begin_object();
    out.key("selector");
    out.string(title(selector));
    out.key("parts");
    out.begin_list();
    for (const auto& part : selector.explainer.explain(*device.shape)) write_part(out, part);
    out.end_list();
    out.end_object();
  }
  out.end_list();
  out.end_object();
  return std::move(out).take();
}

}  // namespace dray::app
