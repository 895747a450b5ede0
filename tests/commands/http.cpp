#include "tests/commands/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <charconv>
#include <cstddef>
#include <string>

namespace dray::commands_test {
namespace {

class Socket {
 public:
  Socket() : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  ~Socket() { close(descriptor_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  [[nodiscard]] bool connect_to(std::uint16_t port) const {
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  [[nodiscard]] bool write(std::string_view text) const {
    while (!text.empty()) {
      const auto count = send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  [[nodiscard]] std::optional<std::string> read_to_end() const {
    std::string text;
    std::array<char, 16384> buffer{};
    for (;;) {
      const auto count = recv(descriptor_, buffer.data(), buffer.size(), 0);
      if (count < 0) return std::nullopt;
      if (count == 0) return text;
      text.append(buffer.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  int descriptor_;
};

}  // namespace

std::optional<Answer> try_to_ask(std::uint16_t port, const std::string& target,
                                 const std::string& body, const std::string& more_headers) {
  const Socket socket;
  if (!socket.connect_to(port)) return std::nullopt;
  if (!socket.write((body.empty() ? "GET " : "POST ") + target +
                    " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                    "Content-Type: application/json\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\n" + more_headers + "\r\n" + body)) {
    return std::nullopt;
  }
  const auto text = socket.read_to_end();
  if (!text || !text->starts_with("HTTP/1.1 ")) return std::nullopt;
  const auto head = text->find("\r\n\r\n");
  if (head == std::string::npos) return std::nullopt;
  return Answer{std::stoi(text->substr(9, 3)), text->substr(head + 4)};
}

Answer ask(std::uint16_t port, const std::string& target, const std::string& body,
           const std::string& more_headers) {
  INFO(target << " of port " << port);
  const auto answer = try_to_ask(port, target, body, more_headers);
  REQUIRE(answer);
  return *answer;
}

std::uint16_t port_after(std::string_view line, std::string_view words) {
  const auto at = line.find(words);
  INFO(line);
  REQUIRE(at != std::string_view::npos);
  line.remove_prefix(at + words.size());
  std::uint16_t port = 0;
  std::from_chars(line.data(), line.data() + line.size(), port);
  REQUIRE(port != 0);
  return port;
}

}  // namespace dray::commands_test
