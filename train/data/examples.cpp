#include "train/data/examples.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace summand::train {

namespace {

/// A document's sentences, longer ones in pieces of at most `longest` tokens; none is empty.
std::vector<Range> pieces_of(const TokenFile& file, uint64_t document, size_t longest) {
  std::vector<Range> pieces;
  const Range sentences = file.document(document);
  for (size_t i = sentences.begin; i < sentences.end; ++i) {
    const Range sentence = file.sentence(i);
    for (size_t begin = sentence.begin; begin < sentence.end; begin += longest) {
      pieces.push_back({begin, std::min(sentence.end, begin + longest)});
    }
  }
  return pieces;
}

Range joined(std::span<const Range> pieces) {
  return {pieces.front().begin, pieces.back().end};
}

/// Some tokens of another document, from a piece of a sentence on, drawn at random.
Range elsewhere(const TokenFile& file, uint64_t document, size_t tokens, size_t longest, RandomStream& stream) {
  uint64_t other = document;
  for (int attempt = 0; attempt < 10 && other == document; ++attempt) other = stream.below(file.documents());
  const Range sentences = file.document(other);
  size_t number = sentences.begin + stream.below(sentences.size());
  Range sentence = file.sentence(number);
  const size_t pieces = (sentence.size() + longest - 1) / longest;
  const size_t begin = sentence.begin + (pieces > 1 ? longest * stream.below(pieces) : 0);
  Range range{begin, std::min(sentence.end, begin + longest)};
  while (range.size() < tokens) {
    if (range.end == sentence.end) {
      if (++number == sentences.end) break;
      sentence = file.sentence(number);
    }
    range.end = std::min(sentence.end, range.end + longest);
  }
  return range;
}

/// Takes tokens off the ends of the longer one until both fit.
void cut(Range& first, Range& second, size_t most, RandomStream& stream) {
  while (first.size() + second.size() > most) {
    Range& longer = first.size() > second.size() ? first : second;
    if (stream.uniform() < 0.5) {
      ++longer.begin;
    } else {
      --longer.end;
    }
  }
}

/// The documents' walk, sentence by sentence.
class Cutting {
 public:
  Cutting(const TokenFile& file, uint64_t document, const ExampleRules& rules, RandomStream& stream)
      : file_(file),
        document_(document),
        rules_(rules),
        stream_(stream),
        most_(rules.length - special_tokens_of(rules.pairs)),
        pieces_(pieces_of(file, document, most_)) {}

  std::vector<Example> run() {
    size_t begin = 0;
    while (begin < pieces_.size()) {
      const size_t tokens = target();
      // A single text may be shorter than its first sentence: the rest of it comes next.
      if (rules_.pairs == Pairs::none && pieces_[begin].size() > tokens) {
        add({.first = {pieces_[begin].begin, pieces_[begin].begin + tokens}});
        pieces_[begin].begin += tokens;
        continue;
      }
      const size_t end = chunk_end(begin, tokens);
      begin += add(std::span(pieces_).subspan(begin, end - begin));
    }
    return std::move(examples_);
  }

 private:
  size_t target() { return stream_.uniform() < rules_.short_share ? 2 + stream_.below(most_ - 1) : most_; }

  /// Of a single text, what fits; of a pair, until it is filled, since its ends are cut.
  [[nodiscard]] size_t chunk_end(size_t begin, size_t tokens) {
    target_ = tokens;
    size_t end = begin;
    size_t count = 0;
    while (end < pieces_.size() && count < tokens) {
      const size_t with_next = count + pieces_[end].size();
      if (rules_.pairs == Pairs::none && end > begin && with_next > tokens) break;
      count = with_next;
      ++end;
    }
    return end;
  }

  /// @return how many of the pieces are used up
  size_t add(std::span<const Range> chunk) {
    if (rules_.pairs == Pairs::none) {
      add({.first = joined(chunk)});
      return chunk.size();
    }
    const size_t divide = chunk.size() < 2 ? 1 : 1 + stream_.below(chunk.size() - 1);
    const bool alone = divide == chunk.size();
    if (rules_.pairs == Pairs::sentence_order) {
      if (!alone) add_ordered(joined(chunk.first(divide)), joined(chunk.subspan(divide)));
      if (alone && chunk.front().size() > 1) {  // a single sentence is divided between two tokens
        const size_t middle = chunk.front().begin + 1 + stream_.below(chunk.front().size() - 1);
        add_ordered({chunk.front().begin, middle}, {middle, chunk.front().end});
      }
      return chunk.size();
    }
    Range first = joined(chunk.first(divide));
    const bool elsewhere_drawn = stream_.uniform() < 0.5;
    if (alone || elsewhere_drawn) {
      const size_t wanted = target_ > first.size() ? target_ - first.size() : 1;
      add_pair(first, elsewhere(file_, document_, wanted, most_, stream_), kFollowsNot);
      return divide;  // the unused part comes again
    }
    add_pair(first, joined(chunk.subspan(divide)), kFollows);
    return chunk.size();
  }

  void add_ordered(Range first, Range second) {
    const bool swapped = stream_.uniform() < 0.5;
    if (swapped) std::swap(first, second);
    add_pair(first, second, swapped ? kFollowsNot : kFollows);
  }

  void add_pair(Range first, Range second, int32_t label) {
    cut(first, second, most_, stream_);
    add({.first = first, .second = second, .label = label});
  }

  void add(Example example) {
    example.document = document_;
    example.place = examples_.size();
    examples_.push_back(example);
  }

  const TokenFile& file_;
  uint64_t document_;
  const ExampleRules& rules_;
  RandomStream& stream_;
  size_t most_;
  std::vector<Range> pieces_;
  size_t target_ = 0;
  std::vector<Example> examples_;
};

}  // namespace

std::span<const model::EnumName<Pairs>> enum_names(Pairs) {
  static constexpr std::array kNames{model::EnumName{Pairs::none, "none"},
                                     model::EnumName{Pairs::next_sentence, "next_sentence"},
                                     model::EnumName{Pairs::sentence_order, "sentence_order"}};
  return kNames;
}

size_t special_tokens_of(Pairs pairs) {
  return pairs == Pairs::none ? 2 : 3;
}

std::vector<Example> cut_examples(const TokenFile& file, uint64_t document, const ExampleRules& rules,
                                  RandomStream& stream) {
  return Cutting(file, document, rules, stream).run();
}

}  // namespace summand::train
