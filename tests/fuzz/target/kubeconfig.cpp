#include <string>
#include <string_view>
#include <vector>

#include "dray/base/check.h"
#include "net/proxy.h"
#include "net/url.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/targets.h"
#include "wire/base64.h"
#include "wire/exec_credential_codec.h"
#include "wire/kubeconfig_codec.h"

namespace dray::fuzz {
namespace {

void check_url(const std::string& text) {
  const auto url = net::Url::parse(text);
  if (!url) {
    DRAY_CHECK(!url.error().message.empty());
    return;
  }
  const auto written = (url->tls ? "https://" : "http://") + url->authority() + url->path;
  const auto again = net::Url::parse(written);
  DRAY_CHECK(again && *again == *url);
}

void check_data(const std::string& text) {
  if (const auto data = wire::decode_base64(text)) {
    DRAY_CHECK(wire::decode_base64(wire::encode_base64(*data)) == *data);
  }
}

}  // namespace

/// The files of a kubeconfig, with zero bytes between them.
void kubeconfig(std::string_view bytes) {
  Input input(bytes);
  std::vector<wire::KubeconfigText> files;
  do {
    files.push_back({"file", "/folder", std::string(input.part())});
  } while (!input.rest().empty() && files.size() < 4);
  const auto context = wire::decode_kubeconfig(files);
  if (!context) {
    DRAY_CHECK(!context.error().message.empty());
    return;
  }
  DRAY_CHECK(!context->server.empty());
  check_url(context->server);
  if (const auto proxy = net::Proxy::parse(context->proxy_url)) DRAY_CHECK(!proxy->host.empty());
  check_data(context->ca_data);
  check_data(context->certificate_data);
  check_data(context->key_data);
  if (context->exec) DRAY_CHECK(!wire::encode_exec_info(*context, "ca").empty());
}

}  // namespace dray::fuzz
