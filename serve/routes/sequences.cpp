#include "serve/routes/sequences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "api/heads/trained_reading.hpp"
#include "base/error.hpp"
#include "serve/routes/characters.hpp"
#include "text/encode_text.hpp"

namespace summand::serve {

namespace {

/// One item, encoded.
struct Encoded {
  std::vector<api::Sequence> sequences;
  bool truncated = false;
};

api::Sequence sequence_of(text::Encoding encoding) {
  return {.ids = std::move(encoding.ids), .segments = std::move(encoding.segments)};
}

std::string place(const Reading& reading, size_t item, size_t items) {
  if (reading.place) return reading.place(item);
  return items == 1 ? reading.field : fmt::format("{}[{}]", reading.field, item);
}

/// Source of the first message: text-embeddings-inference, core/src/tokenization.rs
[[noreturn]] void refuse_length(const std::string& where, size_t limit, size_t got) {
  throw Refused{Fault::validation,
                fmt::format("Input validation error: `{}` must have at most {} tokens. Given: {}", where, limit, got),
                where};
}

Encoded as_given(const api::LoadedModel& model, const std::vector<int32_t>& ids, const Reading& reading,
                 const std::string& where) {
  if (ids.empty())
    throw Refused{Fault::empty, fmt::format("Input validation error: `{}` cannot be empty", where), where};
  for (const auto id : ids) {
    if (id < model.config().vocab_size) continue;
    throw Refused{
        Fault::validation,
        fmt::format("`{}`: expected ids of this model's vocabulary, 0 to {}, got {}. Ids are taken as they are; "
                    "LangChain's OpenAIEmbeddings sends ids of another tokenizer unless "
                    "check_embedding_ctx_length=False",
                    where, model.config().vocab_size - 1, id),
        where};
  }
  if (ids.size() > reading.limit && !reading.truncate) refuse_length(where, reading.limit, ids.size());
  const size_t kept = std::min(ids.size(), reading.limit);
  const size_t first = reading.direction == text::Truncation::tail ? ids.size() - kept : 0;
  const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(first);
  return {.sequences = {{.ids = {begin, begin + static_cast<std::ptrdiff_t>(kept)},
                         .segments = std::vector<int32_t>(kept, 0)}},
          .truncated = kept < ids.size()};
}

Encoded divided(const api::LoadedModel& model, const TextView& text, const Reading& reading, const std::string& where) {
  const auto windows = model.divide(text, {.max_length = reading.limit,
                                           .overlap = reading.windows->overlap,
                                           .repeated_bytes = reading.prompt.size(),
                                           .most_windows = model.most_windows(reading.windows->pooling)});
  if (windows.cut() > 0 && !reading.truncate) {
    throw Refused{Fault::validation,
                  fmt::format("Input validation error: `{}` must have at most {} windows of {} tokens. Given: more",
                              where, windows.windows(), reading.limit),
                  where};
  }
  Encoded encoded{.sequences = {}, .truncated = windows.cut() > 0};
  for (size_t window = 0; window < windows.windows(); ++window) {
    auto encoding = windows.window(window);
    model.check_ids(encoding);
    encoded.sequences.push_back(sequence_of(std::move(encoding)));
  }
  return encoded;
}

Encoded from_text(const api::LoadedModel& model, const InputItem& item, const Reading& reading,
                  const std::string& where) {
  if (reading.refuse_empty && item.text.empty() && (!item.pair || item.pair->empty())) {
    throw Refused{Fault::empty, fmt::format("Input validation error: `{}` cannot be empty", where), where};
  }
  std::string prompted;
  TextView view(item.text);
  if (!reading.prompt.empty()) {
    prompted = reading.prompt + item.text;
    view.text = prompted;
  }
  if (item.pair) view.text_pair = *item.pair;
  if (reading.windows) return divided(model, view, reading, where);
  text::EncodeOptions options{.truncation = reading.direction};
  if (reading.truncate) options.max_length = reading.limit;
  auto encoding = text::encode(model.tokenizer(), view, options);
  if (encoding.ids.size() > reading.limit) refuse_length(where, reading.limit, encoding.ids.size());
  model.check_ids(encoding);
  const bool truncated = encoding.cut > 0;
  return {.sequences = {sequence_of(std::move(encoding))}, .truncated = truncated};
}

Encoded encoded(const api::LoadedModel& model, const InputItem& item, const Reading& reading,
                const std::string& where) {
  try {
    if (item.ids) return as_given(model, *item.ids, reading, where);
    return from_text(model, item, reading, where);
  } catch (const Error& error) {
    throw Refused{Fault::tokenizer, fmt::format("`{}`: {}", where, error.what()), where};
  }
}

}  // namespace

Sequences make_sequences(Call& call, const api::LoadedModel& model, const std::vector<InputItem>& items,
                         const Reading& reading) {
  call.require_texts(items.size());
  size_t bytes = 0;
  for (const auto& item : items) {
    bytes += item.text.size() + (item.pair ? item.pair->size() : 0) + (item.ids ? 0 : reading.prompt.size());
  }
  call.require_reading(bytes);
  Sequences made;
  made.sequences.reserve(items.size());
  constexpr size_t kBetweenLooks = 256;
  for (size_t item = 0; item < items.size(); ++item) {
    if (item % kBetweenLooks == kBetweenLooks - 1 && call.is_gone()) {
      call.dropped();
      throw Refused{Fault::unavailable, "the client has gone"};  // which nobody hears
    }
    made.characters += characters(items[item].text) + characters(items[item].pair.value_or(""));
    try {
      auto one = encoded(model, items[item], reading, place(reading, item, items.size()));
      made.truncated += one.truncated ? 1 : 0;
      for (auto& sequence : one.sequences) {
        made.tokens += sequence.ids.size();
        made.sequences.push_back(std::move(sequence));
        made.items.push_back(item);
      }
    } catch (const Refused& refused) {
      if (!reading.item_faults) throw;
      made.faults.push_back({.item = item, .refused = refused});
    }
  }
  call.set_size(
      {.texts = items.size(), .tokens = made.tokens, .truncated = made.truncated, .characters = made.characters});
  call.charge();
  return made;
}

void read_truncation(Body& body, bool auto_truncate, Reading& reading) {
  reading.truncate = body.boolean("truncate").value_or(auto_truncate);
  auto direction = body.string("truncation_direction");
  if (!direction) return;
  reading.windows.reset();
  const std::string given = *direction;
  std::ranges::transform(*direction, direction->begin(), [](unsigned char c) { return std::tolower(c); });
  if (*direction == "left") {
    reading.direction = text::Truncation::tail;
  } else if (*direction == "right") {
    reading.direction = text::Truncation::head;
  } else {
    const auto field = body.path_to("truncation_direction");
    throw Refused{Fault::validation, fmt::format("`{}`: expected Left or Right, got '{}'", field, printable(given)),
                  field};
  }
}

Reading head_reading(Call& call, const api::LoadedModel& model, model::Head head, const char* field) {
  const auto trained = api::reading_for(model, head, {});
  Reading reading{.field = field,
                  .limit = trained.length.max_length.value_or(model.position_limit()),
                  .direction = trained.length.truncation.value_or(text::Truncation::longest_first),
                  .windows = trained.windows};
  read_truncation(call.body(), call.service().options.auto_truncate, reading);
  return reading;
}

}  // namespace summand::serve
