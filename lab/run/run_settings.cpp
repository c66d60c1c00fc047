#include "lab/run/run_settings.hpp"

#include <fmt/format.h>
#include <Eigen/Core>
#include <boost/version.hpp>
#include <string>

#include "base/hash.hpp"
#include "base/paths.hpp"
#include "lab/core/localize.hpp"
#include "lab/run/experiment_sources.hpp"
#include "lab/run/laboratory.hpp"
#include "lab/statistics/boosted_trees.hpp"
#include "lab/subject/corpus_fields.hpp"
#include "lab/subject/subject.hpp"
#include "summand/system_info.hpp"

namespace summand::lab {

namespace {

/// What computes, beside the sources: the compiler, the libraries, and the instructions that the engine uses.
std::string toolchain() {
  return fmt::format("{}; Eigen {}.{}.{}; Boost {}; XGBoost {}; {}", __VERSION__, EIGEN_WORLD_VERSION,
                     EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION, BOOST_LIB_VERSION, xgboost_version(),
                     system_info().instruction_set);
}

LocalizedText towards_corpus(const RunSettings& wanted) {
  if (wanted.corpus.empty()) return localize("run.with.no_corpus");
  // Nobody knows here what the file holds now.
  return localize("run.with.corpus",
                  {{"corpus", path_text(wanted.corpus)}, {"hash", fmt::format("{:016x}", wanted.corpus_hash)}});
}

LocalizedText both(const LocalizedText& first, const LocalizedText& second) {
  return first.en.empty() ? second : localize("run.with.both", {{"first", first}, {"second", second}});
}

}  // namespace

RunSettings settings_of(const Subject& subject, const LaboratoryOptions& options) {
  return {.quick = options.quick,
          .seed = options.seed,
          .corpus = subject.corpus.is_default ? "" : subject.corpus.option + field_options(options.corpus_fields),
          .corpus_hash = subject.corpus.hash};
}

uint64_t cache_key(const Experiment& experiment, const Subject& subject, const RunSettings& settings) {
  Hash hash;
  hash.add(sources_hash(""));
  hash.add(sources_hash(experiment.name));
  hash.add(toolchain());
  hash.add(experiment.name);
  hash.add_number(subject.hash);
  hash.add_number(settings.corpus_hash);
  hash.add_number(settings.seed);
  hash.add_number(settings.quick ? 1 : 0);
  return hash.value();
}

uint64_t cache_key(const own::OwnExperiment& own, const Subject& subject, const RunSettings& settings) {
  Hash hash;
  hash.add_number(cache_key(own.experiment, subject, settings));
  hash.add(sources_hash("own_experiment"));
  hash.add(sources_hash("interventions"));  // whose words are replaced and dealt
  hash.add(own.setup.content);
  return hash.value();
}

std::filesystem::path findings_folder(const std::filesystem::path& folder) {
  return folder / "experiments";
}

std::filesystem::path findings_path(const std::filesystem::path& folder, const Experiment& experiment,
                                    const RunSettings& settings) {
  std::string name = experiment.name;
  if (settings.quick) name += ".quick";
  if (settings.seed != 0) name += fmt::format(".seed-{}", settings.seed);
  if (!settings.corpus.empty()) name += fmt::format(".corpus-{:016x}", settings.corpus_hash);
  return findings_folder(folder) / (name + ".cbor");
}

LocalizedText options_towards(const RunSettings& wanted, const RunSettings& asked) {
  LocalizedText options;
  if (wanted.quick != asked.quick) options = localize(wanted.quick ? "run.with.quick" : "run.with.no_quick");
  if (wanted.seed != asked.seed) {
    options = both(options, wanted.seed == 0 ? localize("run.with.no_seed")
                                             : localize("run.with.seed", {{"seed", std::to_string(wanted.seed)}}));
  }
  if (wanted.corpus_hash != asked.corpus_hash) options = both(options, towards_corpus(wanted));
  return options;
}

}  // namespace summand::lab
