#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/temporary_folder.hpp"
#include "serve/live/claim_run.hpp"
#include "serve/live/live_model.hpp"

namespace summand::serve::live {

/// A model that the page may look into.
struct NamedModel {
  std::string name;       ///< that requests use
  std::string directory;  ///< or a name, as for lab::load_subject
};

struct LaboratoryOptions {
  std::vector<NamedModel> models;
  int threads = 0;                     ///< 0: as many as available_threads() says
  std::filesystem::path program;       ///< summand-lab, which judges claims
  std::filesystem::path reports = {};  ///< where reports of claims are kept; empty: nowhere, they go with this object
};

/// What the live page asks for, in JSON: docs in serve/live/README.md. Models are loaded when they are first asked for.
///
/// Thread-safety: members may be called from any thread. models() and look() take their time.
class Laboratory {
 public:
  /// @throws IoError if there is no place for reports
  explicit Laboratory(LaboratoryOptions options);

  /// All models, those that cannot be looked into with the reason.
  [[nodiscard]] std::string models();
  /// @throws Error for a request that cannot be answered
  [[nodiscard]] std::string look(std::string_view request);

  /// Begins a run. @return its state @throws Error if it cannot begin
  std::string start_claims(std::string_view request);
  /// As ClaimRun::state().
  [[nodiscard]] std::string claims(size_t after) const { return claims_.state(after); }
  /// @return its state
  std::string cancel_claims();
  /// A file of the last report. @return nothing if there is none of this name
  [[nodiscard]] std::optional<std::filesystem::path> report_file(std::string_view name) const;

 private:
  [[nodiscard]] const NamedModel& named(std::string_view name) const;
  [[nodiscard]] const LiveModel& loaded(const NamedModel& model);

  const LaboratoryOptions options_;
  std::mutex mutex_;  // of what is loaded
  std::map<std::string, LiveModel, std::less<>> loaded_;
  std::optional<TemporaryFolder> temporary_;
  ClaimRun claims_;
};

}  // namespace summand::serve::live
