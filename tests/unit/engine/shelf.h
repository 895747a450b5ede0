#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "engine/books/job_book.h"
#include "tests/unit/engine/fixture.h"

namespace dray::engine {

/// A book whose pods are where `where` says.
struct Shelf {
  std::map<Uid, JobBook::MemberView> where;
  std::map<Uid, std::shared_ptr<const Pod>> pods;
  JobBook book{[this](const Pod& pod) {
    const auto found = where.find(pod.meta.uid);
    return found == where.end() ? JobBook::MemberView{} : found->second;
  }};

  Shelf() { book.set_policy(std::make_shared<const policy::Policy>(policy::Policy::open()), true); }
  void put(const Pod& pod) {
    pods[pod.meta.uid] = std::make_shared<const Pod>(pod);
    book.put(pods[pod.meta.uid], start);
  }
  /// As Admission does: the pods that may speak of the group are looked at again.
  void observe(const KubeObject& group) {
    CHECK(book.observe(group));
    look_again();
  }
  void forget_group() {
    CHECK(book.forget(Kind::pod_group, "default", "g"));
    look_again();
  }
  void look_again() {
    for (const auto& [uid, pod] : pods) {
      book.put(pod, start);
      book.touch(uid);
    }
  }
  void move(const std::string& name, planner::MemberState state) {
    where[Uid("uid-" + name)] = {state, NodeName("n0"), false};
    book.touch(Uid("uid-" + name));
  }
};

inline Pod in_group(const std::string& name) {
  auto pod = make_pod(name, "");
  pod.pod_group = "g";
  return pod;
}

inline PodGroup group_of(std::int32_t minimum) {
  return testing::make_group("g", minimum);
}

}  // namespace dray::engine
