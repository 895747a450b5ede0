#include "alloc/request/prepared_claims.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/unit/alloc/prepared.h"

namespace dray::prepared_claims_test {

using namespace dray::testing;

namespace {

struct Prepares {
  cluster::ClusterState cluster;
  alloc::Features features;
  alloc::Programs programs;

  Prepares() { put(cluster, make_class("any")); }

  alloc::PreparedClaims operator()(const std::vector<ResourceClaim>& claims) {
    std::vector<const ResourceClaim*> pointers;
    for (const auto& each : claims) pointers.push_back(&each);
    return alloc::prepare(pointers, *cluster.snapshot(), features, programs);
  }
};

DeviceRequest either(std::vector<DeviceRequestSpec> specs) {
  DeviceRequest made;
  made.name = "either";
  for (std::size_t i = 0; i < specs.size(); ++i) specs[i].name = "s" + std::to_string(i);
  made.first_available = std::move(specs);
  return made;
}

}  // namespace

TEST_CASE("requests become specs: one each, and one for each alternative") {
  Prepares prepare;
  auto admin = exactly(2);
  admin.admin_access = true;
  const auto made = prepare(
      {make_claim("a", {request("r", admin)}), make_claim("b", {either({exactly(1), all_of()})})});
  REQUIRE(made.claims.size() == 2);
  REQUIRE(made.specs.size() == 3);
  CHECK(made.claims[0].label == "default/a");
  CHECK(made.specs[0].full_name() == "r");
  CHECK(made.specs[0].count == 2);
  CHECK(made.specs[0].admin);
  CHECK_FALSE(made.specs[0].all);
  const auto& alternatives = made.claims[1].requests[0];
  CHECK(alternatives.alternatives);
  CHECK(alternatives.first == 1);
  CHECK(alternatives.last == 3);
  CHECK(made.specs[1].full_name() == "either/s0");
  CHECK(made.specs[2].claim == 1);
  CHECK(made.specs[2].sub == 1);
  CHECK(made.specs[2].all);
  CHECK(made.specs[2].count == 0);
}

TEST_CASE("an expression that the API server would not take is not compiled") {
  const auto of_length = [](std::size_t length) {
    const std::string text = "device.driver == ''";
    return text.substr(0, text.size() - 1) + std::string(length - text.size(), 'x') + "'";
  };
  alloc::Programs programs;
  const auto find = [&](std::size_t length) {
    return programs.find(of_length(length), cel::Purpose::selector);
  };
  CHECK(find(cel::max_expression_length).program != nullptr);
  const auto longer = find(cel::max_expression_length + 1);
  CHECK(longer.program == nullptr);
  CHECK(longer.has_cel);
  CHECK(longer.error == "too long: 10241 bytes, and more than 10240 are not compiled");
  CHECK(find(std::size_t{10} << 20U).program == nullptr);
}

TEST_CASE("the expressions of a pod's claims have a bound together") {
  // Each may cost more than half a million on a device, and less than a million.
  const std::string costly =
      "device.attributes['a'].all(k, device.attributes['a'].all(l, device.attributes['a'].all(m, "
      "k != l || l != m)))";
  alloc::Programs programs;
  const auto& found = programs.find(costly, cel::Purpose::selector);
  REQUIRE(found.program != nullptr);
  const auto each = std::min(found.program->max_cost(), cel::default_cost_limit);
  INFO(each);
  REQUIRE(each > cel::default_cost_limit / 20);
  const auto fits = 10 * cel::default_cost_limit / each;
  const auto claims = [&](std::uint64_t selectors) {
    std::vector<ResourceClaim> all;
    for (std::uint64_t i = 0; i < selectors; ++i) {
      auto spec = exactly(1);
      spec.selectors.push_back({costly});
      all.push_back(make_claim("c" + std::to_string(i), {request("r", spec)}));
    }
    return all;
  };
  Prepares prepare;
  const auto few = prepare(claims(fits));
  CHECK(std::ranges::none_of(few.specs, [](const auto& spec) { return spec.error.has_value(); }));
  const auto many = prepare(claims(fits + 1));
  CHECK(many.specs.back().error ==
        "claim default/c" + std::to_string(fits) +
            ", request r: the CEL expressions of this pod's claims may cost more than 10000000 on "
            "a device");
  CHECK_FALSE(many.specs.front().error);
}

TEST_CASE("what upstream refuses before it looks at a device") {
  struct Row {
    const char* name;
    std::function<void(DeviceRequestSpec&, alloc::Features&)> change;
    const char* error;
  };
  const auto row = GENERATE(
      Row{"nothing", [](auto&, auto&) {}, ""},
      Row{"no class", [](auto& spec, auto&) { spec.device_class = ClassName(""); },
          "claim default/c, request r: missing device class name (unsupported request type?)"},
      Row{"a class that is not there",
          [](auto& spec, auto&) { spec.device_class = ClassName("none"); },
          "claim default/c, request r: could not retrieve device class none: "
          "deviceclass.resource.k8s.io \"none\" not found"},
      Row{"a mode that nobody knows", [](auto& spec, auto&) { spec.allocation_mode = "Some"; },
          "claim default/c, request r: unsupported count mode Some"},
      Row{"a selector of an unknown kind", [](auto& spec, auto&) { spec.selectors.push_back({}); },
          "claim default/c, request r, selector #0: CEL expression empty (unsupported selector "
          "type?)"},
      Row{"admin access that is switched off",
          [](auto& spec, auto& features) {
            spec.admin_access = true;
            features.admin_access = false;
          },
          "claim default/c, request r: admin access is requested, but the feature is disabled"},
      Row{"derived attributes that are switched off",
          [](auto& spec, auto&) { spec.derived_attributes.push_back({"x", "1"}); },
          "claim default/c, request r: cannot handle request with derived attributes, the feature "
          "is disabled"});
  DYNAMIC_SECTION(row.name) {
    Prepares prepare;
    auto spec = exactly(1);
    row.change(spec, prepare.features);
    CHECK(prepare({make_claim("c", {request("r", spec)})}).specs[0].error.value_or("") ==
          row.error);
  }
}

TEST_CASE("features that are switched off refuse the request that needs them") {
  Prepares prepare;
  const auto error = [&](DeviceRequest request) {
    return prepare({make_claim("c", {std::move(request)})})
        .claims[0]
        .requests[0]
        .error.value_or("");
  };
  CHECK(error(either({exactly(1)})).empty());
  CHECK(error(request("r", share("1Gi"))).empty());
  prepare.features.prioritized_list = false;
  prepare.features.consumable_capacity = false;
  CHECK(error(either({exactly(1)})) ==
        "claim default/c, request either: has subrequests, but the DRAPrioritizedList feature is "
        "disabled");
  CHECK(error(request("r", share("1Gi"))) ==
        "claim default/c, request r: has capacity requests, but the DRAConsumableCapacity feature "
        "is disabled");
  prepare.features.prioritized_list = true;
  CHECK(error(either({share("1Gi")})) ==
        "claim default/c, subrequest s0: has capacity requests, but the DRAConsumableCapacity "
        "feature is disabled");
}

TEST_CASE("a constraint binds the requests that it names, or all") {
  Prepares prepare;
  auto asked = make_claim(
      "c", {request("a", exactly(1)), request("b", exactly(1)), either({exactly(1), exactly(1)})});
  asked.spec.constraints = {match("d.io/x"), distinct("d.io/y", {"a", "either/s1"}),
                            match("d.io/z", {"either"})};
  const auto made = prepare({asked});
  using Numbers = std::vector<std::uint32_t>;
  CHECK(made.specs[0].constraints == Numbers{0, 1});
  CHECK(made.specs[1].constraints == Numbers{0});
  CHECK(made.specs[2].constraints == Numbers{0, 2});
  CHECK(made.specs[3].constraints == Numbers{0, 1, 2});
  CHECK(made.claims[0].constraints[1]->attribute() == "d.io/y");
  CHECK_FALSE(made.claims[0].constraint_error);
}

TEST_CASE("a claim that cannot be read is refused, and says why") {
  Prepares prepare;
  auto asked = make_claim("c", {});
  asked.spec.unreadable = "spec.devices: too large";
  CHECK(prepare({asked}).claims[0].constraint_error.value_or("") ==
        "claim default/c cannot be read: spec.devices: too large");
}

TEST_CASE("a constraint of a kind that dray does not know refuses the claim") {
  Prepares prepare;
  auto asked = make_claim("c", {request("a", exactly(1))});
  asked.spec.constraints = {match("d.io/x"), DeviceConstraint()};
  CHECK(prepare({asked}).claims[0].constraint_error.value_or("") ==
        "claim default/c, constraint #1: empty constraint (unsupported constraint type?)");
}

TEST_CASE("what was prepared serves the same claims again, and no others") {
  Prepares prepare;
  const auto asked = make_claim("c", {request("a", exactly(1))});
  const auto made = prepare({asked});
  const auto is_for = [&](const ResourceClaim& other) {
    const ResourceClaim* claims[] = {&other};
    return made.is_for(claims);
  };
  CHECK(is_for(asked));
  auto other = asked;
  other.spec.requests[0].exactly->count = 2;
  CHECK_FALSE(is_for(other));
  other = asked;
  other.meta.name = "d";
  CHECK_FALSE(is_for(other));
  other = asked;
  other.meta.namespace_name = "elsewhere";
  CHECK_FALSE(is_for(other));
  CHECK_FALSE(made.is_for({}));
}

TEST_CASE("a program is compiled once, for each purpose") {
  alloc::Programs programs;
  const auto* first = &programs.find("true", cel::Purpose::selector);
  CHECK(first->program != nullptr);
  CHECK(&programs.find("true", cel::Purpose::selector) == first);
  CHECK(programs.find("1", cel::Purpose::derived_attribute).program != nullptr);
  CHECK(programs.find("1", cel::Purpose::selector).program == nullptr);
  CHECK_FALSE(programs.find("1", cel::Purpose::selector).error.empty());
}

TEST_CASE("with too much text the programs that came first go, a few with each that comes") {
  alloc::Programs programs;
  const auto find = [&](int number, std::size_t length = 0) {
    return programs
        .find("true || '" + std::string(length, 'x') + std::to_string(number) + "' == ''",
              cel::Purpose::selector)
        .program;
  };
  for (int i = 0; i < 10'000; ++i) {
    REQUIRE(find(i) != nullptr);
    REQUIRE(programs.take_gone().size() <= 2);
  }
  const auto few = alloc::Programs::most_text / alloc::Programs::each_costs;
  CHECK(programs.size() < few);
  CHECK(programs.size() > few / 2);
  const auto kept = find(9'999);
  CHECK(programs.take_gone().empty());
  // Long ones take the room of many, and no more than they need.
  constexpr std::size_t length = 10'000;
  CHECK(find(0, length) != nullptr);
  const auto gone = programs.take_gone().size();
  CHECK(gone > 30);
  CHECK(gone < 40);
  CHECK(find(9'999) == kept);
  for (int i = 1; i < 150; ++i) static_cast<void>(find(i, length));
  CHECK(programs.size() == alloc::Programs::most_text / (length + alloc::Programs::each_costs));
  CHECK(find(9'999) != kept);
}

}  // namespace dray::prepared_claims_test
