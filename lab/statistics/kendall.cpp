#include "lab/statistics/kendall.hpp"

#include <cmath>
#include <cstdint>

#include "lab/statistics/require.hpp"

namespace summand::lab {

double kendall_tau(std::span<const double> a, std::span<const double> b) {
  require(a.size() == b.size() && a.size() >= 2, "Kendall's tau", "expected two series of one length, 2 or more");
  const auto order = [](double x, double y) { return (x > y) - (x < y); };
  int64_t agreement = 0;
  int64_t untied_a = 0;
  int64_t untied_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const int of_a = order(a[i], a[j]);
      const int of_b = order(b[i], b[j]);
      agreement += of_a * of_b;
      untied_a += of_a != 0;
      untied_b += of_b != 0;
    }
  }
  if (untied_a == 0 || untied_b == 0) return 0;
  return static_cast<double>(agreement) / std::sqrt(static_cast<double>(untied_a) * static_cast<double>(untied_b));
}

}  // namespace summand::lab
