#include "lab/probing/ordinary_items.hpp"

#include <cstddef>

namespace summand::lab {

CorpusItems ordinary_items(const Subject& subject) {
  const CorpusItems all = corpus_items(subject);
  CorpusItems ordinary;
  for (size_t text = 0; text + 1 < all.texts.size(); ++text) {
    const auto& special = subject.corpus.sentences[text].special;
    for (size_t i = all.texts[text]; i < all.texts[text + 1]; ++i) {
      if (!special[i - all.texts[text]]) ordinary.items.push_back(all.items[i]);
    }
    ordinary.texts.push_back(ordinary.items.size());
  }
  return ordinary;
}

}  // namespace summand::lab
