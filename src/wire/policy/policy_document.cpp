#include <fmt/format.h>

#include "wire/policy/policy_examples.h"
#include "wire/policy/policy_shape.h"

// docs/policy-keys.md: a row for each key.

namespace dray::wire {

namespace {

void write_rows(const PolicyShape& shape, const std::string& path, std::string& out);

void write_row(const PolicyField& field, const std::string& path, std::string& out) {
  const auto unit = unit_of(path, field.shape->form);
  out += fmt::format("| `{}` | {}{} | {}{} | `{}` |\n", path, expected(*field.shape),
                     field.required ? "; required" : "", field.doc,
                     unit.empty() ? std::string() : fmt::format(" Unit: {}.", unit),
                     example_of(path, *field.shape));
  write_rows(*field.shape, path, out);
}

/// The keys below a value: those of the items of a list, of the members of a map, its own.
void write_rows(const PolicyShape& shape, const std::string& path, std::string& out) {
  if (shape.form == Form::list) return write_rows(*shape.item, path + "[]", out);
  if (shape.form == Form::map) return write_rows(*shape.item, path + ".NAME", out);
  for (const auto& field : shape.fields) {
    write_row(field, path_below(path, field.key), out);
  }
}

}  // namespace

std::string policy_document() {
  std::string out =
      "# Keys of the policy file\n\n"
      "Made from the descriptions in include/dray/policy; `DRAY_WRITE=1 dray_wire_test` writes it "
      "anew.\n[policy.md](policy.md) tells what they are for.\n\n"
      "| Key | Value | What it says | Example |\n|---|---|---|---|\n";
  write_rows(policy_shape(), "", out);
  return out;
}

}  // namespace dray::wire
