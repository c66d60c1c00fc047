#include "api/embedding_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "api/ids.hpp"
#include "api/stored_vectors.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/paths.hpp"

namespace summand::api {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

/// Bringing a state to the disk takes some ten milliseconds, which is no small part of a quick batch.
constexpr std::chrono::seconds kBetweenRecords{1};
constexpr int kStateVersion = 2;
constexpr size_t kLargestState = size_t{1} << 20;
constexpr std::array<std::string_view, 3> kEndings{".npy", ".jsonl", ".csv"};
constexpr std::array kFormats{VectorFormat::npy, VectorFormat::jsonl, VectorFormat::csv};

std::optional<uint64_t> number(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<uint64_t>();
}

/// As they stand in a state; none if it is damaged.
std::optional<std::vector<Setting>> settings_in(const Json& json) {
  const auto found = json.find("settings");
  if (found == json.end() || !found->is_object()) return std::nullopt;
  std::vector<Setting> settings;
  for (const auto& [name, value] : found->items()) {
    if (!value.is_string()) return std::nullopt;
    settings.push_back({name, value.get<std::string>()});
  }
  return settings;
}

std::optional<std::string> value_of(std::span<const Setting> settings, const std::string& name) {
  const auto found = std::ranges::find(settings, name, &Setting::name);
  return found == settings.end() ? std::nullopt : std::optional(found->value);
}

std::string shown(const std::optional<std::string>& value) {
  return value ? "'" + printable(*value) + "'" : "none";
}

/// "precision: expected 'int8', got 'fp32'", for each that differs.
std::string differences(std::span<const Setting> earlier, std::span<const Setting> now) {
  std::vector<std::string> names;
  for (const auto& settings : {earlier, now}) {
    for (const auto& setting : settings) {
      if (std::ranges::find(names, setting.name) == names.end()) names.push_back(setting.name);
    }
  }
  std::string text;
  for (const auto& name : names) {
    const auto before = value_of(earlier, name);
    const auto asked = value_of(now, name);
    if (before == asked) continue;
    const bool look_alike = shown(before) == shown(asked);  // long ones are cut to be shown
    text += fmt::format("{}{}: expected {}, got {}", text.empty() ? "" : "; ", name, shown(before),
                        look_alike ? "another that begins like it" : shown(asked));
  }
  return text;
}

}  // namespace

std::span<const std::string_view> vector_endings() {
  return kEndings;
}

VectorFormat vector_format(const fs::path& out, std::optional<VectorFormat> asked) {
  const auto found = std::ranges::find(kEndings, out.extension().native());
  if (found == kEndings.end()) {
    if (asked) return *asked;
    throw UsageError(path_text(out), "expected an output that ends in .npy, .jsonl or .csv");
  }
  const auto named = kFormats[static_cast<size_t>(found - kEndings.begin())];
  if (asked.value_or(named) == named) return named;
  throw UsageError(path_text(out),
                   fmt::format("expected one format, got the ending {} and another that was asked for", *found));
}

void check_vector_output(const fs::path& out, VectorFormat format, Existing existing) {
  check_output(out, {.endings = {}, .existing = existing});
  if (format != VectorFormat::npy || io::OutputFile::is_written_through(out)) return;
  check_output(ids_path(out), {.endings = {}, .existing = existing});
  check_output(ranges_path(out), {.endings = {}, .existing = existing});
}

void require_ranges(const fs::path& out, VectorFormat format, VectorType type,
                    const std::optional<VectorRanges>& ranges) {
  if (!needs_ranges(type) || ranges) return;
  if (format == VectorFormat::npy && !io::OutputFile::is_written_through(out)) return;
  throw UsageError("dtype", fmt::format("expected --calibration FILE.npy for {} that is no .npy file: the steps of the "
                                        "vectors themselves are known at their end",
                                        model::name_of(type)));
}

EmbeddingFile::EmbeddingFile(const fs::path& out, EmbeddingFileOptions options)
    : out_(out), options_(std::move(options)), format_(vector_format(out, options_.format)) {
  require_ranges(out, format_, options_.type, options_.ranges);
  if (needs_ranges(options_.type) && options_.ranges) check_ranges(*options_.ranges, options_.width);
  if (io::OutputFile::is_written_through(out)) {
    if (options_.finished == FinishedTexts::resume) {
      throw UsageError(path_text(out), "expected a regular file to resume, got a pipe or device");
    }
    file_ = std::make_unique<io::OutputFile>(out);
    return;
  }
  file_ = std::make_unique<io::OutputFile>(out, io::OutputFile::Start{.keep_bytes = io::OutputFile::kAll});
  state_path_ = file_->part();
  state_path_ += ".state";
  take_back();
  check_vector_output(out, format_, options_.existing);
  take_up();
  begin_npy();
}

/// Where a run ended between the first and the last of several files: makes the ids a part again.
void EmbeddingFile::take_back() {
  if (!is_there(state_path_)) return;
  const auto json = Json::parse(read_file(state_path_, kLargestState), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.value("appearing", false)) return;
  const auto ids = ids_path(out_);
  const fs::path part = ids.native() + ".part";
  std::error_code ignored;
  if (json.contains("id_bytes") && !is_there(part) && is_there(ids)) fs::rename(ids, part, ignored);
  fs::remove(ranges_path(out_), ignored);
}

/// Decides what becomes of what an interrupted run left. Its part is locked by now.
void EmbeddingFile::take_up() {
  if (file_->position() > 0 && options_.finished != FinishedTexts::discard) finished_ = read_state();
  if (!finished_) {
    std::error_code ignored;
    fs::remove(state_path_, ignored);
    file_->cut_back(0);
    return;
  }
  rows_ = recorded_rows_ = ids_checked_ = finished_->rows;
  bytes_ = finished_->bytes;
  texts_hash_ = finished_->texts_hash;
  has_ids_ = finished_->has_ids;
  if (finished_->id_bytes) begin_ids();
  file_->cut_back(finished_->bytes);
}

void EmbeddingFile::refuse_state(std::string_view got) const {
  throw IoError(path_text(state_path_),
                fmt::format("expected what an interrupted run has finished, got {}; --restart begins anew", got));
}

/// @return none where no text was finished
std::optional<EmbeddingFile::Finished> EmbeddingFile::read_state() const {
  if (!is_there(state_path_)) return std::nullopt;
  const auto json = Json::parse(read_file(state_path_, kLargestState), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) refuse_state("a damaged file");
  if (number(json, "version") != kStateVersion) refuse_state("the file of another version of this program");
  const auto rows = number(json, "rows");
  const auto bytes = number(json, "bytes");
  const auto hash = number(json, "texts");
  const auto ids = json.find("ids");
  const auto settings = settings_in(json);
  if (!rows || *rows == 0 || !bytes || !hash || !settings || ids == json.end() || !ids->is_boolean()) {
    refuse_state("a damaged file");
  }
  const Finished finished{.rows = *rows,
                          .bytes = *bytes,
                          .texts_hash = *hash,
                          .id_bytes = number(json, "id_bytes"),
                          .has_ids = ids->get<bool>()};
  if (finished.bytes > file_->position()) {
    refuse_state(fmt::format("{} bytes of the {} that were", file_->position(), finished.bytes));
  }
  compare_settings(finished, *settings);
  return finished;
}

void EmbeddingFile::compare_settings(const Finished& finished, std::span<const Setting> earlier) const {
  const std::string texts = finished.rows == 1 ? "text is" : "texts are";
  if (options_.finished == FinishedTexts::refuse) {
    throw UsageError(path_text(out_), fmt::format("expected --resume or --restart, since {} {} finished: --resume goes "
                                                  "on behind them, --restart discards them; got neither",
                                                  finished.rows, texts));
  }
  const auto differing = differences(earlier, options_.settings);
  if (differing.empty()) return;
  throw UsageError(path_text(out_), fmt::format("{}; {} {} finished and kept; --restart discards them", differing,
                                                finished.rows, texts));
}

bool EmbeddingFile::is_rounded_at_the_end() const {
  return needs_ranges(options_.type) && !options_.ranges;
}

VectorType EmbeddingFile::written_type() const {
  return is_rounded_at_the_end() ? VectorType::float32 : options_.type;
}

io::NpyWriter::Shape EmbeddingFile::shape() const {
  const auto type = written_type();
  return {.rows = std::nullopt, .columns = stored_columns(type, options_.width), .type = npy_type(type)};
}

void EmbeddingFile::begin_npy() {
  if (format_ != VectorFormat::npy) return;
  auto continued = shape();
  continued.rows_there = rows_;
  npy_ = std::make_unique<io::NpyWriter>(*file_, continued);
}

void EmbeddingFile::begin_ids() {
  const auto path = ids_path(out_);
  ids_ = std::make_unique<io::OutputFile>(path, io::OutputFile::Start{.keep_bytes = io::OutputFile::kAll});
  const uint64_t bytes = finished_ ? finished_->id_bytes.value_or(0) : 0;
  if (ids_->position() < bytes) refuse_state(fmt::format("no ids of its texts in '{}'", path_text(ids_->part())));
  ids_->cut_back(bytes);
}

bool EmbeddingFile::leaves_out_ids() const {
  return format_ == VectorFormat::npy && !file_->can_seek() && has_ids_.value_or(false);
}

void EmbeddingFile::check_id(const std::string& id) {
  ++ids_checked_;
  if (!has_ids_) {
    has_ids_ = !id.empty();
    if (*has_ids_ && format_ == VectorFormat::npy && file_->can_seek()) begin_ids();
  }
  if (id.empty() || *has_ids_ || format_ == VectorFormat::jsonl) return;
  throw TextError(fmt::format("text {}", ids_checked_),
                  fmt::format("expected no id, as in the first text, got {}", printable(id)));
}

void EmbeddingFile::record() {
  if (!file_->can_seek() || rows_ == recorded_rows_) return;
  write_state(Appearing::no);
}

void EmbeddingFile::write_state(Appearing appearing) {
  file_->bring_to_disk();
  if (ids_) ids_->bring_to_disk();
  Json json{{"version", kStateVersion}, {"settings", Json::object()}};
  for (const auto& setting : options_.settings) json["settings"][setting.name] = setting.value;
  json["rows"] = rows_;
  json["bytes"] = bytes_;
  json["texts"] = texts_hash_;
  json["ids"] = has_ids_.value_or(false);
  if (ids_) json["id_bytes"] = ids_->position();
  if (appearing == Appearing::yes) json["appearing"] = true;
  io::OutputFile state(state_path_);
  state.write(json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  state.commit();
  file_->keep_part();
  if (ids_) ids_->keep_part();
  recorded_rows_ = rows_;
  recorded_at_ = std::chrono::steady_clock::now();
}

/// The header of a .csv, once it is known whether there are ids.
void EmbeddingFile::begin_text() {
  if (format_ != VectorFormat::csv || rows_ > 0) return;
  std::string header = has_ids_.value_or(false) ? "id" : "";
  const size_t columns = stored_columns(options_.type, options_.width);
  for (size_t i = 0; i < columns; ++i) header += fmt::format("{}d{}", header.empty() ? "" : ",", i);
  file_->write(header + "\n");
}

void EmbeddingFile::append_text(const Rows& rows, const Matrix<std::byte>& numbers) {
  std::string lines;
  for (size_t row = 0; row < rows.vectors.rows(); ++row) {
    if (format_ == VectorFormat::jsonl) {
      lines += fmt::format("{{\"index\":{},", rows_ + row);
      if (!rows.ids[row].empty()) lines += "\"id\":" + rows.ids[row] + ",";
      lines += "\"embedding\":[";
    } else if (has_ids_.value_or(false)) {
      lines += id_field(rows.ids[row]) + ",";
    }
    append_numbers(lines, numbers.row(row), options_.type);
    lines += format_ == VectorFormat::jsonl ? "]}\n" : "\n";
  }
  file_->write(lines);
}

void EmbeddingFile::append(const Rows& rows) {
  const auto numbers = quantize({.vectors = rows.vectors.view(), .first = rows_}, written_type(),
                                options_.ranges.value_or(VectorRanges()));
  const std::span<const std::byte> bytes = numbers.elements();
  if (npy_) {
    npy_->append(bytes);
    if (ids_) ids_->write(id_lines(rows.ids));
  } else if (format_ == VectorFormat::npy) {
    held_.insert(held_.end(), bytes.begin(), bytes.end());
  } else {
    begin_text();
    append_text(rows, numbers);
    if (!file_->can_seek()) file_->bring_to_disk();  // who reads a pipe need not wait for the end
  }
  rows_ += rows.vectors.rows();
  bytes_ = file_->position();
  texts_hash_ = rows.texts_hash;
  if (std::chrono::steady_clock::now() - recorded_at_ >= kBetweenRecords) record();
}

/// The part, in float32 and every row of it recorded, stays until OUT is whole.
/// @return the file that is to become OUT
fs::path EmbeddingFile::rounded_part() {
  if (rows_ == 1) {  // nothing is worth keeping, and to resume would not help
    std::error_code unknown;
    fs::remove(state_path_, unknown);
    file_->cut_back(0);
    recorded_rows_ = 0;
    throw UsageError("dtype", fmt::format("expected two texts or more, or --calibration FILE.npy, for {}, whose steps "
                                          "go from the least value to the largest; got one text",
                                          model::name_of(options_.type)));
  }
  record();
  fs::path rounded = file_->part();
  rounded += ".rounded";
  own_ranges_ = convert_vectors(file_->part(), rounded, {.type = options_.type, .ranges = {}});
  std::error_code ignored;
  fs::remove(ranges_path(rounded), ignored);  // they are written beside OUT
  return rounded;
}

/// Ids and ranges belong to their vectors: while they change there is no OUT, and the state says so.
void EmbeddingFile::let_others_appear() {
  const auto& ranges = options_.ranges ? options_.ranges : own_ranges_;
  const bool has_ranges = needs_ranges(options_.type) && ranges;
  if (!ids_ && !has_ranges && !is_there(ids_path(out_)) && !is_there(ranges_path(out_))) return;
  if (rows_ > 0) write_state(Appearing::yes);
  std::error_code ignored;
  fs::remove(file_->target(), ignored);
  if (has_ranges) {
    write_ranges(*ranges, out_);
  } else {
    fs::remove(ranges_path(out_), ignored);
  }
  if (ids_) {
    ids_->commit();
  } else {
    fs::remove(ids_path(out_), ignored);
  }
}

void EmbeddingFile::commit() {
  if (format_ == VectorFormat::npy && !npy_) {
    auto whole = shape();
    whole.rows = rows_;
    npy_ = std::make_unique<io::NpyWriter>(*file_, whole);
    npy_->append(std::span<const std::byte>(held_));
  }
  if (format_ == VectorFormat::csv) begin_text();
  if (npy_) npy_->finish();
  const fs::path rounded = is_rounded_at_the_end() ? rounded_part() : fs::path();
  std::error_code ignored;
  if (npy_ && file_->can_seek()) let_others_appear();
  if (rounded.empty()) {
    file_->commit();
  } else {
    file_->commit_as(rounded);
  }
  if (!state_path_.empty()) fs::remove(state_path_, ignored);
}

}  // namespace summand::api
