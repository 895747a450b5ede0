#include "dray/engine/share_wish.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "dray/model/claim_limits.h"

namespace dray::engine {
namespace {

template <class T>
std::optional<T> number_in(const std::string& text) {
  T value{};
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

Result<std::vector<ShareWish>> wish_of_annotations(const Labels& marks) {
  const auto wrong = [](const char* mark, const std::string& text, const std::string& right) {
    return fail(ErrorCode::invalid, fmt::format("annotation {}: {} is no {}", mark, text, right));
  };
  ShareWish wish;
  wish.request = "share";
  if (const auto mark = marks.find(fraction_annotation); mark != marks.end()) {
    wish.memory_part = number_in<double>(mark->second);
    if (!wish.memory_part || !(*wish.memory_part > 0) || *wish.memory_part > 1) {
      return wrong(fraction_annotation, mark->second, "number above 0 and at most 1");
    }
  } else if (const auto memory = marks.find(gpu_memory_annotation); memory != marks.end()) {
    const auto mebibytes = number_in<std::int64_t>(memory->second);
    if (!mebibytes || *mebibytes <= 0) {
      return wrong(gpu_memory_annotation, memory->second, "positive number of MiB");
    }
    wish.memory = static_cast<double>(*mebibytes) * mebibyte;
  }
  if (const auto count = marks.find(fraction_devices_annotation); count != marks.end()) {
    const auto devices = number_in<std::int64_t>(count->second);
    if (!devices || *devices <= 0 || *devices > max_results) {
      return wrong(fraction_devices_annotation, count->second,
                   fmt::format("number of devices from 1 to {}", max_results));
    }
    wish.devices = *devices;
  }
  return std::vector{std::move(wish)};
}

/// Takes the part of `text` before `end` away; all of it where there is none.
std::string_view take_until(std::string_view& text, char end) {
  const auto at = text.find(end);
  const auto taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return taken;
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// `main nvidia.com/gpu=1 nvidia.com/gpumem=8192`.
Result<ShareWish> wish_of_moved(std::string_view text) {
  const std::string container(take_until(text, ' '));
  ResourceList asked;
  while (!(text = trimmed(text)).empty()) {
    auto amount = take_until(text, ' ');
    const std::string resource(take_until(amount, '='));
    auto quantity = Quantity::parse(amount);
    if (!quantity) {
      return fail(ErrorCode::invalid, fmt::format("container {}: {}: {}", container, resource,
                                                  quantity.error().message));
    }
    asked.insert_or_assign(resource, std::move(*quantity));
  }
  if (!asks_for_part(asked)) {
    return fail(ErrorCode::invalid, fmt::format("container {}: no part of a device", container));
  }
  return wish_of_resources(container, asked);
}

Result<std::vector<ShareWish>> wishes_of_moved(std::string_view text) {
  std::vector<ShareWish> wishes;
  while (!text.empty()) {
    auto wish = wish_of_moved(trimmed(take_until(text, ';')));
    if (!wish) {
      return std::unexpected(
          Error(wish.error()).within(std::string("annotation ") + moved_requests_annotation));
    }
    wishes.push_back(std::move(*wish));
  }
  return wishes;
}

/// HAMi's numbers and gpushare's are whole.
struct Amounts {
  const std::string& container;
  const ResourceList& limits;

  [[nodiscard]] bool has(const char* resource) const { return limits.contains(resource); }
  /// From `least` to `most`; `absent` where the container does not say.
  [[nodiscard]] Result<std::int64_t> whole(const char* resource, std::int64_t least,
                                           std::int64_t most, std::int64_t absent) const {
    const auto found = limits.find(resource);
    if (found == limits.end()) return absent;
    const auto units = found->second.exact_units();
    if (units && *units >= least && *units <= most) return *units;
    return fail(ErrorCode::invalid,
                fmt::format("container {}: {}: {} is no whole number from {} to {}", container,
                            resource, found->second.to_string(), least, most));
  }
};

/// More MiB or GiB than any device has.
constexpr std::int64_t most_memory = 1'000'000'000;

Result<ShareWish> wish_in_gpushares_words(const Amounts& asked) {
  const auto gibibytes = asked.whole(gpushare_resource, 1, most_memory, 0);
  if (!gibibytes) return std::unexpected(gibibytes.error());
  ShareWish wish;
  wish.request = asked.container;
  wish.memory = static_cast<double>(*gibibytes) * mebibyte * 1024;
  wish.others_part = 0;  // gpushare shares out memory alone
  wish.together = true;
  return wish;
}

Result<ShareWish> wish_in_hamis_words(const Amounts& asked) {
  const auto devices = asked.whole(nvidia_gpu_resource, 1, max_results, 1);
  if (!devices) return std::unexpected(devices.error());
  const auto memory = asked.whole(hami_memory_resource, 0, most_memory, 0);
  if (!memory) return std::unexpected(memory.error());
  const auto percentage = asked.whole(hami_percentage_resource, 1, 100, 100);
  if (!percentage) return std::unexpected(percentage.error());
  const auto cores = asked.whole(hami_cores_resource, 0, 100, 0);
  if (!cores) return std::unexpected(cores.error());
  ShareWish wish;
  wish.request = asked.container;
  wish.devices = *devices;
  wish.memory = static_cast<double>(*memory) * mebibyte;
  if (*memory == 0) wish.memory_part = static_cast<double>(*percentage) / 100;
  // Nothing said is no bound: nothing of the cores is kept from others.
  wish.others_part = static_cast<double>(*cores) / 100;
  return wish;
}

void move_requests(Pod& pod) {
  std::string moved;
  for (auto& container : pod.containers) {
    if (!asks_for_part(container.limits)) continue;
    moved += (moved.empty() ? "" : "; ") + container.name;
    for (const std::string_view resource :
         {std::string_view(nvidia_gpu_resource), share_resources[0], share_resources[1],
          share_resources[2], share_resources[3]}) {
      const auto found = container.limits.find(resource);
      if (found == container.limits.end()) continue;
      moved += fmt::format(" {}={}", resource, found->second.to_string());
      container.limits.erase(found);
      if (const auto request = container.requests.find(resource);
          request != container.requests.end()) {
        container.requests.erase(request);
      }
    }
    container.claims.emplace_back(share_entry);
  }
  pod.meta.annotations.insert_or_assign(moved_requests_annotation, moved);
}

bool has_asking_container(const Pod& pod) {
  return std::ranges::any_of(pod.containers, asks_for_part, &Container::limits);
}

bool asks_by_annotation(const Pod& pod) {
  const auto& marks = pod.meta.annotations;
  return marks.contains(fraction_annotation) || marks.contains(gpu_memory_annotation);
}

}  // namespace

bool asks_for_part(const ResourceList& limits) {
  return std::ranges::any_of(share_resources,
                             [&](const auto& resource) { return limits.contains(resource); });
}

Result<ShareWish> wish_of_resources(const std::string& container, const ResourceList& limits) {
  const Amounts asked{container, limits};
  const bool hami = asked.has(hami_memory_resource) || asked.has(hami_percentage_resource) ||
                    asked.has(hami_cores_resource);
  if (!asked.has(gpushare_resource)) return wish_in_hamis_words(asked);
  if (!hami && !asked.has(nvidia_gpu_resource)) return wish_in_gpushares_words(asked);
  return fail(ErrorCode::invalid, fmt::format("container {}: {} beside resources of nvidia.com",
                                              container, gpushare_resource));
}

Result<std::vector<ShareWish>> wishes_of(const Pod& pod) {
  const auto& marks = pod.meta.annotations;
  const auto moved = marks.find(moved_requests_annotation);
  if (moved == marks.end() || asks_by_annotation(pod)) return wish_of_annotations(marks);
  return wishes_of_moved(moved->second);
}

std::string asked_for_share_by(const Pod& pod) {
  const auto& marks = pod.meta.annotations;
  if (pod.resource_claims.empty() || has_share_entry(pod)) {
    for (const auto* mark :
         {fraction_annotation, gpu_memory_annotation, moved_requests_annotation}) {
      if (marks.contains(mark)) return std::string("annotation ") + mark;
    }
  }
  for (const auto& container : pod.containers) {
    for (const auto& resource : share_resources) {
      if (container.limits.contains(resource)) return std::string(resource);
    }
  }
  return {};
}

void add_share_entry(Pod& pod) {
  if (pod.containers.empty() || has_share_entry(pod)) return;
  if (asks_by_annotation(pod) && pod.resource_claims.empty()) {
    auto container = pod.containers.begin();
    const auto& marks = pod.meta.annotations;
    if (const auto mark = marks.find(fraction_container_annotation); mark != marks.end()) {
      container = std::ranges::find(pod.containers, mark->second, &Container::name);
    }
    if (container != pod.containers.end()) container->claims.emplace_back(share_entry);
  } else if (!asks_by_annotation(pod) && has_asking_container(pod)) {
    move_requests(pod);
  } else {
    return;
  }
  pod.resource_claims.push_back(
      {.name = share_entry, .claim_name = {}, .template_name = share_entry});
}

bool has_share_entry(const Pod& pod) {
  return std::ranges::any_of(pod.resource_claims, [](const auto& entry) {
    return entry.name == share_entry && entry.template_name == share_entry;
  });
}

}  // namespace dray::engine
