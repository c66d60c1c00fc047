#pragma once

namespace summand {

/// What the matrix products of the encoder's layers multiply. Embeddings, normalisations, softmax, pooler and heads are
/// in single precision always. A text's results have the same bits alone, in any batch and with any number of threads
/// at every precision, on one instruction set.
enum class Precision {
  fp32,       ///< single precision; runs everywhere
  bf16,       ///< activations and weights rounded to bf16, sums in single precision; needs AVX2
  fp16,       ///< activations and weights rounded to fp16, sums of 64 products in fp16, of those in single precision;
              ///< needs AVX-512 FP16. Numbers beyond 65504 inside the model are an error, never a wrong result
  int8,       ///< activations in 8 bits per token, weights in 8 bits per output, sums exact; needs AVX2.
              ///< Attention between tokens is in 16 bits where that is faster, else in fp32
  automatic,  ///< of an int8 checkpoint int8, or fp32 where the machine has no kernels for it; of any other what is
              ///< fastest on this kind of processor among fp32, bf16 and fp16: KernelSetInfo::automatic says what and
              ///< why. What was chosen stands in ModelInfo::precision and in Model::notices
  of_checkpoint,  ///< of an int8 checkpoint int8, or fp32 where the machine has no native products, and Model::notices
                  ///< says which; of any other fp32
};

}  // namespace summand
