#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "dray/base/error.h"
#include "dray/base/time.h"
#include "dray/model/ids.h"

namespace dray::kube {

/// When to list, when to watch and from where, when to wait: one kind's way through lists that
/// expire, streams that end and servers that fail, without any of the I/O. Times and rules follow
/// client-go's reflector (tools/cache/reflector.go). Deterministic for a seed.
class WatchState {
 public:
  struct Options {
    std::size_t versions = 1;  ///< of the API that may serve the kind; the first is tried first
    bool required = true;      ///< else a kind that no version serves counts as empty
    std::uint64_t seed = 0;    ///< of all jitter
  };

  /// GET of a chunk of the list; an empty token begins a new one.
  struct List {
    std::size_t version = 0;
    std::string continue_token;
    bool in_chunks = true;
    bool operator==(const List&) const = default;
  };
  /// GET of the stream that goes on after `from`.
  struct Watch {
    std::size_t version = 0;
    ResourceVersion from;
    std::chrono::seconds timeout{};  ///< for the server to end it
    bool operator==(const Watch&) const = default;
  };
  /// No version serves the kind, and it need not be there: it is complete, and empty. Ask again
  /// after the time.
  struct Absent {
    Duration retry_after{};
    bool operator==(const Absent&) const = default;
  };
  struct Wait {
    Duration time{};
    bool operator==(const Wait&) const = default;
  };
  using Command = std::variant<List, Watch, Absent, Wait>;

  explicit WatchState(Options options);

  /// The first command; also what comes after a Wait or an Absent is over.
  [[nodiscard]] Command next();
  /// A chunk came; it was the last one if the token is empty.
  [[nodiscard]] Command listed(ResourceVersion version, std::string continue_token);
  /// An object or a bookmark came down the stream.
  void saw(const ResourceVersion& version);
  /// The stream ended as it may at any time.
  [[nodiscard]] Command ended();
  /// Nothing came for so long that the stream may be dead. Of a kind that nobody changes it need
  /// not be: kube-apiserver sends no bookmark before its cache is past the version that was asked
  /// for. What it costs to be wrong is a request, so it is asked for again at once.
  [[nodiscard]] Command silent();
  /// The list or the stream failed: `gone` for 410, `not_found` for 404. `retry_after` is what the
  /// server asked for.
  [[nodiscard]] Command failed(ErrorCode code, std::optional<Duration> retry_after = std::nullopt);
  /// Somebody wants a fresh list: the command to go on with in place of the one under way.
  [[nodiscard]] Command relist();

  /// The version of the API that served the last list.
  [[nodiscard]] std::size_t version() const { return version_; }

 private:
  [[nodiscard]] Command list_again();
  [[nodiscard]] Command try_next_version();
  [[nodiscard]] Command back_off(std::optional<Duration> at_least);
  [[nodiscard]] std::uint64_t random();
  [[nodiscard]] Duration jittered(Duration base);

  Options options_;
  std::uint64_t random_state_;
  std::size_t version_ = 0;
  std::size_t versions_missed_ = 0;  ///< in a row
  std::optional<ResourceVersion> watch_from_;
  bool in_chunks_ = true;
  bool listing_rest_ = false;  ///< at least a chunk of the list under way came
  int expired_in_a_row_ = 0;
  int failures_in_a_row_ = 0;
  bool progress_ = false;  ///< since the last list or stream began
};

}  // namespace dray::kube
