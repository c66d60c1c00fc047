#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lab/subject/subject.hpp"
#include "serve/live/look.hpp"

namespace summand::serve::live {

/// A model to look into while its input changes: one text or pair at a time, with its parts stronger or weaker, its
/// tokens at other positions, or noise on its sums.
///
/// The changes are exact: tokens keep their rows and take other positions in the batch, and rows are replaced on their
/// way. Without a change the sentence vector has the bits of Model::embed (without a prompt, at this length), and
/// fillings those of Model::fill_mask. Attention is watched in a pass of its own, which may differ by rounding.
///
/// Thread-safety: several threads may call const members at once.
class LiveModel {
 public:
  /// @param model    a directory or a name, as for lab::load_subject
  /// @param threads  0: as many as available_threads() says
  /// @throws Error of whatever cannot be read
  [[nodiscard]] static LiveModel load(const std::string& model, int threads = 0);
  /// @pre the subject has a model
  explicit LiveModel(lab::Subject subject, int threads = 0);
  LiveModel(LiveModel&&) noexcept;
  LiveModel& operator=(LiveModel&&) noexcept;
  ~LiveModel();

  [[nodiscard]] const std::string& name() const;
  /// Most tokens of a text, special tokens included.
  [[nodiscard]] size_t limit() const;
  /// What the page must know of it: a JSON object.
  [[nodiscard]] std::string describe() const;

  /// @throws UsageError for a value that the model or the page does not take; TextError as Model::embed
  [[nodiscard]] Look look(const LookRequest& request) const;
  /// The same in JSON: docs of both in serve/live/README.md.
  /// @throws ConfigError for what is no JSON object, or has another key or type than expected
  [[nodiscard]] std::string look(std::string_view request_json) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

}  // namespace summand::serve::live
