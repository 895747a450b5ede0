#include "net/http_stream.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch.hpp>
#include <future>

#include "net/http_server.h"
#include "tests/unit/net/support.h"

namespace dray::net::http_stream_test {
namespace {

using namespace std::chrono_literals;
using testing::Loop;
using testing::RawServer;
namespace asio = boost::asio;

constexpr auto chunked_head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

HttpRequest get() {
  return {};
}

std::unique_ptr<HttpClient> client_of(Loop& loop, std::uint16_t port,
                                      std::size_t line_bytes = 1000) {
  HttpClientOptions options;
  options.base = {false, "127.0.0.1", port, ""};
  options.line_bytes = line_bytes;
  return HttpClient::make(loop.io, options).value();
}

/// All lines up to the end, or the error.
asio::awaitable<Result<std::vector<std::string>>> collect(std::shared_ptr<HttpStream> stream) {
  std::vector<std::string> all;
  for (;;) {
    auto lines = co_await stream->lines(5s);
    if (!lines) co_return std::unexpected(lines.error());
    if (lines->empty()) co_return all;
    all.insert(all.end(), lines->begin(), lines->end());
  }
}

/// A stream whose server sends `pieces`, one write each, then closes.
Result<std::vector<std::string>> stream_of(const std::vector<std::string>& pieces,
                                           std::size_t line_bytes = 1000) {
  RawServer server;
  Loop loop;
  const auto client = client_of(loop, server.port(), line_bytes);
  auto opening = loop.start(client->open(get(), 5s));
  std::thread sending([&] {
    auto socket = server.accept();
    RawServer::read_until(socket, "\r\n\r\n");
    socket.set_option(asio::ip::tcp::no_delay(true));
    boost::system::error_code ignored;
    for (const auto& piece : pieces) asio::write(socket, asio::buffer(piece), ignored);
  });
  auto opened = opening.get();
  auto lines = opened ? loop.run(collect(*opened)) : std::unexpected(opened.error());
  sending.join();
  return lines;
}

std::vector<std::string> split(const std::string& text, std::size_t step) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size(); at += step) pieces.push_back(text.substr(at, step));
  return pieces;
}

}  // namespace

TEST_CASE("lines come whole however chunks and packets cut them") {
  const std::string body =
      "1\r\n{\r\n6\r\n\"a\":1}\r\n3\r\n\n{\"\r\n9\r\nb\":2}\n{}\n\r\n0\r\n\r\n";
  const auto step = GENERATE(1, 2, 3, 5, 1000);
  DYNAMIC_SECTION("pieces of " << step) {
    const auto lines = stream_of(split(chunked_head + body, static_cast<std::size_t>(step)));
    REQUIRE(lines);
    CHECK(*lines == std::vector<std::string>{"{\"a\":1}", "{\"b\":2}", "{}"});
  }
}

TEST_CASE("a stream that is cut at any byte ends in an error, with whole lines only before it") {
  const std::string body = "5\r\n{\"a\":\r\n3\r\n1}\n\r\n";
  const auto text = chunked_head + body;
  const auto length = GENERATE_COPY(range(std::string_view(chunked_head).size(), text.size() + 1));
  DYNAMIC_SECTION(length << " bytes") {
    const auto lines = stream_of({text.substr(0, length)});
    REQUIRE_FALSE(lines);
    CHECK(lines.error().code == ErrorCode::unavailable);
    CHECK(lines.error().message == "connection ended within a response");
  }
}

TEST_CASE("a last line without line end counts when the body is complete") {
  const auto lines = stream_of({std::string(chunked_head) + "3\r\na\nb\r\n0\r\n\r\n"});
  REQUIRE(lines);
  CHECK(*lines == std::vector<std::string>{"a", "b"});
}

TEST_CASE("a line may not grow for ever") {
  const auto lines =
      stream_of(split(std::string(chunked_head) + "1000\r\n" + std::string(4096, 'x'), 512), 1000);
  REQUIRE_FALSE(lines);
  CHECK(lines.error().message == "stream: a line is longer than 1000 bytes");
}

TEST_CASE("silence ends a stream, and so does cancel") {
  RawServer server;
  Loop loop;
  const auto client = client_of(loop, server.port());
  auto opening = loop.start(client->open(get(), 5s));
  auto socket = server.accept();
  RawServer::read_until(socket, "\r\n\r\n");
  RawServer::send(socket, chunked_head);
  const auto stream = opening.get().value();
  SECTION("silence") {
    const auto lines = loop.run(stream->lines(20ms));
    REQUIRE_FALSE(lines);
    CHECK(lines.error().message == "read: timed out");
  }
  SECTION("cancel") {
    auto reading = loop.start(stream->lines(30s));
    stream->cancel();
    CHECK_FALSE(reading.get());
  }
  SECTION("close_all of the client") {
    auto reading = loop.start(stream->lines(30s));
    client->close_all();
    CHECK_FALSE(reading.get());
  }
}

TEST_CASE("an error's body can be read in one piece") {
  RawServer server;
  Loop loop;
  const auto client = client_of(loop, server.port());
  auto opening = loop.start(client->open(get(), 5s));
  auto socket = server.accept();
  RawServer::read_until(socket, "\r\n\r\n");
  RawServer::send(socket, "HTTP/1.1 410 Gone\r\nContent-Length: 4\r\n\r\na\nb\n");
  const auto stream = opening.get().value();
  CHECK(stream->head().status == 410);
  CHECK(loop.run(stream->rest(5s)).value() == "a\nb\n");
}

namespace {

asio::awaitable<void> count_up(std::shared_ptr<BodySink> sink) {
  for (int i = 0; i < 1000; ++i) {
    if (!co_await sink->write(std::to_string(i) + "\n")) co_return;
  }
}

asio::awaitable<HttpResponse> counting(HttpRequest) {
  HttpResponse response;
  response.stream = [](std::shared_ptr<BodySink> sink) { return count_up(std::move(sink)); };
  co_return response;
}

}  // namespace

TEST_CASE("our own server streams what our client reads, and the connection is kept") {
  Loop loop;
  HttpServer server(loop.io, {}, [](HttpRequest request) { return counting(std::move(request)); });
  const auto client = client_of(loop, server.listen().value());
  const auto lines = loop.run(collect(loop.run(client->open(get(), 5s)).value()));
  REQUIRE(lines);
  CHECK(lines->size() == 1000);
  CHECK(lines->back() == "999");
  const auto whole = loop.run(client->send(get(), 5s));
  REQUIRE(whole);
  CHECK(whole->body.ends_with("998\n999\n"));
}

namespace {

asio::awaitable<HttpResponse> answer_with(HttpResponse response) {
  co_return response;
}

/// Has nothing to say after one line; `ended` is told when nobody listens any more.
asio::awaitable<void> listen_on(std::shared_ptr<BodySink> sink,
                                std::shared_ptr<std::promise<void>> ended) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  bool open = co_await sink->write("here\n");
  while (open) {
    timer.expires_after(5ms);
    co_await timer.async_wait(asio::use_awaitable);
    open = co_await sink->write({});
  }
  ended->set_value();
}

}  // namespace

TEST_CASE("a stream that has nothing to say learns that its listener has gone") {
  Loop loop;
  const auto ended = std::make_shared<std::promise<void>>();
  auto over = ended->get_future();
  HttpServer server(loop.io, {}, [&](HttpRequest) -> asio::awaitable<HttpResponse> {
    HttpResponse response;
    response.stream = [ended](std::shared_ptr<BodySink> sink) {
      return listen_on(std::move(sink), ended);
    };
    return answer_with(std::move(response));
  });
  const auto client = client_of(loop, server.listen().value());
  const auto stream = loop.run(client->open(get(), 5s)).value();
  CHECK(loop.run(stream->lines(5s)).value() == std::vector<std::string>{"here"});
  CHECK(over.wait_for(0s) == std::future_status::timeout);
  stream->cancel();
  CHECK(over.wait_for(20s) == std::future_status::ready);
}

}  // namespace dray::net::http_stream_test
