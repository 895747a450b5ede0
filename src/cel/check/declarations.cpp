#include "cel/check/declarations.h"

#include <algorithm>
#include <map>

namespace dray::cel {

namespace {

/// Reads `map(<A>, list(int))`.
class TypeReader {
 public:
  TypeReader(TypePool& pool, std::string_view text, std::vector<const Type*>& params)
      : pool_(pool), rest_(text), params_(params) {}

  const Type& read() {
    if (rest_.starts_with('<')) {
      const auto end = rest_.find('>');
      const std::string_view name = rest_.substr(1, end - 1);
      rest_.remove_prefix(end + 1);
      return parameter(name);
    }
    const std::string_view name = rest_.substr(0, rest_.find_first_of("(,)"));
    rest_.remove_prefix(name.size());
    std::vector<const Type*> inner;
    if (rest_.starts_with('(')) {
      do {
        rest_.remove_prefix(rest_.starts_with(", ") ? 2 : 1);
        inner.push_back(&read());
      } while (rest_.starts_with(','));
      rest_.remove_prefix(1);
    }
    return compose(name, inner);
  }

 private:
  const Type& parameter(std::string_view name) {
    const auto known = std::ranges::find(params_, name, &Type::name);
    if (known != params_.end()) return **known;
    params_.push_back(&pool_.parameter(std::string(name)));
    return *params_.back();
  }

  const Type& compose(std::string_view name, const std::vector<const Type*>& inner) {
    if (name == "list") return pool_.list(*inner[0]);
    if (name == "map") return pool_.map(*inner[0], *inner[1]);
    if (name == "type" && !inner.empty()) return pool_.type_of(*inner[0]);
    if (!inner.empty()) return pool_.opaque(std::string(name), inner);
    for (const Type* known :
         {&types::boolean, &types::bytes, &types::float64, &types::duration, &types::dyn,
          &types::int64, &types::null, &types::string, &types::timestamp, &types::type,
          &types::uint64, &types::quantity, &types::semver, &types::ip, &types::cidr, &types::url,
          &types::named_format}) {
      if (known->name() == name) return *known;
    }
    return pool_.object(std::string(name));  // the authorizer's types, which no variable has
  }

  TypePool& pool_;
  std::string_view rest_;
  std::vector<const Type*>& params_;
};

struct Declarations {
  TypePool pool;
  std::map<std::string_view, Function> functions;
  std::map<std::string_view, Function> ordered_otherwise;  ///< for new objects
  std::map<std::string_view, const Type*> type_names;

  Declarations() {
    for (const auto rows : {standard_overloads(), library_overloads()}) {
      for (const OverloadText& row : rows) add(row);
    }
    for (const Type* type : {&types::boolean, &types::bytes, &types::float64, &types::duration,
                             &types::int64, &types::null, &types::string, &types::timestamp,
                             &types::uint64, &types::ip, &types::cidr, &types::device}) {
      type_names[type->name()] = &pool.type_of(*type);
    }
    // Of these, the overloads of lists come first; which is first decides on the type of `x` in
    // `{}.map(x, x.indexOf(""))`.
    for (const std::string_view name : {"indexOf", "lastIndexOf"}) {
      Function& function = ordered_otherwise[name] = functions.at(name);
      std::ranges::stable_partition(function.overloads, [](const Overload& overload) {
        return overload.args[0]->kind() == TypeKind::list;
      });
    }
    const Type& a = pool.parameter("A");
    const Type& b = pool.parameter("B");
    const Type& v = pool.parameter("V");
    // The environment declares these two by their short names; a program that uses one cannot be
    // made, since cel-go looks for a type of that name.
    type_names["duration"] = type_names.at(types::duration.name());
    type_names["timestamp"] = type_names.at(types::timestamp.name());
    type_names["list"] = &pool.type_of(pool.list(a));
    type_names["map"] = &pool.type_of(pool.map(a, b));
    type_names["type"] = &pool.type_of(types::type);
    type_names["optional_type"] = &pool.type_of(pool.optional(v));
  }

  void add(const OverloadText& row) {
    Function& function = functions[row.function];
    function.name = row.function;
    Overload overload{.id = row.id, .style = row.style};
    read_signature(pool, row.signature, overload);
    function.overloads.push_back(std::move(overload));
  }
};

const Declarations& declarations() {
  static const Declarations made;
  return made;
}

}  // namespace

void read_signature(TypePool& pool, std::string_view signature, Overload& overload) {
  const auto arrow = signature.find(") -> ");
  std::string_view args = signature.substr(1, arrow - 1);
  while (!args.empty()) {
    const std::string_view arg = args.substr(0, args.find("; "));
    overload.args.push_back(&TypeReader(pool, arg, overload.params).read());
    args.remove_prefix(std::min(args.size(), arg.size() + 2));
  }
  overload.result = &TypeReader(pool, signature.substr(arrow + 5), overload.params).read();
}

const Type& read_type(TypePool& pool, std::string_view text) {
  std::vector<const Type*> params;
  return TypeReader(pool, text, params).read();
}

const Function* find_function(std::string_view name) {
  const auto& functions = declarations().functions;
  const auto found = functions.find(name);
  return found == functions.end() ? nullptr : &found->second;
}

const Function* find_new_function(std::string_view name) {
  const auto& functions = declarations().ordered_otherwise;
  const auto found = functions.find(name);
  return found == functions.end() ? find_function(name) : &found->second;
}

const Type* find_type_name(std::string_view name) {
  const auto& names = declarations().type_names;
  const auto found = names.find(name);
  return found == names.end() ? nullptr : found->second;
}

}  // namespace dray::cel
