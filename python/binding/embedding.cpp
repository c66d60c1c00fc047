#include <chrono>

#include "python/binding/arrays.hpp"
#include "python/binding/calls.hpp"
#include "python/binding/model.hpp"
#include "python/binding/options.hpp"
#include "python/binding/texts.hpp"

namespace summand::python {

namespace {

using Output = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Looks at signals now and then, on the main thread: only there do Python's handlers run.
class Watch {
 public:
  void operator()() {
    if (!is_main_thread() || std::chrono::steady_clock::now() < next_) return;
    next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
    const WithGil acquired;
    check_signals();
  }

 private:
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
};

Normalization normalization_of(std::optional<bool> normalize) {
  if (!normalize) return Normalization::as_model;
  return *normalize ? Normalization::always : Normalization::none;
}

NextText next_of(std::span<const TextView> texts) {
  return [texts, next = size_t{0}]() mutable -> std::optional<Text> {
    if (next == texts.size()) return std::nullopt;
    const TextView& view = texts[next++];
    Text text{view.text};
    if (view.text_pair) text.text_pair = std::string(*view.text_pair);
    return text;
  };
}

/// (array [texts, width], counts). The array is `out` if that is given.
nb::tuple embed(const SharedModel& self, nb::handle texts, const std::optional<Output>& out, const nb::object& progress,
                const Name& prompt, const Name& prompt_name, std::optional<bool> normalize,
                std::optional<size_t> dimensions, const std::vector<std::string>& pooling, const Name& truncation,
                std::optional<size_t> max_length, const Name& windows, size_t overlap, size_t batch_tokens,
                const std::vector<std::string>& points, const nb::object& visit) {
  const auto model = self.get();
  const Texts given(texts, "sentences", TextKind::text_or_pair);
  EmbedOptions options{.length = length_options(truncation, max_length),
                       .windows = window_options(windows, overlap),
                       .normalization = normalization_of(normalize),
                       .dimensions = dimensions,
                       .prompt = prompt,
                       .prompt_name = prompt_name,
                       .taps = taps_of(points, visit)};
  for (const std::string& one : pooling) options.pooling.push_back(api::pooling_named(one));
  const size_t width = without_gil([&] { return model->embed(TextList(), options).vectors.columns(); });
  Matrix<float> own(out ? 0 : given.size(), width);
  float* to = out ? out->data() : own.elements().data();
  if (out && (out->shape(0) != given.size() || out->shape(1) != width)) {
    throw UsageError("out", "expected float32 [" + std::to_string(given.size()) + ", " + std::to_string(width) +
                                "], got [" + std::to_string(out->shape(0)) + ", " + std::to_string(out->shape(1)) +
                                "]");
  }
  size_t done = 0;
  const auto take = [&](const Embeddings& batch) {
    std::ranges::copy(batch.vectors.elements(), to + done * width);
    done += batch.vectors.rows();
    if (progress.is_none()) return;
    const WithGil acquired;
    progress(done);
  };
  Watch watch;
  const StreamReport report = without_gil([&] {
    return model->embed_stream(next_of(given.views()), take, options,
                               {.batch_tokens = batch_tokens, .on_progress = [&](const Progress&) { watch(); }});
  });
  return nb::make_tuple(out ? nb::cast(*out) : nb::cast(to_numpy(std::move(own))), to_dict(report.count));
}

}  // namespace

void bind_embedding(ModelClass& model) {
  model.def("embed", embed, nb::arg("sentences"), nb::kw_only(), nb::arg("out").none() = nb::none(),
            nb::arg("progress").none() = nb::none(), nb::arg("prompt").none() = nb::none(),
            nb::arg("prompt_name").none() = nb::none(), nb::arg("normalize").none() = nb::none(),
            nb::arg("dimensions").none() = nb::none(), nb::arg("pooling") = std::vector<std::string>(),
            nb::arg("truncation").none() = nb::none(), nb::arg("max_length").none() = nb::none(),
            nb::arg("windows").none() = nb::none(), nb::arg("overlap") = size_t{0},
            nb::arg("batch_tokens") = size_t{16384}, nb::arg("points") = std::vector<std::string>(),
            nb::arg("visit").none() = nb::none());
}

}  // namespace summand::python
