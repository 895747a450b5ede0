#include "app/simulate/signal_watch.h"

#include <pthread.h>

#include <utility>

namespace dray::app {

SignalWatch::SignalWatch(std::function<void(int)> ended) {
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGINT);
  sigaddset(&both, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &both, &before_);
  thread_ = std::thread([this, both, ended = std::move(ended)] {
    int number = 0;
    if (sigwait(&both, &number) == 0 && !over_) ended(number);
  });
}

SignalWatch::~SignalWatch() {
  over_ = true;
  // Its own, in case that none came: the thread waits for one.
  pthread_kill(thread_.native_handle(), SIGINT);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace dray::app
