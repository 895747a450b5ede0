#include "app/lint/lint_expressions.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "dray/cel/program.h"
#include "wire/yaml/scalar_place.h"

namespace dray::app {
namespace {

using wire::ConfigNode;
using wire::TextPlace;

std::string_view text_of(const ConfigNode* node) {
  return node != nullptr && node->kind == ConfigNode::Kind::scalar ? std::string_view(node->text)
                                                                   : std::string_view();
}

/// The index, in code points, of `<input>:LINE:COLUMN` in the expression that a message is about.
std::size_t error_index(std::string_view message, std::string_view expression) {
  constexpr std::string_view mark = "<input>:";
  const auto at = message.find(mark);
  if (at == std::string_view::npos) return 0;
  const char* end = message.data() + message.size();
  int line = 0;
  int column = 0;
  const auto read = std::from_chars(message.data() + at + mark.size(), end, line);
  if (read.ec != std::errc() || read.ptr == end || *read.ptr != ':') return 0;
  if (std::from_chars(read.ptr + 1, end, column).ec != std::errc()) return 0;
  std::size_t index = 0;
  for (const char c : expression) {
    if (line <= 1) break;
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++index;
    if (c == '\n') --line;
  }
  return index + static_cast<std::size_t>(column > 0 ? column - 1 : 0);
}

/// What is wrong with an expression, as field.Error prints it behind the path.
std::optional<std::string> refusal(const std::string& expression, cel::Purpose purpose) {
  if (expression.size() > cel::max_expression_length) {
    return fmt::format("Too long: may not be more than {} bytes", cel::max_expression_length);
  }
  cel::CompileOptions options;
  options.environment.kind = cel::Environment::Kind::new_expressions;
  options.purpose = purpose;
  const auto program = cel::compile(expression, options);
  if (!program) {
    const auto& error = program.error();
    if (error.kind == cel::CompileError::Kind::internal) return "Internal error: " + error.message;
    return fmt::format("Invalid value: \"{}\": {}", expression, error.message);
  }
  if ((*program)->max_cost() > cel::default_cost_limit) {
    return "Forbidden: too complex, exceeds cost limit";
  }
  return std::nullopt;
}

/// Walks the objects of one file.
class Linter {
 public:
  Linter(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  LintResult run() {
    const auto documents = wire::parse_yaml_documents(text_);
    if (!documents) {
      // Its message begins with the place.
      result_.findings.push_back({file_, {0, 0}, documents.error().message});
      return std::move(result_);
    }
    for (const auto& document : *documents) object(document, {});
    return std::move(result_);
  }

 private:
  void object(const ConfigNode& node, std::string_view kind_of_list) {
    auto kind = text_of(node.find("kind"));
    if (kind.empty()) kind = kind_of_list;
    if (kind.ends_with("List")) {
      kind.remove_suffix(4);
      if (const auto* items = node.find("items")) {
        for (const auto& item : items->items) object(item, kind);
      }
      return;
    }
    const auto* spec = node.find("spec");
    if (spec == nullptr) return;
    object_ = name_of(node, kind);
    if (kind == "DeviceClass") {
      selectors(*spec, "spec");
    } else if (kind == "ResourceClaim") {
      claim(*spec, "spec");
    } else if (kind == "ResourceClaimTemplate") {
      if (const auto* inner = spec->find("spec")) claim(*inner, "spec.spec");
    }
  }

  static std::string name_of(const ConfigNode& node, std::string_view kind) {
    const auto* meta = node.find("metadata");
    const auto space = meta == nullptr ? std::string_view() : text_of(meta->find("namespace"));
    auto name = meta == nullptr ? std::string_view() : text_of(meta->find("name"));
    if (name.empty() && meta != nullptr) name = text_of(meta->find("generateName"));
    return fmt::format("{} {}{}{}", kind, space, space.empty() ? "" : "/", name);
  }

  void claim(const ConfigNode& spec, const std::string& path) {
    const auto* devices = spec.find("devices");
    const auto* requests = devices == nullptr ? nullptr : devices->find("requests");
    if (requests == nullptr) return;
    for (std::size_t i = 0; i < requests->items.size(); ++i) {
      const auto& request = requests->items[i];
      const auto at = fmt::format("{}.devices.requests[{}]", path, i);
      this->request(request, at);  // v1beta1
      if (const auto* exactly = request.find("exactly")) this->request(*exactly, at + ".exactly");
      const auto* first = request.find("firstAvailable");
      for (std::size_t k = 0; first != nullptr && k < first->items.size(); ++k) {
        this->request(first->items[k], fmt::format("{}.firstAvailable[{}]", at, k));
      }
    }
  }

  void request(const ConfigNode& request, const std::string& path) {
    selectors(request, path);
    const auto* derived = request.find("derivedAttributes");
    for (std::size_t i = 0; derived != nullptr && i < derived->items.size(); ++i) {
      check(derived->items[i].find("expression"),
            fmt::format("{}.derivedAttributes[{}].expression", path, i),
            cel::Purpose::derived_attribute);
    }
  }

  void selectors(const ConfigNode& owner, const std::string& path) {
    const auto* all = owner.find("selectors");
    for (std::size_t i = 0; all != nullptr && i < all->items.size(); ++i) {
      const auto* cel = all->items[i].find("cel");
      if (cel == nullptr) continue;
      check(cel->find("expression"), fmt::format("{}.selectors[{}].cel.expression", path, i),
            cel::Purpose::selector);
    }
  }

  void check(const ConfigNode* expression, const std::string& path, cel::Purpose purpose) {
    if (expression == nullptr || expression->kind != ConfigNode::Kind::scalar) return;
    ++result_.expressions;
    const auto wrong = refusal(expression->text, purpose);
    if (!wrong) return;
    const auto index = error_index(*wrong, expression->text);
    result_.findings.push_back({file_, wire::place_in_scalar(text_, *expression, index),
                                fmt::format("{}: {}: {}", object_, path, *wrong)});
  }

  std::string_view text_;
  const std::string& file_;
  std::string object_;
  LintResult result_;
};

}  // namespace

std::string LintFinding::text() const {
  if (place.line == 0) return fmt::format("{}:{}", file, message);
  return fmt::format("{}:{}:{}: {}", file, place.line, place.column, message);
}

LintResult lint_expressions(std::string_view text, const std::string& file) {
  return Linter(text, file).run();
}

}  // namespace dray::app
