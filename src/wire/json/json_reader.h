#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "dray/base/error.h"
#include "dray/base/quantity.h"
#include "dray/base/strong.h"
#include "dray/base/time.h"

namespace dray::wire {

/// A step on the way to a value: a member's key, or an item's index where the key is empty.
struct PathStep {
  std::string key;
  std::size_t index = 0;

  bool operator==(const PathStep&) const = default;
};
using Path = std::vector<PathStep>;

/// `spec.devices[3].capacity[example.com/memory].value`, as Kubernetes writes field paths.
[[nodiscard]] std::string to_string(const Path& path);

/// The first thing that is wrong with a document.
struct Problem {
  ErrorCode code = ErrorCode::invalid;
  Path path;
  std::string text;

  /// `spec.count: expected an integer, not a string`.
  [[nodiscard]] Error to_error() const;
};

class Reader;

/// A JSON text on its way into plain structs. Readers walk it once, in the order of the text; what
/// is wrong is noted here once, and everything read after that is empty. What follows the root
/// value is not looked at. One thread.
class Document {
 public:
  explicit Document(std::string_view text);
  ~Document();
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  /// Calls `f(const Reader&)` with the root, which must be an object or a list. May be called
  /// again.
  template <class F>
  void visit(F&& f) {
    auto* const function = std::addressof(f);
    visit_root(static_cast<const void*>(&function), &call<decltype(function)>);
  }

  [[nodiscard]] const std::optional<Problem>& problem() const { return problem_; }

  /// The apiVersion of the object that is being read: some fields moved between versions.
  std::string api_version;

 private:
  friend class Reader;
  /// Calls what the first argument, a pointer to a pointer to a function object, stands for.
  using Callback = void (*)(const void*, const Reader&);
  template <class Pointer>
  static void call(const void* function, const Reader& reader) {
    (**static_cast<Pointer*>(function))(reader);
  }
  void visit_root(const void* function, Callback callback);

  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::optional<Problem> problem_;
};

/// One value of a document, which is valid within the call that got it. Null reads as absent: "",
/// 0, false, no items and no members. A value may be read once.
class Reader {
 public:
  /// Calls `f(const Reader&)` with each item of a list.
  template <class F>
  void items(F&& f) const {
    auto* const function = std::addressof(f);
    visit_items(static_cast<const void*>(&function), &Document::call<decltype(function)>);
  }
  /// Calls `f(const Reader&)` with each member of an object that is not null; see key().
  template <class F>
  void members(F&& f) const {
    auto* const function = std::addressof(f);
    visit_members(static_cast<const void*>(&function), &Document::call<decltype(function)>);
  }
  /// Calls `f(FieldReader&)` for each member of an object; `f` names the fields it wants.
  template <class F>
  void fields(F&& f) const;

  /// The key of a member.
  [[nodiscard]] std::string_view key() const { return key_; }
  [[nodiscard]] const std::string& api_version() const { return document_->api_version; }
  void set_api_version(std::string version) const { document_->api_version = std::move(version); }
  [[nodiscard]] bool failed() const { return document_->problem_.has_value(); }

  [[nodiscard]] std::string string() const;
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] std::int32_t integer32() const;
  [[nodiscard]] bool boolean() const;
  /// A string or a number, as written.
  [[nodiscard]] Quantity quantity() const;
  [[nodiscard]] Time time() const;
  /// The value's text as it stands in the document.
  [[nodiscard]] std::string raw() const;
  /// A string member of an object, before its members are walked; empty if there is none.
  [[nodiscard]] std::string peek(std::string_view key) const;

  /// Notes a problem with this value, unless there is one already.
  void fail(std::string text, ErrorCode code = ErrorCode::invalid) const;

 private:
  friend class Document;
  Reader(Document* document, void* value, const Reader* parent, std::string_view key,
         std::size_t index)
      : document_(document), value_(value), parent_(parent), key_(key), index_(index) {}

  void visit_items(const void* function, Document::Callback callback) const;
  void visit_members(const void* function, Document::Callback callback) const;
  void fail_type(std::string_view expected) const;
  [[nodiscard]] Path path() const;

  Document* document_;
  void* value_;  // the parser's, in the frame of the visit
  const Reader* parent_;
  std::string_view key_;
  std::size_t index_;
};

inline void read(const Reader& in, std::string& out) {
  out = in.string();
}
inline void read(const Reader& in, std::int64_t& out) {
  out = in.integer();
}
inline void read(const Reader& in, std::int32_t& out) {
  out = in.integer32();
}
inline void read(const Reader& in, bool& out) {
  out = in.boolean();
}
inline void read(const Reader& in, Quantity& out) {
  out = in.quantity();
}
inline void read(const Reader& in, Time& out) {
  out = in.time();
}

template <class Tag>
void read(const Reader& in, Strong<std::string, Tag>& out) {
  out = Strong<std::string, Tag>(in.string());
}
template <class T>
void read(const Reader& in, std::optional<T>& out) {
  read(in, out.emplace());
}
template <class T>
void read(const Reader& in, std::vector<T>& out) {
  out.clear();
  in.items([&out](const Reader& item) {
    T value{};
    read(item, value);
    out.push_back(std::move(value));
  });
}
template <class T>
void read(const Reader& in, std::map<std::string, T, std::less<>>& out) {
  out.clear();
  in.members([&out](const Reader& member) { read(member, out[std::string(member.key())]); });
}

/// One member of an object, offered to the fields of a struct: the reading half of a field list
/// (FieldWriter is the other).
class FieldReader {
 public:
  static constexpr bool reading = true;
  explicit FieldReader(const Reader& member) : member_(member) {}

  template <class T>
  void field(std::string_view name, T& value) {
    if (member_.key() == name) read(member_, value);
  }
  template <class T>
  void required(std::string_view name, T& value) {
    field(name, value);
  }
  /// An object whose fields belong to the same struct.
  template <class F>
  void object(std::string_view name, F&& describe) {
    if (member_.key() == name) member_.fields(describe);
  }
  /// The same, where being there at all means something.
  template <class F>
  void object(std::string_view name, bool& present, F&& describe) {
    if (member_.key() != name) return;
    present = true;
    member_.fields(describe);
  }
  /// An object that is a struct of its own, if it is there.
  template <class T, class F>
  void optional(std::string_view name, std::optional<T>& out, F&& describe) {
    if (member_.key() != name) return;
    auto& value = out.emplace();
    member_.fields([&](auto& io) { describe(io, value); });
  }
  /// A list of such objects.
  template <class T, class F>
  void items(std::string_view name, std::vector<T>& out, F&& describe) {
    if (member_.key() != name) return;
    out.clear();
    member_.items([&](const Reader& item) {
      T value{};
      item.fields([&](auto& io) { describe(io, value); });
      out.push_back(std::move(value));
    });
  }
  /// The same by key.
  template <class T, class F>
  void entries(std::string_view name, std::map<std::string, T, std::less<>>& out, F&& describe) {
    if (member_.key() != name) return;
    out.clear();
    member_.members([&](const Reader& entry) {
      auto& value = out[std::string(entry.key())];
      entry.fields([&](auto& io) { describe(io, value); });
    });
  }
  /// JSON kept as its text.
  void raw(std::string_view name, std::string& out) {
    if (member_.key() == name) out = member_.raw();
  }
  void micro_time(std::string_view name, std::optional<Time>& out) { field(name, out); }

  [[nodiscard]] const Reader& member() const { return member_; }

 private:
  const Reader& member_;
};

template <class F>
void Reader::fields(F&& f) const {
  members([&f](const Reader& member) {
    FieldReader io(member);
    f(io);
  });
}

}  // namespace dray::wire
