#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "dray/policy/fair_share.h"
#include "tests/cases/policy_case.h"

namespace dray::cases {

namespace {

/// Collects what differs.
class Differences {
 public:
  void compare(const std::string& what, double expected, double got) {
    if (nearly_equal(expected, got)) return;
    verdict_.want += fmt::format("{} {} ", what, expected);
    verdict_.got += fmt::format("{} {} ", what, got);
  }
  [[nodiscard]] const Verdict& verdict() const { return verdict_; }

 private:
  Verdict verdict_;
};

policy::Claimant read_claimant(const Json& queue) {
  return {.quota = read_bound(queue.at("deserved")),
          .limit = read_bound(queue.at("limit")),
          .weight = queue.at("overQuotaWeight").get<double>(),
          .requested = queue.at("request").get<double>(),
          .usage = queue.at("usage").get<double>(),
          .priority = queue.at("priority").get<int>(),
          .created = Time(std::chrono::seconds(queue.at("createdRank").get<int>())),
          .rank = 0,
          .share = 0};
}

/// The place of each queue's uid among all.
void rank_by_uid(const Json& queues, std::vector<policy::Claimant>& claimants) {
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const auto uid = queues[i].at("uid").get<std::string>();
    for (const auto& other : queues) {
      if (other.at("uid").get<std::string>() < uid) ++claimants[i].rank;
    }
  }
}

Verdict run_flat(const Json& line) {
  const auto& queues = line.at("queues");
  std::vector<policy::Claimant> claimants;
  for (const auto& queue : queues) claimants.push_back(read_claimant(queue));
  rank_by_uid(queues, claimants);
  const auto left =
      policy::divide(line.at("total").get<double>(), line.at("kValue").get<double>(), claimants);

  const auto& expected = line.at("expected");
  Differences differences;
  if (expected.contains("remaining")) {
    differences.compare("remaining", expected["remaining"].get<double>(), left);
  }
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const auto key = queues[i].at("key").get<std::string>();
    differences.compare(key, expected.at("fairShare").at(key).get<double>(), claimants[i].share);
  }
  return differences.verdict();
}

Verdict run_tree(const Json& line) {
  auto tree = read_tree(line.at("queues"), "key");
  policy::divide(tree, read_amounts(line.at("total")), line.at("kValue").get<double>());
  Differences differences;
  for (const auto& [key, shares] : line.at("expected").at("fairShare").items()) {
    const auto index = tree.find(key);
    if (!index) return {"no such queue", key};
    for (std::size_t r = 0; r < kai_resources().size(); ++r) {
      const auto& resource = kai_resources()[r].name;
      differences.compare(key + " " + resource, shares.at(resource).get<double>(),
                          tree[*index].fair_share[r]);
    }
  }
  return differences.verdict();
}

Verdict run_fair_share(const Json& line) {
  return line.contains("resource") ? run_flat(line) : run_tree(line);
}

const Register fairshare("fairshare", [](const Case& one, Report& report) {
  if (!one.json.contains("kValue") || !one.json.contains("expected")) {
    return report.skip("no fair-share case");
  }
  report_case(one, report, run_fair_share);
});

}  // namespace

}  // namespace dray::cases
