// Speed of one core's matrix products: this engine's kernel beside oneDNN's packed matmul, in turns, in one run.
// Prints GFLOP/s, the median of several rounds. This is the measurement behind docs/decisions/own-products.md.

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <oneapi/dnnl/dnnl.hpp>
#include <random>
#include <vector>

#include "engine/kernels/kernel_set.hpp"
#include "engine/kernels/single_precision.hpp"
#include "engine/layers/packed_linear.hpp"
#include "model/tensor.hpp"

using namespace summand;

namespace {

struct Shape {
  size_t depth;
  size_t columns;
};

constexpr int kRounds = 9;
constexpr double kSecondsPerRound = 0.05;

std::vector<float> random_numbers(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> numbers(count);
  for (float& x : numbers) x = uniform(random);
  return numbers;
}

double seconds_of(const std::function<void()>& work, int times) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class OneDnnProduct {
 public:
  OneDnnProduct(size_t rows, Shape shape, const std::vector<float>& in, const std::vector<float>& weight, float* out)
      : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    using dnnl::memory;
    const auto number = [](size_t value) { return static_cast<memory::dim>(value); };
    const memory::dims in_dims{number(rows), number(shape.depth)};
    const memory::dims weight_dims{number(shape.depth), number(shape.columns)};
    const memory::dims out_dims{number(rows), number(shape.columns)};
    const auto f32 = memory::data_type::f32;
    const memory::desc in_desc(in_dims, f32, memory::format_tag::ab);
    const memory::desc out_desc(out_dims, f32, memory::format_tag::ab);
    const memory::desc any(weight_dims, f32, memory::format_tag::any);
    const dnnl::matmul::primitive_desc primitive(engine_, in_desc, any, out_desc);
    // PyTorch's weights are [out, in], that is, transposed.
    const memory plain({weight_dims, f32, memory::format_tag::ba}, engine_, const_cast<float*>(weight.data()));
    memory packed(primitive.weights_desc(), engine_);
    dnnl::reorder(plain, packed).execute(stream_, const_cast<memory&>(plain), packed);
    matmul_ = dnnl::matmul(primitive);
    arguments_ = {{DNNL_ARG_SRC, memory(in_desc, engine_, const_cast<float*>(in.data()))},
                  {DNNL_ARG_WEIGHTS, packed},
                  {DNNL_ARG_DST, memory(out_desc, engine_, out)}};
    stream_.wait();
  }
  void operator()() {
    matmul_.execute(stream_, arguments_);
    stream_.wait();
  }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::matmul matmul_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

void compare(size_t rows, Shape shape, const engine::KernelSet& set) {
  const auto in = random_numbers(rows * shape.depth, 1);
  const auto weight = random_numbers(shape.columns * shape.depth, 2);
  std::vector<float> ours(rows * shape.columns);
  std::vector<float> theirs(ours.size());
  const engine::PackedLinear linear(model::make_tensor({shape.columns, shape.depth}, weight),
                                    model::make_tensor({shape.columns}, std::vector<float>(shape.columns)));
  const auto& kernels = *set.single_precision;
  const std::function<void()> own = [&] {
    linear.multiply(kernels, {in.data(), rows, shape.depth}, {ours.data(), rows, shape.columns});
  };
  OneDnnProduct onednn(rows, shape, in, weight, theirs.data());
  const std::function<void()> other = [&] { onednn(); };

  const int times = std::max(1, static_cast<int>(kSecondsPerRound / seconds_of(own, 1)));
  std::vector<double> own_seconds;
  std::vector<double> other_seconds;
  for (int round = 0; round < kRounds; ++round) {
    own_seconds.push_back(seconds_of(own, times));
    other_seconds.push_back(seconds_of(other, times));
  }
  double difference = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    difference = std::max(difference, static_cast<double>(std::abs(ours[i] - theirs[i])));
  }
  const auto rate = [&](std::vector<double>& seconds) {
    std::ranges::nth_element(seconds, seconds.begin() + kRounds / 2);
    return 2e-9 * static_cast<double>(rows * shape.depth * shape.columns) * times / seconds[kRounds / 2];
  };
  const double own_rate = rate(own_seconds);
  const double other_rate = rate(other_seconds);
  fmt::print("{:>5} {:>5} x {:<5} {:>8.1f} {:>8.1f} {:>7.2f}   {:.1e}\n", rows, shape.depth, shape.columns, own_rate,
             other_rate, own_rate / other_rate, difference);
}

}  // namespace

int main() {
  omp_set_num_threads(1);
  const auto& set = engine::chosen_kernel_set();
  const auto* version = dnnl::version();
  fmt::print("one thread, GFLOP/s: own kernel ({}), oneDNN {}.{}.{}\n", set.name, version->major, version->minor,
             version->patch);
  fmt::print(" rows   depth x columns   own   oneDNN   ratio   largest difference\n");
  for (const Shape shape : {Shape{384, 1152}, {384, 384}, {384, 1536}, {1536, 384}, {768, 3072}, {3072, 768}}) {
    for (const size_t rows : {size_t{7}, size_t{32}, size_t{64}, size_t{128}}) compare(rows, shape, set);
  }
  return 0;
}
