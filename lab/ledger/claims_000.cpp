#include "lab/ledger/claims.hpp"

#include <string>
#include <vector>

namespace summand::lab {

std::vector<Claim> claims_of_three_embeddings() {
  const std::string document = "000";
  return {
      {.id = "0.1",
       .document = document,
       .quote = {"某些维度可能被不同嵌入的数值范围主导（如位置嵌入的幅值较大），导致其他嵌入的表达被掩盖。", 17},
       .brief = {"a larger embedding dominates some dimensions and masks the others",
                 "数值较大的嵌入主导某些维度、掩盖其他"},
       .claim = {"Where one embedding has a larger range of values, as the position embedding may, it dominates some "
                 "dimensions and masks the other embeddings there.",
                 "某个嵌入的数值范围较大时（例如位置嵌入），它会主导某些维度，掩盖其他嵌入在那里的表达。"},
       .test = {"The share of each centred part in every dimension's variance, uniform and weighted by corpus "
                "frequency, before and after the first normalisation; in how many dimensions position has more than "
                "half; beside tables with shuffled dimensions.",
                "计算中心化后各部分在每个维度方差中的占比，均匀加权与按语料词频加权各一次，取第一次归一化之前与之后；统"
                "计位置占比过半的维度数，并以打乱维度的表为对照。"},
       .published =
           {"Luo et al. 2021, abstract: the outlier dimensions vanish when RoBERTa is pre-trained without position "
            "embeddings.",
            "Luo 等 2021，摘要：RoBERTa 不带位置嵌入预训练时，离群维度消失。"},
       .evidence = Evidence::checkpoint},
      {.id = "0.2",
       .document = document,
       .quote = {"句子分隔符的嵌入（segment embedding）可能与位置信息相关，而直接相加会引入冗余或冲突。", 19},
       .brief = {"the segment overlaps with positions; adding is redundant", "句段与位置相关，相加带来冗余"},
       .claim = {"Embeddings of different origin compete for the same dimensions; the segment embedding may be related "
                 "to position, so that adding the two brings redundancy or conflict.",
                 "来源不同的嵌入会争夺相同的维度；句段嵌入可能与位置信息相关，两者相加会带来冗余或冲突。"},
       .test = {"The share of the segment difference s₁ − s₀ that lies in the position table's first 16 components, "
                "beside chance; the principal angles; and, in the corpus, the mutual information of segment and "
                "position.",
                "计算句段之差 s₁ − s₀ 落在位置表前 16 个主成分内的比例，与随机水平比较；计算主角；并在语料上计算句段与"
                "位置的互信息。"},
       .published = {"google-research/bert, issue 1229: where the second sentence begins can be read from [SEP].",
                     "google-research/bert 第 1229 号议题：第二句从哪里开始，可由 [SEP] 读出。"},
       .worked_out = {"On MiniLM 0.70 of s₁ − s₀ lies in the first 16 components, by chance 0.042.",
                      "在 MiniLM 上，s₁ − s₀ 有 0.70 落在前 16 个主成分内，随机水平为 0.042。"},
       .evidence = Evidence::checkpoint},
      {.id = "0.3",
       .document = document,
       .quote = {"直接相加可能削弱模型对局部结构（如句子关系）或绝对位置的敏感性。", 21},
       .brief = {"adding weakens sensitivity to order and sentence relations", "相加削弱对位置与句间关系的敏感性"},
       .claim = {"Adding the embeddings directly may weaken the model's sensitivity to local structure, such as the "
                 "relation of sentences, or to absolute position.",
                 "直接相加可能削弱模型对局部结构（如句子关系）或绝对位置的敏感性。"},
       .test = {"In small models trained from scratch: the excess loss over the exact Bayes posterior on tasks of "
                "absolute position, local relation and segment, for the sum against its alternatives, in at least "
                "eight paired seeds.",
                "从头训练小模型：在绝对位置、局部关系、句段三类任务上，计算相加与各种替代方案相对于精确贝叶斯后验的超额"
                "损失，至少八个配对种子。"},
       .published = {},
       .evidence = Evidence::trained_controls},
      {.id = "0.4",
       .document = document,
       .quote = {"Position Embedding 可以学习到动态缩放策略，补偿不同长度的序列。", 28},
       .brief = {"positions learn a scaling for texts of every length", "位置嵌入学会随文本长度缩放"},
       .claim = {"The position embedding can learn a strategy of dynamic scaling that makes up for sequences of "
                 "different lengths.",
                 "位置嵌入可以学到一种动态缩放策略，用来补偿不同长度的序列。"},
       .test = {"The norm of every position's row; and the first normalisation's σ at one token in texts of different "
                "lengths, which must not change, since its input is that token's own three rows.",
                "计算每个位置的行模长；再看同一词元处第一次归一化的 σ 在不同长度的文本中是否变化：它的输入只是该词元自"
                "己的三行，所以不应变化。"},
       .published = {},
       .evidence = Evidence::checkpoint},
      {.id = "0.5",
       .document = document,
       .quote = {"相比更复杂的组合方式（如拼接或门控机制），直接相加的计算复杂度更低，且保留了线性可分性，便于优化。",
                 30},
       .brief = {"adding is cheaper than concatenation or gates", "相加比拼接或门控省计算"},
       .claim = {"Compared with concatenation or gating, adding directly costs less computation, keeps linear "
                 "separability and is easy to optimise.",
                 "与拼接或门控相比，直接相加的计算复杂度更低，保留线性可分性，并且便于优化。"},
       .test = {"Operations and bytes of the sum, of concatenation with projection and of a gate, counted at the "
                "checkpoint's sizes; and linear probes that read token, position and segment from the sum.",
                "按检查点的尺寸统计相加、拼接加投影、门控三种方式的运算量与字节数；并用线性探针从和中读出词元、位置与句"
                "段。"},
       .published =
           {"DIET (Chen et al. 2021), table 2, cost of other ways than BERT's sum, in training and inference: Shaw "
            "per head +13 % and +33 %, TUPE +1 % and +19 %, DIET 0 % and 0 %.",
            "DIET（Chen 等 2021）表 2，与 BERT 的相加相比，训练与推理的额外开销：Shaw（每个头各一套）为 +13% 与"
            " +33%，TUPE 为 +1% 与 +19%，DIET 为 0% 与 0%。"},
       .evidence = Evidence::checkpoint},
      {.id = "0.6",
       .document = document,
       .quote = {"不同维度可能隐式编码不同属性。实验证明，即使相加后，模型仍能通过训练在不同维度上学习语义的组合。",
                 32},
       .brief = {"different dimensions hold different properties", "不同维度编码不同属性"},
       .claim = {"Of the 768 or 1024 dimensions, different ones may implicitly code different properties; experiments "
                 "are said to prove that training still learns to combine meanings across them after the addition.",
                 "在 768 或 1024 个维度中，不同维度可能隐式编码不同属性；文中称实验证明，即使相加之后，模型仍能通过训练"
                 "在不同维度上学习语义的组合。"},
       .test = {"Principal angles and the overlap of the leading subspaces of the position and token tables, and how "
                "few coordinates carry the position table's leading directions, beside 1000 random rotations.",
                "计算位置表与词元表主子空间之间的主角与重叠，以及位置表的主方向集中在多少个坐标上，并与 1000 次随机旋转"
                "比较。"},
       .published =
           {"james-simon.github.io 2024, on GPT-2: the position table has a rank of about 30, is aligned with the "
            "token table's bottom singular directions, and its leading directions concentrate on about 40 "
            "coordinates: “a permutation away from concatenation”.",
            "james-simon.github.io 2024，关于 GPT-2：位置表的秩约为 30，与词元表最末的奇异方向对齐，主方向集中在约"
            " 40 个坐标上，“a permutation away from concatenation”（与拼接只差一个置换）。"},
       .evidence = Evidence::checkpoint},
      {.id = "0.7",
       .document = document,
       .quote = {"将Token、Position、Segment嵌入分配到嵌入向量的不同维度区域，而非共享全部维度。", 43},
       .brief = {"separate dimensions, gates or sinusoids would ease adding's harm", "分维、门控或正弦可缓解相加之害"},
       .claim =
           {"Alternatives that would ease the harm of adding: separate dimensions for the three embeddings, gates "
            "or element-wise weights, and adaptive sine and cosine positions as in Transformer-XL.",
            "可缓解相加之害的替代方案：三种嵌入各占不同的维度，用门控或逐元素权重，以及像 Transformer-XL 那样的自适"
            "应正弦/余弦位置编码。"},
       .test = {"In small models trained from scratch: the excess loss over Bayes of the sum against disjoint "
                "dimensions, concatenation with projection, gates, element-wise weights and multiplication, at equal "
                "parameters and at equal computation.",
                "从头训练小模型：在参数量相等与计算量相等两种条件下，比较相加与分占维度、拼接加投影、门控、逐元素权重、"
                "相乘各方案相对于贝叶斯最优的超额损失。"},
       .published =
           {"TUPE (Ke et al., 2006.15595), table 1, GLUE average: 82.96 with the sum, 83.64 with untied "
            "projections, 83.81 with the cross terms dropped, 84.47 with [CLS] untied. DIET (Chen et al. 2021), "
            "table 2: 84.8 with the sum, 85.2 with position and segment per head. Essentially one pre-training run "
            "each. Hallam & Tseng 2026 (2601.05807), abstract: sum, concatenation with projection and gate "
            "compared; negligible differences on short texts, consistent gains on long ones.",
            "TUPE（Ke 等，2006.15595）表 1，GLUE 平均分：相加 82.96，投影不共享 83.64，再去掉交叉项 83.81，再解除"
            " [CLS] 的绑定 84.47。DIET（Chen 等 2021）表 2：相加 84.8，位置与句段放进每个头 85.2。基本上每种方案只"
            "预训练一次。Hallam & Tseng 2026（2601.05807），摘要：比较相加、拼接加投影与门控；短文本上差别可忽略，"
            "长文本上有一致的提升。"},
       .evidence = Evidence::trained_controls},
      {.id = "0.8",
       .document = document,
       .quote = {"通常发现移除Segment或Position嵌入会显著降低模型表现，证明其贡献被有效保留。", 53},
       .brief = {"taking segment or position out lowers performance clearly", "移除句段或位置会明显降低表现"},
       .claim = {"Removing the segment or the position embedding usually lowers the model's performance clearly, which "
                 "proves that their contribution survives the addition.",
                 "移除句段嵌入或位置嵌入通常会显著降低模型表现，证明它们的贡献在相加后得到保留。"},
       .test = {"Segment ids set to all 0, all 1 and flipped, and position rows replaced by their mean, permuted and "
                "shifted: how the output changes, kept apart from retraining without them.",
                "把句段编号全设为 0、全设为 1、互换，把位置行换成均值、置换、平移：看输出怎样变化；这与去掉它们再重新训"
                "练分开报告。"},
       .published =
           {"Haviv et al. 2022, table 4, masked-word perplexity: 147.18 without positions, 4.06 with learned and "
            "4.07 with sinusoidal ones (RoBERTa-large, length 128, one run). RoBERTa, table 2, MNLI-m: 84.0 with "
            "segment pairs and next-sentence prediction, 84.7 with full sentences. van der Goot 2020, abstract: "
            "swapping mBERT's segment ids at inference gives +2.5 LAS on 9 treebanks.",
            "Haviv 等 2022 表 4，掩码词困惑度：无位置 147.18，可学习位置 4.06，正弦位置 4.07（RoBERTa-large，长度"
            " 128，各训练一次）。RoBERTa 表 2，MNLI-m：句段对加下一句预测 84.0，完整句子 84.7。van der Goot 2020，"
            "摘要：推理时互换 mBERT 的句段编号，在 9 个树库上 LAS +2.5。"},
       .evidence = Evidence::checkpoint},
      {.id = "0.9",
       .document = document,
       .quote = {"通过t-SNE可视化发现，位置编码在768维中仍能保持局部连续性，表明直接相加未完全破坏结构。", 55},
       .brief = {"t-SNE shows positions continuous, so adding spared their structure",
                 "t-SNE 中位置连续，故相加未毁其结构"},
       .claim =
           {"t-SNE pictures show that the position embeddings stay locally continuous in 768 dimensions, so adding "
            "has not entirely destroyed their structure.",
            "t-SNE 可视化显示位置嵌入在 768 维中保持局部连续，说明相加没有完全破坏其结构。"},
       .test = {"The share of a row's nearest neighbours that lie within ±k positions, and trustworthiness, on the "
                "position table and on the sum itself; beside white noise, a random walk and a Gaussian process.",
                "在位置表和相加之和上，计算每行的最近邻落在 ±k 个位置之内的比例以及可信度（trustworthiness）；对照为白"
                "噪声、随机游走与高斯过程。"},
       .published = {},
       .evidence = Evidence::checkpoint},
      {.id = "0.10",
       .document = document,
       .quote = {"可能降低特征表达的稀疏性", 63},
       .brief = {"adding makes the features less sparse", "相加降低特征的稀疏性"},
       .claim = {"In summary: adding makes large-scale training simple, but may make the features less sparse and is "
                 "hard to extend to more complex interactions of the embeddings.",
                 "总结：相加便于大规模训练，但可能降低特征的稀疏性，也难以扩展到更复杂的嵌入交互。"},
       .test =
           {"Hoyer's sparsity of the input vectors under the sum, concatenation and disjoint dimensions, and of "
            "the position table's leading directions beside random rotations; extension is tested under Q3 and Q10.",
            "计算相加、拼接、分占维度三种方式下输入向量的 Hoyer 稀疏度，以及位置表主方向的稀疏度（与随机旋转比"
            "较）；扩展性在 Q3 与 Q10 中检验。"},
       .published =
           {"james-simon.github.io 2024, on GPT-2: the position table's leading directions concentrate on about 40 "
            "coordinates.",
            "james-simon.github.io 2024，关于 GPT-2：位置表的主方向集中在约 40 个坐标上。"},
       .evidence = Evidence::checkpoint},
      {.id = "0.11",
       .document = document,
       .quote = {"若目标是进一步提升模型对长程依赖或复杂结构的理解，更复杂的嵌入交互机制（如相对位置编码、层次化嵌入对"
                 "齐）可能是更有前景的方向。",
                 68},
       .brief = {"relative or hierarchical positions are more promising", "相对或层次化位置更有前景"},
       .claim = {"For long-range dependency and complex structure, richer interactions such as relative positions and "
                 "hierarchical embeddings may be the more promising direction.",
                 "要更好地理解长程依赖或复杂结构，相对位置编码、层次化嵌入等更复杂的交互机制可能更有前景。"},
       .test = {"In small models trained from scratch: the excess loss over Bayes by length of the dependency, for "
                "learned absolute, relative and hierarchical positions (sentence index and index in the sentence, a "
                "table each).",
                "从头训练小模型：按依赖长度给出可学习绝对位置、相对位置、层次化位置（句序号与句内序号各一张表）相对于贝"
                "叶斯最优的超额损失。"},
       .published =
           {"TUPE (Ke et al., 2006.15595), table 1, GLUE average: BERT-A 82.96 and BERT-R 83.66, TUPE-A 84.47 and "
            "TUPE-R 85.04 (A: absolute positions, R: relative ones).",
            "TUPE（Ke 等，2006.15595）表 1，GLUE 平均分：BERT-A 82.96，BERT-R 83.66；TUPE-A 84.47，TUPE-R 85.04（A "
            "为绝对位置，R 为相对位置）。"},
       .evidence = Evidence::trained_controls},
  };
}

}  // namespace summand::lab
