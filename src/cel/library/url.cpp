#include <map>
#include <string>
#include <vector>

#include "cel/eval/evaluation.h"
#include "cel/eval/functions.h"
#include "cel/text/url_text.h"
#include "cel/value/values.h"

namespace dray::cel {

namespace {

using Args = std::span<const Value>;

Value url(Evaluation& run, Args args) {
  Context& context = run.context;
  const std::string_view text = args[0].text();
  std::string error;
  std::optional<ParsedUrl> parsed;
  if (is_request_uri(text, error)) parsed = parse_url(text, error);
  if (!parsed) {
    return context.error("URL parse error during conversion from string: " + error);
  }
  UrlValue* made = context.arena.make<UrlValue>();
  made->scheme = context.arena.copy(parsed->scheme);
  made->host = context.arena.copy(parsed->host);
  made->escaped_path = context.arena.copy(parsed->escaped_path);
  made->raw_query = context.arena.copy(parsed->raw_query);
  made->text = context.arena.copy(parsed->text);
  Value value;
  value.kind = Kind::url;
  value.url = made;
  return value;
}

Value is_url(Evaluation&, Args args) {
  std::string error;
  return Value::of(is_request_uri(args[0].text(), error));
}

Value scheme(Evaluation&, Args args) {
  return Value::of(args[0].url->scheme);
}
Value host(Evaluation&, Args args) {
  return Value::of(args[0].url->host);
}
Value hostname(Evaluation&, Args args) {
  return Value::of(url_hostname(args[0].url->host));
}
Value port(Evaluation&, Args args) {
  return Value::of(url_port(args[0].url->host));
}
Value escaped_path(Evaluation&, Args args) {
  return Value::of(args[0].url->escaped_path);
}

Value query(Evaluation& run, Args args) {
  std::map<std::string, std::vector<Value>> values;
  for (const auto& [key, value] : url_query(args[0].url->raw_query)) {
    values[key].push_back(run.context.string(value));
  }
  std::vector<MapEntry> entries;
  entries.reserve(values.size());
  for (const auto& [key, list] : values) {
    entries.push_back({run.context.string(key), run.context.list(list)});
  }
  return run.context.map(entries);
}

constexpr BindingRow url_rows[] = {
    {"string_to_url", url},
    {"is_url_string", is_url},
    {"url_get_scheme", scheme},
    {"url_get_host", host},
    {"url_get_hostname", hostname},
    {"url_get_port", port},
    {"url_get_escaped_path", escaped_path},
    {"url_get_query", query},
};

}  // namespace

std::span<const BindingRow> url_bindings() {
  return url_rows;
}

}  // namespace dray::cel
