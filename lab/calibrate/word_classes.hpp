#pragma once

#include "base/random_stream.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// Which parts of the sum a language needs, and a model reads, to fill masked words.
enum class ReadsParts { both, order_alone, segment_alone };

/// A model that fills masked words as well as can be, of a language whose words have classes: one that alternates with
/// the position, one for each of the two texts of a pair, and a topic that all words of a pair share. The model reads
/// the first off the position row, the second off the segment row, the third off the other words, and both rows and
/// words of a class that it does not read are drawn without it.
/// @param strength  of what position and segment rows say, beside a word's own
[[nodiscard]] Subject reader_of_word_classes(ReadsParts reads, double strength, RandomStream& stream);

}  // namespace summand::lab
