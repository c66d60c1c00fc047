#pragma once

namespace summand::lab {

// The tensors of the three tables whose rows a BERT adds, as a checkpoint of Hugging Face's layout names them.
inline constexpr const char* kTokenTable = "embeddings.word_embeddings.weight";
inline constexpr const char* kPositionTable = "embeddings.position_embeddings.weight";
inline constexpr const char* kSegmentTable = "embeddings.token_type_embeddings.weight";

}  // namespace summand::lab
