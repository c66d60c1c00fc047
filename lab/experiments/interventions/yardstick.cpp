#include "lab/experiments/interventions/yardstick.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random_stream.hpp"

namespace summand::lab {

namespace interventions {
namespace {

constexpr double kLeastWorth = 1e-6;  // in words: what changes nothing has no logarithm
constexpr double kMostWorth = 1e3;    // where a word changes nothing

double worth_of(double change, double word) {
  if (word > change / kMostWorth) return std::max(kLeastWorth, change / word);
  return change > 0 ? kMostWorth : kLeastWorth;
}

}  // namespace
}  // namespace interventions

std::vector<size_t> first_numbers(size_t count) {
  std::vector<size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  return numbers;
}

double Yardstick::worth(std::span<const double> changes, std::span<const size_t> texts,
                        std::span<const size_t> words) const {
  double sum = 0;
  for (const size_t text : texts) {
    double word = 0;
    for (const size_t draw : words) word += words_[draw].vectors[text];
    sum += std::log(interventions::worth_of(changes[text], word / static_cast<double>(words.size())));
  }
  return std::exp(sum / static_cast<double>(texts.size()));
}

double Yardstick::worth(std::span<const double> changes, std::span<const size_t> texts) const {
  return worth(changes, texts, first_numbers(words_.size()));
}

std::optional<Interval> Yardstick::interval(std::span<const double> changes, std::span<const size_t> texts,
                                            const Draws& draws) const {
  if (texts.size() < kLeastResampled) return {};
  return middle_95_percent(drawn(draws, [&](RandomStream& stream) {
    std::vector<size_t> chosen(texts.size());
    for (size_t& text : chosen) text = texts[stream.below(texts.size())];
    std::vector<size_t> words(words_.size());
    for (size_t& draw : words) draw = stream.below(words_.size());
    return worth(changes, chosen, words);
  }));
}

}  // namespace summand::lab
