#include "net/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <system_error>
#include <utility>

namespace dray::net {
namespace {

std::unexpected<Error> unread(const std::string& name, int error) {
  auto why = std::generic_category().message(error);
  why.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(why.front())));
  return fail(ErrorCode::not_found, name + ": cannot be read: " + why);
}

}  // namespace

// Not by std::ifstream: at a folder its iterators throw, and rdbuf() says that it is empty.
Result<std::string> read_all(int file, const std::string& name) {
  std::string text;
  std::array<char, std::size_t{64} * 1024> part;
  while (true) {
    const auto got = ::read(file, part.data(), part.size());
    if (got == 0) return text;
    if (got > 0) {
      text.append(part.data(), static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      return unread(name, errno);
    }
  }
}

Result<std::string> read_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return unread(path, errno);
  auto text = read_all(file, path);
  ::close(file);
  return text;
}

}  // namespace dray::net
