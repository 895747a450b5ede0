#pragma once

#include <boost/asio/ssl/context.hpp>

#include "net/tls.h"

namespace dray::net {

/// For connection.cpp: what TlsContext keeps out of the other headers.
struct TlsContext::Native {
  boost::asio::ssl::context context;
};

}  // namespace dray::net
