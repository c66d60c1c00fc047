// report_probe FOLDER [png|svg]…: writes the sample's report, for the tests in a browser.
#include <fmt/format.h>

#include <exception>
#include <string_view>
#include <vector>

#include "lab/report_sample.hpp"

int main(int argc, char** argv) {
  using namespace summand::lab;
  if (argc < 2) return 2;
  std::vector<FigureFormat> formats;
  for (int i = 2; i < argc; ++i) {
    formats.push_back(std::string_view(argv[i]) == "svg" ? FigureFormat::svg : FigureFormat::png);
  }
  const auto reports = sample::reports();
  try {
    write_results(argv[1], sample::facts(), reports, sample::ledger());
    write_page(argv[1], sample::facts(), reports, sample::ledger(), {}, sample::calibration());
    write_figures(argv[1], reports, formats, Language::zh);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
