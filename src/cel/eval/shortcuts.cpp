#include "cel/eval/shortcuts.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace dray::cel {

void find_shortcuts(Plan& plan) {
  std::map<Name, int> known;
  for (Path& path : plan.paths) {
    if (path.root != Path::Root::device || path.qualifiers.empty()) continue;
    bool plain = true;
    for (const Qualifier& q : path.qualifiers) {
      const bool last = &q == &path.qualifiers.back();
      plain = plain && q.computed == nullptr && q.key.is(Kind::string) && (!q.optional || last);
    }
    const auto key = [&](std::size_t i) { return path.qualifiers[i].key.text(); };
    if (!plain) continue;
    const bool has = path.qualifiers.back().test_only;
    const bool optional = path.qualifiers.back().optional;
    if (has && optional) continue;
    if (path.qualifiers.size() == 1 && !has && !optional) {
      if (key(0) == "driver") path.shortcut = Path::Shortcut::driver;
      if (key(0) == "allowMultipleAllocations") path.shortcut = Path::Shortcut::allow_multiple;
    }
    if (path.qualifiers.size() != 3 || (key(0) != "attributes" && key(0) != "capacity")) continue;
    const Half half = key(0) == "capacity" ? Half::capacity : Half::attribute;
    const auto [entry, added] = known.try_emplace(
        Name{half, std::string(key(1)), std::string(key(2))}, static_cast<int>(plan.names.size()));
    if (added) plan.names.push_back(entry->first);
    path.read = entry->second;
    path.shortcut = has        ? Path::Shortcut::has_name
                    : optional ? Path::Shortcut::optional_name
                               : Path::Shortcut::name;
  }
}

void find_presence(Plan& plan, Call& call) {
  const Node& key = *call.args[0];
  const Node& map = *call.args[1];
  if (key.kind != NodeKind::constant || !key.constant.is(Kind::string)) return;
  if (map.kind != NodeKind::path || map.path->root != Path::Root::device) return;
  const auto& steps = map.path->qualifiers;
  const auto plain = [](const Qualifier& step) {
    return step.computed == nullptr && step.key.is(Kind::string) && !step.optional &&
           !step.test_only;
  };
  if (steps.size() != 2 || !std::ranges::all_of(steps, plain)) return;
  const bool capacity = steps[0].key.text() == "capacity";
  if (!capacity && steps[0].key.text() != "attributes") return;
  call.presence = static_cast<int>(plan.names.size());
  plan.names.push_back({capacity ? Half::capacity : Half::attribute,
                        std::string(steps[1].key.text()), std::string(key.constant.text())});
}

}  // namespace dray::cel
