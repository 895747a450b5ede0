#include "dray/engine/outbox.h"

#include <algorithm>
#include <variant>

#include "dray/base/check.h"

namespace dray::engine {
namespace {

/// So many of more urgent classes go before one of this class gets a turn out of order.
constexpr std::array<int, write_classes> most_passed_over{1, 4, 8, 8, 16};
constexpr int most_attempts = 20;
constexpr Duration default_retry_after = std::chrono::seconds(1);
/// An API server hears of a new epoch within moments; and whether we have lost the Lease, the next
/// renewal says.
constexpr Duration other_epoch_pause = std::chrono::milliseconds(200);

Duration interval(double qps) {
  return Duration(static_cast<Duration::rep>(1e6 / qps));
}

std::size_t index(WriteClass write_class) {
  return static_cast<std::size_t>(write_class);
}

}  // namespace

Outbox::Outbox(Options options) : options_(options), flight_(options.flight) {}

std::optional<Outbox::Ticket> Outbox::enqueue(Ticket ticket, const Write& write, Time since,
                                              Time now) {
  DRAY_CHECK(!is_lease_write(write));
  Entry entry;
  entry.write_class = class_of(write);
  entry.verb = write.index();
  entry.line = line_of(write);
  entry.since = since;
  entry.enqueued = now;
  entry.condition = std::holds_alternative<SetPodCondition>(write);
  std::optional<Ticket> replaced;
  if (entry.line.empty()) {
    auto& made = entries_.emplace(ticket, std::move(entry)).first->second;
    stand(ticket, made, made.write_class);
    return replaced;
  }
  auto& line = lines_[entry.line];
  if (entry.condition && !line.empty()) {
    const auto& last = entries_.at(line.back());
    if (!last.in_flight) {
      replaced = line.back();
      entry.write_class = std::min(entry.write_class, last.write_class);
      entry.since = std::min(entry.since, last.since);
      entry.enqueued = last.enqueued;
      leave(*replaced);
    }
  }
  lines_[entry.line].push_back(ticket);
  const auto& made = entries_.emplace(ticket, std::move(entry)).first->second;
  make_ready(made.line);
  return replaced;
}

/// The first of a line stands for all that wait there.
void Outbox::make_ready(const std::string& line) {
  const auto found = lines_.find(line);
  if (found == lines_.end()) return;
  auto& first = entries_.at(found->second.front());
  if (first.in_flight || first.held_until) return;
  auto as = first.write_class;
  for (const auto ticket : found->second) as = std::min(as, entries_.at(ticket).write_class);
  stand(found->second.front(), first, as);
}

void Outbox::stand(Ticket ticket, Entry& entry, WriteClass as) {
  step_back(ticket, entry);
  entry.ready_as = as;
  ready_[index(as)].emplace(entry.since, ticket);
}

void Outbox::step_back(Ticket ticket, Entry& entry) {
  if (!entry.ready_as) return;
  ready_[index(*entry.ready_as)].erase({entry.since, ticket});
  entry.ready_as.reset();
}

void Outbox::leave(Ticket ticket) {
  const auto found = entries_.find(ticket);
  auto& entry = found->second;
  step_back(ticket, entry);
  if (entry.held_until) held_.erase({*entry.held_until, ticket});
  const auto line = lines_.find(entry.line);
  const auto name = std::move(entry.line);
  entries_.erase(found);
  if (line == lines_.end()) return;
  std::erase(line->second, ticket);
  if (line->second.empty()) {
    lines_.erase(line);
  } else {
    make_ready(name);
  }
}

/// When the rate lets the next one go.
Time Outbox::due_by_rate() const {
  if (options_.qps <= 0 || next_by_rate_ == Time::min()) return Time::min();
  const auto early = std::max<std::size_t>(options_.burst, 1) - 1;
  return next_by_rate_ - interval(options_.qps) * static_cast<Duration::rep>(early);
}

/// What the API server lets wait for seconds (evictions), or nobody waits for, may not fill all
/// places.
bool Outbox::may_have_more(WriteClass write_class) const {
  if (write_class != WriteClass::evict && write_class != WriteClass::note) return true;
  return in_flight_[index(write_class)] < std::max<std::size_t>(1, flight_.limit() / 4);
}

std::optional<WriteClass> Outbox::next_class() const {
  std::optional<WriteClass> first;
  for (std::size_t i = 0; i < write_classes; ++i) {
    const auto each = static_cast<WriteClass>(i);
    if (ready_[i].empty() || !may_have_more(each)) continue;
    if (passed_over_[i] >= most_passed_over[i]) return each;
    if (!first) first = each;
  }
  return first;
}

void Outbox::send(WriteClass as, Time now) {
  for (auto i = index(as) + 1; i < write_classes; ++i) {
    if (!ready_[i].empty()) ++passed_over_[i];
  }
  passed_over_[index(as)] = 0;
  const auto ticket = ready_[index(as)].begin()->second;
  auto& entry = entries_.at(ticket);
  step_back(ticket, entry);
  entry.in_flight = true;
  ++in_flight_[index(entry.write_class)];
  flight_.sent();
  auto& figures = figures_[index(entry.write_class)];
  ++figures.sent;
  figures.waited += now - entry.enqueued;
  if (options_.qps <= 0) return;
  next_by_rate_ = std::max(next_by_rate_, now) + interval(options_.qps);
}

std::vector<Outbox::Ticket> Outbox::tick(Time now) {
  while (!held_.empty() && held_.begin()->first <= now) {
    const auto ticket = held_.begin()->second;
    held_.erase(held_.begin());
    auto& entry = entries_.at(ticket);
    entry.held_until.reset();
    if (entry.line.empty()) {
      stand(ticket, entry, entry.write_class);
    } else {
      make_ready(entry.line);
    }
  }
  std::vector<Ticket> out;
  while (flight_.may_send(now) && now >= due_by_rate()) {
    const auto as = next_class();
    if (!as) break;
    out.push_back(ready_[index(*as)].begin()->second);
    send(*as, now);
  }
  return out;
}

bool Outbox::answered(Ticket ticket, const Answer& answer, Time now) {
  auto& entry = entries_.at(ticket);
  const bool evicts = entry.write_class == WriteClass::evict;
  flight_.answered(answer.load, evicts ? std::nullopt : std::optional(entry.verb), answer.took,
                   answer.retry_after, now);
  --in_flight_[index(entry.write_class)];
  entry.in_flight = false;
  const bool again = answer.load == Load::overloaded || answer.load == Load::other_epoch;
  if (!again || ++entry.attempts >= most_attempts) {
    leave(ticket);
    return false;
  }
  ++again_;
  entry.enqueued = now;
  const auto pause = answer.load == Load::other_epoch ? other_epoch_pause : default_retry_after;
  entry.held_until = now + answer.retry_after.value_or(pause);
  held_.emplace(*entry.held_until, ticket);
  return true;
}

std::vector<Outbox::Ticket> Outbox::drop_waiting() {
  std::vector<Ticket> dropped;
  for (const auto& [ticket, entry] : entries_) {
    if (!entry.in_flight) dropped.push_back(ticket);
  }
  for (const auto ticket : dropped) leave(ticket);
  return dropped;
}

std::optional<Time> Outbox::next_tick() const {
  std::optional<Time> next;
  if (!held_.empty()) next = held_.begin()->first;
  // A full window opens with an answer, not with time.
  if (flight_.in_flight() >= flight_.limit() || !next_class()) return next;
  const auto at = std::max(flight_.paused_until(), due_by_rate());
  return next ? std::min(*next, at) : at;
}

Outbox::Status Outbox::status(Time now) const {
  Status status;
  status.classes = figures_;
  for (const auto& [ticket, entry] : entries_) {
    if (entry.in_flight) continue;
    auto& each = status.classes[index(entry.write_class)];
    ++each.waiting;
    each.oldest = std::max(each.oldest, now - entry.enqueued);
  }
  status.in_flight = flight_.in_flight();
  status.limit = flight_.limit();
  status.cuts = flight_.cuts();
  status.again = again_;
  return status;
}

}  // namespace dray::engine
