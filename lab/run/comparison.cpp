#include "lab/run/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "lab/run/facts_of_run.hpp"
#include "lab/run/title.hpp"
#include "lab/subject/corpus_fields.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

namespace fs = std::filesystem;

constexpr std::array kFiles{"compare.json", "compare.csv", "index.html"};

/// The name as a folder: what paths and addresses would take otherwise becomes a hyphen.
std::string folder_name(size_t number, const std::string& name) {
  std::string folder = fmt::format("{}-", number);
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
    folder += plain ? c : '-';
  }
  return folder;
}

/// What `summand lab` would be called with for this report alone.
std::string command_of(const CompareOptions& options, size_t i, const Subject& subject, const fs::path& folder) {
  const auto& laboratory = options.laboratory;
  std::vector<std::string> words{"summand", "lab", "--model", subject.path.string(), "-o", folder.string()};
  const auto add = [&](const char* name, const std::string& value) {
    words.emplace_back(name);
    words.push_back(value);
  };
  if (i < options.names.size()) add("--name", options.names[i]);
  if (!subject.corpus.is_default) add("--corpus", subject.corpus.option);
  if (laboratory.corpus_fields.text) add("--corpus-field", *laboratory.corpus_fields.text);
  if (laboratory.corpus_fields.text_pair) add("--corpus-pair-field", *laboratory.corpus_fields.text_pair);
  if (!laboratory.only.empty()) add("--only", fmt::format("{}", fmt::join(laboratory.only, ",")));
  if (laboratory.quick) words.emplace_back("--quick");
  if (laboratory.seed != 0) add("--seed", std::to_string(laboratory.seed));
  return command_text(words);
}

/// What is known of a checkpoint before anything runs.
struct Loaded {
  Subject subject;  ///< its name, hash and corpus option alone: several models at a time would fill a small machine
  std::string folder;
  std::optional<size_t> identical_to;
};

/// A checkpoint under the title that it was given.
Subject load_named(const CompareOptions& options, size_t i, const std::optional<fs::path>& corpus) {
  auto subject = load_subject(options.models[i], corpus, options.laboratory.corpus_fields, options.laboratory.threads);
  if (i < options.names.size()) subject.name = options.names[i];
  return subject;
}

std::vector<Loaded> load_all(const CompareOptions& options) {
  std::vector<Loaded> all;
  auto corpus = options.corpus;
  for (size_t i = 0; i < options.models.size(); ++i) {
    const auto subject = load_named(options, i, corpus);
    corpus = subject.corpus.option;  // the same texts for all
    Loaded loaded{.subject = {}, .folder = folder_name(all.size() + 1, subject.name), .identical_to = {}};
    loaded.subject.name = subject.name;
    loaded.subject.hash = subject.hash;
    loaded.subject.corpus.option = subject.corpus.option;
    const auto earlier =
        std::ranges::find_if(all, [&](const Loaded& other) { return other.subject.hash == subject.hash; });
    if (earlier != all.end()) loaded.identical_to = static_cast<size_t>(earlier - all.begin());
    all.push_back(std::move(loaded));
  }
  return all;
}

/// Makes the folder, and refuses one that holds anything but reports of these checkpoints in this order.
/// @return the folder and theirs are this run's until these go
std::vector<io::FolderLock> open_comparison(const fs::path& folder, const std::vector<Loaded>& loaded) {
  std::error_code failed;
  if (fs::exists(folder, failed) && !fs::is_directory(folder, failed)) {
    throw UsageError(path_text(folder), "expected a folder for the comparison, got a file");
  }
  fs::create_directories(folder, failed);
  if (failed) throw IoError(path_text(folder), "cannot be made: " + failed.message());
  std::vector<io::FolderLock> locks;
  locks.emplace_back(folder);
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::count(loaded, name, &Loaded::folder) == 0 && std::ranges::count(kFiles, name) == 0) {
      throw UsageError(path_text(folder),
                       fmt::format("expected an empty folder, or one of an earlier comparison of these; it holds '{}'",
                                   printable(name)));
    }
  }
  for (const auto& one : loaded) locks.push_back(open_folder(folder / one.folder, one.subject));
  return locks;
}

/// Whatever the earlier one found is there for the later: kept by the same key, it is not run again.
void take_over(const fs::path& earlier, const fs::path& later) {
  std::error_code failed;  // what cannot be taken over is run again
  fs::copy(earlier / "experiments", later / "experiments", fs::copy_options::skip_existing, failed);
}

}  // namespace

FinishedComparison run_comparison(const CompareOptions& options,
                                  const std::function<void(const LaboratoryProgress&)>& progress) {
  if (options.models.size() < 2) {
    throw UsageError("command line", fmt::format("expected two checkpoints or more to compare, got {}; see --help",
                                                 options.models.size()));
  }
  if (options.names.size() > options.models.size()) {
    throw UsageError("--name", fmt::format("expected at most one for each of the {} checkpoints, got {}",
                                           options.models.size(), options.names.size()));
  }
  for (const auto& name : options.names) check_title(name);
  check_fields(options.corpus, options.laboratory.corpus_fields);
  (void)chosen(options.laboratory.only);  // wrong names first
  const auto loaded = load_all(options);
  FinishedComparison comparison;
  comparison.locks = open_comparison(options.laboratory.folder, loaded);
  for (size_t i = 0; i < loaded.size(); ++i) {
    const fs::path folder = options.laboratory.folder / loaded[i].folder;
    if (loaded[i].identical_to) take_over(options.laboratory.folder / loaded[*loaded[i].identical_to].folder, folder);
    const auto subject = load_named(options, i, loaded[i].subject.corpus.option);
    LaboratoryOptions laboratory = options.laboratory;
    laboratory.folder = folder;
    const RunFiles files{.command = command_of(options, i, subject, folder)};
    comparison.runs.push_back({.folder = loaded[i].folder,
                               .run = finish_run(subject, laboratory, files,
                                                 [&](LaboratoryProgress state) {
                                                   state.under_way = loaded[i].folder + ": " + state.under_way;
                                                   progress(state);
                                                 }),
                               .identical_to = loaded[i].identical_to});
  }
  return comparison;
}

}  // namespace summand::lab
