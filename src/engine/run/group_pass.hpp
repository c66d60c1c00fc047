#pragma once

#include <cstddef>
#include <vector>

#include "engine/layers/column_blocks.hpp"
#include "engine/layers/head_terms.hpp"
#include "engine/layers/network.hpp"
#include "engine/layers/product_input.hpp"
#include "engine/run/picked_rows.hpp"
#include "engine/run/run.hpp"
#include "engine/run/schedule.hpp"
#include "engine/run/team.hpp"
#include "engine/run/workspace.hpp"
#include "model/batch.hpp"

namespace summand::engine {

/// Which rows the last layer computes beyond keys and values.
enum class LastLayer { all_rows, picked_rows };

/// Whether a run computes the pooled output: for whoever asked, or for a head that reads it.
[[nodiscard]] bool needs_pooled_output(const RunRequest& request, const Network& network);

/// What every group of a run has in common.
struct Pass {
  const Network* network = nullptr;
  const model::Batch* batch = nullptr;
  const RunRequest* request = nullptr;
  const Schedule* schedule = nullptr;
  size_t layers = 0;              ///< how many are computed
  std::vector<size_t> kept = {};  ///< hidden states to keep on the way, each once; the last one is not among them
  PickingPlan picking = {};       ///< which rows of the last hidden state are read one by one
  LastLayer last_layer = LastLayer::all_rows;
  size_t stage_rows = 0;   ///< rows that go through the feed-forward block before others do
  size_t panel_rows = 0;   ///< rows of one product task
  size_t row_sharers = 1;  ///< threads that each take rows of their own through the end of a layer
};

/// What was computed, counted where it was.
struct PassCount {
  size_t rows = 0;       ///< that entered a layer's products, summed over the layers
  size_t panels = 0;     ///< likewise
  size_t last_rows = 0;  ///< that left the last layer
  size_t head_rows = 0;  ///< that passed through the head's last product

  PassCount& operator+=(const PassCount& other);
};

/// A group of whole texts on its way from ids to hidden states, as one worker of its team sees it: every worker makes a
/// GroupPass of its own over the same group and buffers.
class GroupPass {
 public:
  /// @param own  scratch of this worker alone
  GroupPass(const Pass& pass, const Group& group, GroupBuffers& buffers, Workspace& own)
      : pass_(pass),
        network_(*pass.network),
        group_(group),
        buffers_(buffers),
        own_(own),
        picked_(picked_rows(pass.picking, group)) {}

  /// @return what this worker did
  PassCount run(Worker& worker);

 private:
  struct Rows {
    size_t begin = 0;
    size_t count = 0;
  };

  /// A product over some rows, or over some blocks of its columns.
  struct Product {
    Rows rows;
    size_t columns = 0;  ///< of the whole product
    Blocks blocks = blocks_of(0, columns);
  };

  void embed(Worker& worker);
  /// The same where taps watch, part by part.
  void embed_tapped();
  /// Lets taps, if there are any, watch or change what passes: all rows of the one text that a group then is.
  void tap(model::TapPoint point, MatrixView<float> values, size_t layer = 0, size_t head = 0) const;
  [[nodiscard]] bool is_tapped(model::TapPoint point) const;
  void layer(Worker& worker, size_t index);
  void check_range(Worker& worker);
  /// Adds the parts of the input that are added again.
  void add_per_layer_inputs(Worker& worker, size_t index);
  void attention(Worker& worker, size_t index);
  void attention_of_picked_rows(Worker& worker, size_t index);
  /// Lets taps watch queries, keys and values.
  void tap_maps(size_t layer) const;
  /// Rotates queries and keys, where a model does that.
  void rotate_rows(Worker& worker);
  void rotate_picked_queries(Worker& worker);
  /// One head of one text: `query_rows` of `queries`, whose context has the same places, against all its tokens.
  struct HeadTask {
    size_t place = 0;  ///< of the text in the group
    Rows query_rows = {};
    size_t layer = 0;
    size_t head = 0;
  };
  void attend_head(const ProductInput& queries, const HeadTask& task);
  [[nodiscard]] QueryTokens query_tokens_of(const ProductInput& queries, const HeadTask& task) const;
  /// Rows that pass together from attention's context to the end of the layer.
  struct Stage {
    Rows rows;
    size_t first_in_buffers = 0;  ///< the row that lies first in the buffers that hold some rows only
  };
  void feed_forward(Worker& worker, const EncoderLayer& layer, const Stage& of, size_t state);
  /// A block of the intermediate layer's outputs, behind the activation. @param stage_row  where they lie in the stage
  void activated(const EncoderLayer& layer, Rows rows, size_t stage_row, ColumnBlock block);
  void gather_picked(MatrixView<float> to);
  /// In int8, makes bytes of rows that are complete, for the product that reads them, as one step.
  void quantise(Worker& worker, ProductInput& input, Rows rows, const Linear& reader);
  /// Makes what a layer's first product reads of rows of the hidden state; nothing reads them behind the last layer.
  void convert_for_layer(size_t index, Rows rows);
  void pick(Worker& worker);
  void pool(Worker& worker);
  void transform_masked(Worker& worker);
  void head(Worker& worker);
  void deliver(Worker& worker);

  void keep(size_t state, Rows rows);
  /// Runs task(rows, block) for every panel of the product's rows and every block of its columns, as one step.
  template <class Task>
  void for_each_block(Worker& worker, const Product& product, const Task& task);
  /// Runs task(rows) for a few rows at a time, as one step.
  template <class Task>
  void for_each_rows(Worker& worker, Rows rows, const Task& task);

  [[nodiscard]] bool pools() const;
  [[nodiscard]] size_t texts() const { return group_.end - group_.begin; }
  /// The rows of a text, by its place in the group.
  [[nodiscard]] Rows rows_of(size_t place) const;
  [[nodiscard]] MatrixView<float> kept_rows(size_t slot, Rows rows) const;
  /// What the head's last product reads and which of its rows belong to a text.
  [[nodiscard]] MatrixView<float> head_input() const;
  [[nodiscard]] Rows head_rows(size_t place) const;

  const Pass& pass_;
  const Network& network_;
  const Group& group_;
  GroupBuffers& buffers_;
  Workspace& own_;
  PickedRows picked_;
  PassCount count_;
  model::InputParts<Matrix<float>> tapped_parts_;  // as the taps left them
};

}  // namespace summand::engine
