#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "wire/object/codecs.h"

namespace dray::wire {

/// The JSON that comes out when `json` is read as a T and written again, or what is wrong with it:
/// with every field of the type in `json`, it must be the same text.
template <class T>
std::string rewritten(std::string_view json, std::string_view api_version = {}) {
  Document document(json);
  T value{};
  document.visit([&](const Reader& root) {
    root.set_api_version(std::string(api_version));
    read(root, value);
  });
  if (document.problem()) return document.problem()->to_error().message;
  JsonWriter out;
  write(out, value);
  return std::move(out).take();
}

}  // namespace dray::wire
