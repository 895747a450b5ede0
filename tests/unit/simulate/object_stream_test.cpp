#include "dray/simulate/object_stream.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/objects/gpus.h"

namespace dray::simulate::object_stream_test {
namespace {

using Names = std::vector<std::string>;

std::vector<KubeObject> three() {
  return {testing::make_node("a"), testing::make_class(), testing::make_node("b")};
}

/// Makes these objects anew, and counts how often.
ObjectStream made(std::vector<KubeObject> objects, int& plays) {
  return ObjectStream::made_by([objects = std::move(objects), &plays](const auto& visit) {
    ++plays;
    for (const auto& object : objects) visit(object);
  });
}

Names names(const ObjectStream& stream) {
  Names all;
  stream.for_each([&](const KubeObject& object) { all.push_back(meta_of(object).name); });
  return all;
}

/// Nodes alone, each under another name and beside itself.
void change(const KubeObject& object, const ObjectStream::Visit& visit) {
  if (kind_of(object) != Kind::node) return;
  visit(object);
  auto other = object;
  meta_of(other).name += "2";
  visit(other);
}

}  // namespace

TEST_CASE("a stream gives the same objects whenever it is played") {
  int plays = 0;
  const auto stream = GENERATE_REF(ObjectStream(three()), made(three(), plays));
  CHECK_FALSE(stream.empty());
  CHECK(stream.all() == three());
  CHECK(stream.all() == three());
  CHECK(names(stream) == Names{"a", meta_of(three()[1]).name, "b"});
}

TEST_CASE("without objects it is empty") {
  CHECK(ObjectStream().empty());
  CHECK(ObjectStream(std::vector<KubeObject>()).empty());
  CHECK(ObjectStream().all().empty());
  CHECK(ObjectStream().with(change).empty());
}

TEST_CASE("what is made is changed as it is made, and what is kept once") {
  int changes = 0;
  const auto counted = [&](const KubeObject& object, const auto& visit) {
    ++changes;
    change(object, visit);
  };
  const Names changed{"a", "a2", "b", "b2"};
  const auto kept = ObjectStream(three()).with(counted);
  CHECK(names(kept) == changed);
  CHECK(names(kept) == changed);
  CHECK(changes == 3);

  int plays = 0;
  changes = 0;
  const auto made_anew = made(three(), plays).with(counted);
  CHECK(plays == 0);
  CHECK(names(made_anew) == changed);
  CHECK(names(made_anew) == changed);
  CHECK(plays == 2);
  CHECK(changes == 6);
}

}  // namespace dray::simulate::object_stream_test
