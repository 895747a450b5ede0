#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dray/base/quantity.h"
#include "dray/base/strong.h"
#include "dray/base/time.h"

namespace dray::wire {

class FieldWriter;

/// Writes one compact JSON text, front to back.
class JsonWriter {
 public:
  void string(std::string_view text);
  void integer(std::int64_t number);
  void boolean(bool value);
  void null() { value("null"); }
  /// A value that is JSON already.
  void raw(std::string_view json) { value(json); }

  void key(std::string_view name);
  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_list() { open('['); }
  void end_list() { close(']'); }

  /// An object whose fields `describe(FieldWriter&)` names.
  template <class F>
  void object(F&& describe);

  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  void separate() {
    if (needs_comma_) text_ += ',';
    needs_comma_ = true;
  }
  void value(std::string_view json) {
    separate();
    text_ += json;
  }
  void quote(std::string_view text);
  void open(char bracket) {
    separate();
    text_ += bracket;
    needs_comma_ = false;
  }
  void close(char bracket) {
    text_ += bracket;
    needs_comma_ = true;
  }

  std::string text_;
  bool needs_comma_ = false;
};

inline void write(JsonWriter& out, const std::string& value) {
  out.string(value);
}
inline void write(JsonWriter& out, std::int64_t value) {
  out.integer(value);
}
inline void write(JsonWriter& out, std::int32_t value) {
  out.integer(value);
}
inline void write(JsonWriter& out, bool value) {
  out.boolean(value);
}
inline void write(JsonWriter& out, const Quantity& value) {
  out.string(value.to_string());
}
inline void write(JsonWriter& out, const Time& value) {
  out.string(format_time(value));
}

template <class Tag>
void write(JsonWriter& out, const Strong<std::string, Tag>& value) {
  out.string(value.get());
}
template <class T>
void write(JsonWriter& out, const std::optional<T>& value) {
  write(out, *value);
}
template <class T>
void write(JsonWriter& out, const std::vector<T>& values) {
  out.begin_list();
  for (const T& value : values) write(out, value);
  out.end_list();
}
template <class T>
void write(JsonWriter& out, const std::map<std::string, T, std::less<>>& values) {
  out.begin_object();
  for (const auto& [key, value] : values) {
    out.key(key);
    write(out, value);
  }
  out.end_object();
}

/// What `omitempty` leaves out.
template <class T>
[[nodiscard]] bool is_empty(const T& value) {
  if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else if constexpr (requires { value.has_value(); }) {
    return !value.has_value();
  } else if constexpr (requires { value.get().empty(); }) {
    return value.get().empty();
  } else if constexpr (requires { value == T{}; }) {
    return value == T{};
  } else {
    return false;
  }
}

/// The writing half of a field list: see FieldReader.
class FieldWriter {
 public:
  static constexpr bool reading = false;
  explicit FieldWriter(JsonWriter& out) : out_(out) {}

  template <class T>
  void field(std::string_view name, const T& value) {
    if (!is_empty(value)) required(name, value);
  }
  template <class T>
  void required(std::string_view name, const T& value) {
    out_.key(name);
    write(out_, value);
  }
  template <class F>
  void object(std::string_view name, F&& describe) {
    out_.key(name);
    out_.object(describe);
  }
  template <class F>
  void object(std::string_view name, bool present, F&& describe) {
    if (present) object(name, describe);
  }
  template <class T, class F>
  void optional(std::string_view name, const std::optional<T>& value, F&& describe) {
    if (value) object(name, [&](auto& io) { describe(io, *value); });
  }
  template <class T, class F>
  void items(std::string_view name, const std::vector<T>& values, F&& describe) {
    if (values.empty()) return;
    out_.key(name);
    out_.begin_list();
    for (const T& value : values) {
      out_.object([&](auto& io) { describe(io, value); });
    }
    out_.end_list();
  }
  template <class T, class F>
  void entries(std::string_view name, const std::map<std::string, T, std::less<>>& values,
               F&& describe) {
    if (values.empty()) return;
    out_.key(name);
    out_.begin_object();
    for (const auto& [key, value] : values) {
      out_.key(key);
      out_.object([&](auto& io) { describe(io, value); });
    }
    out_.end_object();
  }
  void raw(std::string_view name, const std::string& json) {
    if (json.empty()) return;
    out_.key(name);
    out_.raw(json);
  }
  void micro_time(std::string_view name, const std::optional<Time>& value) {
    if (value) required(name, format_micro_time(*value));
  }

 private:
  JsonWriter& out_;
};

template <class F>
void JsonWriter::object(F&& describe) {
  begin_object();
  FieldWriter io(*this);
  describe(io);
  end_object();
}

}  // namespace dray::wire
