#include <string_view>

#include "dray/base/check.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/targets.h"
#include "wire/exec_credential_codec.h"

/// What a plugin prints: the first character says which version it is to print.
void dray::fuzz::exec_credential(std::string_view bytes) {
  Input input(bytes);
  const auto version = input.pick(2) == 0 ? "client.authentication.k8s.io/v1"
                                          : "client.authentication.k8s.io/v1beta1";
  const auto credential = wire::decode_exec_credential(input.rest(), version);
  DRAY_CHECK(credential || !credential.error().message.empty());
}
