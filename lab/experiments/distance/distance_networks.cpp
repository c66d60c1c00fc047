#include "lab/experiments/distance/distance_networks.hpp"

#include <fmt/format.h>

#include <utility>

#include "lab/core/measured.hpp"
#include "lab/nulls/named_tables.hpp"

namespace summand::lab {

namespace {

constexpr double kGood = 0.9;  // R²
constexpr double kPoor = 0.5;

Verdict judge_network(const Numbers& numbers) {
  const double own = numbers.value("network_r2");
  const double unscaled = numbers.value("unscaled_network_r2");
  Verdict verdict;
  if (numbers.null("network_r2") < kGood || numbers.control("network_r2") >= kPoor) {
    verdict.observation = Observation::cannot_be_told;
  } else if (own < kPoor) {
    verdict.observation = Observation::holds;
  } else {
    verdict.observation = own >= kGood ? Observation::fails : Observation::cannot_be_told;
  }
  verdict.inference = own >= kGood ? Inference::follows : Inference::not_tested;
  verdict.reason = {
      fmt::format(
          "an antisymmetric network with normalised targets reaches R² {:.3f} on new positions; the same network "
          "with targets in positions {:.3f}",
          own, unscaled),
      fmt::format("目标归一化的反对称网络在新位置上 R² 为 {:.3f}；目标未归一化的同一网络为 {:.3f}", own, unscaled)};
  return verdict;
}

}  // namespace

Numbers distance_network_numbers(const Grid& grid) {
  Numbers numbers;
  const auto add = [&](const char* name, Words label, PairMethod method, double Scores::*measure) {
    const auto of = [&](const char* table) {
      return grid.at({table, Inputs::components, method, kNetworkSplit}).*measure;
    };
    numbers.add(Measured(name, std::move(label), of("table"))
                    .null(of("sinusoid"), words_of_sinusoid())
                    .control(of("white_noise"), words_of(Surrogate::white_noise)));
  };
  add("network_r2", {"R² of an antisymmetric network, positions held out", "反对称网络的 R²，留出位置"},
      PairMethod::network, &Scores::r2);
  add("network_mse", {"its mean squared error", "其均方误差"}, PairMethod::network, &Scores::mse);
  add("unscaled_network_r2", {"R² of the same network, targets not normalised", "同一网络的 R²，目标未归一化"},
      PairMethod::unscaled_network, &Scores::r2);
  add("linear_r2", {"R² of linear regression, positions held out", "线性回归的 R²，留出位置"}, PairMethod::linear,
      &Scores::r2);
  return numbers;
}

Rule distance_network_rule() {
  return {.claim = "E8",
          .observation = {"holds (networks do not learn it) if an antisymmetric network with normalised targets stays "
                          "below R² .5 on new positions; fails if it reaches .9; otherwise, or if it misses .9 on the "
                          "sinusoid or reaches .5 on white noise, it cannot be told",
                          "目标归一化的反对称网络在新位置上 R² 低于 .5 则成立（网络学不会）；达到 .9 "
                          "则不成立；其余情形，或在正弦编码上不足 .9、在白噪声上达到 .5 时，无法判断"},
          .inference =
              {"that the networks or their training were at fault, not the rows, follows if this network reaches "
               ".9; otherwise not tested. The same network on targets left as they are stands beside it",
               "若该网络达到 .9，则“问题在网络或其训练，而不在数据”可推出；否则未检验。并列目标未归一化的同一网络"},
          .judge = judge_network};
}

}  // namespace summand::lab
