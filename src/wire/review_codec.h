#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"

namespace dray::wire {

/// Who a token is to the API server (authentication.k8s.io/v1, UserInfo).
struct UserInfo {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>, std::less<>> extra;

  bool operator==(const UserInfo&) const = default;
};

/// The status of a TokenReview.
struct TokenVerdict {
  bool authenticated = false;
  UserInfo user;      ///< where authenticated
  std::string error;  ///< why not, where the API server says so

  bool operator==(const TokenVerdict&) const = default;
};

/// What somebody wants to do: to a path, or else to a resource.
struct AccessQuestion {
  std::string verb;
  std::string path = {};            ///< `/dashboard`: no resource
  std::string group = {};           ///< empty: the core group
  std::string resource = {};        ///< `pods`
  std::string namespace_name = {};  ///< empty: in all of them
};

/// The body of a TokenReview for this token.
[[nodiscard]] std::string encode_token_review(std::string_view token);
/// The verdict in the API server's answer to it.
[[nodiscard]] Result<TokenVerdict> decode_token_review(std::string_view json);

/// The body of a SubjectAccessReview: may `user` do this?
[[nodiscard]] std::string encode_access_review(const UserInfo& user,
                                               const AccessQuestion& question);
/// Whether the API server's answer to it allows it.
[[nodiscard]] Result<bool> decode_access_review(std::string_view json);

}  // namespace dray::wire
