// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/estimators.hpp"

#include <array>
#include <cmath>

#include <catch2/catch.hpp>

using namespace softfeb::switchtest;

TEST_CASE("The Wilson interval has its published values", "[estimators]") {
  // Newcombe (1998), table I: 81 of 263 gives 0.2553 to 0.3662; 0 of 20 gives 0 to 0.1611.
  const Interval many = wilson(81, 263);
  CHECK(many.low == Approx(0.2553).margin(5e-5));
  CHECK(many.high == Approx(0.3662).margin(5e-5));
  const Interval none = wilson(0, 20);
  CHECK(none.low == 0);
  CHECK(none.high == Approx(0.1611).margin(5e-5));
  CHECK(wilson(20, 20).high == 1);
  CHECK(wilson(0, 0).low == 0);
  CHECK(wilson(0, 0).high == 1);
}

TEST_CASE("Fairness, loss and medians", "[estimators]") {
  CHECK(jain(std::array{1.0, 1.0, 1.0}) == Approx(1));
  CHECK(jain(std::array{1.0, 0.0, 0.0}) == Approx(1.0 / 3));
  CHECK(jain(std::array{0.0, 0.0}) == 1);
  CHECK(loss_limit(3000) == Approx(0.001));
  CHECK(loss_limit(1) == 1);
  const Interval even = median({4, 1, 3, 2});
  CHECK(even.value == 2.5);
  CHECK(even.low == 1);
  CHECK(even.high == 4);
  CHECK(median({7, 1, 3}).value == 3);
}

TEST_CASE("A line through points has the textbook's errors", "[estimators]") {
  const std::array x{1.0, 2.0, 3.0, 4.0, 5.0};
  const std::array exact{3.0, 5.0, 7.0, 9.0, 11.0};
  const Line line = fit_line(x, exact);
  CHECK(line.slope == Approx(2));
  CHECK(line.intercept == Approx(1));
  CHECK(line.slope_error == Approx(0).margin(1e-9));
  // The error of the slope is t * sqrt(S / 3 / 10). S = 0.56 is the sum of the squared residuals, 3 is the
  // number of degrees of freedom, t = 3.182 is the 97.5 % quantile, and 10 is the sum of (x - 3)^2.
  const std::array noisy{3.4, 4.8, 6.6, 8.8, 11.4};
  const Line other = fit_line(x, noisy);
  double residual = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    residual += std::pow(noisy[i] - other.intercept - other.slope * x[i], 2);
  CHECK(other.slope_error == Approx(3.182 * std::sqrt(residual / 3 / 10)).epsilon(0.02));
}

TEST_CASE("The maximum of a likelihood and its profile interval", "[estimators]") {
  // For a binomial distribution with 30 hits in 100 trials, the likelihood-ratio interval is 0.2155 to
  // 0.3943.
  const auto binomial = [](double p) { return 30 * std::log(p) + 70 * std::log(1 - p); };
  const Interval p = maximize(binomial, 1e-6, 1 - 1e-6);
  CHECK(p.value == Approx(0.3).margin(1e-6));
  const double drop = 3.841458820694124 / 2;
  CHECK(binomial(p.low) == Approx(binomial(0.3) - drop).margin(1e-6));
  CHECK(binomial(p.high) == Approx(binomial(0.3) - drop).margin(1e-6));
  CHECK(p.low < 0.3);
  CHECK(p.high > 0.3);
  // The maximum of the likelihood may lie at an end of the range.
  CHECK(maximize([](double v) { return v; }, 0, 1).high == 1);
}

TEST_CASE("p-values of chi-square have their tabulated values", "[estimators]") {
  CHECK(chi_square_p(3.841, 1) == Approx(0.05).margin(1e-4));
  CHECK(chi_square_p(18.307, 10) == Approx(0.05).margin(1e-4));
  CHECK(chi_square_p(2.558, 10) == Approx(0.99).margin(1e-4));
  CHECK(chi_square_p(124.342, 100) == Approx(0.05).margin(1e-4));
  CHECK(chi_square_p(0, 5) == 1);
  CHECK(chi_square_p(1, 0) == 1);
}

TEST_CASE("Intervals have a part in common, or a range", "[switchtest]") {
  CommonInterval some;
  CHECK(some.empty());
  some.add(1, 5);
  some.add(3, 9);
  CHECK_FALSE(some.empty());
  CHECK(some.agree());
  CHECK(some.result().low == 3);
  CHECK(some.result().high == 5);
  CHECK(some.result().value == 4);
  some.add(6, 7);
  CHECK_FALSE(some.agree());
  CHECK(some.result().low == 1);
  CHECK(some.result().high == 9);
}
