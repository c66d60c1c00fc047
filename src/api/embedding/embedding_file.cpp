#include "api/embedding/embedding_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <system_error>
#include <utility>

#include "api/outputs/record_ids.hpp"
#include "api/vector_files/stored_vectors.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/paths.hpp"

namespace summand::api {

namespace fs = std::filesystem;

namespace {

/// Bringing a state to the disk takes some ten milliseconds, which is no small part of a quick batch.
constexpr std::chrono::seconds kBetweenRecords{1};
constexpr std::array<std::string_view, 3> kEndings{".npy", ".jsonl", ".csv"};
constexpr std::array kFormats{VectorFormat::npy, VectorFormat::jsonl, VectorFormat::csv};

/// Where it is while it is made.
fs::path part_path(const fs::path& out) {
  return out.native() + ".part";
}

std::optional<std::string> value_of(std::span<const ResultSetting> settings, const std::string& name) {
  const auto found = std::ranges::find(settings, name, &ResultSetting::name);
  return found == settings.end() ? std::nullopt : std::optional(found->value);
}

std::string shown(const std::optional<std::string>& value) {
  return value ? "'" + printable(*value) + "'" : "none";
}

/// "precision: expected 'int8', got 'fp32'", for each that differs.
std::string differences(std::span<const ResultSetting> earlier, std::span<const ResultSetting> now) {
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
  const auto left = left_rows();
  const bool is_whole = left && left->appearing && is_there(file_->target());  // OUT comes last, then the state goes
  const bool is_half = left && left->appearing && !is_whole;
  if (options_.finished == FinishedTexts::resume && (!left || is_whole) && is_there(out) &&
      options_.existing == Existing::refuse) {
    throw IoError(path_text(out), "expected a run to resume, got a result that is whole; --overwrite makes it anew");
  }
  if (is_half) {
    check_output(out, {.endings = {}, .existing = options_.existing});  // the other files are that run's
  } else {
    check_vector_output(out, format_, options_.existing);
  }
  const bool goes_on = left && !is_whole && file_->position() > 0 && options_.finished != FinishedTexts::discard;
  if (goes_on) check_left(*left);
  // Nothing has changed so far.
  if (is_half) take_back(*left);
  take_up(goes_on ? left : std::nullopt);
  begin_npy();
}

/// What an interrupted run has left. Damage is no matter where all is to be thrown away.
std::optional<ResumeState> EmbeddingFile::left_rows() const {
  if (!is_there(state_path_)) return std::nullopt;
  try {
    return read_resume_state(state_path_);
  } catch (const IoError&) {
    if (options_.finished != FinishedTexts::discard) throw;
    return std::nullopt;
  }
}

/// If a run ended while several files appeared: turns the ids back into a part.
void EmbeddingFile::take_back(const ResumeState& left) {
  std::error_code ignored;
  const auto ids = ids_path(out_);
  if (left.id_bytes && !is_there(part_path(ids)) && is_there(ids)) fs::rename(ids, part_path(ids), ignored);
  fs::remove(ranges_path(out_), ignored);
}

/// Goes on behind what an interrupted run left, or begins anew. Its part is locked by now.
void EmbeddingFile::take_up(const std::optional<ResumeState>& left) {
  if (!left) {
    std::error_code ignored;
    fs::remove(state_path_, ignored);
    fs::remove(part_path(ids_path(out_)), ignored);
    file_->cut_back(0);
    return;
  }
  finished_ = left;
  rows_ = recorded_rows_ = ids_checked_ = finished_->rows;
  bytes_ = finished_->bytes;
  texts_hash_ = finished_->texts_hash;
  has_ids_ = finished_->has_ids;
  if (finished_->id_bytes) begin_ids();
  file_->cut_back(finished_->bytes);
}

/// @throws IoError for a part that is too short; UsageError for other settings, or where nothing was said
void EmbeddingFile::check_left(const ResumeState& left) const {
  if (left.bytes > file_->position()) {
    refuse_to_resume(path_text(state_path_),
                     fmt::format("{} bytes of the {} that were", file_->position(), left.bytes));
  }
  const std::string texts = left.rows == 1 ? "text is" : "texts are";
  if (options_.finished == FinishedTexts::refuse) {
    throw UsageError(path_text(out_), fmt::format("expected --resume or --restart, since {} {} finished: --resume goes "
                                                  "on behind them, --restart discards them; got neither",
                                                  left.rows, texts));
  }
  const auto differing = differences(left.settings, options_.settings);
  if (differing.empty()) return;
  throw UsageError(path_text(out_),
                   fmt::format("{}; {} {} finished and kept; --restart discards them", differing, left.rows, texts));
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
  if (ids_->position() < bytes) {
    refuse_to_resume(path_text(state_path_), fmt::format("no ids of its texts in '{}'", path_text(ids_->part())));
  }
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
  ResumeState now{.settings = options_.settings,
                  .rows = rows_,
                  .bytes = bytes_,
                  .texts_hash = texts_hash_,
                  .id_bytes = {},
                  .has_ids = has_ids_.value_or(false),
                  .appearing = appearing == Appearing::yes};
  if (ids_) now.id_bytes = ids_->position();
  io::OutputFile state(state_path_);
  state.write(to_json(now));
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
  record();
  fs::path rounded = file_->part();
  rounded += ".rounded";
  try {
    own_ranges_ = convert_vectors(file_->part(), rounded, {.type = options_.type, .ranges = {}});
  } catch (const UsageError&) {  // nothing is worth keeping: to resume would not help
    std::error_code unknown;
    fs::remove(state_path_, unknown);
    file_->cut_back(0);
    recorded_rows_ = 0;
    throw;
  }
  std::error_code ignored;
  fs::remove(ranges_path(rounded), ignored);  // they are written next to OUT
  return rounded;
}

/// Ids and ranges belong to their vectors: while they change there is no OUT, and then the state says so. Where it does
/// and OUT is there, the run was whole.
void EmbeddingFile::let_others_appear() {
  const auto& ranges = options_.ranges ? options_.ranges : own_ranges_;
  const bool has_ranges = needs_ranges(options_.type) && ranges;
  if (!ids_ && !has_ranges && !is_there(ids_path(out_)) && !is_there(ranges_path(out_))) return;
  std::error_code ignored;
  fs::remove(file_->target(), ignored);
  if (rows_ > 0) write_state(Appearing::yes);
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
