// The sample, the schema and the table of DrayConfiguration are made of the descriptions in
// src/app/serve/serve_options; DRAY_WRITE=1 writes them anew.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "app/serve/serve_configuration.h"
#include "tests/unit/app/config_fields.h"
#include "tests/unit/net/support.h"
#include "tests/unit/wire/written_file.h"
#include "wire/yaml/config_node.h"

namespace dray::app::serve_document_test {
namespace {

/// Values for fields without a default.
const Examples examples{
    {"kubeconfig", "/etc/dray/kubeconfig"},
    {"context", "production"},
    {"cluster", "[config/demo/cluster]"},
    {"extender-tls-cert", "/etc/dray/tls/tls.crt"},
    {"extender-tls-key", "/etc/dray/tls/tls.key"},
    {"client-ca", "/etc/dray/tls/ca.crt"},
    {"allowed-clients", "[dray-scheduler]"},
    {"admin-tls-cert", "/etc/dray/admin/tls.crt"},
    {"admin-tls-key", "/etc/dray/admin/tls.key"},
    {"dashboard-tls-cert", "/etc/dray/dashboard/tls.crt"},
    {"otlp-endpoint", "http://otel-collector.monitoring:4318"},
    {"dashboard-tls-key", "/etc/dray/dashboard/tls.key"},
    {"policy", "/etc/dray/policy/policy.yaml"},
    {"nodes", "pool=blue"},
    {"drivers", "[blue.example.com]"},
    {"devices", "best"},
    {"feature-gates", "[DRADerivedAttributes=true]"},
    {"limit", "[extender.body=32Mi]"},
    {"identity", "dray-0"},
    {"record", "/var/lib/dray/record"},
    {"history", "/var/lib/dray/history"},
};

std::vector<Field> fields() {
  CLI::App command;
  ServeFlags flags;
  add_serve_flags(command, flags);
  return fields_of(command, "config");
}

/// Words for a reader.
std::string value_of(const Field& field) {
  std::string text;
  for (const auto& word : field.words) text += (text.empty() ? "" : " or ") + word;
  if (text.empty()) {
    text = field.type == "boolean"   ? "true or false"
           : field.type == "integer" ? "a whole number"
           : field.type == "number"  ? "a number"
                                     : "a text";
  }
  return field.list ? "a list" : text;
}

std::string table() {
  std::string text =
      "# Fields of DrayConfiguration\n\nMade from the flags of `dray serve`; `DRAY_WRITE=1 "
      "dray_app_test` writes it anew.\n[configuration.md](configuration.md) tells how they are "
      "used.\n\n| Field | Value | Default | What it says | A change holds "
      "|\n|---|---|---|---|---|\n";
  for (const auto& field : fields()) {
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", field.name, value_of(field),
                        field.standing.empty() ? "" : "`" + field.standing + "`", field.what,
                        is_reloaded(field.flag) ? "from SIGHUP on" : "after a restart");
  }
  return text;
}

/// What excludes another field of the sample is there as a comment.
bool is_aside(const Field& field) {
  return field.flag == "cluster";
}

std::string sample() {
  std::string text =
      "# yaml-language-server: $schema=serve.schema.json\n#\n# Every field of `dray serve --config "
      "FILE`, with its default, or an example where it has none.\n# docs/configuration.md tells "
      "more.\napiVersion: dray.dev/v1alpha1\nkind: DrayConfiguration\n";
  for (const auto& field : fields()) {
    const auto example = examples.find(field.flag);
    const auto value = example == examples.end() ? field.standing : example->second;
    text += fmt::format("\n# {}.\n{}{}: {}\n", field.what, is_aside(field) ? "# " : "", field.name,
                        value);
  }
  return text;
}

std::string schema() {
  return schema_of({.title = "dray serve", .kind = "DrayConfiguration"}, fields(), examples);
}

/// The sample, read as --config reads it.
Result<ServeFlags> read(const std::string& text) {
  const net::testing::TempFolder folder;
  CLI::App command;
  ServeFlags flags;
  add_serve_flags(command, flags);
  const auto applied =
      apply_config_file(command, folder.write("serve.yaml", text), dray_configuration());
  if (!applied) return std::unexpected(applied.error());
  return flags;
}

}  // namespace

TEST_CASE("the table, the sample and the schema of the configuration say what the flags say") {
  CHECK(wire::written_file("docs/configuration-fields.md", table()) == table());
  CHECK(wire::written_file("config/serve.yaml", sample()) == sample());
  CHECK(wire::written_file("config/serve.schema.json", schema()) == schema());
}

TEST_CASE("every flag is described, and the sample has a value for it") {
  for (const auto& field : fields()) {
    CAPTURE(field.flag);
    CHECK_FALSE(field.what.empty());
    CHECK_FALSE(field.what.ends_with('.'));
    CHECK((!field.standing.empty() || examples.contains(field.flag)));
  }
  CHECK(fields().size() > 30);
}

TEST_CASE("dray serve takes the sample, and no field of it is without effect") {
  const auto flags = read(sample());
  REQUIRE(flags);
  CHECK(service_options(*flags));
  CHECK(flags->kubeconfig == "/etc/dray/kubeconfig");
  CHECK(flags->feature_gates == std::vector<std::string>{"DRADerivedAttributes=true"});
  CHECK(flags->allowed_clients == std::vector<std::string>{"dray-scheduler"});
  CHECK_FALSE(flags->insecure_extender);
  CHECK(flags->verbosity == 0);
  // The one that stands aside is a field, too.
  const auto aside = read(
      "apiVersion: dray.dev/v1alpha1\nkind: DrayConfiguration\n"
      "cluster: [config/demo/cluster]\n");
  REQUIRE(aside);
  CHECK(aside->cluster == std::vector<std::string>{"config/demo/cluster"});
}

TEST_CASE("the schema has a field's type, its words and lists") {
  const auto made = schema();
  REQUIRE(wire::parse_yaml(made));
  for (const std::string part :
       {R"("leaderElect": {"type": "boolean")", R"("insecureExtender": {"type": "boolean")",
        R"("kubeApiQps": {"type": "number")", R"("nominateFromNodes": {"type": "integer")",
        R"("verbosity": {"type": "integer")", R"("mode": {"enum": ["allocate", "advise"])",
        R"("default": "allocate")", R"("default": 1000)", R"("default": false)",
        R"("examples": ["pool=blue"])", R"("examples": [["blue.example.com"]])",
        R"("allowedClients": {"type": ["string", "array"], "items": {"type": "string"})",
        R"("cluster": {"type": ["string", "array"], "items": {"type": "string"})"}) {
    CAPTURE(part);
    CHECK(made.contains(part));
  }
  CHECK_FALSE(made.contains("\"config\""));
}

}  // namespace dray::app::serve_document_test
