#include "lab/experiments/position_strength/logit_groups.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "lab/core/localize.hpp"

namespace summand::lab {

namespace {

constexpr double kLeast = 1e-30;

constexpr std::array kParts{LogitPart::token, LogitPart::position, LogitPart::segment, LogitPart::common};

Table row_centred(const Table& table) {
  return table.colwise() - table.rowwise().mean();
}

}  // namespace

const char* name_of(LogitGroup group) {
  constexpr std::array names{"token_token",     "position_position", "cross",     "common_token",
                             "common_position", "segment",           "common_key"};
  return names[static_cast<size_t>(group)];
}

LocalizedText words_of(LogitGroup group) {
  return localize(std::string("position_strength.groups.") + name_of(group));
}

LogitGroup group_of(LogitPart query, LogitPart key) {
  if (query == LogitPart::segment || key == LogitPart::segment) return LogitGroup::segment;
  if (key == LogitPart::common) return LogitGroup::common_key;
  const bool token = key == LogitPart::token;
  if (query == LogitPart::common) return token ? LogitGroup::common_token : LogitGroup::common_position;
  if (query != key) return LogitGroup::cross;
  return token ? LogitGroup::token_token : LogitGroup::position_position;
}

Table sum_of(const LogitTerms& terms, LogitGroup group) {
  Table sum = Table::Zero(terms.of[0][0].rows(), terms.of[0][0].cols());
  for (const LogitPart query : kParts) {
    for (const LogitPart key : kParts) {
      if (group_of(query, key) == group) sum += terms.at(query, key);
    }
  }
  return sum;
}

double divergence(const Table& attention, const Table& other) {
  const auto a = attention.array().max(kLeast);
  const auto b = other.array().max(kLeast);
  return (attention.array() * (a.log() - b.log())).rowwise().sum().mean();
}

double divergence_from_uniform(const Table& attention) {
  return divergence(attention, Table::Constant(attention.rows(), attention.cols(),
                                               1.0 / static_cast<double>(std::max<Eigen::Index>(1, attention.cols()))));
}

void TermShares::add(const LogitTerms& terms) {
  const Table sum = row_centred(terms.sum());
  variance_ += sum.squaredNorm();
  for (const LogitPart query : kParts) {
    for (const LogitPart key : kParts) {
      // The centred sum's rows have mean 0: centring the term too would change nothing.
      covariances_[static_cast<size_t>(query)][static_cast<size_t>(key)] +=
          terms.at(query, key).cwiseProduct(sum).sum();
    }
  }
  for (const LogitGroup group : kLogitGroups) {
    variances_[static_cast<size_t>(group)] += row_centred(sum_of(terms, group)).squaredNorm();
  }
}

void TermShares::add(const TermShares& other) {
  variance_ += other.variance_;
  for (size_t i = 0; i < variances_.size(); ++i) variances_[i] += other.variances_[i];
  for (size_t query = 0; query < kLogitParts; ++query) {
    for (size_t key = 0; key < kLogitParts; ++key) covariances_[query][key] += other.covariances_[query][key];
  }
}

double TermShares::share(LogitPart query, LogitPart key) const {
  return variance_ > 0 ? covariances_[static_cast<size_t>(query)][static_cast<size_t>(key)] / variance_ : 0;
}

double TermShares::share(LogitGroup group) const {
  double total = 0;
  for (const LogitPart query : kParts) {
    for (const LogitPart key : kParts) {
      if (group_of(query, key) == group) total += share(query, key);
    }
  }
  return total;
}

double TermShares::spread(LogitGroup group) const {
  return variance_ > 0 ? variances_[static_cast<size_t>(group)] / variance_ : 0;
}

}  // namespace summand::lab
