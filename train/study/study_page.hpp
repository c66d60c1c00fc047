#pragma once

#include <string>

#include "train/study/study_findings.hpp"

namespace summand::train {

/// The answer to the primary question in a sentence.
struct StudyAnswer {
  std::string en, zh;
};
[[nodiscard]] StudyAnswer answer_of(const StudyFindings& findings);

/// The report as one HTML file that loads nothing.
[[nodiscard]] std::string study_page(const StudyFindings& findings);

}  // namespace summand::train
