#include "app/simulate/pack_run.h"

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace dray::app {
namespace {

/// What is read and written is listed once, for both: T or const T.
template <class T, class Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

template <class T>
concept Number = std::integral<T> || std::is_enum_v<T>;

template <class Archive, Is<simulate::JobRecord> T>
void fields(Archive& archive, T& job) {
  archive(job.started, job.ended, job.waited, job.lost, job.evictions, job.preemptions,
          job.failures, job.moves);
}

template <class Archive, Is<simulate::Curve> T>
void fields(Archive& archive, T& curve) {
  archive(curve.name, curve.held, curve.waiting);
}

template <class Archive, Is<simulate::Stay> T>
void fields(Archive& archive, T& stay) {
  archive(stay.job, stay.node, stay.gpus, stay.from, stay.to);
}

template <class Archive, Is<simulate::ModelUse> T>
void fields(Archive& archive, T& use) {
  archive(use.model, use.gpus, use.used);
}

template <class Archive, Is<simulate::WaitingFor> T>
void fields(Archive& archive, T& waiting) {
  archive(waiting.reason, waiting.jobs);
}

template <class Archive, Is<simulate::GangSpread> T>
void fields(Archive& archive, T& spread) {
  archive(spread.level, spread.gangs, spread.together);
}

template <class Archive, Is<simulate::ClassUse> T>
void fields(Archive& archive, T& use) {
  archive(use.name, use.devices, use.used);
}

template <class Archive, Is<simulate::JobsRun> T>
void fields(Archive& archive, T& run) {
  archive(run.policy, run.seed, run.jobs, run.curves, run.stays, run.span, run.gpus, run.used,
          run.events, run.plans, run.cycles, run.models, run.waiting, run.pods_of_several,
          run.pods_together, run.gangs, run.fragmented, run.classes);
}

template <class Archive, Is<simulate::Decision> T>
void fields(Archive& archive, T& decision) {
  archive(decision.node, decision.gpus);
}

template <class Archive, Is<simulate::DemandPoint> T>
void fields(Archive& archive, T& point) {
  archive(point.pods, point.allocated, point.fragmented, point.fragmented_idle);
}

template <class Archive, Is<simulate::ExperimentRun> T>
void fields(Archive& archive, T& run) {
  archive(run.strategy, run.seed, run.decisions, run.points, run.refused, run.refused_for,
          run.allocated);
}

template <class Archive, Is<DeviceId> T>
void fields(Archive& archive, T& device) {
  archive(device.driver, device.pool, device.device);
}

template <class Archive, Is<DeviceToleration> T>
void fields(Archive& archive, T& toleration) {
  archive(toleration.key, toleration.op, toleration.value, toleration.effect,
          toleration.toleration_seconds);
}

template <class Archive, Is<AllocatedDevice> T>
void fields(Archive& archive, T& each) {
  archive(each.request, each.device, each.admin_access, each.tolerations, each.binding_conditions,
          each.binding_failure_conditions, each.share_id, each.consumed_capacity,
          each.skip_node_operations);
}

template <class Archive, Is<PodKey> T>
void fields(Archive& archive, T& key) {
  archive(key.namespace_name, key.name);
}

template <class Archive, Is<simulate::DeviceAsk> T>
void fields(Archive& archive, T& ask) {
  archive(ask.name, ask.count);
}

template <class Archive, Is<simulate::PodRecord> T>
void fields(Archive& archive, T& pod) {
  archive(pod.pod, pod.created, pod.bound, pod.ended, pod.evicted, pod.failed, pod.node,
          pod.devices, pod.asks, pod.queue, pod.job, pod.reason, pod.detail);
}

template <class Archive, Is<simulate::PodsRun> T>
void fields(Archive& archive, T& run) {
  archive(run.policy, run.pods, run.span, run.length, run.events, run.plans);
}

class Writer {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  void number(std::uint64_t value) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      bytes_ += static_cast<char>((value >> shift) & 0xffU);
    }
  }
  template <Number T>
  void put(T value) {
    number(static_cast<std::uint64_t>(value));
  }
  void put(double value) { number(std::bit_cast<std::uint64_t>(value)); }
  void put(Duration value) { number(static_cast<std::uint64_t>(value.count())); }
  void put(const std::string& text) {
    number(text.size());
    bytes_ += text;
  }
  void put(const Quantity& amount) { put(amount.to_string()); }
  template <class T, class Tag>
  void put(const Strong<T, Tag>& id) {
    put(id.get());
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class T>
  void put(const std::vector<T>& list) {
    number(list.size());
    for (const auto& each : list) put(each);
  }
  template <class T, std::size_t n>
  void put(const std::array<T, n>& list) {
    for (const auto& each : list) put(each);
  }
  void put(const Counters& amounts) {
    number(amounts.size());
    for (const auto& [name, amount] : amounts) (*this)(name, amount);
  }
  template <class T>
    requires std::is_class_v<T>
  void put(const T& value) {
    fields(*this, value);
  }

  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  /// All was there, and nothing else.
  [[nodiscard]] bool ended_well() const { return good_ && left_.empty(); }

 private:
  static constexpr std::size_t number_size = 8;

  std::uint64_t number() {
    if (left_.size() < number_size) good_ = false;
    if (!good_) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < number_size; ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(left_[i])} << (8 * i);
    }
    left_.remove_prefix(number_size);
    return value;
  }
  /// Of things of which each has a byte at least.
  std::size_t count() {
    const auto size = number();
    if (size > left_.size()) good_ = false;
    return good_ ? static_cast<std::size_t>(size) : 0;
  }
  template <Number T>
  void get(T& value) {
    value = static_cast<T>(number());
  }
  void get(double& value) { value = std::bit_cast<double>(number()); }
  void get(Duration& value) { value = Duration(static_cast<std::int64_t>(number())); }
  void get(std::string& text) {
    const auto size = count();
    text = left_.substr(0, size);
    left_.remove_prefix(size);
  }
  void get(Quantity& amount) {
    std::string text;
    get(text);
    auto parsed = Quantity::parse(text);
    if (parsed) amount = std::move(*parsed);
    good_ = good_ && parsed.has_value();
  }
  template <class T, class Tag>
  void get(Strong<T, Tag>& id) {
    T value{};
    get(value);
    id = Strong<T, Tag>(std::move(value));
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool there = false;
    get(there);
    value.reset();
    if (there) get(value.emplace());
  }
  template <class T>
  void get(std::vector<T>& list) {
    list.resize(count());
    for (auto& each : list) get(each);
  }
  template <class T, std::size_t n>
  void get(std::array<T, n>& list) {
    for (auto& each : list) get(each);
  }
  void get(Counters& amounts) {
    for (auto left = count(); left > 0 && good_; --left) {
      std::string name;
      Quantity amount;
      (*this)(name, amount);
      amounts.emplace(std::move(name), std::move(amount));
    }
  }
  template <class T>
    requires std::is_class_v<T>
  void get(T& value) {
    fields(*this, value);
  }

  std::string_view left_;
  bool good_ = true;
};

template <class Run>
std::string pack(const Run& run) {
  Writer writer;
  writer(run);
  return writer.take();
}

}  // namespace

std::string pack_run(const simulate::JobsRun& run) {
  return pack(run);
}

std::string pack_run(const simulate::PodsRun& run) {
  return pack(run);
}

std::string pack_run(const simulate::ExperimentRun& run) {
  return pack(run);
}

template <class Run>
std::optional<Run> unpack_run(std::string_view bytes) {
  Reader reader(bytes);
  Run run;
  reader(run);
  if (!reader.ended_well()) return std::nullopt;
  return run;
}

template std::optional<simulate::JobsRun> unpack_run(std::string_view bytes);
template std::optional<simulate::PodsRun> unpack_run(std::string_view bytes);
template std::optional<simulate::ExperimentRun> unpack_run(std::string_view bytes);

}  // namespace dray::app
