#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/simulate/simulate_flags.h"
#include "dray/base/error.h"

namespace dray::app {

/// A short number for much text, to see that it is another one: FNV-1a, of 64 bits.
class Mark {
 public:
  /// The text and its length: `ab` and `c` are not `a` and `bc`.
  Mark& add(std::string_view text);
  /// As 16 hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t hash_ = 14695981039346656037U;
};

/// A part of what runs depend on, and its mark.
struct InputMark {
  std::string name;  ///< as people say it: `the cluster`
  std::string mark;

  bool operator==(const InputMark&) const = default;
};

/// What the results of all runs depend on, beside policy and seed: the program itself, and what is
/// in the files that the flags name, wherever they are. An Error names what cannot be read, or not
/// twice.
[[nodiscard]] Result<std::vector<InputMark>> input_marks(const SimulateFlags& flags);

/// What a policy is: what is in its file, whatever that is called; or its name, of others.
[[nodiscard]] Result<std::string> policy_mark(const std::string& policy);

}  // namespace dray::app
