#pragma once

namespace summand {

/// Number format of the encoder's matrix products. Embeddings, normalisations, softmax, pooler and heads are always in
/// single precision. At every precision, on one instruction set, a text's results have the same bits in any batch and
/// with any number of threads.
enum class Precision {
  fp32,  ///< single precision; runs everywhere
  bf16,  ///< activations and weights rounded to bf16, sums in single precision; needs AVX2
  fp16,  ///< activations and weights rounded to fp16; 64 products summed in fp16, these sums in single precision;
         ///< needs AVX-512 FP16. Numbers beyond 65504 inside the model are an error, never a wrong result
  int8,  ///< activations in 8 bits with a scale per token, weights in 8 bits with a scale per output, exact sums;
         ///< needs AVX2. Attention between tokens is in 16 bits where that is faster, else in fp32
  /// int8 for an int8 checkpoint, or fp32 if the machine has no kernels for it. For other checkpoints the fastest of
  /// fp32, bf16 and fp16 on this kind of processor; KernelSetInfo::automatic and KernelSetInfo::reason say which and
  /// why. ModelInfo::precision and Model::notices report the choice.
  automatic,
  /// int8 for an int8 checkpoint, or fp32 if the machine has no kernels for it; Model::notices reports which. fp32 for
  /// other checkpoints.
  of_checkpoint,
};

}  // namespace summand
