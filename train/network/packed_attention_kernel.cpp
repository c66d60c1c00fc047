#include "train/network/packed_attention_kernel.hpp"

#include <algorithm>
#include <utility>

#include "train/network/attention_loops.hpp"
#include "train/network/blas.hpp"
#include "train/network/text_pieces.hpp"

namespace summand::train {

namespace {

constexpr int64_t kScoresAtOnce = int64_t{1} << 16;  // 256 KB in float: twice fits in a second-level cache

/// Memory that grows, without numbers of its own; aligned as libtorch's tensors are, because a product's last bits may
/// depend on that.
template <class Scalar>
class Scratch {
 public:
  [[nodiscard]] Scalar* of(int64_t numbers) {
    if (!memory_.defined() || memory_.numel() < numbers) {
      memory_ = at::empty({numbers}, c10::CppTypeToScalarType<Scalar>::value);
    }
    return memory_.template mutable_data_ptr<Scalar>();
  }

 private:
  at::Tensor memory_;
};

/// One head's rows of one text, in Scalar: where they are, or a copy.
template <class Scalar>
struct HeadRows {
  Scalar* data = nullptr;
  int64_t stride = 0;
  Scratch<Scalar> copy;

  void reserve(int64_t rows, int64_t columns) {
    data = copy.of(rows * columns);
    stride = columns;
  }
};

/// Works on one head of one text after the other, in memory that is kept from one to the next.
template <class Scalar>
class HeadAttention {
 public:
  explicit HeadAttention(const AttentionInput& input) : input_(input), size_(input.query.size(1) / input.texts.heads) {}

  void forward(const TextHead& one, const AttentionResult& result) {
    start(one);
    write_to(result.context, context_);
    auto* log_sums = this->log_sums(result.log_sums);
    for (int64_t first = 0; first < length_; first += block_) {
      const int64_t rows = std::min(block_, length_ - first);
      compute_scores(first, rows);
      for (int64_t i = first; i < first + rows; ++i) {
        Scalar* row = weights_ + (i - first) * length_;
        log_sums[i] = softmax_row(row, seen(i));
        std::fill(row + seen(i), row + length_, Scalar(0));
        if (!mask_.keeps_all()) drop_row(row, row, seen(i), mask_, mask_index(one_.head, i, length_), nullptr);
      }
      compute({.rows = rows,
               .columns = size_,
               .inner = length_,
               .left = {weights_, length_},
               .right = factor(value_),
               .result = context_.data + first * context_.stride,
               .stride = context_.stride});
    }
    flush(context_, result.context);
  }

  struct Gradients {
    const AttentionGradients& all;
    const std::vector<at::Tensor>& tables;  ///< this piece's sums, [heads of the piece, rows, rows], or undefined
    int64_t first_head = 0;                 ///< of the piece
  };
  void backward(const TextHead& one, const at::Tensor& log_sums, const at::Tensor& gradient, const Gradients& to) {
    start(one);
    read(gradient, context_);
    write_to(to.all.query, query_gradient_);
    write_to(to.all.key, key_gradient_);
    write_to(to.all.value, value_gradient_);
    for (int64_t first = 0; first < length_; first += block_) {
      const int64_t rows = std::min(block_, length_ - first);
      const Scalar kept = first == 0 ? 0 : 1;
      weights_again(first, rows, this->log_sums(log_sums));
      add_value_gradient(first, rows, kept);
      compute_score_gradients(first, rows);
      for (size_t i = 0; i < to.tables.size(); ++i) {
        if (to.tables[i].defined()) collect_table(i, to.tables[i], one.head - to.first_head, first, rows);
      }
      add_query_and_key_gradients(first, rows, kept);
    }
    flush(query_gradient_, to.all.query);
    flush(key_gradient_, to.all.key);
    flush(value_gradient_, to.all.value);
  }

 private:
  void start(const TextHead& one) {
    one_ = one;
    begin_ = input_.texts.begin(one.text);
    length_ = input_.texts.length(one.text);
    mask_ = input_.texts.masks.empty() ? DropoutMask() : input_.texts.masks[one.text];
    block_ = std::clamp<int64_t>(kScoresAtOnce / length_, 1, length_);
    weights_ = weights_memory_.of(block_ * length_);
    read(input_.query, query_);
    read(input_.key, key_);
    read(input_.value, value_);
  }

  /// How many keys a query meets.
  [[nodiscard]] int64_t seen(int64_t query) const { return input_.texts.causal ? query + 1 : length_; }
  [[nodiscard]] Scalar scale() const { return static_cast<Scalar>(input_.texts.scale); }
  [[nodiscard]] ProductFactor<Scalar> factor(const HeadRows<Scalar>& rows, bool transposed = false) const {
    return {rows.data, rows.stride, transposed};
  }
  [[nodiscard]] ProductFactor<Scalar> factor(const HeadRows<Scalar>& rows, int64_t first) const {
    return {rows.data + first * rows.stride, rows.stride};
  }
  [[nodiscard]] Scalar* log_sums(const at::Tensor& all) const {
    return static_cast<Scalar*>(all.data_ptr()) + one_.head * all.size(1) + begin_;
  }

  /// scale · Q·Kᵀ + tables into weights_, [rows, length].
  void compute_scores(int64_t first, int64_t rows) {
    compute({.rows = rows,
             .columns = length_,
             .inner = size_,
             .factor = scale(),
             .left = factor(query_, first),
             .right = factor(key_, true),
             .result = weights_,
             .stride = length_});
    for (size_t i = 0; i < input_.tables.size(); ++i) {
      const TableOfHead table(input_, i, one_, input_.tables[i], one_.head);
      for (int64_t row = 0; row < rows; ++row) {
        add_columns(weights_ + row * length_, table.row(first + row), length_, table.columns);
      }
    }
  }

  void weights_again(int64_t first, int64_t rows, const Scalar* log_sums) {
    compute_scores(first, rows);
    for (int64_t i = first; i < first + rows; ++i) {
      Scalar* row = weights_ + (i - first) * length_;
      weights_row(row, seen(i), log_sums[i]);
      std::fill(row + seen(i), row + length_, Scalar(0));
    }
  }

  /// (weights · mask)ᵀ · gradient
  void add_value_gradient(int64_t first, int64_t rows, Scalar kept) {
    gradients_ = gradients_memory_.of(block_ * length_);
    const Scalar* dropped = weights_;
    if (!mask_.keeps_all()) {
      for (int64_t row = 0; row < rows; ++row) {
        drop_row(weights_ + row * length_, gradients_ + row * length_, length_, mask_,
                 mask_index(one_.head, first + row, length_), nullptr);
      }
      dropped = gradients_;
    }
    compute({.rows = length_,
             .columns = size_,
             .inner = rows,
             .left = {dropped, length_, true},
             .right = factor(context_, first),
             .kept = kept,
             .result = value_gradient_.data,
             .stride = value_gradient_.stride});
  }

  /// Into gradients_, [rows, length].
  void compute_score_gradients(int64_t first, int64_t rows) {
    compute({.rows = rows,
             .columns = length_,
             .inner = size_,
             .left = factor(context_, first),
             .right = factor(value_, true),
             .result = gradients_,
             .stride = length_});
    for (int64_t row = 0; row < rows; ++row) {
      Scalar* gradient = gradients_ + row * length_;
      const Scalar* weights = weights_ + row * length_;
      const Scalar mean =
          undrop_row(gradient, weights, length_, mask_, mask_index(one_.head, first + row, length_), nullptr);
      score_gradient_row(gradient, weights, length_, mean);
    }
  }

  void add_query_and_key_gradients(int64_t first, int64_t rows, Scalar kept) {
    compute({.rows = rows,
             .columns = size_,
             .inner = length_,
             .factor = scale(),
             .left = {gradients_, length_},
             .right = factor(key_),
             .result = query_gradient_.data + first * query_gradient_.stride,
             .stride = query_gradient_.stride});
    compute({.rows = length_,
             .columns = size_,
             .inner = rows,
             .factor = scale(),
             .left = {gradients_, length_, true},
             .right = factor(query_, first),
             .kept = kept,
             .result = key_gradient_.data,
             .stride = key_gradient_.stride});
  }

  void collect_table(size_t index, const at::Tensor& sums, int64_t head, int64_t first, int64_t rows) {
    const TableOfHead table(input_, index, one_, sums, head);
    for (int64_t row = 0; row < rows; ++row) {
      collect_columns(table.row(first + row), gradients_ + row * length_, length_, table.columns);
    }
  }

  /// One head's part of a table, or of its gradient, as one text reads it.
  struct TableOfHead {
    TableOfHead(const AttentionInput& input, size_t index, const TextHead& one, const at::Tensor& tables, int64_t head)
        : size(tables.size(1)),
          values(static_cast<Scalar*>(tables.data_ptr()) + head * size * size),
          rows(input.table_rows[index].data() + input.texts.begin(one.text)) {
      const int64_t length = input.texts.length(one.text);
      const bool in_order =
          std::adjacent_find(rows, rows + length, [](int32_t a, int32_t b) { return b != a + 1; }) == rows + length;
      columns = in_order ? nullptr : rows;
      shift = in_order ? rows[0] : 0;
    }
    /// That of a query, from where `columns` count.
    [[nodiscard]] Scalar* row(int64_t query) const { return values + rows[query] * size + shift; }

    int64_t size;
    Scalar* values;
    const int32_t* rows;  // of the text's tokens
    const int32_t* columns = nullptr;
    int64_t shift = 0;
  };

  void read(const at::Tensor& all, HeadRows<Scalar>& rows) const {
    const int64_t stride = all.stride(0), at = begin_ * stride + one_.head * size_;
    if (all.scalar_type() == c10::CppTypeToScalarType<Scalar>::value) {
      rows.data = static_cast<Scalar*>(all.data_ptr()) + at;
      rows.stride = stride;
      return;
    }
    const auto* from = static_cast<const at::BFloat16*>(all.const_data_ptr()) + at;
    rows.reserve(length_, size_);
    for (int64_t row = 0; row < length_; ++row) {
      for (int64_t i = 0; i < size_; ++i) rows.data[row * size_ + i] = static_cast<Scalar>(from[row * stride + i]);
    }
  }
  void write_to(const at::Tensor& all, HeadRows<Scalar>& rows) const {
    if (all.scalar_type() == c10::CppTypeToScalarType<Scalar>::value) return read(all, rows);
    rows.reserve(length_, size_);
  }
  void flush(const HeadRows<Scalar>& rows, const at::Tensor& all) const {
    if (all.scalar_type() == c10::CppTypeToScalarType<Scalar>::value) return;
    const int64_t stride = all.stride(0);
    auto* to = static_cast<at::BFloat16*>(all.data_ptr()) + begin_ * stride + one_.head * size_;
    for (int64_t row = 0; row < length_; ++row) {
      for (int64_t i = 0; i < size_; ++i) {
        to[row * stride + i] = static_cast<at::BFloat16>(static_cast<float>(rows.data[row * size_ + i]));
      }
    }
  }

  const AttentionInput& input_;
  int64_t size_;  // of a head
  TextHead one_;
  int64_t begin_ = 0, length_ = 0, block_ = 0;  // in tokens; queries of a block
  DropoutMask mask_;
  HeadRows<Scalar> query_, key_, value_, context_, query_gradient_, key_gradient_, value_gradient_;
  Scratch<Scalar> weights_memory_, gradients_memory_;
  Scalar *weights_ = nullptr, *gradients_ = nullptr;  // [block, length]
};

template <class Scalar>
AttentionResult forward(const AttentionInput& input) {
  const at::Tensor& value = input.value;
  const AttentionResult result{
      at::empty(value.sizes(), value.options()),
      at::empty({input.texts.heads, value.size(0)}, value.options().dtype(c10::CppTypeToScalarType<Scalar>::value))};
  const TextPieces pieces(input.texts);
  pieces.run([&](int64_t piece) {
    HeadAttention<Scalar> attention(input);
    pieces.for_heads(piece, [&](const TextHead& one) { attention.forward(one, result); });
  });
  return result;
}

template <class Scalar>
AttentionGradients backward(const AttentionInput& input, const at::Tensor& log_sums, const at::Tensor& gradient,
                            const std::vector<bool>& wanted) {
  const auto like = [](const at::Tensor& rows) { return at::empty(rows.sizes(), rows.options()); };
  AttentionGradients all{like(input.query), like(input.key), like(input.value), {}};
  const TextPieces pieces(input.texts);
  std::vector<std::vector<at::Tensor>> sums(static_cast<size_t>(pieces.count()));  // of each piece
  pieces.run([&](int64_t piece) {
    const auto [first, end] = pieces.heads(piece);
    auto& tables = sums[static_cast<size_t>(piece)];
    for (size_t i = 0; i < wanted.size(); ++i) {
      auto sizes = input.tables[i].sizes().vec();
      sizes[0] = end - first;
      tables.push_back(wanted[i] ? at::zeros(sizes, input.tables[i].options()) : at::Tensor());
    }
    const typename HeadAttention<Scalar>::Gradients to{all, tables, first};
    HeadAttention<Scalar> attention(input);
    pieces.for_heads(piece, [&](const TextHead& one) { attention.backward(one, log_sums, gradient, to); });
  });
  for (size_t i = 0; i < wanted.size(); ++i) {
    all.tables.push_back(wanted[i] ? at::zeros_like(input.tables[i]) : at::Tensor());
    for (int64_t piece = 0; wanted[i] && piece < pieces.count(); ++piece) {
      const auto [first, end] = pieces.heads(piece);
      all.tables[i].narrow(0, first, end - first).add_(sums[static_cast<size_t>(piece)][i]);
    }
  }
  return all;
}

}  // namespace

AttentionResult attention_forward(const AttentionInput& input) {
  return input.value.scalar_type() == at::kDouble ? forward<double>(input) : forward<float>(input);
}

AttentionGradients attention_backward(const AttentionInput& input, const at::Tensor& log_sums,
                                      const at::Tensor& gradient, const std::vector<bool>& wanted) {
  const at::Tensor rows = gradient.to(input.value.scalar_type()).contiguous();
  return input.value.scalar_type() == at::kDouble ? backward<double>(input, log_sums, rows, wanted)
                                                  : backward<float>(input, log_sums, rows, wanted);
}

}  // namespace summand::train
