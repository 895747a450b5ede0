#include "kube/known_objects.h"

#include <catch2/catch.hpp>
#include <vector>

namespace dray::kube::known_objects_test {
namespace {

KubeObject node(const std::string& name, const std::string& uid, const std::string& version) {
  Node made;
  made.meta.name = name;
  made.meta.uid = Uid(uid);
  made.meta.resource_version = ResourceVersion(version);
  return made;
}

/// `+n1/10` for a change to version 10, `-n1/u1` for the end of uid u1.
struct Told {
  std::vector<std::string> events;
  KnownObjects known{Kind::node, [this](WatchEvent event) {
                       if (const auto* changed = std::get_if<cluster::ObjectChanged>(&event)) {
                         const auto& meta = meta_of(changed->object);
                         events.push_back("+" + meta.name + "/" + meta.resource_version.get());
                       }
                       if (const auto* gone = std::get_if<cluster::ObjectGone>(&event)) {
                         events.push_back("-" + gone->name + "/" + gone->uid.get());
                       }
                       if (const auto* bad = std::get_if<cluster::ObjectUnreadable>(&event)) {
                         events.push_back("?" + meta_of(bad->object).name);
                       }
                     }};

  void list(const std::vector<KubeObject>& objects) {
    events.clear();
    known.begin_list();
    for (const auto& object : objects) known.listed(object);
    known.end_list();
  }
};

using Events = std::vector<std::string>;

}  // namespace

TEST_CASE("a second list tells only what is different") {
  Told told;
  told.list({node("n1", "u1", "1"), node("n2", "u2", "2"), node("n3", "u3", "3")});
  CHECK(told.events == Events{"+n1/1", "+n2/2", "+n3/3"});
  told.list({node("n1", "u1", "1"), node("n3", "u3", "5")});
  CHECK(told.events == Events{"+n3/5", "-n2/u2"});
  told.list({});
  CHECK(told.events == Events{"-n1/u1", "-n3/u3"});
  CHECK(told.known.size() == 0);
}

TEST_CASE("what a list after the first corrects is counted, and what the watch told is not") {
  Told told;
  for (int i = 0; i < 2; ++i) told.list({node("n1", "u1", "1"), node("n2", "u2", "2")});
  told.known.changed(node("n1", "u1", "3"));
  told.known.deleted(node("n2", "u2", "2"));
  told.list({node("n1", "u1", "3")});
  CHECK(told.known.corrections() == 0);
  told.list({node("n1", "u1", "4"), node("n4", "u4", "1")});
  CHECK(told.known.corrections() == 2);
  told.list({node("n4", "u4", "1")});
  CHECK(told.known.corrections() == 3);
}

TEST_CASE("an object that cannot be read is there all the same") {
  Told told;
  told.list({node("n1", "u1", "1"), node("n2", "u2", "2")});
  told.events.clear();
  const auto list_with_bad = [&told](const std::string& uid, const std::string& version) {
    told.events.clear();
    told.known.begin_list();
    told.known.unreadable({node("n1", uid, version), "why"}, true);
    told.known.listed(node("n2", "u2", "2"));
    told.known.end_list();
  };
  list_with_bad("u1", "5");
  CHECK(told.events == Events{"?n1"});
  list_with_bad("u1", "5");
  CHECK(told.events.empty());
  list_with_bad("u9", "6");
  CHECK(told.events == Events{"-n1/u1", "?n1"});
  told.known.unreadable({node("n1", "u9", "6"), "why"}, false);
  CHECK(told.events == Events{"-n1/u1", "?n1", "?n1"});
}

TEST_CASE("another object of the same name ends the one before") {
  Told told;
  told.list({node("n1", "u1", "1")});
  told.list({node("n1", "u9", "9")});
  CHECK(told.events == Events{"-n1/u1", "+n1/9"});
}

TEST_CASE("a list that is broken off says nothing of what is gone") {
  Told told;
  told.list({node("n1", "u1", "1"), node("n2", "u2", "2")});
  told.events.clear();
  told.known.begin_list();
  told.known.listed(node("n1", "u1", "1"));
  told.known.begin_list();
  told.known.listed(node("n1", "u1", "1"));
  told.known.listed(node("n2", "u2", "2"));
  told.known.end_list();
  CHECK(told.events.empty());
}

TEST_CASE("what a stream tells is told on, and known to the next list") {
  Told told;
  told.list({node("n1", "u1", "1")});
  told.events.clear();
  told.known.changed(node("n2", "u2", "2"));
  told.known.deleted(node("n1", "u1", "3"));
  CHECK(told.events == Events{"+n2/2", "-n1/u1"});
  told.list({node("n2", "u2", "2")});
  CHECK(told.events.empty());
}

}  // namespace dray::kube::known_objects_test
