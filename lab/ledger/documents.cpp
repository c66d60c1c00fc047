#include "lab/ledger/ledger.hpp"

namespace summand::lab {

const std::vector<Document>& documents() {
  static const std::vector<Document> list{
      {.name = "000",
       .title = {"Does adding BERT's three embeddings affect meaning? A language model's answer",
                 "BERT Embedding 相加对语义影响分析：一份语言模型的回答"},
       .address = ""},
      {.name = "001",
       .title = {"Ten questions on BERT and the Transformer, with answers", "关于 BERT/Transformer 的十个问答"},
       .address = "https://zhuanlan.zhihu.com/p/132554155"},
      {.name = "002",
       .title = {"First thoughts on BERT: Lintianqianjin's notebook on its position table",
                 "初学 BERT 的一点思考：Lintianqianjin 的位置表笔记"},
       .address = "https://github.com/Lintianqianjin/NLP-models/tree/master/BERT"},
      {.name = "003",
       .title = {"Why are BERT's embeddings summed and not concatenated? A question and its answer",
                 "BERT 的嵌入为什么相加而不拼接？一问一答"},
       .address = "https://ai.stackexchange.com/questions/35990"},
      {.name = "004",
       .title = {"The Road to Transformer Upgrades, 1: the sinusoidal position encoding traced to its source, by Su "
                 "Jianlin",
                 "Transformer 升级之路：1、Sinusoidal 位置编码追根溯源（苏剑林）"},
       .address = "https://spaces.ac.cn/archives/8231"},
      {.name = kBeyondTheDocuments,
       .title = {"Beyond the documents: claims of the laboratory's own", "文档之外：实验室自己的说法"},
       .address = ""},
  };
  return list;
}

}  // namespace summand::lab
