#include "wire/extender_codec.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "wire/json/first_value.h"
#include "wire/object/codecs.h"

namespace dray::wire {
namespace {

using extender::NodeVictims;
using extender::OfferedNode;
using extender::Refusals;
using extender::Victims;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_key(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// Calls `f(key, reader)` for each member of the message: keys in any case.
template <class F>
std::optional<Error> visit_message(std::string_view json, F&& f) {
  Document document(json);
  document.visit([&](const Reader& root) { root.members(f); });
  if (!document.problem()) return std::nullopt;
  return document.problem()->to_error();
}

/// The message that `read_member(reader, message)` fills; a second try leaves out what follows the
/// first value.
template <class Message, class F>
Result<Message> decode(std::string_view json, F&& read_member) {
  auto text = json;
  for (;;) {
    Message message;
    const auto read_one = [&](const Reader& member) { read_member(member, message); };
    auto error = visit_message(text, read_one);
    if (!error) return message;
    const auto first = first_value(json);
    if (first.size() == text.size()) return std::unexpected(*std::move(error));
    text = first;
  }
}

OfferedNode read_offered(std::string json, const Reader& item) {
  OfferedNode offered{{}, std::move(json)};
  Document document(offered.json);
  document.visit([&](const Reader& root) { read(root, offered.node); });
  if (document.problem()) {
    item.fail(to_string(document.problem()->path) + ": " + document.problem()->text);
  }
  return offered;
}

void read_filter_member(const Reader& in, extender::FilterRequest& out) {
  if (same_key(in.key(), "Pod")) {
    read(in, out.pod);
  } else if (same_key(in.key(), "NodeNames")) {
    read(in, out.node_names);
  } else if (same_key(in.key(), "Nodes")) {
    out.nodes.emplace();
    in.members([&](const Reader& member) {
      if (member.key() != "items") return;
      member.items(
          [&](const Reader& item) { out.nodes->push_back(read_offered(item.raw(), item)); });
    });
  }
}

void read_refusals(const Reader& in, Refusals& out) {
  in.members(
      [&](const Reader& member) { out[member.string()].emplace_back(std::string(member.key())); });
}

void read_filter_answer(const Reader& in, extender::FilterResponse& out) {
  if (same_key(in.key(), "NodeNames")) {
    read(in, out.node_names);
  } else if (same_key(in.key(), "Nodes")) {
    in.fields([&](auto& io) {
      std::vector<Node> nodes;
      io.field("items", nodes);
      for (auto& node : nodes) out.node_names.emplace_back(std::move(node.meta.name));
    });
  } else if (same_key(in.key(), "FailedNodes")) {
    read_refusals(in, out.failed);
  } else if (same_key(in.key(), "FailedAndUnresolvableNodes")) {
    read_refusals(in, out.failed_unresolvable);
  } else if (same_key(in.key(), "Error")) {
    out.error = in.string();
  }
}

/// Each pod by its `UID` (meta form) or as a whole.
void read_victims(const Reader& in, bool whole_pods, Victims& out) {
  in.members([&](const Reader& node) {
    auto& victims = out[NodeName(std::string(node.key()))];
    node.members([&](const Reader& member) {
      if (same_key(member.key(), "NumPDBViolations")) {
        victims.pdb_violations = member.integer();
      } else if (same_key(member.key(), "Pods")) {
        member.items([&](const Reader& pod) {
          auto& uid = victims.pods.emplace_back();
          pod.members([&](const Reader& field) {
            if (!whole_pods && same_key(field.key(), "UID")) uid = Uid(field.string());
            if (!whole_pods || field.key() != "metadata") return;
            field.fields([&](auto& meta) { meta.field("uid", uid); });
          });
        });
      }
    });
  });
}

void write_refusal(JsonWriter& out, const std::string& node, const std::string& reason) {
  out.key(node);
  out.string(reason);
}

void write_refusals(JsonWriter& out, const Refusals& refusals) {
  for (const auto& [reason, nodes] : refusals) {
    for (const auto& node : nodes) write_refusal(out, node.get(), reason);
  }
}

void refuse_all(JsonWriter& out, const extender::FilterRequest& request,
                const std::string& reason) {
  if (request.node_names) {
    for (const auto& node : *request.node_names) write_refusal(out, node.get(), reason);
  } else if (request.nodes) {
    for (const auto& each : *request.nodes) write_refusal(out, each.node.meta.name, reason);
  }
}

void write_victims(JsonWriter& out, const Victims& victims) {
  out.begin_object();
  for (const auto& [node, on_node] : victims) {
    out.key(node.get());
    out.begin_object();
    out.key("Pods");
    out.begin_list();
    for (const auto& uid : on_node.pods) {
      out.object([&](auto& io) { io.required("UID", uid); });
    }
    out.end_list();
    out.key("NumPDBViolations");
    out.integer(on_node.pdb_violations);
    out.end_object();
  }
  out.end_object();
}

void write_offered(JsonWriter& out, const std::vector<OfferedNode>& nodes,
                   const std::set<NodeName>* wanted) {
  out.begin_object();
  out.key("metadata");
  out.raw("{}");
  out.key("items");
  out.begin_list();
  for (const auto& offered : nodes) {
    if (wanted == nullptr || wanted->contains(NodeName(offered.node.meta.name))) {
      out.raw(offered.json);
    }
  }
  out.end_list();
  out.end_object();
}

}  // namespace

Result<extender::FilterRequest> decode_filter_request(std::string_view json) {
  return decode<extender::FilterRequest>(json, read_filter_member);
}

std::string encode(const extender::FilterRequest& request) {
  JsonWriter out;
  out.begin_object();
  out.key("Pod");
  write(out, request.pod);
  out.key("Nodes");
  if (request.nodes) {
    write_offered(out, *request.nodes, nullptr);
  } else {
    out.null();
  }
  out.key("NodeNames");
  if (request.node_names) {
    write(out, *request.node_names);
  } else {
    out.null();
  }
  out.end_object();
  return std::move(out).take();
}

std::string encode(const extender::FilterResponse& response,
                   const extender::FilterRequest& request) {
  JsonWriter out;
  out.begin_object();
  out.key("Nodes");
  if (request.nodes) {
    const std::set<NodeName> wanted(response.node_names.begin(), response.node_names.end());
    write_offered(out, *request.nodes, &wanted);
  } else {
    out.null();
  }
  out.key("NodeNames");
  if (request.nodes) {
    out.null();
  } else {
    write(out, response.node_names);
  }
  out.key("FailedNodes");
  out.begin_object();
  write_refusals(out, response.failed);
  out.end_object();
  out.key("FailedAndUnresolvableNodes");
  out.begin_object();
  write_refusals(out, response.failed_unresolvable);
  if (response.all_unresolvable) refuse_all(out, request, *response.all_unresolvable);
  out.end_object();
  out.key("Error");
  out.string(response.error);
  out.end_object();
  return std::move(out).take();
}

Result<extender::FilterResponse> decode_filter_response(std::string_view json) {
  return decode<extender::FilterResponse>(json, read_filter_answer);
}

std::string encode(const extender::PrioritizeResponse& response) {
  JsonWriter out;
  out.begin_list();
  for (const auto& priority : response) {
    out.object([&](auto& io) {
      io.required("Host", priority.node);
      io.required("Score", priority.score);
    });
  }
  out.end_list();
  return std::move(out).take();
}

Result<extender::PrioritizeResponse> decode_prioritize_response(std::string_view json) {
  extender::PrioritizeResponse response;
  Document document(first_value(json));
  document.visit([&](const Reader& root) {
    root.items([&](const Reader& item) {
      auto& priority = response.emplace_back();
      item.members([&](const Reader& member) {
        if (same_key(member.key(), "Host")) priority.node = NodeName(member.string());
        if (same_key(member.key(), "Score")) priority.score = member.integer();
      });
    });
  });
  if (document.problem()) return std::unexpected(document.problem()->to_error());
  return response;
}

Result<extender::BindRequest> decode_bind_request(std::string_view json) {
  return decode<extender::BindRequest>(json, [](const Reader& in, extender::BindRequest& out) {
    if (same_key(in.key(), "PodName")) out.pod.name = in.string();
    if (same_key(in.key(), "PodNamespace")) out.pod.namespace_name = in.string();
    if (same_key(in.key(), "PodUID")) out.uid = Uid(in.string());
    if (same_key(in.key(), "Node")) out.node = NodeName(in.string());
  });
}

std::string encode(const extender::BindRequest& request) {
  JsonWriter out;
  out.object([&](auto& io) {
    io.required("PodName", request.pod.name);
    io.required("PodNamespace", request.pod.namespace_name);
    io.required("PodUID", request.uid);
    io.required("Node", request.node);
  });
  return std::move(out).take();
}

std::string encode(const extender::BindResponse& response) {
  JsonWriter out;
  out.object([&](auto& io) { io.required("Error", response.error); });
  return std::move(out).take();
}

Result<extender::BindResponse> decode_bind_response(std::string_view json) {
  return decode<extender::BindResponse>(json, [](const Reader& in, extender::BindResponse& out) {
    if (same_key(in.key(), "Error")) out.error = in.string();
  });
}

Result<extender::PreemptRequest> decode_preempt_request(std::string_view json) {
  return decode<extender::PreemptRequest>(json,
                                          [](const Reader& in, extender::PreemptRequest& out) {
                                            if (same_key(in.key(), "Pod")) read(in, out.pod);
                                            if (same_key(in.key(), "NodeNameToVictims"))
                                              read_victims(in, true, out.victims);
                                            if (same_key(in.key(), "NodeNameToMetaVictims"))
                                              read_victims(in, false, out.victims);
                                          });
}

std::string encode(const extender::PreemptRequest& request) {
  JsonWriter out;
  out.begin_object();
  out.key("Pod");
  write(out, request.pod);
  out.key("NodeNameToVictims");
  out.null();
  out.key("NodeNameToMetaVictims");
  write_victims(out, request.victims);
  out.end_object();
  return std::move(out).take();
}

std::string encode(const extender::PreemptResponse& response) {
  JsonWriter out;
  out.begin_object();
  out.key("NodeNameToMetaVictims");
  write_victims(out, response.victims);
  out.end_object();
  return std::move(out).take();
}

Result<extender::PreemptResponse> decode_preempt_response(std::string_view json) {
  return decode<extender::PreemptResponse>(json,
                                           [](const Reader& in, extender::PreemptResponse& out) {
                                             if (same_key(in.key(), "NodeNameToMetaVictims"))
                                               read_victims(in, false, out.victims);
                                           });
}

}  // namespace dray::wire
