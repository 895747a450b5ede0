#include "app/doctor/scheduler_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

namespace dray::app {
namespace {

using std::chrono::milliseconds;

/// A scalar that is a number; none where it is not there or no number.
std::optional<double> number_at(const Tree& tree, std::initializer_list<std::string_view> path) {
  const auto text = text_at(tree, path);
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

/// A metav1.Duration, as Go writes it: 30s, 1m30s, 500ms.
std::optional<milliseconds> go_duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  double total = 0;
  while (!text.empty()) {
    double number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    const auto unit = text.substr(0, std::min(text.find_first_of("0123456789."), text.size()));
    if (unit == "h") {
      total += number * 3'600'000;
    } else if (unit == "m") {
      total += number * 60'000;
    } else if (unit == "s") {
      total += number * 1'000;
    } else if (unit == "ms") {
      total += number;
    } else if (unit != "us" && unit != "µs" && unit != "ns") {
      return std::nullopt;
    }
    text.remove_prefix(unit.size());
  }
  return milliseconds(static_cast<std::int64_t>(total));
}

/// Judges one configuration.
class ConfigCheck {
 public:
  ConfigCheck(const Tree& config, const std::string& where, const SchedulerWanted& wanted)
      : config_(config), where_(where), wanted_(wanted) {}

  Findings run() {
    process();
    profiles();
    const auto& entries = items_at(config_, {"extenders"});
    for (std::size_t i = 0; i < entries.size(); ++i) extender(entries[i], i);
    verbs(entries);
    return std::move(findings_);
  }

 private:
  void found(Fault fault, std::string object, std::string what, std::string mend) {
    findings_.push_back({fault, std::move(object), std::move(what), std::move(mend)});
  }
  [[nodiscard]] bool allocates() const { return wanted_.mode == SchedulerMode::allocate; }

  void process() {
    if (const auto share = number_at(config_, {"percentageOfNodesToScore"}); share != 100) {
      found(Fault::node_sample, where_,
            share ? fmt::format("percentageOfNodesToScore is {}", *share)
                  : "percentageOfNodesToScore is not set (50 and less, by the size of the cluster)",
            "set percentageOfNodesToScore: 100");
    }
    const auto qps = number_at(config_, {"clientConnection", "qps"});
    constexpr double enough = 500;  // binding, events and claims of some hundred pods a second
    if (qps.value_or(50) >= 0 && qps.value_or(50) < enough) {
      found(Fault::scheduler_slow, where_,
            fmt::format("clientConnection.qps is {}",
                        qps ? fmt::format("{}", *qps) : "50, its default"),
            "set clientConnection: {qps: 5000, burst: 5000}");
    }
  }

  void profiles() {
    const auto& profiles = items_at(config_, {"profiles"});
    if (profiles.size() > 1) {
      found(Fault::several_profiles, where_, fmt::format("{} profiles", profiles.size()),
            fmt::format("give {} a kube-scheduler process of its own", wanted_.scheduler_name));
    }
    const auto ours = std::ranges::find_if(profiles, [&](const Tree& profile) {
      return text_at(profile, {"schedulerName"}) == wanted_.scheduler_name;
    });
    if (ours == profiles.end()) {
      return found(Fault::profile_missing, where_,
                   fmt::format("no profile has schedulerName {}", wanted_.scheduler_name),
                   fmt::format("add a profile with schedulerName: {}, or say --scheduler-name",
                               wanted_.scheduler_name));
    }
    plugin(*ours);
  }

  void plugin(const Tree& profile) {
    const auto names = [&](std::string_view point, std::string_view list) {
      return std::ranges::any_of(items_at(profile, {"plugins", point, list}),
                                 [](const Tree& entry) {
                                   const auto name = text_at(entry, {"name"});
                                   return name == "DynamicResources" || name == "*";
                                 });
    };
    const bool off = names("multiPoint", "disabled");
    bool somewhere = false;
    if (const auto* plugins = at(profile, {"plugins"})) {
      for (const auto& point : plugins->members) {
        somewhere = somewhere ||
                    std::ranges::any_of(items_at(point.value, {"enabled"}), [](const Tree& entry) {
                      return text_at(entry, {"name"}) == "DynamicResources";
                    });
      }
    }
    if (allocates() && (!off || somewhere)) {
      found(Fault::plugin_on, where_,
            off ? "the plugin DynamicResources is enabled again at a point of its own"
                : "plugins.multiPoint.disabled does not name DynamicResources",
            "set plugins: {multiPoint: {disabled: [{name: DynamicResources}]}}");
    }
    if (!allocates() && off && !somewhere) {
      found(Fault::plugin_off, where_, "plugins.multiPoint.disabled names DynamicResources",
            "take it off plugins.multiPoint.disabled");
    }
  }

  void extender(const Tree& entry, std::size_t index) {
    const auto url = text_at(entry, {"urlPrefix"});
    const auto object = fmt::format("{}: extenders[{}] ({})", where_, index, url);
    if (true_at(entry, {"ignorable"})) {
      found(Fault::extender_ignorable, object, "ignorable is true", "set ignorable: false");
    }
    if (const auto& resources = items_at(entry, {"managedResources"}); !resources.empty()) {
      found(Fault::managed_resources, object,
            fmt::format("managedResources names {}", text_at(resources.front(), {"name"})),
            "take managedResources off");
    }
    if (!true_at(entry, {"nodeCacheCapable"})) {
      found(Fault::sends_nodes, object, "nodeCacheCapable is not true",
            "set nodeCacheCapable: true");
    }
    timeout(entry, object);
    transport(entry, object, url);
    if (!text_at(entry, {"prioritizeVerb"}).empty()) weight(entry, object);
  }

  void timeout(const Tree& entry, const std::string& object) {
    const bool binds = !text_at(entry, {"bindVerb"}).empty();
    const auto least = binds ? milliseconds(30'000) : milliseconds(5'000);
    const auto text = text_at(entry, {"httpTimeout"});
    const auto set = go_duration(text);
    const auto value = set.value_or(milliseconds(0)).count() == 0 ? milliseconds(5'000) : *set;
    if (value >= least) return;
    found(Fault::timeout_short, object,
          set ? fmt::format("httpTimeout is {}", text) : "httpTimeout is not set: 5 s",
          fmt::format("set httpTimeout: {}s", least.count() / 1000));
  }

  void transport(const Tree& entry, const std::string& object, std::string_view url) {
    const bool local = url.starts_with("http://127.") || url.starts_with("http://[::1]") ||
                       url.starts_with("http://localhost");
    if (url.starts_with("http://")) {
      if (local) return;
      return found(Fault::plain_http, object, "urlPrefix is http",
                   "use https with tlsConfig, and start dray with --extender-tls-cert");
    }
    if (true_at(entry, {"tlsConfig", "insecure"})) {
      return found(Fault::tls_unverified, object, "tlsConfig.insecure is true",
                   "take it off and set tlsConfig.caFile");
    }
    if (text_at(entry, {"tlsConfig", "caFile"}).empty() &&
        text_at(entry, {"tlsConfig", "caData"}).empty()) {
      // kube-scheduler takes enableHTTPS without a CA for "do not verify".
      found(Fault::tls_unverified, object, "https without tlsConfig.caFile or caData",
            "set tlsConfig.caFile to the authority of dray's certificate");
    }
  }

  void weight(const Tree& entry, const std::string& object) {
    constexpr double outweighs = 141;  // ten times that is more than all in-tree scores together
    const auto weight = number_at(entry, {"weight"});
    if (weight.value_or(0) >= outweighs) return;
    found(Fault::weight_small, object,
          weight ? fmt::format("weight is {}", *weight) : "weight is not set",
          fmt::format("set weight: {} or more", outweighs));
  }

  void verbs(const std::vector<Tree>& entries) {
    const auto with = [&](std::string_view verb) {
      return std::ranges::count_if(
          entries, [&](const Tree& entry) { return !text_at(entry, {verb}).empty(); });
    };
    std::vector<std::string_view> wanted{"filterVerb"};
    if (allocates()) {
      wanted.insert(wanted.end(), {"preemptVerb", "bindVerb"});
    } else {
      wanted.emplace_back("prioritizeVerb");
    }
    for (const auto verb : wanted) {
      if (with(verb) > 0) continue;
      found(Fault::verb_missing, where_, fmt::format("no extender has {}", verb),
            fmt::format("add {} to dray's extender: config/scheduler.yaml shows where", verb));
    }
    if (!allocates() && with("bindVerb") > 0) {
      found(Fault::verb_unwanted, where_, "an extender has bindVerb", "take bindVerb off");
    }
    if (with("bindVerb") > 1) {
      found(Fault::two_binders, where_, fmt::format("{} extenders have bindVerb", with("bindVerb")),
            "leave bindVerb with dray's entry alone");
    }
  }

  const Tree& config_;
  const std::string& where_;
  const SchedulerWanted& wanted_;
  Findings findings_;
};

}  // namespace

Findings check_scheduler_config(const Tree& config, const std::string& where,
                                const SchedulerWanted& wanted) {
  if (text_at(config, {"kind"}) != "KubeSchedulerConfiguration") {
    return {{Fault::config_unreadable, where,
             fmt::format("its kind is \"{}\"", text_at(config, {"kind"})),
             "give a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1"}};
  }
  return ConfigCheck(config, where, wanted).run();
}

Findings check_scheduler_config(std::string_view text, const std::string& where,
                                const SchedulerWanted& wanted) {
  const auto config = read_tree(text);
  if (!config) {
    return {{Fault::config_unreadable, where, config.error().message, "mend the YAML"}};
  }
  return check_scheduler_config(*config, where, wanted);
}

}  // namespace dray::app
