#include "lab/statistics/lbfgs.hpp"

#include <LBFGS.h>

#include <stdexcept>
#include <utility>

namespace summand::lab {

namespace {

/// What the solver asks, and the point that its last finished step led to.
struct Course {
  const Objective& objective;
  Minimum reached = {};
  bool asking = false;  ///< what is thrown meanwhile is the objective's

  double operator()(const Vector& at, Vector& gradient) {
    asking = true;
    const double value = objective(at, gradient);
    asking = false;
    return value;
  }
};

double largest(const Vector& gradient) {
  return gradient.cwiseAbs().maxCoeff();
}

/// The library's search, which tells the course of its steps: it says nothing of them itself where it ends by throwing.
/// It ends by the gradient's norm, here by its largest entry: where that is small enough, it is shown none.
template <class Scalar>
struct Search {
  static void LineSearch(Course& course, Scalar& value, Vector& at, Vector& gradient, Scalar& step, const Vector& along,
                         const Vector& from, const LBFGSpp::LBFGSParam<Scalar>& settings) {
    LBFGSpp::LineSearchBracketing<Scalar>::LineSearch(course, value, at, gradient, step, along, from, settings);
    course.reached = {at, value, largest(gradient), course.reached.iterations + 1};
    if (course.reached.gradient <= settings.epsilon) gradient.setZero();
  }
};

/// Goes on from where the course is, with nothing remembered. Ends before the tolerance where no step is found.
void descend(Course& course, const LBFGSpp::LBFGSParam<double>& settings) {
  LBFGSpp::LBFGSSolver<double, Search> solver(settings);
  Vector at = course.reached.at;
  double value = 0;
  try {
    solver.minimize(course, at, value);
  } catch (const std::runtime_error&) {  // no step makes the value smaller, within rounding
    if (course.asking) throw;
  } catch (const std::logic_error&) {  // the direction does not lead down, within rounding
    if (course.asking) throw;
  }
}

}  // namespace

Minimum minimise(const Objective& objective, Vector start, double tolerance, int iterations) {
  Course course{.objective = objective};
  Vector gradient;
  const double value = course(start, gradient);
  course.reached = {std::move(start), value, largest(gradient), 0};
  LBFGSpp::LBFGSParam<double> settings;
  settings.m = 10;
  settings.linesearch = LBFGSpp::LBFGS_LINESEARCH_BACKTRACKING_STRONG_WOLFE;
  settings.max_linesearch = 40;
  settings.epsilon = tolerance;
  settings.epsilon_rel = 0;
  while (course.reached.iterations < iterations && course.reached.gradient > tolerance) {
    const int before = course.reached.iterations;
    settings.max_iterations = iterations - before;
    descend(course, settings);
    // Where no step is found, what is remembered may no longer fit: once more along the gradient itself.
    if (course.reached.iterations == before) break;
  }
  return std::move(course.reached);
}

}  // namespace summand::lab
