#include "lab/experiments/distance/distance_networks.hpp"

#include "lab/core/measured.hpp"
#include "lab/nulls/named_tables.hpp"

namespace summand::lab {

namespace distance {
namespace {

constexpr double kGood = 0.9;  // R²
constexpr double kPoor = 0.5;

constexpr NumberName kNetworkR2{"distance", "network_r2"};
constexpr NumberName kNetworkError{"distance", "network_mse"};
constexpr NumberName kUnscaledR2{"distance", "unscaled_network_r2"};
constexpr NumberName kLinearR2{"distance", "linear_r2"};

Verdict judge_network(const Numbers& numbers) {
  const double own = numbers.value(kNetworkR2);
  const double unscaled = numbers.value(kUnscaledR2);
  Verdict verdict;
  if (numbers.null(kNetworkR2) < kGood || numbers.control(kNetworkR2) >= kPoor) {
    verdict.observation = Observation::cannot_be_told;
  } else if (own < kPoor) {
    verdict.observation = Observation::holds;
  } else {
    verdict.observation = own >= kGood ? Observation::fails : Observation::cannot_be_told;
  }
  verdict.inference = own >= kGood ? Inference::follows : Inference::not_tested;
  verdict.reason = wording("distance.reasons.network", {{"own", own}, {"unscaled", unscaled}});
  return verdict;
}

}  // namespace
}  // namespace distance

Numbers distance_network_numbers(const Grid& grid) {
  using namespace distance;
  Numbers numbers;
  const auto add = [&](const NumberName& name, PairMethod method, double Scores::*measure) {
    const auto of = [&](const char* table) {
      return grid.at({table, Inputs::components, method, kNetworkSplit}).*measure;
    };
    numbers.add(Measured(name, of("table"))
                    .null(of("sinusoid"), words_of_sinusoid())
                    .control(of("white_noise"), words_of(Surrogate::white_noise)));
  };
  add(kNetworkR2, PairMethod::network, &Scores::r2);
  add(kNetworkError, PairMethod::network, &Scores::mse);
  add(kUnscaledR2, PairMethod::unscaled_network, &Scores::r2);
  add(kLinearR2, PairMethod::linear, &Scores::r2);
  return numbers;
}

Rule distance_network_rule() {
  using namespace distance;
  return described_rule("distance", "E8", judge_network, {{"good", kGood}, {"poor", kPoor}});
}

}  // namespace summand::lab
