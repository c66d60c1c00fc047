#include "lab/calibrate/circle_heads.hpp"

#include <cmath>
#include <string>

#include "lab/calibrate/draws.hpp"
#include "lab/plant/planted_tables.hpp"
#include "lab/plant/small_model.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab {

namespace circle_heads {
namespace {

using Eigen::Index;

constexpr SmallSizes kSizes{.hidden = 64, .heads = 4, .positions = 192};
constexpr Index kOfHead = kSizes.hidden / kSizes.heads;
constexpr Range kPaces{.low = 0.02, .high = 0.35};  // cycles a row
constexpr Range kStrength{.low = 2, .high = 4};     // nats: of two tokens in the same direction
constexpr double kNoise = 0.05;                     // of the positions' entries
constexpr double kEntry = 0.3;                      // root of the mean square of a position's entries

/// What a head reads: weights of the planes' coordinates. @return [rows, 2 · circles], rows come in pairs
Table read_by(ReadsCircles heads, Index head, Index circles, RandomStream& stream) {
  switch (heads) {
    case ReadsCircles::one_each: {
      Table one = Table::Zero(2, 2 * circles);
      one.middleCols(2 * (head % circles), 2).setIdentity();
      return one;
    }
    case ReadsCircles::all_alike:
      return Table::Identity(2 * circles, 2 * circles);
    case ReadsCircles::random_planes:
      return random_frame(2, static_cast<size_t>(2 * circles), stream);
  }
  __builtin_unreachable();
}

}  // namespace
}  // namespace circle_heads

Subject reader_of_circles(ReadsCircles heads, size_t circles, RandomStream& stream) {
  using namespace circle_heads;
  SmallModel model(kSizes, stream);
  const PlantedCircles planted{.paces = paces_apart(circles, kPaces, stream),
                               .radii = Vector::Ones(static_cast<Index>(circles))};
  const Table places = places_on(planted, static_cast<size_t>(kSizes.positions), stream);
  const Table frame = random_frame(2 * circles, static_cast<size_t>(kSizes.hidden), stream);
  const Table noise = white_noise({static_cast<size_t>(kSizes.positions), static_cast<size_t>(kSizes.hidden)}, stream);
  const double norm = kEntry * std::sqrt(static_cast<double>(kSizes.hidden));
  model.put_positions(norm * places * frame + kNoise * noise);

  // Behind the normalisation a token's place is about this far from the middle of each circle.
  const double radius = norm / std::sqrt(static_cast<double>(circles)) / (kEntry * std::sqrt(3.0));
  const double nats = kStrength.draw(stream);
  Table reading = Table::Zero(kSizes.hidden, kSizes.hidden);
  for (Index head = 0; head < kSizes.heads; ++head) {
    const Table read = read_by(heads, head, static_cast<Index>(circles), stream);
    const double weaker = heads == ReadsCircles::all_alike ? 0.25 + 0.25 * static_cast<double>(head) : 1;
    const double logit = weaker * nats / (static_cast<double>(read.rows()) / 2);
    const double scale = std::sqrt(logit * std::sqrt(static_cast<double>(kOfHead))) / radius;
    reading.middleRows(head * kOfHead, read.rows()) = scale * read * frame;
  }
  for (const char* map : {"query", "key"}) {
    const std::string name = std::string("encoder.layer.0.attention.self.") + map;
    model.put(name + ".weight", reading);
    model.change(name + ".bias", [](Table& bias) { bias.setZero(); });
  }
  return model.subject(random_texts({.texts = 120, .shortest = 10, .longest = 20}, stream));
}

}  // namespace summand::lab
