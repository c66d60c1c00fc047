#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "python/binding/gil.hpp"
#include "summand/error.hpp"
#include "summand/taps.hpp"
#include "summand/text.hpp"

namespace summand::python {

/// Runs what needs no Python, so that other Python threads run meanwhile.
template <class Call>
auto without_gil(const Call& call) {
  const WithoutGil released;
  return call();
}

/// Raises KeyboardInterrupt, or whatever a signal's handler raises, on the main thread.
inline void check_signals() {
  if (PyErr_CheckSignals() != 0) nb::raise_python_error();
}

/// How much text a call takes between two looks at signals: some 16,000 tokens.
inline constexpr size_t kBytesBetweenSignals = 65536;
/// The same of a call that only tokenizes.
inline constexpr size_t kBytesTokenized = size_t{4} << 20;

/// Number of texts from `begin` on that together have about so many bytes. A text counts as 16 more, for its tokens
/// [CLS] and [SEP] and what a call costs.
inline size_t next_chunk(std::span<const TextView> texts, size_t begin, size_t most_bytes) {
  size_t bytes = 0, end = begin;
  while (end < texts.size() && (end == begin || bytes < most_bytes)) {
    const TextView& text = texts[end++];
    bytes += 16 + text.text.size() + text.text_pair.value_or("").size();
    if (text.words) {
      for (const std::string& word : *text.words) bytes += word.size() + 1;
    }
  }
  return end - begin;
}

/// Calls `run` on part after part of the texts, without the GIL, and `take` with each part's result, with it. Signals
/// are looked at in between. A text's results do not depend on the others, so parts change nothing.
/// @param run   TextList → result
/// @param take  (first text of the part, result)
template <class Run, class Take>
void in_parts(std::span<const TextView> texts, const Run& run, const Take& take,
              size_t most_bytes = kBytesBetweenSignals) {
  size_t begin = 0;
  do {
    const size_t count = next_chunk(texts, begin, most_bytes);
    try {
      take(begin, without_gil([&] { return run(TextList(texts.subspan(begin, count))); }));
    } catch (const Error&) {
      if (begin == 0) throw;
      // Errors name a text by its number in the call. Texts that have been computed stand in for those before it.
      std::vector<TextView> all(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(begin + count));
      std::fill_n(all.begin(), begin, texts.front());
      without_gil([&] { (void)run(TextList(std::span<const TextView>(all))); });
      throw;
    }
    check_signals();
    begin += count;
  } while (begin < texts.size());
}

/// Where a call cuts texts.
struct CutLimit {
  CutLimit(size_t of_text, const char* of_what = "tokens") : limit(of_text), unit(of_what) {}  // NOLINT: implicit
  size_t limit;
  const char* unit;
};

/// in_parts(), but in one part with taps, whose sites count the texts of the call. Tells how many texts were cut.
/// @param limit  at which they were
template <class Run, class Take>
void run_in_parts(std::span<const TextView> texts, const Taps& taps, const CutLimit& limit, const Run& run,
                  const Take& take) {
  size_t cut = 0;
  const auto counted = [&](size_t begin, auto part) {
    cut += part.count.texts_cut;
    take(begin, std::move(part));
  };
  if (taps.empty()) {
    in_parts(texts, run, counted);
  } else {
    counted(size_t{0}, without_gil([&] { return run(TextList(texts)); }));
  }
  if (cut > 0) nb::module_::import_("summand.warnings").attr("say_cut")(cut, texts.size(), limit.limit, limit.unit);
}

}  // namespace summand::python
