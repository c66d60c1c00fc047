#include "lab/calibrate/draws.hpp"

#include <algorithm>
#include <utility>

#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

Subject disguised(Table table, RandomStream& stream) {
  constexpr Range kScale{.low = 0.02, .high = 2};
  const double scale = kScale.draw_factor(stream);
  const Table shift = white_noise({1, static_cast<size_t>(table.cols())}, stream);
  table = scale * (table.rowwise() + shift.row(0));
  Subject subject;
  subject.name = "planted";
  subject.positions = std::move(table);
  return subject;
}

}  // namespace

Planting planting_of_tables(std::string name, FormatArgs ranges, std::vector<PlantedTruth> truths,
                            std::function<Table(RandomStream&)> draw) {
  return {.name = std::move(name),
          .ranges = std::move(ranges),
          .truths = std::move(truths),
          .plant = [draw = std::move(draw)](RandomStream& stream) {
            Table table = draw(stream);
            return disguised(std::move(table), stream);
          }};
}

Vector paces_apart(size_t circles, const Range& paces, RandomStream& stream) {
  constexpr double kApart = 1.6;
  const auto are_apart = [](const Vector& sorted) {
    for (Eigen::Index i = 1; i < sorted.size(); ++i) {
      if (sorted(i) < kApart * sorted(i - 1)) return false;
    }
    return true;
  };
  Vector drawn(static_cast<Eigen::Index>(circles));
  do {
    for (double& pace : drawn) pace = paces.draw_factor(stream);
    std::ranges::sort(drawn);
  } while (!are_apart(drawn));
  return drawn;
}

}  // namespace summand::lab
