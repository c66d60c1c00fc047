#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

/// What the report is made of beside its numbers: the files of assets/ and the Vega bundle, put into the program by
/// embed_files.py.
namespace summand::lab::assets {

extern const std::string_view page_html;     ///< with {{marks}} for what follows
extern const std::string_view compare_html;  ///< likewise, of a comparison
extern const std::string_view page_css;
extern const std::string_view explorer_css;
extern const std::string_view compare_css;  ///< what a comparison's page has beside it
extern const std::string_view words_js;
extern const std::string_view elements_js;
extern const std::string_view figures_js;
extern const std::string_view matrix_js;
extern const std::string_view verdicts_js;
extern const std::string_view calibration_js;
extern const std::string_view surrogates_js;
extern const std::string_view pages_js;
extern const std::string_view dials_js;
extern const std::string_view in_short_js;
extern const std::string_view explorer_words_js;
extern const std::string_view explorer_data_js;
extern const std::string_view drawing_js;
extern const std::string_view explorer_drawing_js;
extern const std::string_view explorer_tokens_js;
extern const std::string_view explorer_attention_js;
extern const std::string_view explorer_heads_js;
extern const std::string_view explorer_strength_js;
extern const std::string_view explorer_pairs_js;
extern const std::string_view explorer_js;
extern const std::string_view main_js;
extern const std::string_view compare_js;
extern const std::string_view glossary_json;  ///< of every term: name, meaning, and where its name means something else
extern const std::string_view theme_json;
extern const std::string_view licences_txt;  ///< of the Vega bundle
extern const std::string_view draw_py;       ///< draws figures without a screen
extern const std::string_view vega_js;       ///< sets window.vegaEmbed

}  // namespace summand::lab::assets

namespace summand::lab {

/// {"colours": {"light": {"@ink": …}, "dark": …}, "config": a Vega-Lite configuration in these colours,
/// "narrow": what differs of it in a narrow figure}
[[nodiscard]] const nlohmann::json& theme();

}  // namespace summand::lab
