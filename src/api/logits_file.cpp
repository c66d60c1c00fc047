#include "api/logits_file.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "api/fill_mask.hpp"
#include "api/heads.hpp"
#include "api/next_sentence.hpp"
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
  std::vector<size_t> masks;
};

/// All texts, and where their logits go.
struct Plan {
  std::vector<Piece> pieces;
  std::vector<int64_t> offsets{0};
  std::vector<int64_t> tokens;  ///< of each row, where the head looks at tokens
  size_t texts_cut = 0;
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
    case model::Head::token_classification: {
      std::vector<size_t> all(batch.texts.batch.tokens());
      std::iota(all.begin(), all.end(), size_t{0});
      return all;
    }
  }
  __builtin_unreachable();
}

/// Adds one text with its rows to the last piece, or to a new one where that is full.
void add_text(Plan& plan, const text::Encoding& encoding, std::span<const size_t> rows, size_t columns) {
  constexpr size_t kPieceTokens = 16384;
  const auto full = [&](const Piece& piece) {
    return piece.batch.tokens() + piece.batch.texts() >= kPieceTokens ||
           (piece.masks.size() + rows.size()) * columns > kMostLogits;
  };
  if (plan.pieces.empty() || full(plan.pieces.back())) plan.pieces.emplace_back();
  auto& piece = plan.pieces.back();
  for (const size_t row : rows) {
    piece.masks.push_back(piece.batch.tokens() + row);
    plan.tokens.push_back(static_cast<int64_t>(row));
  }
  piece.batch.add(encoding.ids, encoding.segments);
}

Plan plan_of(const LoadedModel& model, model::Head head, const NextRecord& next, const LengthOptions& length) {
  const bool one_row_per_text = model::reads_pooled_output(head);
  const size_t columns = model.engine().logit_columns(head);
  Plan plan;
  RecordBatches batches(model, next, length);
  while (const auto batch = batches.next()) {
    const auto rows = token_rows(model, head, *batch);
    const auto& offsets = batch->texts.batch.offsets;
    auto row = rows.begin();
    for (size_t text = 0; text < batch->records.size(); ++text) {
      std::vector<size_t> of_text;
      for (; row != rows.end() && *row < offsets[text + 1]; ++row) of_text.push_back(*row - offsets[text]);
      add_text(plan, batch->texts.encodings[text], of_text, columns);
      plan.offsets.push_back(plan.offsets.back() + (one_row_per_text ? 1 : static_cast<int64_t>(of_text.size())));
    }
  }
  plan.texts_cut = batches.texts_cut();
  return plan;
}

}  // namespace

LogitsReport write_logits(const LoadedModel& model, model::Head head, const NextRecord& next,
                          const LengthOptions& length, const std::filesystem::path& out) {
  using model::DType;
  require_head(model, head);
  io::OutputFile file(out);
  const Plan plan = plan_of(model, head, next, length);
  const auto rows = static_cast<size_t>(plan.offsets.back());
  const size_t columns = model.engine().logit_columns(head);
  std::vector<io::TensorHeader> headers{{"offsets", DType::i64, {plan.offsets.size()}}};
  if (!model::reads_pooled_output(head)) headers.push_back({"tokens", DType::i64, {rows}});
  headers.push_back({"logits", DType::f32, {rows, columns}});
  io::SafetensorsWriter writer(file, headers);
  writer.append(0, std::as_bytes(std::span(plan.offsets)));
  if (!model::reads_pooled_output(head)) writer.append(1, std::as_bytes(std::span(plan.tokens)));
  for (const auto& piece : plan.pieces) {
    const bool masked = head == model::Head::masked_language;
    const auto logits = engine::head_logits(model.engine(), piece.batch, head,
                                            masked ? std::span<const size_t>(piece.masks) : std::span<const size_t>());
    writer.append(headers.size() - 1, logits.elements());
  }
  writer.finish();
  file.commit();
  return {.texts = plan.offsets.size() - 1, .texts_cut = plan.texts_cut, .rows = rows, .columns = columns};
}

}  // namespace summand::api
