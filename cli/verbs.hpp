#pragma once

namespace CLI {
class App;
}

namespace summand::cli {

// One function per verb: adds its subcommand with options, help and action.
void add_answer(CLI::App& program);
void add_bench(CLI::App& program);
void add_classify(CLI::App& program);
void add_embed(CLI::App& program);
void add_fill_mask(CLI::App& program);
void add_finetune(CLI::App& program);
void add_fold(CLI::App& program);
void add_hidden(CLI::App& program);
void add_info(CLI::App& program);
void add_inspect(CLI::App& program);
void add_lab(CLI::App& program);
void add_next_sentence(CLI::App& program);
void add_parts(CLI::App& program);
void add_pretrain(CLI::App& program);
void add_quantize(CLI::App& program);
void add_rerank(CLI::App& program);
void add_runs(CLI::App& program);
void add_search(CLI::App& program);
void add_serve(CLI::App& program);
void add_similarity(CLI::App& program);
void add_study(CLI::App& program);
void add_tag(CLI::App& program);
void add_tokenize(CLI::App& program);
void add_verify(CLI::App& program);
void add_vocab(CLI::App& program);

}  // namespace summand::cli
