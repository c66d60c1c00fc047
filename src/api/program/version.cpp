#include "summand/version.hpp"

#define SUMMAND_TEXT_OF(number) #number
#define SUMMAND_DOTTED(major, minor, patch) SUMMAND_TEXT_OF(major) "." SUMMAND_TEXT_OF(minor) "." SUMMAND_TEXT_OF(patch)

namespace summand {

std::string_view version() {
  return SUMMAND_DOTTED(SUMMAND_VERSION_MAJOR, SUMMAND_VERSION_MINOR, SUMMAND_VERSION_PATCH);
}

}  // namespace summand
