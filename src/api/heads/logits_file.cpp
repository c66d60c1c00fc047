#include "api/heads/logits_file.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "api/heads/answer.hpp"
#include "api/heads/fill_mask.hpp"
#include "api/heads/next_sentence.hpp"
#include "api/heads/require_head.hpp"
#include "api/heads/text_logits.hpp"
#include "base/error.hpp"
#include "base/matrix.hpp"
#include "io/output_file.hpp"
#include "io/safetensors_writer.hpp"

namespace summand::api {

namespace {

/// Logits that are held at a time, unless one text has more: 128 MB.
constexpr size_t kMostLogits = size_t{1} << 25;

/// Texts that are run together, and which tokens the masked-language head looks at.
struct Piece {
  model::Batch batch;
  std::vector<size_t> sequences{0};  ///< as in RecordBatch
  std::vector<size_t> tokens;        ///< of each row of logits, among the batch's tokens
};

/// All texts, and where their logits go.
struct Plan {
  std::vector<Piece> pieces;
  std::vector<int64_t> offsets{0};
  std::vector<int64_t> tokens;      ///< of each row, where the head looks at tokens
  std::vector<int64_t> windows{0};  ///< where the rows of each window begin, of question answering
  ReadCount count;
};

/// The rows of logits that a head makes of every text: places among the batch's tokens, or none for one row per text.
std::vector<size_t> token_rows(const LoadedModel& model, model::Head head, const RecordBatch& batch) {
  switch (head) {
    case model::Head::masked_language:
      return find_masks(model, batch);
    case model::Head::next_sentence:
      require_pairs(batch);
      return {};
    case model::Head::sequence_classification:
      return {};
    case model::Head::question_answering:
      require_questions(batch);
      [[fallthrough]];
    case model::Head::token_classification: {
      std::vector<size_t> all(batch.batch.tokens());
      std::iota(all.begin(), all.end(), size_t{0});
      return all;
    }
  }
  __builtin_unreachable();
}

/// Records [begin, end) of a batch, and their rows, a part of `rows`.
Piece piece_of(const RecordBatch& from, Range records, std::span<const size_t> rows) {
  const size_t first = from.sequences[records.begin];
  Piece piece{.batch = from.batch.part(first, from.sequences[records.end]), .sequences = {}, .tokens = {}};
  for (size_t record = records.begin; record <= records.end; ++record) {
    piece.sequences.push_back(from.sequences[record] - first);
  }
  for (const size_t row : rows) piece.tokens.push_back(row - from.batch.offsets[first]);
  return piece;
}

/// Plans one batch: its records in pieces of at most kMostLogits.
void add_batch(Plan& plan, const LoadedModel& model, model::Head head, const RecordBatch& from) {
  const bool one_row_per_text = model::reads_pooled_output(head);
  const size_t columns = model.engine().logit_columns(head);
  const auto all_rows = token_rows(model, head, from);
  const std::span<const size_t> rows(all_rows);
  const auto token_of = [&](size_t record) { return from.batch.offsets[from.sequences[record]]; };
  Range records;
  Range piece_rows;
  for (size_t record = 0; record < from.size(); ++record) {
    const auto end = std::lower_bound(rows.begin(), rows.end(), token_of(record + 1));
    const auto rows_end = static_cast<size_t>(end - rows.begin());
    if (!records.empty() && (rows_end - piece_rows.begin) * columns > kMostLogits) {
      plan.pieces.push_back(piece_of(from, records, rows.subspan(piece_rows.begin, piece_rows.size())));
      records.begin = record;
      piece_rows.begin = piece_rows.end;
    }
    for (size_t row = piece_rows.end; row < rows_end; ++row) {
      plan.tokens.push_back(static_cast<int64_t>(rows[row] - token_of(record)));
    }
    plan.offsets.push_back(plan.offsets.back() +
                           static_cast<int64_t>(one_row_per_text ? 1 : rows_end - piece_rows.end));
    piece_rows.end = rows_end;
    records.end = record + 1;
  }
  plan.pieces.push_back(piece_of(from, records, rows.subspan(piece_rows.begin, piece_rows.size())));
}

void add_windows(Plan& plan, const model::Batch& batch) {
  for (size_t window = 0; window < batch.texts(); ++window) {
    plan.windows.push_back(plan.windows.back() + static_cast<int64_t>(batch.length(window)));
  }
}

Plan make_plan(const LoadedModel& model, model::Head head, const NextRecord& next, const ReadingOptions& reading) {
  Plan plan;
  RecordBatches batches(model, next, reading);
  while (const auto batch = batches.next()) {
    add_batch(plan, model, head, *batch);
    if (head == model::Head::question_answering) add_windows(plan, batch->batch);
    plan.count.add(batch->count);
  }
  return plan;
}

Matrix<float> logits_of(const LoadedModel& model, model::Head head, const Piece& piece, const ReadingOptions& reading) {
  switch (head) {
    case model::Head::masked_language:
      return engine::head_logits(model.engine(), piece.batch, head, piece.tokens);
    case model::Head::next_sentence:
    case model::Head::sequence_classification:
      return logits_of_texts(model, head, rows_of_sequences(model, head, piece.batch), piece.sequences,
                             reading.windows.value_or(WindowOptions()).pooling);
    case model::Head::token_classification:
    case model::Head::question_answering:
      return engine::head_logits(model.engine(), piece.batch, head);
  }
  __builtin_unreachable();
}

}  // namespace

LogitsReport write_logits(const LoadedModel& model, model::Head head, const NextRecord& next,
                          const ReadingOptions& reading, const std::filesystem::path& out) {
  using model::DType;
  require_head(model, head);
  const bool has_windows = head == model::Head::question_answering;
  if (reading.windows && !model::reads_pooled_output(head) && !has_windows) {
    throw UsageError("windows", "the logits of tokens are not divided into windows; --truncation cuts their texts");
  }
  io::OutputFile file(out);
  const Plan plan = make_plan(model, head, next, reading);
  const auto rows = static_cast<size_t>(plan.offsets.back());
  const size_t columns = model.engine().logit_columns(head);
  std::vector<io::TensorHeader> headers{{"offsets", DType::i64, {plan.offsets.size()}}};
  if (!model::reads_pooled_output(head)) headers.push_back({"tokens", DType::i64, {rows}});
  if (has_windows) headers.push_back({"windows", DType::i64, {plan.windows.size()}});
  headers.push_back({"logits", DType::f32, {rows, columns}});
  io::SafetensorsWriter writer(file, headers);
  writer.append(0, std::as_bytes(std::span(plan.offsets)));
  if (!model::reads_pooled_output(head)) writer.append(1, std::as_bytes(std::span(plan.tokens)));
  if (has_windows) writer.append(2, std::as_bytes(std::span(plan.windows)));
  for (const auto& piece : plan.pieces) {
    const auto logits = logits_of(model, head, piece, reading);
    writer.append(headers.size() - 1, logits.elements());
  }
  writer.finish();
  file.commit();
  return {.count = plan.count, .rows = rows, .columns = columns};
}

}  // namespace summand::api
