#include "tests/commands/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <charconv>

namespace dray::commands_test {
namespace {

class Socket {
 public:
  explicit Socket(std::uint16_t port)
      : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    REQUIRE(descriptor_ >= 0);
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    INFO("port " << port);
    REQUIRE(connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }
  ~Socket() { close(descriptor_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void write(std::string_view text) const {
    while (!text.empty()) {
      const auto count = send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
      REQUIRE(count > 0);
      text.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  [[nodiscard]] std::string read_to_end() const {
    std::string text;
    std::array<char, 16384> buffer{};
    for (;;) {
      const auto count = recv(descriptor_, buffer.data(), buffer.size(), 0);
      REQUIRE(count >= 0);
      if (count == 0) return text;
      text.append(buffer.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  int descriptor_;
};

}  // namespace

Answer ask(std::uint16_t port, const std::string& target, const std::string& body) {
  const Socket socket(port);
  socket.write((body.empty() ? "GET " : "POST ") + target +
               " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
               "Content-Type: application/json\r\nContent-Length: " +
               std::to_string(body.size()) + "\r\n\r\n" + body);
  const auto text = socket.read_to_end();
  INFO(target << ": " << text);
  const auto head = text.find("\r\n\r\n");
  REQUIRE(text.starts_with("HTTP/1.1 "));
  REQUIRE(head != std::string::npos);
  return {std::stoi(text.substr(9, 3)), text.substr(head + 4)};
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
