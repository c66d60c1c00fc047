#include "lab/report/page_parts.hpp"

#include "base/assert.hpp"
#include "lab/core/verdict.hpp"
#include "lab/report/words_json.hpp"

namespace summand::lab {

std::string script_safe(const nlohmann::json& data) {
  const std::string text = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

void fill(std::string& page, std::string_view& rest, std::string_view mark, std::string_view text) {
  const auto at = rest.find(mark);
  SUMMAND_ASSERT(at != std::string_view::npos);
  page.append(rest.substr(0, at)).append(text);
  rest.remove_prefix(at + mark.size());
}

nlohmann::json verdict_words() {
  nlohmann::json result = nlohmann::json::object();
  for (const auto observation : {Observation::holds, Observation::fails, Observation::cannot_be_told,
                                 Observation::not_judged, Observation::not_measured}) {
    result[words_of(observation).en] = json_of(words_of(observation));
  }
  for (const auto inference : {Inference::follows, Inference::does_not_follow, Inference::not_tested}) {
    result[words_of(inference).en] = json_of(words_of(inference));
  }
  for (const auto truth : {Truth::true_here, Truth::false_here, Truth::open}) {
    result[words_of(truth).en] = json_of(words_of(truth));
  }
  for (const auto kind : {Kind::algebra, Kind::code, Kind::data}) {
    result[words_of(kind).en] = json_of(words_of(kind));
  }
  return result;
}

}  // namespace summand::lab
