#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "dray/base/check.h"
#include "kube/known_objects.h"
#include "net/http_parser.h"
#include "net/line_cutter.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/targets.h"
#include "wire/object/object_codec.h"

namespace dray::fuzz {
namespace {

using Lines = std::vector<std::string>;

/// The lines of a body that arrives in `chunks` of HTTP, which arrive as `cuts` says.
Lines lines_of(const std::vector<std::string_view>& chunks, const Cuts& cuts) {
  std::string bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const auto chunk : chunks) bytes += fmt::format("{:x}\r\n{}\r\n", chunk.size(), chunk);
  bytes += "0\r\n\r\n";
  net::HttpResponseParser parser(net::HttpLimits{}, false);
  net::LineCutter cutter;
  std::string inbox;
  Lines lines;
  for (const auto piece : cuts.of(bytes)) {
    inbox += piece;
    const auto used = parser.feed(inbox);
    DRAY_CHECK(used.has_value());
    inbox.erase(0, *used);
    for (auto& line : cutter.take(parser.response().body, parser.done())) {
      lines.push_back(std::move(line));
    }
  }
  DRAY_CHECK(parser.done() && inbox.empty());
  return lines;
}

/// Without cutting anything.
Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    if (!line.empty()) lines.emplace_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// Shows the events of a line to a listener, as kube/informer.cpp does.
void follow(const std::string& line, Kind kind, kube::KnownObjects& known) {
  auto event = wire::decode_watch_line(line);
  if (!event) {
    DRAY_CHECK(!event.error().message.empty());
    return;
  }
  if (auto* rejected = std::get_if<wire::RejectedChange>(&*event)) {
    auto& [error, object] = rejected->object;
    DRAY_CHECK(!error.message.empty());
    if (!object || kind_of(*object) != kind) return;
    DRAY_CHECK(!meta_of(*object).name.empty());
    if (rejected->change == wire::WatchedObject::Change::deleted) return known.deleted(*object);
    known.unreadable({*std::move(object), std::move(error.message)}, false);
  } else if (auto* watched = std::get_if<wire::WatchedObject>(&*event)) {
    auto* object = std::get_if<KubeObject>(&watched->object);
    if (object == nullptr || kind_of(*object) != kind) return;
    if (watched->change == wire::WatchedObject::Change::deleted) return known.deleted(*object);
    known.changed(std::move(*object));
  }
}

struct AsText {
  std::string operator()(const cluster::ObjectChanged& event) const {
    return "changed " + wire::encode_object(event.object);
  }
  std::string operator()(const cluster::ObjectUnreadable& event) const {
    return "unreadable " + wire::encode_object(event.object) + event.problem;
  }
  std::string operator()(const cluster::ObjectGone& event) const {
    return fmt::format("gone {}/{} {}", event.namespace_name, event.name, event.uid.get());
  }
  std::string operator()(const engine::Synced& /*event*/) const { return "synced"; }
};

std::string told(const Lines& lines) {
  std::string all;
  for (const Kind kind : {Kind::pod, Kind::resource_claim}) {
    kube::KnownObjects known(
        kind, [&](const kube::WatchEvent& event) { all += std::visit(AsText(), event) + "\n"; });
    known.begin_list();
    known.end_list();
    for (const auto& line : lines) follow(line, kind, known);
    known.begin_list();
    known.end_list();
    DRAY_CHECK(known.size() == 0);
  }
  return all;
}

}  // namespace

/// Wherever chunks and packets end, a watch tells the same.
void watch_stream(std::string_view bytes) {
  Input input(bytes);
  const Cuts cuts(input);
  const auto want = split(input.rest());
  const auto lines = lines_of(cuts.of(input.rest()), cuts.reversed());
  DRAY_CHECK(lines == want);
  DRAY_CHECK(told(lines) == told(want));
}

}  // namespace dray::fuzz
