#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>

#include "dashboard/picture.h"
#include "dashboard/viewer.h"

namespace dray::dashboard {

/// What somebody may see, or why nothing: a status of 401 or 403, or 503 where nobody can say.
struct Admission {
  int status = 200;
  std::string why;
  Viewer viewer;
};

/// Judges the bearer token of a request (empty: there is none) for what the picture shows. `from`
/// is the host that sends it.
using Admit = std::function<boost::asio::awaitable<Admission>(
    std::string token, std::string from, std::shared_ptr<const Picture> picture)>;

}  // namespace dray::dashboard
