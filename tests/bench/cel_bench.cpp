#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cel/program/shape_column.h"
#include "dray/cel/evaluator.h"
#include "dray/cel/program.h"
#include "tests/bench/allocations.h"
#include "tests/bench/stopwatch.h"
#include "tests/cases/cel_values.h"

// The selectors of the reference measurement, from the simplest to one with six leaves; a million
// devices; and with `--workload SELECTORS.jsonl DEVICES.json` a JSON line for each selector.

namespace {

using dray::bench::allocations;
using dray::bench::Stopwatch;
using dray::cel::compile;
using dray::cel::DeviceShapeHandle;
using dray::cel::Evaluator;
using dray::cel::Interner;
using dray::cel::ProgramHandle;
using dray::cel::SelectorMemo;
using dray::cel::ShapeColumn;

const std::vector<std::string>& selectors() {
  // NOLINTBEGIN(bugprone-suspicious-missing-comma): long ones go on in the next line
  static const std::vector<std::string> all{
      "true",
      R"(device.driver == "gpu.nvidia.com")",
      R"(device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].type == "gpu")",
      R"(device.attributes["gpu.nvidia.com"].productName == "NVIDIA A100-SXM4-40GB" && )"
      R"(device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40Gi")) >= 0)",
      R"(device.attributes["gpu.nvidia.com"].driverVersion.isGreaterThan(semver("500.0.0")) && )"
      R"(device.attributes["gpu.nvidia.com"].architecture in ["Ampere", "Hopper"])",
      R"(device.attributes["gpu.nvidia.com"].productName.lowerAscii().matches("^.*a100.*$"))",
      R"(cel.bind(dev, device.attributes["gpu.nvidia.com"], has(dev.type) && dev.type == "gpu" && )"
      R"(has(dev.brand) && dev.brand == "Nvidia" && dev.gpuModuleID >= 0))",
  };
  // NOLINTEND(bugprone-suspicious-missing-comma)
  return all;
}

dray::Device gpu(std::int64_t module) {
  dray::Device device;
  device.attributes = {
      {"type", std::string("gpu")},
      {"uuid", std::string("GPU-18db0e85-99e9-c746-8531-ffeb86328b00")},
      {"productName", std::string("NVIDIA A100-SXM4-40GB")},
      {"brand", std::string("Nvidia")},
      {"architecture", std::string("Ampere")},
      {"cudaComputeCapability", dray::VersionText("8.0.0")},
      {"driverVersion", dray::VersionText("580.65.6")},
      {"cudaDriverVersion", dray::VersionText("13.0.0")},
      {"addressingMode", std::string("HMM")},
      {"gpuModuleID", module},
      {"resource.kubernetes.io/pciBusID", std::string("0000:17:00.0")},
      {"resource.kubernetes.io/pcieRoot", std::string("pci0000:15")},
  };
  device.capacity["memory"].value = dray::Quantity::parse("40Gi").value();
  return device;
}

void evaluate(benchmark::State& state) {
  const auto program = compile(selectors()[static_cast<std::size_t>(state.range(0))]).value();
  Interner interner;
  const auto shape = interner.intern("gpu.nvidia.com", gpu(0));
  Evaluator evaluator;
  for (auto _ : state) benchmark::DoNotOptimize(evaluator.verdict(*program, *shape));
}
BENCHMARK(evaluate)->DenseRange(0, 6);

void compile_selector(benchmark::State& state) {
  const std::string& text = selectors()[static_cast<std::size_t>(state.range(0))];
  for (auto _ : state) benchmark::DoNotOptimize(compile(text));
}
BENCHMARK(compile_selector)->DenseRange(0, 6);

/// A million devices of 50 shapes, in no order.
ShapeColumn million_devices(Interner& interner) {
  std::vector<DeviceShapeHandle> shapes;
  for (std::int64_t i = 0; i < 50; ++i) shapes.push_back(interner.intern("gpu.nvidia.com", gpu(i)));
  ShapeColumn devices;
  for (std::size_t i = 0; i < 1'000'000; ++i) devices.add(shapes[i * 7919 % 50]);
  return devices;
}

/// The compiling counts, too.
void filter_million_cold(benchmark::State& state) {
  Interner interner;
  const auto devices = million_devices(interner);
  for (auto _ : state) {
    SelectorMemo memo;
    benchmark::DoNotOptimize(match(memo, compile(selectors()[6]).value(), devices));
  }
}
BENCHMARK(filter_million_cold)->Unit(benchmark::kMicrosecond);

void filter_million_warm(benchmark::State& state) {
  Interner interner;
  const auto devices = million_devices(interner);
  const auto program = compile(selectors()[6]).value();
  SelectorMemo memo;
  for (auto _ : state) benchmark::DoNotOptimize(match(memo, program, devices));
}
BENCHMARK(filter_million_warm)->Unit(benchmark::kMicrosecond);

/// The same by handles, which are sixteen bytes each.
void filter_million_handles_warm(benchmark::State& state) {
  Interner interner;
  const auto column = million_devices(interner);
  std::vector<DeviceShapeHandle> devices;
  for (const auto number : column.numbers()) devices.push_back(column.shapes()[number]);
  const auto program = compile(selectors()[6]).value();
  SelectorMemo memo;
  for (auto _ : state) benchmark::DoNotOptimize(memo.match(program, devices));
}
BENCHMARK(filter_million_handles_warm)->Unit(benchmark::kMicrosecond);

/// Nanoseconds of one call, the best of some rounds.
template <class Call>
double nanoseconds(Call call, int calls, int rounds = 5) {
  double best = 1e300;
  for (int i = 0; i < rounds; ++i) {
    const Stopwatch watch;
    for (int k = 0; k < calls; ++k) call();
    best = std::min(best, watch.nanoseconds() / calls);
  }
  return best;
}

nlohmann::json read_json(const char* file) {
  return nlohmann::json::parse(std::ifstream(file));
}

/// A million devices of 50 shapes, made of the devices of a file.
ShapeColumn million_of(const nlohmann::json& file, Interner& interner) {
  std::vector<DeviceShapeHandle> shapes;
  while (shapes.size() < 50) {
    for (auto device : file) {
      device["attributes"]["shape"] = {{"int", shapes.size()}};
      if (shapes.size() < 50) shapes.push_back(dray::cases::device_shape(interner, device));
    }
  }
  ShapeColumn devices;
  for (std::size_t i = 0; i < 1'000'000; ++i) devices.add(shapes[i * 7919 % 50]);
  return devices;
}

/// How many devices get which answer.
nlohmann::json answers(Evaluator& evaluator, const dray::cel::Program& program,
                       const std::vector<DeviceShapeHandle>& devices) {
  nlohmann::json work = {{"yes", 0}, {"no", 0}, {"error", 0}};
  for (const auto& device : devices) {
    const auto verdict = evaluator.verdict(program, *device);
    const char* answer = verdict == dray::cel::Verdict::yes  ? "yes"
                         : verdict == dray::cel::Verdict::no ? "no"
                                                             : "error";
    work[answer] = work[answer].get<int>() + 1;
  }
  return work;
}

struct Workload {
  std::vector<std::string> selectors;
  std::vector<DeviceShapeHandle> devices;
  ShapeColumn million;
};

/// The selectors of a file of JSON lines that compile, and a file's devices.
Workload read_workload(const char* selectors_file, const char* devices_file, Interner& interner) {
  Workload made;
  const nlohmann::json file = read_json(devices_file);
  for (const auto& device : file) {
    made.devices.push_back(dray::cases::device_shape(interner, device));
  }
  made.million = million_of(file, interner);
  std::ifstream in(selectors_file);
  for (std::string line; std::getline(in, line);) {
    auto expr = nlohmann::json::parse(line).at("expr").get<std::string>();
    if (compile(expr)) made.selectors.push_back(std::move(expr));
  }
  return made;
}

/// One selector's row: what Kubernetes' own code is timed on, too (tests/bench/peer), compiling it
/// and evaluating it on all devices, the mean of one, `matches` with the texts of errors, which
/// allocating does without; and what only dray does: filtering a million devices, the first time
/// (compiling counts) and again.
nlohmann::json time_selector(const std::string& expr, const Workload& workload,
                             Evaluator& evaluator) {
  const auto& devices = workload.devices;
  const auto program = compile(expr).value();
  const auto evaluate_all = [&] {
    for (const auto& device : devices) {
      benchmark::DoNotOptimize(evaluator.verdict(*program, *device));
    }
  };
  const auto match_all = [&] {
    for (const auto& device : devices) {
      benchmark::DoNotOptimize(evaluator.matches(*program, *device));
    }
  };
  evaluate_all();  // the first may make room
  const auto before = allocations();
  evaluate_all();
  const auto made = allocations() - before;
  const auto cold = [&] {
    SelectorMemo memo;
    benchmark::DoNotOptimize(match(memo, compile(expr).value(), workload.million));
  };
  SelectorMemo memo;
  const auto warm = [&] { benchmark::DoNotOptimize(match(memo, program, workload.million)); };
  warm();
  return {{"name", expr},
          {"evaluate_ns", nanoseconds(evaluate_all, 2000) / static_cast<double>(devices.size())},
          {"matches_ns", nanoseconds(match_all, 500) / static_cast<double>(devices.size())},
          {"compile_ns", nanoseconds([&] { benchmark::DoNotOptimize(compile(expr)); }, 100)},
          {"million_cold_ms", nanoseconds(cold, 1, 3) / 1e6},
          {"million_warm_ms", nanoseconds(warm, 3, 3) / 1e6},
          {"allocations", made},
          {"work", answers(evaluator, *program, devices)}};
}

/// A row for each selector. All are timed twice, the second time when the last has been: what else
/// the machine does for a second must not decide about a row.
int time_workload(const char* selectors_file, const char* devices_file) {
  Interner interner;
  const auto workload = read_workload(selectors_file, devices_file, interner);
  Evaluator evaluator;
  std::vector<nlohmann::json> rows;
  for (const auto& expr : workload.selectors) {
    rows.push_back(time_selector(expr, workload, evaluator));
  }
  for (auto& row : rows) {
    const auto again = time_selector(row.at("name"), workload, evaluator);
    for (const auto& [key, value] : again.items()) {
      if (value.is_number_float()) row[key] = std::min(row[key].get<double>(), value.get<double>());
    }
    fmt::print("{}\n", row.dump());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--workload") {
    return time_workload(argv[2], argv[3]);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
