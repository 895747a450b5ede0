#include "dray/cluster/node_match.h"

#include <catch2/catch.hpp>
#include <memory>

namespace dray::node_match_test {

using cluster::NodeMatcher;

namespace {

cluster::NodeFacts facts() {
  cluster::NodeFacts made;
  made.name = NodeName("n1");
  made.hostname_label = "host-1";
  made.labels =
      std::make_shared<const cluster::LabelSet>(cluster::LabelSet{{"cores", "16"}, {"zone", "a"}});
  return made;
}

NodeSelector selector(NodeSelectorRequirement requirement, bool field = false) {
  NodeSelectorTerm term;
  (field ? term.match_fields : term.match_expressions).push_back(std::move(requirement));
  return {{std::move(term)}};
}

}  // namespace

TEST_CASE("node selectors match as Kubernetes matches them") {
  struct Row {
    const char* name;
    NodeSelectorRequirement requirement;
    bool field;
    bool want;
  };
  const auto row =
      GENERATE(Row{"In, listed", {"zone", "In", {"a", "b"}}, false, true},
               Row{"In, not listed", {"zone", "In", {"b"}}, false, false},
               Row{"In, no such label", {"rack", "In", {"b"}}, false, false},
               Row{"NotIn, listed", {"zone", "NotIn", {"a"}}, false, false},
               Row{"NotIn, no such label", {"rack", "NotIn", {"a"}}, false, true},
               Row{"Exists", {"zone", "Exists", {}}, false, true},
               Row{"DoesNotExist", {"zone", "DoesNotExist", {}}, false, false},
               Row{"Gt, more", {"cores", "Gt", {"15"}}, false, true},
               Row{"Gt, equal", {"cores", "Gt", {"16"}}, false, false},
               Row{"Lt, less", {"cores", "Lt", {"17"}}, false, true},
               Row{"Gt of a word", {"zone", "Gt", {"1"}}, false, false},
               Row{"hostname", {"kubernetes.io/hostname", "In", {"host-1"}}, false, true},
               Row{"field In", {"metadata.name", "In", {"n1"}}, true, true},
               Row{"field NotIn", {"metadata.name", "NotIn", {"n1"}}, true, false});
  DYNAMIC_SECTION(row.name) {
    const auto matcher = NodeMatcher::compile(selector(row.requirement, row.field));
    REQUIRE(matcher);
    CHECK(matcher->matches(facts()) == row.want);
  }
}

TEST_CASE("terms are ORed; an empty term and an empty selector match nothing") {
  NodeSelector either = selector({"zone", "In", {"b"}});
  either.terms.push_back(selector({"zone", "In", {"a"}}).terms.front());
  CHECK(NodeMatcher::compile(either)->matches(facts()));
  CHECK_FALSE(NodeMatcher::compile(NodeSelector{{NodeSelectorTerm{}}})->matches(facts()));
  CHECK_FALSE(NodeMatcher::compile(NodeSelector{})->matches(facts()));
}

TEST_CASE("selectors that Kubernetes cannot parse are errors") {
  const auto requirement = GENERATE(NodeSelectorRequirement{"zone", "Like", {"a"}},
                                    NodeSelectorRequirement{"zone", "In", {}},
                                    NodeSelectorRequirement{"zone", "Exists", {"a"}},
                                    NodeSelectorRequirement{"zone", "Gt", {"1", "2"}},
                                    NodeSelectorRequirement{"zone", "Lt", {"one"}},
                                    NodeSelectorRequirement{"-zone", "Exists", {}},
                                    NodeSelectorRequirement{"zone", "In", {"-a"}});
  CAPTURE(requirement.key, requirement.op);
  CHECK_FALSE(NodeMatcher::compile(selector(requirement)));
  // Pods' affinity is read lazily: the term matches nothing, the others count.
  CHECK_FALSE(NodeMatcher::compile_lazily(selector(requirement)).matches(facts()));
  auto either = selector(requirement);
  either.terms.push_back(selector({"zone", "In", {"a"}}).terms.front());
  CHECK(NodeMatcher::compile_lazily(either).matches(facts()));
}

TEST_CASE("the text of a selector is Go's") {
  CHECK(cluster::go_string(selector({"zone", "In", {"a", "b"}})) ==
        "&NodeSelector{NodeSelectorTerms:[]NodeSelectorTerm{NodeSelectorTerm{MatchExpressions:"
        "[]NodeSelectorRequirement{NodeSelectorRequirement{Key:zone,Operator:In,Values:[a b],},},"
        "MatchFields:[]NodeSelectorRequirement{},},},}");
}

TEST_CASE("node tolerations") {
  const NodeTaint taint{"key", "value", "NoSchedule"};
  CHECK(cluster::tolerates({"key", "Exists", "", "", {}}, taint));
  CHECK(cluster::tolerates({"", "Exists", "", "", {}}, taint));
  CHECK(cluster::tolerates({"key", "", "value", "NoSchedule", {}}, taint));
  CHECK_FALSE(cluster::tolerates({"key", "Equal", "other", "", {}}, taint));
  CHECK_FALSE(cluster::tolerates({"key", "Exists", "", "NoExecute", {}}, taint));
  CHECK_FALSE(cluster::tolerates({"key", "Gt", "1", "", {}}, taint));
}

}  // namespace dray::node_match_test
