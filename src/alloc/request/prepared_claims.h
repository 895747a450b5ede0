#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alloc/constraint/constraint.h"
#include "alloc/request/capacity.h"
#include "dray/alloc/features.h"
#include "dray/base/aged_map.h"
#include "dray/cluster/snapshot.h"
#include "dray/model/claim.h"

namespace dray::alloc {

/// Compiled selectors and derived attributes by their text. With too many, those that came first
/// go, a few with each that comes: a program takes some forty times the room of its text, which is
/// the tenants' to choose.
class Programs {
 public:
  /// Of each purpose, with what each costs besides.
  static constexpr std::size_t most_text = std::size_t{1} << 20U;
  static constexpr std::size_t each_costs = 256;

  /// Good until the next call.
  [[nodiscard]] const cluster::CompiledSelector& find(const std::string& text,
                                                      cel::Purpose purpose);
  /// Those that went since the last call: who keeps answers of theirs may let them go.
  [[nodiscard]] std::vector<cel::ProgramHandle> take_gone() { return std::exchange(gone_, {}); }
  /// How many are known.
  [[nodiscard]] std::size_t size() const {
    return known_[0].by_text.size() + known_[1].by_text.size();
  }

 private:
  struct Known {
    AgedMap<std::string, cluster::CompiledSelector> by_text;
    std::size_t text = 0;
  };
  void forget_oldest(Known& known);

  Known known_[2];
  std::vector<cel::ProgramHandle> gone_;
};

/// A derived attribute of a request, ready to run.
struct DerivedAttributeProgram {
  std::string name;
  cluster::CompiledSelector program;
};

/// An `exactly` request or one alternative, ready for the search.
struct Spec {
  const DeviceRequestSpec* spec = nullptr;
  std::string name;    ///< of the request, or of the alternative alone
  std::string parent;  ///< of the request of an alternative
  std::uint32_t claim = 0;
  std::uint32_t request = 0;  ///< within the claim
  std::uint32_t sub = 0;      ///< among the alternatives
  bool alternative = false;
  bool all = false;
  bool admin = false;
  std::int64_t count = 0;
  std::shared_ptr<const cluster::CompiledClass> device_class;
  std::vector<cluster::CompiledSelector> selectors;
  std::vector<DerivedAttributeProgram> derived;
  std::vector<std::uint32_t> constraints;  ///< of the claim, those that apply
  std::optional<std::string> error;        ///< found before any device is looked at

  [[nodiscard]] std::string full_name() const { return alternative ? parent + "/" + name : name; }
  [[nodiscard]] const DerivedAttributeProgram* find_derived(const std::string& attribute) const;
};

struct PreparedRequest {
  std::uint32_t first = 0;  ///< of PreparedClaims::specs
  std::uint32_t last = 0;
  bool alternatives = false;
  std::optional<std::string> error;
};

struct PreparedClaim {
  std::shared_ptr<const ResourceClaim> claim;
  std::string label;  ///< klog.KObj: namespace/name
  std::vector<PreparedRequest> requests;
  std::vector<std::shared_ptr<const Constraint>> constraints;
  std::optional<std::string> constraint_error;
};

/// What a pod's claims ask for, prepared once for many nodes. Holds copies of the claims.
struct PreparedClaims {
  std::vector<PreparedClaim> claims;
  std::vector<Spec> specs;

  [[nodiscard]] bool is_for(std::span<const ResourceClaim* const> given) const;
};

/// The checks that upstream makes before it looks at any device are made here, their errors kept
/// for when upstream would report them.
[[nodiscard]] PreparedClaims prepare(std::span<const ResourceClaim* const> claims,
                                     const cluster::Snapshot& snapshot, const Features& features,
                                     Programs& programs);

}  // namespace dray::alloc
