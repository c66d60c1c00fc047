#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace summand::text {

/// The special tokens around one text or a pair.
struct SpecialTemplate {
  enum class Kind { first, second, special };
  struct Piece {
    Kind kind;
    int32_t segment = 0;
    std::vector<int32_t> ids = {};  ///< of special tokens; one name may mean several
    [[nodiscard]] bool operator==(const Piece&) const = default;
  };

  std::vector<Piece> pieces;

  /// Number of tokens it adds.
  [[nodiscard]] size_t special_tokens() const {
    size_t count = 0;
    for (const Piece& piece : pieces) count += piece.ids.size();
    return count;
  }

  [[nodiscard]] bool operator==(const SpecialTemplate&) const = default;
};

/// The two templates of a tokenizer.
struct SpecialTemplates {
  SpecialTemplate single;
  SpecialTemplate pair;

  [[nodiscard]] bool operator==(const SpecialTemplates&) const = default;

  /// No special tokens; segment 0, and 1 for the second text.
  [[nodiscard]] static SpecialTemplates bare() {
    using Kind = SpecialTemplate::Kind;
    return {{{{Kind::first, 0, {}}}}, {{{Kind::first, 0, {}}, {Kind::second, 1, {}}}}};
  }

  /// [CLS] first [SEP], and [CLS] first [SEP] second [SEP] with segment 1 from the second text on.
  /// Source: Devlin et al. 2018, section 3
  [[nodiscard]] static SpecialTemplates bert(int32_t cls, int32_t sep) {
    using Kind = SpecialTemplate::Kind;
    const SpecialTemplate::Piece begin{Kind::special, 0, {cls}};
    const SpecialTemplate::Piece first{Kind::first, 0, {}};
    const SpecialTemplate::Piece middle{Kind::special, 0, {sep}};
    const SpecialTemplate::Piece second{Kind::second, 1, {}};
    const SpecialTemplate::Piece end{Kind::special, 1, {sep}};
    return {{{begin, first, middle}}, {{begin, first, middle, second, end}}};
  }
};

}  // namespace summand::text
