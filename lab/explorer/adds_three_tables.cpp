#include "lab/explorer/adds_three_tables.hpp"

#include "lab/probing/input_parts.hpp"
#include "lab/subject/beyond_claims.hpp"

namespace summand::lab {

bool adds_three_tables(const Subject& subject) {
  return !beyond_claims(subject) && !lacks_sum(subject) && subject.positions.rows() > 0;
}

}  // namespace summand::lab
