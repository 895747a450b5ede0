#include "service/record/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "service/record/noted_size.h"
#include "wire/json/json_writer.h"

namespace dray::service {
namespace {

namespace fs = std::filesystem;

std::int64_t micros(Time time) {
  return time.time_since_epoch().count();
}

std::string line_of(Time now, const char* key, const std::string& json) {
  return fmt::format(R"({{"at":{},"{}":{}}})", micros(now), key, json);
}

}  // namespace

bool is_idle(const engine::Engine& engine, Time now) {
  const auto next = engine.next_tick();
  if (next && *next <= now + std::chrono::seconds(1)) return false;
  return engine.is_settled();
}

Recorder::Recorder(RecorderOptions options, engine::Options engine, Time now)
    : options_(std::move(options)), engine_(std::move(engine)), start_(now) {}

Recorder::~Recorder() {
  thread_.join();
}

Result<std::unique_ptr<Recorder>> Recorder::open(RecorderOptions options, engine::Options engine,
                                                 Time now) {
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error) return fail(ErrorCode::invalid, options.folder + ": " + error.message());
  std::unique_ptr<Recorder> made(new Recorder(std::move(options), std::move(engine), now));
  if (auto begun = made->begin_segment(now); !begun) {
    return std::unexpected(std::move(begun.error()));
  }
  return made;
}

void Recorder::note(Time now, RecordInput input, engine::Effects effects,
                    std::optional<extender::FilterResponse> answer, bool idle) {
  if (ended_) return;
  const auto size = noted_size(input, effects, answer);
  const auto bytes = waiting_bytes_ += size;
  if (++waiting_ > options_.most_waiting || bytes > options_.most_waiting_bytes) {
    return end(fmt::format("the disk is too slow for it: {} steps of about {} MiB wait",
                           waiting_.load(), bytes >> 20U));
  }
  ++steps_;
  boost::asio::post(
      thread_, [this, noted = Noted{now, std::move(input), std::move(effects), std::move(answer),
                                    idle, size}]() mutable { write(std::move(noted)); });
}

void Recorder::end(std::string why) {
  if (ended_.exchange(true)) return;
  options_.notice("recording has ended: " + why);
  failure_.store(std::make_shared<const std::string>(std::move(why)));
}

Result<void> Recorder::finish() {
  thread_.join();
  if (file_) {
    const auto whole = file_->finish();
    file_.reset();
    if (!whole) end(whole.error().message);
  }
  ended_ = true;
  const auto failure = failure_.load();
  if (!failure) return {};
  return fail(ErrorCode::unavailable, "recording has ended: " + *failure);
}

void Recorder::write(Noted noted) {
  const bool last = --waiting_ == 0;
  waiting_bytes_ -= noted.size;
  if (ended_ && !file_) return;
  auto written = write_step(noted);
  if (written && last) written = file_->flush();
  if (written) return;
  file_.reset();
  end(written.error().message);
}

/// What is asked for and what comes back.
void Recorder::count(const RecordInput& input, const engine::Effects& effects) {
  const auto* event = std::get_if<engine::Event>(&input);
  if (event != nullptr && std::holds_alternative<engine::WriteDone>(*event)) --under_way_;
  if (std::holds_alternative<PlannedInput>(input)) --under_way_;
  if (std::holds_alternative<BindInput>(input)) ++under_way_;
  for (const auto& effect : effects) {
    under_way_ += std::holds_alternative<engine::AnswerBind>(effect) ? -1 : 1;
  }
}

Result<void> Recorder::write_step(Noted& noted) {
  drop_unread(noted.input);
  state_.take(noted.input);
  count(noted.input, noted.effects);
  wire::JsonWriter out;
  out.begin_object();
  out.key("at");
  out.integer(micros(noted.now));
  out.key("in");
  out.raw(encode_input(noted.input));
  out.key("out");
  out.begin_list();
  if (const auto* filter = std::get_if<FilterInput>(&noted.input); filter && noted.answer) {
    out.raw(encode_decision(decision_of(*noted.answer, *filter->request)));
  }
  for (const auto& decision : decisions_of(std::move(noted.effects), engine_, noted.now)) {
    out.raw(encode_decision(decision));
  }
  out.end_list();
  out.end_object();
  if (auto added = file_->add(std::move(out).take()); !added) return added;
  if (wants_idle_ && noted.idle && under_way_ == 0) {
    wants_idle_ = false;
    if (auto added = file_->add(line_of(noted.now, "idle", "true")); !added) return added;
  }
  if (file_->size() < opened_ + options_.segment_bytes) return {};
  return begin_segment(noted.now);
}

Result<void> Recorder::begin_segment(Time now) {
  if (file_) {
    if (auto whole = file_->finish(); !whole) return whole;
  }
  file_.reset();
  auto file = RecordWriter::create(
      fmt::format("{}/dray-{}-{:06}.jsonl.zst", options_.folder, micros(start_), segment_));
  if (!file) return std::unexpected(std::move(file.error()));
  file_ = *std::move(file);
  const auto head = fmt::format(
      R"({{"record":1,"run":{},"segment":{}{},"options":{}}})", micros(start_), segment_,
      options_.observed ? R"(,"observed":true)" : "", encode_options(engine_));
  if (auto added = file_->add(head); !added) return added;
  if (segment_++ > 0) {
    for (const auto& input : state_.inputs()) {
      if (auto added = file_->add(line_of(now, "state", encode_input(input))); !added) return added;
    }
    wants_idle_ = true;
  }
  opened_ = file_->size();
  drop_oldest();
  return file_->flush();
}

/// Of this run and earlier ones; never the file that is being written.
void Recorder::drop_oldest() const {
  std::error_code error;
  std::vector<std::pair<std::string, std::uint64_t>> files;
  std::uint64_t total = 0;
  for (const auto& entry : fs::directory_iterator(options_.folder, error)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with("dray-") || !name.ends_with(".jsonl.zst")) continue;
    files.emplace_back(entry.path().string(), entry.file_size(error));
    total += files.back().second;
  }
  std::ranges::sort(files);
  if (files.empty()) return;
  files.pop_back();
  for (const auto& [path, size] : files) {
    if (total <= options_.total_bytes) return;
    fs::remove(path, error);
    total -= size;
  }
}

}  // namespace dray::service
