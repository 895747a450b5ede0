#include "net/http_stream.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <limits>
#include <utility>

#include "net/line_cutter.h"

namespace dray::net {
namespace {

namespace asio = boost::asio;
using Lines = std::vector<std::string>;

class OpenStream final : public HttpStream, public std::enable_shared_from_this<OpenStream> {
 public:
  OpenStream(std::shared_ptr<Connection> connection, std::shared_ptr<HttpResponseParser> parser,
             std::shared_ptr<std::string> inbox, std::size_t line_bytes)
      : connection_(std::move(connection)),
        parser_(std::move(parser)),
        inbox_(std::move(inbox)),
        line_bytes_(line_bytes) {
    head_.status = parser_->response().status;
    head_.headers = parser_->response().headers;
  }
  ~OpenStream() override { connection_->close_soon(); }
  OpenStream(const OpenStream&) = delete;
  OpenStream& operator=(const OpenStream&) = delete;

  const HttpResponse& head() const override { return head_; }

  asio::awaitable<Result<Lines>> lines(std::chrono::milliseconds silence) override {
    return asio::co_spawn(connection_->executor(), read_lines(shared_from_this(), silence),
                          asio::use_awaitable);
  }

  asio::awaitable<Result<std::string>> rest(std::chrono::milliseconds at_most) override {
    return asio::co_spawn(connection_->executor(), read_rest(shared_from_this(), at_most),
                          asio::use_awaitable);
  }

  void cancel() override { connection_->close_soon(); }

 private:
  static asio::awaitable<Result<Lines>> read_lines(std::shared_ptr<OpenStream> self,
                                                   std::chrono::milliseconds silence) {
    self->connection_->expires_after(silence);
    for (;;) {
      auto& body = self->parser_->response().body;
      auto lines = self->lines_.take(body, self->parser_->done());
      if (!lines.empty() || self->parser_->done()) co_return lines;
      if (body.size() > self->line_bytes_) {
        co_return fail(ErrorCode::invalid, "stream: a line is longer than " +
                                               std::to_string(self->line_bytes_) + " bytes");
      }
      const auto read = co_await read_into(self->connection_, self->parser_, self->inbox_);
      if (!read) co_return std::unexpected(read.error());
    }
  }

  static asio::awaitable<Result<std::string>> read_rest(std::shared_ptr<OpenStream> self,
                                                        std::chrono::milliseconds at_most) {
    self->connection_->expires_after(at_most);
    auto& body = self->parser_->response().body;
    while (!self->parser_->done()) {
      if (body.size() > self->line_bytes_) co_return fail(ErrorCode::invalid, "stream: too long");
      const auto read = co_await read_into(self->connection_, self->parser_, self->inbox_);
      if (!read) co_return std::unexpected(read.error());
    }
    co_return std::move(body);
  }

  std::shared_ptr<Connection> connection_;
  std::shared_ptr<HttpResponseParser> parser_;
  std::shared_ptr<std::string> inbox_;
  HttpResponse head_;
  std::size_t line_bytes_;
  LineCutter lines_;
};

}  // namespace

asio::awaitable<Result<std::shared_ptr<HttpStream>>> open_stream(
    std::shared_ptr<Connection> connection, std::shared_ptr<const HttpRequest> request,
    StreamOptions options) {
  const auto head = request_head(*request, options.target.url);
  if (!head) co_return std::unexpected(head.error());
  connection->expires_at(options.head_until);
  if (auto reached = co_await reach(connection, options.target); !reached) {
    co_return std::unexpected(std::move(reached.error()));
  }
  if (auto sent = co_await connection->write(*head, request->body); !sent) {
    co_return std::unexpected(std::move(sent.error()));
  }
  const HttpLimits limits{options.header_bytes, std::numeric_limits<std::uint64_t>::max()};
  const auto parser = std::make_shared<HttpResponseParser>(limits, request->method == "HEAD");
  const auto inbox = std::make_shared<std::string>();
  while (!parser->header_done()) {
    if (auto read = co_await read_into(connection, parser, inbox); !read) {
      co_return std::unexpected(std::move(read.error()));
    }
  }
  connection->expires_at(Connection::Clock::time_point::max());
  co_return std::make_shared<OpenStream>(connection, parser, inbox, options.line_bytes);
}

}  // namespace dray::net
