#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/assert.hpp"
#include "lab/report/assets.hpp"
#include "lab/report/figure_csv.hpp"
#include "lab/report/python.hpp"
#include "lab/report/report.hpp"
#include "lab/report/specification.hpp"
#include "lab/report/whole_file.hpp"

namespace summand::lab {
namespace {

using Json = nlohmann::json;

constexpr double kWidth = 720;  // pixels

std::string_view ending(FigureFormat format) {
  switch (format) {
    case FigureFormat::svg:
      return "svg";
    case FigureFormat::png:
      return "png";
  }
  __builtin_unreachable();
}

std::filesystem::path specification_path(const std::filesystem::path& folder, const Figure& figure, Language language) {
  return folder / fmt::format("{}.{}.vl.json", figure.name, language == Language::en ? "en" : "zh");
}

void write_texts(const std::filesystem::path& folder, const Figure& figure) {
  write_whole(folder / (figure.name + ".csv"), csv_of(figure));
  for (const auto language : {Language::en, Language::zh}) {
    const auto specification = whole_specification(figure, language, kWidth);
    write_whole(specification_path(folder, figure, language),
                specification.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  }
}

}  // namespace

void write_figures(const std::filesystem::path& folder, std::span<const ExperimentResult> reports,
                   std::span<const FigureFormat> formats, Language language) {
  const auto figures = folder / "figures";
  Json drawings = Json::array();
  std::set<std::string> names;
  for (const auto& report : reports) {
    for (const auto& figure : report.findings.figures) {
      [[maybe_unused]] const bool is_new = names.insert(figure.name).second;
      SUMMAND_ASSERT(is_new);  // or one would overwrite the other
      write_texts(figures, figure);
      for (const auto format : formats) {
        drawings.push_back({{"specification", specification_path(figures, figure, language).string()},
                            {"out", (figures / fmt::format("{}.{}", figure.name, ending(format))).string()}});
      }
    }
  }
  if (!drawings.empty()) run_python(assets::draw_py, drawings.dump());
}

}  // namespace summand::lab
