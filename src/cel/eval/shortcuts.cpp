#include "cel/eval/shortcuts.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace dray::cel {

namespace {

/// `.name` or `["key"]`.
bool plain(const Qualifier& step) {
  return step.computed == nullptr && step.key.is(Kind::string) && !step.optional && !step.test_only;
}

/// How the third step asks for the attribute or the capacity; none: not as columns can answer.
Path::Shortcut way_of(const Path& path) {
  const Qualifier& name = path.qualifiers[2];
  if (path.qualifiers.size() > 3)
    return plain(name) ? Path::Shortcut::within_name : Path::Shortcut::none;
  if (name.computed != nullptr || !name.key.is(Kind::string)) return Path::Shortcut::none;
  if (name.test_only) return name.optional ? Path::Shortcut::none : Path::Shortcut::has_name;
  return name.optional ? Path::Shortcut::optional_name : Path::Shortcut::name;
}

}  // namespace

void find_shortcuts(Plan& plan) {
  std::map<Name, int> known;
  for (Path& path : plan.paths) {
    if (path.root != Path::Root::device || path.qualifiers.empty()) continue;
    const auto key = [&](std::size_t i) { return path.qualifiers[i].key.text(); };
    if (!plain(path.qualifiers[0])) continue;
    if (path.qualifiers.size() == 1) {
      if (key(0) == "driver") path.shortcut = Path::Shortcut::driver;
      if (key(0) == "allowMultipleAllocations") path.shortcut = Path::Shortcut::allow_multiple;
    }
    if (path.qualifiers.size() < 3 || !plain(path.qualifiers[1])) continue;
    if (key(0) != "attributes" && key(0) != "capacity") continue;
    const Path::Shortcut way = way_of(path);
    if (way == Path::Shortcut::none) continue;
    const Half half = key(0) == "capacity" ? Half::capacity : Half::attribute;
    const auto [entry, added] = known.try_emplace(
        Name{half, std::string(key(1)), std::string(key(2))}, static_cast<int>(plan.names.size()));
    if (added) plan.names.push_back(entry->first);
    path.read = entry->second;
    path.shortcut = way;
  }
}

void find_presence(Plan& plan, Call& call) {
  const Node& key = *call.args[0];
  const Node& map = *call.args[1];
  if (key.kind != NodeKind::constant || !key.constant.is(Kind::string)) return;
  if (map.kind != NodeKind::path || map.path->root != Path::Root::device) return;
  const auto& steps = map.path->qualifiers;
  if (steps.size() != 2 || !std::ranges::all_of(steps, plain)) return;
  const bool capacity = steps[0].key.text() == "capacity";
  if (!capacity && steps[0].key.text() != "attributes") return;
  call.presence = static_cast<int>(plan.names.size());
  plan.names.push_back({capacity ? Half::capacity : Half::attribute,
                        std::string(steps[1].key.text()), std::string(key.constant.text())});
}

}  // namespace dray::cel
