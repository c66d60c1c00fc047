#include "lab/experiments/removed_components/piece_bench.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

PieceBench::PieceBench(const Subject& subject, const Conditions& conditions, PositionPieces pieces, const Texts& texts,
                       Draws draws)
    : subject_(subject),
      conditions_(conditions),
      draws_(std::move(draws)),
      pieces_(std::move(pieces)),
      special_(texts.special),
      undisturbed_(undisturbed(texts)),
      all_(change(pieces_.first_components(0), CompareStates::all)),
      in_use_(longest_of(texts)) {}

Undisturbed PieceBench::undisturbed(const Texts& texts) const {
  RandomStream stream(conditions_.seed, "removed components: masks");
  return {subject_, engine_with_positions(subject_, pieces_.table(), conditions_.threads), texts, stream};
}

OutputChange PieceBench::change(const Table& positions, CompareStates states) const {
  return undisturbed_.change(engine_with_positions(subject_, positions, conditions_.threads), {}, states);
}

Kept PieceBench::kept_of(const OutputChange& change, const OutputChange& all) const {
  const auto lost = ratio_over_texts(change.vectors, all.vectors, draws_);
  return {.value = 1 - lost.value, .interval = {.low = 1 - lost.interval.high, .high = 1 - lost.interval.low}};
}

Kept PieceBench::kept(const Table& positions) const {
  return kept_of(change(positions), all_);
}

Kept PieceBench::kept_by(size_t components) const {
  const auto found = kept_by_.find(components);
  if (found != kept_by_.end()) return found->second;
  return kept_by_[components] = kept(pieces_.first_components(components));
}

Kept PieceBench::kept_of_loss(size_t components) const {
  const auto lost = ratio_over_texts(change(pieces_.first_components(components)).losses, all_.losses, draws_);
  return {.value = 1 - lost.value, .interval = {.low = 1 - lost.interval.high, .high = 1 - lost.interval.low}};
}

Kept PieceBench::kept_in_use(size_t components) const {
  const auto rows = static_cast<Eigen::Index>(in_use_);
  std::vector<size_t> kept = pieces_.kept();
  std::erase_if(kept, [&](size_t row) { return row >= in_use_; });
  if (lacking(without_rows(pieces_.table().topRows(rows), kept), 2, 1)) return {.value = 1, .interval = {1, 1}};
  const PositionPieces in_use(pieces_.table().topRows(rows), std::move(kept));
  const auto changed = [&](size_t count) {
    Table table = pieces_.table();
    table.topRows(rows) = in_use.first_components(count);
    return change(table);
  };
  return kept_of(changed(components), changed(0));
}

Kept PieceBench::kept_for_words(size_t components) const {
  const Table& own = pieces_.table();
  const auto changed = [&](size_t count) {
    Table both(2 * own.rows(), own.cols());
    both << own, pieces_.first_components(count);
    const auto at_changed_rows = [&](model::Batch& batch) {
      for (size_t t = 0; t < special_.size(); ++t) {
        if (!special_[t]) batch.positions[t] += static_cast<int32_t>(own.rows());
      }
    };
    return undisturbed_.change(engine_with_positions(subject_, both, conditions_.threads), at_changed_rows);
  };
  return kept_of(changed(components), changed(0));
}

}  // namespace summand::lab
