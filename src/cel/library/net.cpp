#include <fmt/format.h>

#include <algorithm>

#include "cel/eval/evaluation.h"
#include "cel/eval/functions.h"
#include "cel/text/net_text.h"
#include "cel/text/number_text.h"
#include "cel/value/values.h"

namespace dray::cel {

namespace {

using Args = std::span<const Value>;

std::optional<IpAddress> read_ip(std::string_view text, std::string& error) {
  const auto parsed = parse_address(text, error);
  if (!parsed) {
    error = fmt::format("IP Address {} parse error during conversion from string: {}", quote(text),
                        error);
  } else if (parsed->has_zone) {
    error = fmt::format("IP address {} with zone value is not allowed", quote(text));
  } else if (parsed->mapped) {
    error = fmt::format("IPv4-mapped IPv6 address {} is not allowed", quote(text));
  } else {
    return parsed->address;
  }
  return std::nullopt;
}

std::optional<CidrBlock> read_cidr(std::string_view text, std::string& error) {
  bool mapped = false;
  auto parsed = parse_prefix(text, mapped, error);
  if (!parsed) {
    error = "network address parse error during conversion from string: " + error;
  } else if (mapped) {
    error = fmt::format("IPv4-mapped IPv6 address {} is not allowed", quote(text));
    parsed.reset();
  }
  return parsed;
}

Value ip(Evaluation& run, Args args) {
  std::string error;
  const auto address = read_ip(args[0].text(), error);
  return address ? run.context.ip(*address) : run.context.error(error);
}

Value cidr(Evaluation& run, Args args) {
  std::string error;
  const auto block = read_cidr(args[0].text(), error);
  if (block) return run.context.cidr(*block);
  return run.context.error("network address parse error during conversion from string: " + error);
}

Value is_ip(Evaluation&, Args args) {
  std::string error;
  return Value::of(read_ip(args[0].text(), error).has_value());
}
Value is_cidr(Evaluation&, Args args) {
  std::string error;
  return Value::of(read_cidr(args[0].text(), error).has_value());
}
Value is_canonical(Evaluation& run, Args args) {
  std::string error;
  const auto address = read_ip(args[0].text(), error);
  if (!address) return run.context.error(error);
  return Value::of(ip_text(*address) == args[0].text());
}

Value family(Evaluation&, Args args) {
  return Value::of(std::int64_t{args[0].ip->is_v4 ? 4 : 6});
}

/// The address's significant bytes.
std::span<const std::uint8_t> bytes_of(const IpAddress& address) {
  return std::span(address.bytes).subspan(address.is_v4 ? 12 : 0);
}

bool unspecified(const IpAddress& address) {
  return std::ranges::all_of(bytes_of(address), [](auto byte) { return byte == 0; });
}
bool loopback(const IpAddress& address) {
  const auto bytes = bytes_of(address);
  if (address.is_v4) return bytes[0] == 127;
  return bytes[15] == 1 && std::ranges::all_of(bytes.first(15), [](auto b) { return b == 0; });
}
bool multicast(const IpAddress& address) {
  const auto bytes = bytes_of(address);
  return address.is_v4 ? (bytes[0] & 0xF0U) == 0xE0 : bytes[0] == 0xFF;
}
bool link_local_multicast(const IpAddress& address) {
  const auto bytes = bytes_of(address);
  if (address.is_v4) return bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0;
  return bytes[0] == 0xFF && (bytes[1] & 0x0FU) == 2;
}
bool link_local_unicast(const IpAddress& address) {
  const auto bytes = bytes_of(address);
  if (address.is_v4) return bytes[0] == 169 && bytes[1] == 254;
  return bytes[0] == 0xFE && (bytes[1] & 0xC0U) == 0x80;
}
bool global_unicast(const IpAddress& address) {
  const bool broadcast = address.is_v4 && std::ranges::all_of(bytes_of(address), [](auto byte) {
                           return byte == 255;
                         });
  return !unspecified(address) && !broadcast && !loopback(address) && !multicast(address) &&
         !link_local_unicast(address);
}

template <bool (*test)(const IpAddress&)>
Value address_test(Evaluation&, Args args) {
  return Value::of(test(*args[0].ip));
}

IpAddress masked(const CidrBlock& block) {
  IpAddress address = block.address;
  const std::size_t first = address.is_v4 ? 12 : 0;
  int bits = block.bits;
  for (std::size_t i = first; i < 16; ++i, bits -= 8) {
    const int kept = std::clamp(bits, 0, 8);
    address.bytes[i] = static_cast<std::uint8_t>(address.bytes[i] & (0xFF00U >> kept));
  }
  return address;
}

bool contains(const CidrBlock& block, const IpAddress& address) {
  return block.address.is_v4 == address.is_v4 &&
         masked(block) == masked(CidrBlock{address, block.bits});
}

Value contains_ip(Evaluation&, Args args) {
  return Value::of(contains(*args[0].cidr, *args[1].ip));
}
Value contains_ip_text(Evaluation&, Args args) {
  std::string error;
  const auto address = read_ip(args[1].text(), error);
  // Upstream calls the other form with the error, which that does not take.
  return address ? Value::of(contains(*args[0].cidr, *address)) : Context::no_such_overload();
}
bool contains_block(const CidrBlock& outer, const CidrBlock& inner) {
  return outer.bits <= inner.bits && contains(outer, inner.address);
}
Value contains_cidr(Evaluation&, Args args) {
  return Value::of(contains_block(*args[0].cidr, *args[1].cidr));
}
Value contains_cidr_text(Evaluation& run, Args args) {
  const Value other = cidr(run, args.subspan(1));
  return other.is_error() ? other : Value::of(contains_block(*args[0].cidr, *other.cidr));
}

Value cidr_ip(Evaluation& run, Args args) {
  return run.context.ip(args[0].cidr->address);
}
Value cidr_masked(Evaluation& run, Args args) {
  return run.context.cidr({masked(*args[0].cidr), args[0].cidr->bits});
}
Value prefix_length(Evaluation&, Args args) {
  return Value::of(std::int64_t{args[0].cidr->bits});
}

constexpr BindingRow net_rows[] = {
    {"string_to_ip", ip},
    {"string_to_cidr", cidr},
    {"is_ip", is_ip},
    {"is_cidr", is_cidr},
    {"ip_is_canonical", is_canonical},
    {"ip_family", family},
    {"ip_is_unspecified", address_test<unspecified>},
    {"ip_is_loopback", address_test<loopback>},
    {"ip_is_link_local_multicast", address_test<link_local_multicast>},
    {"ip_is_link_local_unicast", address_test<link_local_unicast>},
    {"ip_is_global_unicast", address_test<global_unicast>},
    {"cidr_contains_ip_ip", contains_ip},
    {"cidr_contains_ip_string", contains_ip_text},
    {"cidr_contains_cidr", contains_cidr},
    {"cidr_contains_cidr_string", contains_cidr_text},
    {"cidr_ip", cidr_ip},
    {"cidr_masked", cidr_masked},
    {"cidr_prefix_length", prefix_length},
};

}  // namespace

std::span<const BindingRow> net_bindings() {
  return net_rows;
}

}  // namespace dray::cel
