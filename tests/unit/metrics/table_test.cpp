#include "metrics/table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace dray::metrics::table_test {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Words of `text` that begin with `dray_`.
std::set<std::string> dray_words(const std::string& text) {
  std::set<std::string> words;
  for (auto at = text.find("dray_"); at != std::string::npos; at = text.find("dray_", at)) {
    const auto end = std::ranges::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at),
                                              text.end(), is_word);
    std::string word(text.begin() + static_cast<std::ptrdiff_t>(at), end);
    if (at == 0 || !is_word(text[at - 1])) words.insert(word);
    at += word.size();
  }
  return words;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("a row's name says what Prometheus takes it for") {
  std::set<std::string_view> names;
  for (const auto& row : table) {
    INFO(row.name);
    CHECK(row.name.starts_with("dray_"));
    CHECK(std::ranges::all_of(row.name, [](char c) {
      return is_word(c) && std::isupper(static_cast<unsigned char>(c)) == 0;
    }));
    CHECK(row.name.ends_with("_total") == (row.type == Type::counter));
    if (row.type == Type::histogram) CHECK(row.name.ends_with("_seconds"));
    // A time is in seconds, and says so.
    CHECK(row.help.starts_with("Seconds") <= row.name.contains("_seconds"));
    CHECK(row.help.ends_with("."));
    CHECK(names.insert(row.name).second);
  }
}

TEST_CASE("labels stand before the empty ones; buckets rise") {
  for (const auto& row : table) {
    INFO(row.name);
    CHECK(row.labels[row.label_count() == 0 ? 0 : row.label_count() - 1].empty() ==
          (row.label_count() == 0));
    CHECK(row.buckets.empty() == (row.type != Type::histogram));
    CHECK(std::ranges::is_sorted(row.buckets, std::ranges::less_equal()));
  }
}

/// One queue that has a quota and a limit of everything that is counted.
std::shared_ptr<const policy::Policy> one_queue() {
  policy::PolicyConfig config;
  config.resources.push_back({.name = "gpu", .rules = {}});
  config.resources.back().rules.emplace_back().device_class = ClassName("gpu");
  auto& queue = config.queues.emplace_back();
  queue.name = policy::QueueName("q");
  queue.quota["gpu"] = Quantity(1);
  queue.limit["gpu"] = Quantity(2);
  auto made = policy::compile(std::move(config));
  REQUIRE(made);
  return std::make_shared<const policy::Policy>(*std::move(made));
}

TEST_CASE("a row that is read gives a value for each of its labels") {
  Reading reading;
  reading.policy_problem = "a problem";
  reading.policy_warnings = {"a class that is not there"};
  reading.version = "1.2.3";
  reading.watches.push_back({"pods"});
  reading.devices[DriverName("gpu.example.com")] = {};
  reading.class_devices[ClassName("gpu.example.com")] = {};
  reading.recording = Reading::Recording();
  reading.engine.waiting_for[Reason::planning] = 1;
  reading.engine.policy = one_queue();
  reading.engine.unreadable = {1};
  reading.gates.push_back({"DRADeviceTaints", true, true});
  reading.engine.resources = reading.engine.policy->counting.resources();
  reading.engine.queues.push_back({policy::QueueName("q"), policy::Amounts(1, 1),
                                   policy::Amounts(1, 2), policy::Amounts(1, 3)});
  for (const auto& row : table) {
    if (row.read == nullptr) continue;
    INFO(row.name);
    Samples samples;
    row.read(reading, samples);
    REQUIRE_FALSE(samples.taken().empty());
    for (const auto& sample : samples.taken()) CHECK(sample.labels.size() == row.label_count());
  }
}

/// A test program, a CMake function or a target, which are called dray_... too.
bool is_of_the_build(const std::string& word) {
  return word.ends_with("_test") || word.ends_with("_bench") || word == "dray_cases" ||
         word == "dray_api_model" || word == "dray_layer" || word == "dray_program";
}

/// What a simulation's results are called in Prometheus' form: none of the service's metrics
/// (tests/commands/simulate_test.cpp looks that there are those).
bool is_a_result(const std::string& word) {
  return word.starts_with("dray_simulation_");
}

/// `dray_queue_` stands for all that begin so.
bool is_known(const std::string& word) {
  return std::ranges::any_of(table, [&](const Metric& row) {
    return word.ends_with('_') ? row.name.starts_with(word) : row.name == word;
  });
}

/// The table is the list of metrics, with each row's help as its document; what other documents and
/// the manifests say of metrics must be of this table. (docs/extending.md makes new ones up.)
TEST_CASE("documents name only metrics that there are") {
  std::vector<std::filesystem::path> documents{"README.md", "ARCHITECTURE.md"};
  for (const auto* folder : {"docs", "manifests"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file() || entry.path() == "docs/extending.md") continue;
      documents.push_back(entry.path());
    }
  }
  int metrics = 0;
  for (const auto& document : documents) {
    for (const auto& word : dray_words(text_of(document))) {
      if (is_of_the_build(word) || is_a_result(word)) continue;
      INFO(document << " names " << word);
      CHECK(is_known(word));
      ++metrics;
    }
  }
  CHECK(metrics > 0);
}

}  // namespace
}  // namespace dray::metrics::table_test
