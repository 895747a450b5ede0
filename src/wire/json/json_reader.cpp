#include "wire/json/json_reader.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "wire/json/utf8.h"

namespace dray::wire {
namespace {

namespace ondemand = simdjson::ondemand;

ondemand::value& value_of(void* value) {
  return *static_cast<ondemand::value*>(value);
}

std::string_view name_of(ondemand::json_type type) {
  switch (type) {
    case ondemand::json_type::array:
      return "a list";
    case ondemand::json_type::object:
      return "an object";
    case ondemand::json_type::number:
      return "a number";
    case ondemand::json_type::string:
      return "a string";
    case ondemand::json_type::boolean:
      return "a boolean";
    case ondemand::json_type::null:
      return "null";
  }
  return "a value";
}

/// By its first letter; the parser's own is_null must not be asked of a root.
bool is_null(void* value) {
  ondemand::json_type type{};
  return value_of(value).type().get(type) == simdjson::SUCCESS && type == ondemand::json_type::null;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const auto begin = text.find_first_not_of(space);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

}  // namespace

std::string to_string(const Path& path) {
  std::string text;
  for (const auto& step : path) {
    if (step.key.empty()) {
      text += fmt::format("[{}]", step.index);
    } else if (step.key.find_first_of("./") != std::string::npos) {
      text += fmt::format("[{}]", step.key);
    } else {
      text += (text.empty() ? "" : ".") + step.key;
    }
  }
  return text;
}

Error Problem::to_error() const {
  return {code, path.empty() ? text : to_string(path) + ": " + text};
}

struct Document::Impl {
  std::string text;  // and the padding that the parser may read
  ondemand::parser parser;
  ondemand::document root;
  /// The value that peek() found to be an object without members: the parser is past it.
  const void* passed = nullptr;

  /// The one that the last document of this thread has left: a parser's buffers cost more to
  /// allocate than a small object to read.
  static std::unique_ptr<Impl>& spare() {
    thread_local std::unique_ptr<Impl> left;
    return left;
  }

  simdjson::error_code open(std::string_view given) {
    auto error = parse(given);
    // Opaque parameters may hold any bytes; Go reads a bad one as U+FFFD.
    return error == simdjson::UTF8_ERROR ? parse(with_valid_utf8(given)) : error;
  }
  simdjson::error_code parse(std::string_view given) {
    text.reserve(given.size() + simdjson::SIMDJSON_PADDING);
    text.assign(given).append(simdjson::SIMDJSON_PADDING, '\0');
    return parser.iterate(text.data(), given.size(), text.size()).get(root);
  }

  /// Where the parser stands, for messages.
  [[nodiscard]] std::string place() {
    const char* at = nullptr;
    if (root.current_location().get(at) != simdjson::SUCCESS) return "at its end";
    return fmt::format("at byte {}", at - text.data());
  }
};

Document::Document(std::string_view text) : impl_(std::move(Impl::spare())) {
  if (!impl_) impl_ = std::make_unique<Impl>();
  if (trimmed(text).empty()) {
    problem_ = {ErrorCode::invalid, {}, "empty JSON text"};
  } else if (const auto error = impl_->open(text); error != simdjson::SUCCESS) {
    problem_ = {ErrorCode::invalid, {}, fmt::format("malformed JSON: {}", error_message(error))};
  }
}

Document::~Document() {
  constexpr std::size_t most_kept = 1U << 20U;
  if (impl_->text.capacity() <= most_kept) Impl::spare() = std::move(impl_);
}

void Document::visit_root(const void* function, Callback callback) {
  if (problem_) return;
  impl_->root.rewind();
  ondemand::value value;
  if (impl_->root.get_value().get(value) != simdjson::SUCCESS) {
    problem_ = {ErrorCode::invalid, {}, "expected a JSON object"};
    return;
  }
  impl_->passed = nullptr;
  callback(function, Reader(this, &value, nullptr, {}, 0));
}

Path Reader::path() const {
  Path path;
  for (const auto* at = this; at->parent_ != nullptr; at = at->parent_) {
    path.push_back({std::string(at->key_), at->index_});
  }
  std::ranges::reverse(path);
  return path;
}

void Reader::fail(std::string text, ErrorCode code) const {
  if (!failed()) document_->problem_ = Problem{code, path(), std::move(text)};
}

void Reader::fail_type(std::string_view expected) const {
  if (failed()) return;
  ondemand::json_type type{};
  const bool known = value_of(value_).type().get(type) == simdjson::SUCCESS;
  if (known && expected == "an integer" && type == ondemand::json_type::number) {
    fail("expected an integer within its range");
  } else if (known && name_of(type) != expected) {
    fail(fmt::format("expected {}, not {}", expected, name_of(type)));
  } else {
    fail("malformed JSON " + document_->impl_->place());
  }
}

void Reader::visit_items(const void* function, Document::Callback callback) const {
  if (failed() || is_null(value_)) return;
  ondemand::array array;
  if (value_of(value_).get_array().get(array) != simdjson::SUCCESS) return fail_type("a list");
  std::size_t index = 0;
  for (auto item : array) {
    ondemand::value value;
    if (std::move(item).get(value) != simdjson::SUCCESS) {
      return fail("malformed JSON " + document_->impl_->place());
    }
    callback(function, Reader(document_, &value, this, {}, index++));
    document_->impl_->passed = nullptr;
    if (failed()) return;
  }
}

void Reader::visit_members(const void* function, Document::Callback callback) const {
  if (failed() || document_->impl_->passed == value_ || is_null(value_)) return;
  ondemand::object object;
  if (value_of(value_).get_object().get(object) != simdjson::SUCCESS) {
    return fail_type("an object");
  }
  for (auto field : object) {
    std::string_view key;
    ondemand::value value;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
        field.value().get(value) != simdjson::SUCCESS) {
      return fail("malformed JSON " + document_->impl_->place());
    }
    if (is_null(&value)) continue;
    callback(function, Reader(document_, &value, this, key, 0));
    document_->impl_->passed = nullptr;
    if (failed()) return;
  }
}

std::string Reader::string() const {
  std::string_view text;
  if (failed() || is_null(value_)) return {};
  if (value_of(value_).get_string().get(text) != simdjson::SUCCESS) fail_type("a string");
  return std::string(text);
}

std::int64_t Reader::integer() const {
  std::int64_t number = 0;
  if (failed() || is_null(value_)) return 0;
  if (value_of(value_).get_int64().get(number) != simdjson::SUCCESS) {
    fail_type("an integer");
    return 0;
  }
  return number;
}

std::int32_t Reader::integer32() const {
  const auto number = integer();
  if (number < std::numeric_limits<std::int32_t>::min() ||
      number > std::numeric_limits<std::int32_t>::max()) {
    fail("expected an integer within its range");
    return 0;
  }
  return static_cast<std::int32_t>(number);
}

bool Reader::boolean() const {
  bool value = false;
  if (failed() || is_null(value_)) return false;
  if (value_of(value_).get_bool().get(value) != simdjson::SUCCESS) fail_type("a boolean");
  return value;
}

Quantity Reader::quantity() const {
  if (failed() || is_null(value_)) return {};
  ondemand::json_type type{};
  std::string_view text;
  const bool known = value_of(value_).type().get(type) == simdjson::SUCCESS;
  if (known && type == ondemand::json_type::number) {
    text = value_of(value_).raw_json_token();
  } else if (value_of(value_).get_string().get(text) != simdjson::SUCCESS) {
    fail_type("a quantity");
    return {};
  }
  auto quantity = Quantity::parse(trimmed(text));
  if (quantity) return *std::move(quantity);
  fail(quantity.error().message);
  return {};
}

Time Reader::time() const {
  const auto text = string();
  if (failed()) return {};
  auto time = parse_time(text);
  if (time) return *time;
  fail(time.error().message);
  return {};
}

std::string Reader::raw() const {
  if (failed()) return {};
  auto& value = value_of(value_);
  ondemand::json_type type{};
  std::string_view text;
  auto error = value.type().get(type);
  if (error == simdjson::SUCCESS && type == ondemand::json_type::object) {
    ondemand::object object;
    error = value.get_object().get(object);
    if (error == simdjson::SUCCESS) error = object.raw_json().get(text);
  } else if (error == simdjson::SUCCESS && type == ondemand::json_type::array) {
    ondemand::array array;
    error = value.get_array().get(array);
    if (error == simdjson::SUCCESS) error = array.raw_json().get(text);
  } else {
    text = value.raw_json_token();
  }
  if (error != simdjson::SUCCESS) fail("malformed JSON " + document_->impl_->place());
  return std::string(trimmed(text));
}

std::string Reader::peek(std::string_view key) const {
  ondemand::object object;
  std::string_view text;
  if (failed() || document_->impl_->passed == value_ || is_null(value_)) return {};
  if (value_of(value_).get_object().get(object) != simdjson::SUCCESS) {
    fail_type("an object");
    return {};
  }
  const auto error = object.find_field_unordered(key).get_string().get(text);
  if (error != simdjson::SUCCESS) text = {};
  // After any other error the parser has let go of the text, and must not be asked again.
  if (error != simdjson::SUCCESS && error != simdjson::NO_SUCH_FIELD &&
      error != simdjson::INCORRECT_TYPE) {
    fail("malformed JSON");
    return {};
  }
  std::string result(text);
  bool has_members = false;
  if (object.reset().get(has_members) != simdjson::SUCCESS) {
    fail("malformed JSON " + document_->impl_->place());
  } else if (!has_members) {
    document_->impl_->passed = value_;
  }
  return result;
}

}  // namespace dray::wire
