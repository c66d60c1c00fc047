// The limit that compare.py sets every engine against: the products of one layer alone, packed weights, no
// post-operations, M = 1,024 rows; and the time to read as many bytes as a model's weights have.
//   bench_limit HIDDEN INTERMEDIATE THREADS
// Per line on standard input, "fp32", "bf16" or "int8" is answered by {"gflops": {way: GFLOP/s of the four products}},
// "read BYTES" by {"seconds": s}, what cannot run by {"error": one line}.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <oneapi/dnnl/dnnl.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/matrix_view.hpp"
#include "engine/kernels/arithmetic.hpp"
#include "engine/kernels/set_precisions.hpp"
#include "engine/layers/linear.hpp"
#include "engine/layers/product_input.hpp"
#include "model/weights.hpp"

namespace {

using dnnl::memory;
using nlohmann::json;
using Type = memory::data_type;
using namespace summand;

constexpr size_t kRows = 1024;
constexpr double kSecondsPerProduct = 0.06;

struct Shape {
  size_t depth;
  size_t columns;
};

struct Types {
  Type source;
  Type weight;
  Type out;
};

/// The products of one layer: query, key and value side by side; attention's output; the feed-forward part's two.
std::vector<Shape> layer_products(size_t hidden, size_t intermediate) {
  return {{hidden, 3 * hidden}, {hidden, hidden}, {hidden, intermediate}, {intermediate, hidden}};
}

double flop(const Shape& shape) {
  return 2.0 * static_cast<double>(kRows * shape.depth * shape.columns);
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// A product that all threads compute together, however they divide it.
class Product {
 public:
  virtual ~Product() = default;
  /// Computes all kRows rows `times` times.
  virtual void run(int times) = 0;
};

double seconds_each(Product& product) {
  product.run(1);
  const double once = seconds_of([&] { product.run(2); }) / 2;
  const int times = std::max(1, static_cast<int>(kSecondsPerProduct / once));
  return seconds_of([&] { product.run(times); }) / times;
}

/// Small numbers above zero, not all the same.
std::vector<float> small_numbers(size_t count) {
  std::vector<float> numbers(count);
  for (size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(i * 7919 % 97 + 1);
  return numbers;
}

memory::dims dims(size_t rows, size_t columns) {
  return {static_cast<memory::dim>(rows), static_cast<memory::dim>(columns)};
}

/// [rows, columns] of small numbers above zero, in the layout and type asked for.
memory filled(const dnnl::engine& engine, const memory::desc& wanted, const memory::dims& sizes) {
  std::vector<float> numbers = small_numbers(static_cast<size_t>(sizes[0] * sizes[1]));
  memory plain({sizes, Type::f32, memory::format_tag::ab}, engine, numbers.data());
  memory result(wanted, engine);
  dnnl::stream stream(engine);
  dnnl::reorder(plain, result).execute(stream, plain, result);
  stream.wait();
  return result;
}

/// oneDNN's packed product: `parts` threads take equal shares of the rows with one primitive each; one part leaves the
/// division to oneDNN's own team.
class OneDnnProduct : public Product {
 public:
  OneDnnProduct(const Shape& shape, const Types& types, int parts) {
    const size_t rows = kRows / static_cast<size_t>(parts);
    const memory::desc source(dims(rows, shape.depth), types.source, memory::format_tag::ab);
    const memory::desc any(dims(shape.depth, shape.columns), types.weight, memory::format_tag::any);
    const memory::desc out(dims(rows, shape.columns), types.out, memory::format_tag::ab);
    const dnnl::matmul::primitive_desc description(engine_, source, any, out);
    const memory packed = filled(engine_, description.weights_desc(), dims(shape.depth, shape.columns));
    for (int part = 0; part < parts; ++part) {
      parts_.push_back({dnnl::matmul(description),
                        dnnl::stream(engine_),
                        {{DNNL_ARG_SRC, filled(engine_, source, dims(rows, shape.depth))},
                         {DNNL_ARG_WEIGHTS, packed},
                         {DNNL_ARG_DST, memory(out, engine_)}}});
    }
  }
  void run(int times) override {
    if (parts_.size() == 1) return run_part(parts_[0], times);
#pragma omp parallel for schedule(static, 1)
    for (size_t part = 0; part < parts_.size(); ++part) run_part(parts_[part], times);
  }

 private:
  struct Part {
    dnnl::matmul matmul;
    dnnl::stream stream;
    std::unordered_map<int, memory> arguments;
  };
  static void run_part(Part& part, int times) {
    for (int i = 0; i < times; ++i) part.matmul.execute(part.stream, part.arguments);
    part.stream.wait();
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  std::vector<Part> parts_;
};

/// This engine's own product, the rows shared out.
class OwnProduct : public Product {
 public:
  OwnProduct(const Shape& shape, engine::Precision precision, int parts)
      : arithmetic_(precision, engine::chosen_kernel_set()),
        linear_(arithmetic_, weights_of(shape), kName, store_),
        parts_(static_cast<size_t>(parts)),
        out_(kRows, shape.columns) {
    in_.fit(arithmetic_, precision, kRows, shape.depth, engine::ProductInput::Floats::always);
    std::ranges::copy(small_numbers(kRows * shape.depth), in_.floats(0, kRows).data());
    in_.convert(arithmetic_, 0, kRows, nullptr);
  }
  void run(int times) override {
    const size_t rows = kRows / parts_;
#pragma omp parallel for schedule(static, 1)
    for (size_t part = 0; part < parts_; ++part) {
      const engine::Destination out{.floats = out_.row(part * rows).data(), .stride = out_.columns()};
      for (int i = 0; i < times; ++i) {
        linear_.multiply(arithmetic_, in_.rows(part * rows, rows), out, {0, linear_.out()});
      }
    }
  }

 private:
  static inline const std::vector<std::string> kName{"dense"};

  static model::Weights weights_of(const Shape& shape) {
    model::Weights weights;
    weights.set("dense.weight",
                model::make_tensor({shape.columns, shape.depth}, small_numbers(shape.columns * shape.depth)));
    weights.set("dense.bias", model::make_tensor({shape.columns}, std::vector<float>(shape.columns)));
    return weights;
  }

  engine::Arithmetic arithmetic_;
  engine::PackedStore store_;
  engine::Linear linear_;
  size_t parts_;
  engine::ProductInput in_;
  Matrix<float> out_;
};

using Maker = std::function<std::unique_ptr<Product>(const Shape&)>;

/// The ways to compute one precision's products: every type of output that it may have, every division of the work.
std::vector<std::pair<std::string, Maker>> ways(const std::string& precision, int threads) {
  std::vector<std::pair<std::string, Maker>> result;
  const auto add = [&](const std::string& name, const Types& types) {
    for (const int parts : {1, threads}) {
      const std::string division = parts == 1 ? ", one team" : ", a primitive per thread";
      result.emplace_back("oneDNN " + name + division, [types, parts](const Shape& shape) {
        return std::make_unique<OneDnnProduct>(shape, types, parts);
      });
    }
  };
  const auto add_own = [&](engine::Precision own) {
    if (!engine::runs(own, engine::chosen_kernel_set())) return;
    result.emplace_back("own kernel",
                        [=](const Shape& shape) { return std::make_unique<OwnProduct>(shape, own, threads); });
  };
  if (precision == "fp32") {
    add("to f32", {Type::f32, Type::f32, Type::f32});
    add_own(engine::Precision::fp32);
  } else if (precision == "bf16") {
    add("to bf16", {Type::bf16, Type::bf16, Type::bf16});
    add("to f32", {Type::bf16, Type::bf16, Type::f32});
    add_own(engine::Precision::bf16);
  } else if (precision == "int8") {
    add("to s32", {Type::u8, Type::s8, Type::s32});
    add_own(engine::Precision::int8);
  } else {
    throw std::invalid_argument("expected fp32, bf16, int8 or read BYTES, got '" + precision + "'");
  }
  return result;
}

/// Products are made once, at the first question after them.
class Limit {
 public:
  Limit(std::vector<Shape> shapes, int threads) : shapes_(std::move(shapes)), threads_(threads) {}

  json answer(const std::string& question) {
    std::istringstream words(question);
    std::string what;
    words >> what;
    if (what == "read") {
      size_t bytes = 0;
      words >> bytes;
      return {{"seconds", seconds_to_read(bytes)}};
    }
    json rates;
    for (auto& [name, products] : made(what)) rates[name] = rate(products);
    return {{"gflops", rates}};
  }

 private:
  using Products = std::vector<std::unique_ptr<Product>>;

  std::map<std::string, Products>& made(const std::string& precision) {
    if (!made_.contains(precision)) {
      std::map<std::string, Products> all;
      for (const auto& [name, make] : ways(precision, threads_)) {
        for (const Shape& shape : shapes_) all[name].push_back(make(shape));
      }
      made_.emplace(precision, std::move(all));
    }
    return made_.at(precision);
  }

  double rate(Products& products) const {
    double seconds = 0;
    double work = 0;
    for (size_t i = 0; i < products.size(); ++i) {
      seconds += seconds_each(*products[i]);
      work += flop(shapes_[i]);
    }
    return work / seconds * 1e-9;
  }

  double seconds_to_read(size_t bytes) {
    numbers_.resize(bytes / sizeof(uint64_t), 1);
    std::vector<double> seconds;
    for (int i = 0; i < 3; ++i) {
      seconds.push_back(seconds_of([&] {
        uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
        for (size_t n = 0; n < numbers_.size(); ++n) sum += numbers_[n];
        sum_ = sum;
      }));
    }
    return *std::ranges::min_element(seconds);
  }

  std::vector<Shape> shapes_;
  int threads_;
  std::map<std::string, std::map<std::string, Products>> made_;
  std::vector<uint64_t> numbers_;
  volatile uint64_t sum_ = 0;  // so that reading is not left out
};

json answer_or_error(Limit& limit, const std::string& question) {
  try {
    return limit.answer(question);
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: bench_limit HIDDEN INTERMEDIATE THREADS\n";
    return 2;
  }
  const int threads = std::stoi(arguments[3]);
  omp_set_num_threads(threads);
  const auto* version = dnnl::version();
  std::cout << json{{"version", std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
                                    std::to_string(version->patch)}}
            << std::endl;
  Limit limit(layer_products(std::stoul(arguments[1]), std::stoul(arguments[2])), threads);
  std::string question;
  while (std::getline(std::cin, question)) std::cout << answer_or_error(limit, question) << std::endl;
  return 0;
}
