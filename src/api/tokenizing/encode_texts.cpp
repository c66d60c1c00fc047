#include "api/tokenizing/encode_texts.hpp"

#include <algorithm>
#include <exception>
#include <mutex>

#include "base/available_threads.hpp"
#include "base/thread_pool.hpp"
#include "io/module_list.hpp"
#include "io/resolve_model.hpp"

namespace summand::api {

namespace {

/// Bytes of text that are worth waking a thread for: some 50 microseconds of tokenizing.
constexpr size_t kBytesOfTask = 4096;

size_t text_bytes(const TextView& text) {
  size_t bytes = text.text.size() + text.text_pair.value_or(std::string_view()).size();
  for (const auto& word : text.words.value_or(std::span<const std::string>())) bytes += word.size();
  return bytes;
}

/// Neighbours of about kBytesOfTask bytes together.
/// @return where each task begins, and the end of the last
std::vector<size_t> tasks_of(std::span<const TextView> texts) {
  std::vector<size_t> begins{0};
  size_t bytes = 0;
  for (size_t text = 0; text < texts.size(); ++text) {
    bytes += 1 + text_bytes(texts[text]);  // an empty text is some work too
    if (bytes < kBytesOfTask) continue;
    begins.push_back(text + 1);
    bytes = 0;
  }
  if (begins.back() != texts.size()) begins.push_back(texts.size());
  return begins;
}

/// Collects exceptions of threads and keeps the one of the lowest task, independent of timing.
class FirstFailure {
 public:
  void keep(size_t task) {
    const std::lock_guard lock(mutex_);
    if (failure_ && task_ < task) return;
    failure_ = std::current_exception();
    task_ = task;
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
  size_t task_ = 0;
};

}  // namespace

text::Tokenizer load_tokenizer(std::string_view name) {
  return text::Tokenizer::load(io::read_module_list(io::resolve_model(name)).transformer_directory());
}

void for_each_text(std::span<const TextView> texts, int threads,
                   const std::function<void(size_t text, text::Tokenizer::Workspace& workspace)>& task) {
  const auto begins = tasks_of(texts);
  const int most = threads == 0 ? available_threads() : threads;
  std::vector<text::Tokenizer::Workspace> workspaces(std::min(static_cast<size_t>(most), begins.size()));
  FirstFailure failure;
  try {
    ThreadPool::shared().run(begins.size() - 1, most, [&](size_t one, int participant) {
      try {
        auto& workspace = workspaces[static_cast<size_t>(participant)];
        for (size_t text = begins[one]; text < begins[one + 1]; ++text) task(text, workspace);
      } catch (...) {
        failure.keep(one);
        throw;  // no later task begins; those before this one have begun
      }
    });
  } catch (...) {
    failure.rethrow();
    throw;
  }
}

std::vector<text::Encoding> encode_all(const text::Tokenizer& tokenizer, std::span<const TextView> texts,
                                       const text::EncodeOptions& options, int threads) {
  std::vector<text::Encoding> encodings(texts.size());
  for_each_text(texts, threads, [&](size_t text, text::Tokenizer::Workspace& workspace) {
    encode_into(tokenizer, texts[text], options, workspace, encodings[text]);
  });
  return encodings;
}

}  // namespace summand::api
