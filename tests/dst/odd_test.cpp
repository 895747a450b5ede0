#include <catch2/catch.hpp>

#include "tests/dst/family.h"
#include "tests/dst/oddity.h"

// The same service and the same rules in small worlds of which each has something rare, often: what
// a random storm meets once in ten thousand seeds. By the variables of service_test.cpp.

namespace dray::dst::odd_test {
namespace {

const char* const interesting[] = {
    "a Lease was deleted under its holder",
    "a claim has a device and no user",
    "a claim was taken from pods that run",
    "a claim went while its pod got the other",
    "a claim with admin access was made",
    "a gated pod bypasses dray since the policy changed",
    "a group was made anew while its members gathered",
    "a leader stopped over a renewal",
    "a leader was back while its writes were under way",
    "a leader went right after a binding",
    "a limit went down while a plan was made",
    "a member of a running gang was made anew while another queue waited",
    "a member's claim went while its gang gathered",
    "a more important pod came right after another",
    "a partner came while a gang was planned",
    "a place came while an eviction was planned",
    "a place ended while its pod was not woken",
    "a pod came while a gang of its queue was planned",
    "a pod has finished, and its claim lingers",
    "a pod is asked for before it is seen",
    "a pod named a queue that is not for it",
    "a pod started behind others that could not, with small budgets",
    "a pod was to be woken twice within a second",
    "a term ended while claims were not seen",
    "all nodes were cordoned while a plan was made",
    "an unreadable claim has a device",
    "members were replaced unseen",
    "the labels of a running pod changed",
    "the other claim of a pod that shares one went",
    "the machine of a leader was suspended",
    "two share a claim in a full queue",
};

}  // namespace

TEST_CASE("the service survives odd clusters, in every seed") {
  play({.story_of = odd_story, .interesting = interesting});
}

}  // namespace dray::dst::odd_test
