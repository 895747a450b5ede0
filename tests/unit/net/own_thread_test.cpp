#include "net/own_thread.h"

#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <future>

namespace dray::net::own_thread_test {

TEST_CASE("what is posted runs on a thread of its own, until it is stopped") {
  OwnThread own;
  std::promise<std::thread::id> ran;
  boost::asio::post(own.io(), [&ran] { ran.set_value(std::this_thread::get_id()); });
  CHECK(ran.get_future().get() != std::this_thread::get_id());
  own.stop();
  bool ran_later = false;
  boost::asio::post(own.io(), [&ran_later] { ran_later = true; });
  own.stop();
  CHECK_FALSE(ran_later);
}

}  // namespace dray::net::own_thread_test
