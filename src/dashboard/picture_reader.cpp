#include "dashboard/picture_reader.h"

#include <algorithm>
#include <boost/asio/use_awaitable.hpp>
#include <optional>
#include <utility>

namespace dray::dashboard {

namespace asio = boost::asio;
using SteadyClock = std::chrono::steady_clock;

PictureReader::PictureReader(asio::io_context& io, service::EngineStrand& engine,
                             std::chrono::milliseconds fresh_for)
    : engine_(engine), fresh_for_(fresh_for), taken_(io.get_executor()) {}

asio::awaitable<std::shared_ptr<const Picture>> PictureReader::picture() {
  while (taking_) co_await taken_.wait();
  if (last_ && SteadyClock::now() < good_until_) co_return last_;
  taking_ = true;
  const auto start = SteadyClock::now();
  auto made = co_await take();
  if (made) keep(std::move(made));
  const auto end = SteadyClock::now();
  good_until_ = end + std::max<SteadyClock::duration>(fresh_for_, 10 * (end - start));
  taking_ = false;
  taken_.notify_all();
  co_return last_;
}

/// Null: the engine is broken.
asio::awaitable<std::shared_ptr<Picture>> PictureReader::take() {
  const auto made = std::make_shared<Picture>();
  service::EngineStrand::Look look = [made](engine::Engine& engine, Time now) {
    made->at = now;
    made->engine = engine.picture();
  };
  if (!co_await engine_.look(std::move(look))) co_return nullptr;
  for (bool more = true; more;) {
    const auto had = made->jobs.size();
    service::EngineStrand::Look next = [made](engine::Engine& engine, Time now) {
      std::optional<Uid> last;
      if (!made->jobs.empty()) last = made->jobs.back().job->uid;
      std::ranges::move(engine.jobs_after(last, jobs_a_step, now), std::back_inserter(made->jobs));
    };
    if (!co_await engine_.look(std::move(next))) co_return nullptr;
    more = made->jobs.size() == had + jobs_a_step;
  }
  for (bool more = true; more;) {
    const auto had = made->unformed.size();
    service::EngineStrand::Look next = [made](engine::Engine& engine, Time) {
      std::optional<Uid> last;
      if (!made->unformed.empty()) last = made->unformed.back().uid;
      std::ranges::move(engine.unformed(last, jobs_a_step), std::back_inserter(made->unformed));
    };
    if (!co_await engine_.look(std::move(next))) co_return nullptr;
    more = made->unformed.size() == had + jobs_a_step;
  }
  co_return made;
}

/// One that shows the same is as good as the one before, with all that was worked out for it.
void PictureReader::keep(std::shared_ptr<Picture> made) {
  if (last_ && made->shows_the_same(*last_)) return;
  made->revision = last_ ? last_->revision + 1 : 1;
  last_ = std::move(made);
}

}  // namespace dray::dashboard
