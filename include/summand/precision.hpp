#pragma once

namespace summand {

/// What the matrix products of the encoder's layers multiply. Embeddings, normalisations, softmax, pooler and heads are
/// in single precision always. A text's results have the same bits alone, in any batch and with any number of threads
/// at every precision, on one instruction set.
enum class Precision {
  fp32,       ///< single precision; runs everywhere
  bf16,       ///< activations and weights rounded to bf16, sums in single precision; needs AVX-512 BF16
  int8,       ///< activations in 8 bits per token, weights in 8 bits per output, sums exact; needs AVX-512 VNNI.
              ///< Attention between tokens is in bf16 where the machine has it, else in fp32
  automatic,  ///< of an int8 checkpoint int8, of any other bf16; fp32 where the machine has no native products of that
              ///< kind. What was chosen stands in ModelInfo::precision and in Model::notices
  of_checkpoint,  ///< of an int8 checkpoint int8, or fp32 where the machine has no native products, and Model::notices
                  ///< says which; of any other fp32
};

}  // namespace summand
