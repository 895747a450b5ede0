#include <catch2/catch.hpp>

#include "tests/dst/family.h"

// The whole service in virtual time: replicas with their Lease, fence and outbox, through
// kube-scheduler's calls to the binding, while writes, watches, calls, clocks, nodes, pods, claims
// and dray itself fail.
//   DRAY_DST_SEEDS=N   so many seeds (300 where absent)
//   DRAY_DST_FIRST=N   from this one on
//   DRAY_DST_SEED=N    this one alone, with its trace; made as small as it gets if it fails
//   DRAY_DST_STOP=1    the first seed that fails is the last
//   DRAY_DST_HASHES=1  each seed with the hash of its trace

namespace dray::dst::service_test {
namespace {

const char* const interesting[] = {
    "a bind call was repeated",
    "a bind was answered with an error",
    "a bind was undone",
    "a binding was made without an answer",
    "a claim could not be given back",
    "a claim is shared",
    "a claim was replaced",
    "a device changed its model",
    "a device could not be attached",
    "a device was attached",
    "a doomed pod was tried again",
    "a gang runs",
    "a gang waits at the end",
    "a gate that stays was tried again",
    "a pod waits for devices at the end",
    "a pod was evicted",
    "a reservation expired",
    "a rival took a device",
    "a watch was lost for good",
    "a write landed late",
    "a write of an old epoch was refused",
    "a write was lost",
    "a write was refused",
    "an allocation was made without an answer",
    "an extender call was lost",
    "compacted",
    "cordoned under a reservation",
    "crash mid-bind",
    "crash with reservations",
    "devices were tainted",
    "gated pod deleted",
    "leadership moved twice",
    "node removed",
    "pod deleted mid-bind",
    "pod recreated under its name",
    "room came for a pod that waited",
    "stopped while writing",
    "the API server was overloaded",
    "the Lease was given back",
    "the policy was read again",
    "two believed to lead",
    "two queues have their quota and want more",
    "two queues want more at the end",
};

}  // namespace

TEST_CASE("the service survives every fault, in every seed") {
  play({.story_of = Story::of, .interesting = interesting});
}

}  // namespace dray::dst::service_test
