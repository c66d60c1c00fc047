#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/core/number_name.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// Interventions whose changes are compared, each of them a family: the change of vectors has its bare name. Their
/// labels are what was done, without what it changed.
namespace interventions {
inline constexpr NumberName kOrderAveraged{"interventions", "order_averaged"};
inline constexpr NumberName kWordOrderAveraged{"interventions", "word_order_averaged"};
inline constexpr NumberName kOrderDisplaced{"interventions", "order_displaced"};
inline constexpr NumberName kPositionAveraged{"interventions", "position_averaged"};
inline constexpr NumberName kOrderPermuted{"interventions", "order_permuted"};
inline constexpr NumberName kPositionShift{"interventions", "position_shift"};
inline constexpr NumberName kSegmentAll0{"interventions", "segment_all_0"};
inline constexpr NumberName kSegmentAll1{"interventions", "segment_all_1"};
inline constexpr NumberName kSegmentAveraged{"interventions", "segment_averaged"};
inline constexpr NumberName kSegmentLeftOut{"interventions", "segment_left_out"};
inline constexpr NumberName kOneWord{"interventions", "one_word"};
inline constexpr NumberName kSegmentDisplaced{"interventions", "segment_displaced"};
}  // namespace interventions

/// Something that is done to a model or to its texts.
struct Intervention {
  std::string name;                               ///< of its number: "segment_all_0"
  LocalizedText words;                            ///< of what is done; none of a dose
  std::function<void(ChangedModel&)> model = {};  ///< changes weights, or nothing
  Edit edit = {};                                 ///< changes texts, or nothing
};

/// Both rows their mean, which takes their difference away; segment ids all 0, all 1, flipped; no rows at all. None
/// with one segment row.
[[nodiscard]] std::vector<Intervention> segment_interventions(const Subject& subject);

/// Which rows of the position table the texts use, and what of it is their order: [CLS] always stands at row 0, so that
/// this row is a constant.
struct RowsInUse {
  size_t count = 0;  ///< the longest text's tokens
};

/// The rows in use but row 0 each their mean: the first one, which takes the order of the words away and nothing else;
/// the same of ordinary tokens alone, special ones keeping their places; every row the mean row, row 0 too; no rows at
/// all; rows in use but row 0 in another order; words in another order within each text; and texts that begin at a
/// later position, as far as the table reaches.
[[nodiscard]] std::vector<Intervention> position_interventions(const Subject& subject, const Texts& texts,
                                                               RowsInUse rows, uint64_t seed);

/// One ordinary word of every text replaced by another one of these texts: the yardstick.
[[nodiscard]] Intervention one_word(const Texts& texts, RandomStream& stream);

/// Ordinary words dealt anew among all texts: nothing of a text's meaning is left.
[[nodiscard]] Intervention words_dealt(const Texts& texts, RandomStream& stream);

/// A constant moved from the position rows to the segment rows: the same model.
[[nodiscard]] Intervention same_model(const Subject& subject);

/// The rows in use but row 0 moved by one vector, in a random direction and as long as averaging moves them: no row is
/// lost.
[[nodiscard]] Intervention displaced_order(const Subject& subject, RowsInUse rows, RandomStream& stream);
/// Both segment rows moved so, and their difference kept: as far as averaging moves them.
[[nodiscard]] Intervention displaced_segments(const Subject& subject, RandomStream& stream);

/// A part of the sum whose strength is changed.
enum class DosedPart { token, position, segment };

/// The part's rows, each the mean row and a multiple of its deviation from it. Of positions those in use but row 0, of
/// tokens the rows of the texts and of the mask are changed; a tied decoder keeps the rows that it had.
[[nodiscard]] Intervention dosed(const Subject& subject, DosedPart part, double strength, const Texts& texts);

}  // namespace summand::lab
