#pragma once

#include "lab/core/localized_text.hpp"

namespace summand::lab {

using Words = LocalizedText;  ///< of the ledger and the glossary

}  // namespace summand::lab
