#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/number_name.hpp"
#include "lab/core/words.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// Interventions whose changes are compared, each of them a family: the change of vectors has its bare name. Their
/// labels are what was done, without what it changed.
namespace interventions {
inline constexpr NumberName kPositionAveraged{"interventions", "position_averaged"};
inline constexpr NumberName kPositionPermuted{"interventions", "position_permuted"};
inline constexpr NumberName kPositionShift{"interventions", "position_shift"};
inline constexpr NumberName kPositionDisplaced{"interventions", "position_displaced"};
inline constexpr NumberName kSegmentAll0{"interventions", "segment_all_0"};
inline constexpr NumberName kSegmentAll1{"interventions", "segment_all_1"};
inline constexpr NumberName kSegmentAveraged{"interventions", "segment_averaged"};
inline constexpr NumberName kSegmentDisplaced{"interventions", "segment_displaced"};
}  // namespace interventions

/// Something that is done to a model or to its texts.
struct Intervention {
  std::string name;  ///< of its number: "segment_all_0"
  Words words;
  std::function<void(ChangedModel&)> model = {};  ///< changes weights, or nothing
  Edit edit = {};                                 ///< changes texts, or nothing
};

/// Segment ids all 0, all 1, flipped; every row the mean row; no rows at all. None with one segment row.
[[nodiscard]] std::vector<Intervention> segment_interventions(const Subject& subject);

/// Every position row the mean row, no rows at all, rows in another order, positions in another order within each text,
/// and texts that begin at a later position, as far as the table reaches.
/// @param longest  tokens of the longest text
[[nodiscard]] std::vector<Intervention> position_interventions(const Subject& subject, size_t longest, uint64_t seed);

/// One ordinary word of every text replaced by another one of these texts: the yardstick.
[[nodiscard]] Intervention one_word(const Texts& texts, RandomStream& stream);

/// Ordinary words dealt anew among all texts: nothing of a text's meaning is left.
[[nodiscard]] Intervention words_dealt(const Texts& texts, RandomStream& stream);

/// A constant moved from the position rows to the segment rows: the same model.
[[nodiscard]] Intervention same_model(const Subject& subject);

/// Every position row moved by one vector, in a random direction and as long as removing rows moves them: no row is
/// lost. @param longest  rows in use
[[nodiscard]] Intervention displaced_positions(const Subject& subject, size_t longest, RandomStream& stream);
/// The same of the segment rows behind the first: as far as they lie from it.
[[nodiscard]] Intervention displaced_segments(const Subject& subject, RandomStream& stream);

/// A part of the sum whose strength is changed.
enum class DosedPart { token, position, segment };

/// The part's rows, each the mean row and a multiple of its deviation from it. Of tokens only the rows of
/// the texts and of the mask are changed; a tied decoder keeps the rows that it had.
[[nodiscard]] Intervention dosed(const Subject& subject, DosedPart part, double strength, const Texts& texts);

}  // namespace summand::lab
