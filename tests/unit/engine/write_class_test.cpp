#include "dray/engine/write_class.h"

#include <catch2/catch.hpp>

namespace dray::engine::write_class_test {

TEST_CASE("each write has its class and its line") {
  struct Row {
    const char* name;
    Write write;
    WriteClass write_class;
    const char* line;
  };
  const PodKey pod{"a", "p"};
  const ClaimKey claim{"a", "c"};
  ResourceClaim made;
  made.meta.namespace_name = "a";
  made.meta.name = "c";
  const auto row = GENERATE_COPY(
      Row{"release", ReleaseClaim{claim, {}, {}}, WriteClass::undo, "claim/a/c"},
      Row{"delete claim", DeleteClaim{claim, {}, {}}, WriteClass::undo, "claim/a/c"},
      Row{"protect", ProtectClaim{claim, {}, {}}, WriteClass::bind, "claim/a/c"},
      Row{"allocate", AllocateClaim{claim, {}, {}, {}, {}}, WriteClass::bind, "claim/a/c"},
      Row{"reserve", ReserveClaim{claim, {}, {}, {}}, WriteClass::bind, "claim/a/c"},
      Row{"create claim", CreateClaim{made}, WriteClass::bind, "claim/a/c"},
      Row{"read claim", ReadClaim{claim}, WriteClass::bind, "claim/a/c"},
      Row{"name the claim", NameExtendedClaim{pod, {}, {}, {}}, WriteClass::bind, "pod/a/p"},
      Row{"charge the node", SetNodeAllocatable{pod, {}, {}}, WriteClass::bind, "pod/a/p"},
      Row{"read pod", ReadPod{pod}, WriteClass::bind, "pod/a/p"},
      Row{"bind", BindPod{pod, {}, {}}, WriteClass::bind, "pod/a/p"},
      Row{"evict", EvictPod{pod, {}}, WriteClass::evict, "pod/a/p"},
      Row{"lift", LiftGate{pod, {}, {}}, WriteClass::lift, "pod/a/p"},
      Row{"annotate", AnnotatePod{pod, {}, {}}, WriteClass::lift, "pod/a/p"},
      Row{"nominate", NominateNode{pod, {}, {}}, WriteClass::lift, "pod/a/p"},
      Row{"wake", SetPodCondition{pod, {}, {}, true}, WriteClass::lift, "condition/a/p"},
      Row{"tell", SetPodCondition{pod, {}, {}}, WriteClass::note, "condition/a/p"},
      Row{"event", RecordEvent{pod, {}, {}}, WriteClass::note, ""},
      Row{"usage", PutConfigMap{{"a", "m"}, {}, {}}, WriteClass::note, "config/a/m"},
      Row{"read usage", ReadConfigMap{{"a", "m"}}, WriteClass::note, "config/a/m"});
  DYNAMIC_SECTION(row.name) {
    CHECK(class_of(row.write) == row.write_class);
    CHECK(line_of(row.write) == row.line);
    CHECK_FALSE(is_lease_write(row.write));
  }
}

TEST_CASE("an eviction is waited for as long as the API server itself tries it") {
  const PodKey pod{"a", "p"};
  CHECK(deadline_of(EvictPod{pod, {}}) > 20 * std::chrono::milliseconds(550));
  CHECK(deadline_of(EvictPod{pod, {}, true}) == deadline_of(EvictPod{pod, {}}));
  CHECK(deadline_of(BindPod{pod, {}, {}}) == write_deadline);
}

TEST_CASE("the Lease's writes stand apart") {
  CHECK(is_lease_write(ReadLease{{"a", "l"}}));
  CHECK(is_lease_write(PutLease{{"a", "l"}, {}, {}}));
  CHECK(line_of(ReadLease{{"a", "l"}}).empty());
}

TEST_CASE("classes have the names of the metrics") {
  CHECK(name(WriteClass::undo) == "undo");
  CHECK(name(WriteClass::bind) == "bind");
  CHECK(name(WriteClass::evict) == "evict");
  CHECK(name(WriteClass::lift) == "lift");
  CHECK(name(WriteClass::note) == "note");
}

}  // namespace dray::engine::write_class_test
