#include "lab/ledger/claims.hpp"

#include <string>
#include <vector>

namespace summand::lab {

std::vector<Claim> claims_of_ten_questions() {
  const std::string document = "001";
  return {
      {.id = "Q1",
       .document = document,
       .quote = {"那在softmax后的加权平均中，该词本身所占的比重将会是最大的，使得其他词的比重很少，无法有效利用上下文信"
                 "息来增强当前词的语义表示。",
                 27},
       .brief = {"without query, key and value maps, words attend to themselves", "没有 Q、K、V 矩阵时词只看自己"},
       .claim = {"Without the Q, K and V matrices, at equal magnitudes a word's product with itself is largest, so its "
                 "own weight dominates and little context is used.",
                 "不乘 Q、K、V 矩阵时，在量级相同的情况下词与自身的点积最大，于是自身比重占主导，上下文利用得很少。"},
       .test = {"With these matrices replaced by the identity on normalised inputs: how often a word's largest weight "
                "is its own, and its mean weight on itself against the trained heads, over temperature and spread of "
                "norms.",
                "在归一化后的输入上把这些矩阵换成单位阵：统计词的最大权重落在自身的比例，以及自身的平均权重，与训练好的"
                "头比较，并随温度与模长离散程度变化。"},
       .published = {},
       .evidence = Evidence::checkpoint},
      {.id = "Q2",
       .document = document,
       .quote = {"那从CBOW的滑动窗口角度，10%~20%都是还ok的比例。", 40},
       .brief = {"masking 15 % is CBOW; 10 to 20 % do", "掩码 15% 类似 CBOW，10%~20% 皆可"},
       .claim =
           {"Masking 15 % resembles CBOW, with one word drawn from each non-overlapping window; from that view any "
            "rate from 10 to 20 % is fine.",
            "掩码 15% 类似 CBOW：在每个互不重叠的窗口中抽一个词；由此看，10%~20% 都是可以的比例。"},
       .test =
           {"In small models trained from scratch: mask rates from 5 to 80 %, corruption and prediction apart, "
            "masks independent, of exact count, and one per window; excess loss over Bayes, probes and fine-tuning.",
            "从头训练小模型：掩码率取 5% 到 80%，破坏率与预测率分开，掩码方式取独立、定数、每窗一个；报告相对于贝叶"
            "斯最优的超额损失、探针与微调结果。"},
       .published =
           {"Wettig et al. 2022, by a secondary transcription, MNLI-m: 84.2 at 15 %, 84.5 at 40 %, 80.8 at 80 %; "
            "corrupting 40 % and predicting 20 % 83.7, corrupting 20 % and predicting 40 % 85.7; one pre-training "
            "run each. ModernBERT masks 30 %.",
            "Wettig 等 2022（据二手转录），MNLI-m：15% 时 84.2，40% 时 84.5，80% 时 80.8；破坏 40% 而预测 20% 为 "
            "83.7，破坏 20% 而预测 40% 为 85.7；各预训练一次。ModernBERT 掩码 30%。"},
       .evidence = Evidence::trained_controls},
      {.id = "Q3",
       .document = document,
       .quote = {"在直接使用Google 的BERT预训练模型时，输入最多512个词（还要除掉[CLS]和[SEP]），最多两个句子合成一句。",
                 63},
       .brief = {"BERT takes at most 512 tokens and two sentences", "BERT 最多 512 个词元、两个句子"},
       .claim = {"Google's pre-trained BERT takes at most 512 tokens, [CLS] and [SEP] among them, and at most two "
                 "sentences, since its position and segment tables have no more rows.",
                 "Google 预训练的 BERT 最多输入 512 个词元（含 [CLS] 与 [SEP]）、最多两个句子，因为位置表与句段表没有更"
                 "多的行。"},
       .test = {"The shapes of both tables; and texts beyond 512 by clamping, interpolation, tiling and Su's "
                "hierarchical positions: accuracy on masked words by block of positions, paired by window.",
                "读出两张表的形状；对超过 512 的文本分别用截到末行、插值、平铺与苏剑林的层次分解：按位置分块、按窗口配"
                "对，给出掩码词的准确率。"},
       .published =
           {"Su, kexue.fm 7947: hierarchical positions with α = 0.4 reach 512² = 262,144; RoBERTa's accuracy on "
            "masked words at length 1536 is 38 % untrained, against about 55 % at 512, and is above 55 % again "
            "after about 3000 steps.",
            "苏剑林，kexue.fm 7947：层次分解取 α = 0.4 可达 512² = 262,144 个位置；RoBERTa 的掩码词准确率在长度"
            " 1536 时未经训练为 38%，在 512 时约 55%，训练约 3000 步后回到 55% 以上。"},
       .evidence = Evidence::checkpoint},
      {.id = "Q4",
       .document = document,
       .quote =
           {"而[CLS]位本身没有语义，经过12层，得到的是attention后所有词的加权平均，相比其他正常词，可以更好的表征句"
            "子语义。",
            76},
       .brief = {"[CLS] is a fair average of all words", "[CLS] 是所有词的公平平均"},
       .claim =
           {"[CLS] has no meaning of its own, so it merges all words more fairly: its vector after 12 layers is "
            "their weighted average and represents the sentence better than ordinary words' vectors.",
            "[CLS] 本身没有语义，能更“公平”地融合各个词：经过 12 层后，它的向量是所有词的加权平均，比普通词的向量更"
            "能表征整句。"},
       .test = {"Each token's share in [CLS]'s final vector by rollout and norm-weighted attention, its Gini "
                "coefficient, and leave-one-out influence, beside ordinary words'; and sentence similarity by [CLS], "
                "pooled output and mean.",
                "用注意力展开与模长加权注意力计算各词元在 [CLS] 末层向量中的份额、基尼系数与逐一剔除的影响，与普通词比"
                "较；并比较 [CLS]、池化输出与均值的句子相似度。"},
       .published =
           {"SBERT, table 1, average over the STS tasks: BERT's [CLS] vector 29.19, mean of its vectors 54.81, "
            "GloVe 61.32. TUPE (Ke et al., 2006.15595), table 1: untying [CLS] gives +0.66 GLUE.",
            "SBERT 表 1，STS 各任务平均：BERT 的 [CLS] 向量 29.19，各向量均值 54.81，GloVe 61.32。TUPE（Ke "
            "等，2006.15595）表 1：解除 [CLS] 的绑定，GLUE +0.66。"},
       .evidence = Evidence::checkpoint},
      {.id = "Q5",
       .document = document,
       .quote = {"Self-Attention时间复杂度：O(n^2 * d)，这里，n是序列的长度，d是embedding的维度。", 90},
       .brief = {"self-attention takes O(n²d) time", "自注意力的时间为 O(n²d)"},
       .claim = {"Self-attention takes O(n²d) time: similarities and weighted average O(n²d) each, softmax O(n²).",
                 "自注意力的时间复杂度为 O(n²d)：相似度与加权平均各为 O(n²d)，softmax 为 O(n²)。"},
       .test = {"Operations counted and time measured over n, d and m, scores and weighted average apart from the four "
                "projections (8nd²) and the feed-forward part (16nd²); exponents fitted with intervals.",
                "随 n、d、m 统计运算量并测量时间，把打分与加权平均同四个投影（8nd²）及前馈部分（16nd²）分开；拟合指数并"
                "给出区间。"},
       .published = {},
       .evidence = Evidence::checkpoint},
      {.id = "Q5b",
       .document = document,
       .quote = {"因此Multi-Head Attention时间复杂度就是O(n^2 * d * m) ，而实际上，张量乘法可以加速，因此实际复杂度会更"
                 "低一些。",
                 116},
       .brief = {"m heads take O(n²dm) time", "m 个头的时间为 O(n²dm)"},
       .claim = {"Multi-head attention takes O(n²dm) time, in practice somewhat less since tensor products are fast; "
                 "how transposing and reshaping do it, the author asks.",
                 "多头注意力的时间复杂度为 O(n²dm)，实际上张量乘法可以加速而略低；transpose 与 reshape 如何做到，作者表"
                 "示没有弄明白。"},
       .test = {"Heads by reshaping and transposing set equal to a loop over heads; operations counted at fixed d = "
                "m·a while m runs from 1 to 64; and the time curve.",
                "验证 reshape 与 transpose 得到的多头与逐头循环完全相等；固定 d = m·a，令 m 从 1 到 64，统计运算量并画"
                "出时间曲线。"},
       .published = {},
       .evidence = Evidence::checkpoint},
      {.id = "Q6",
       .document = document,
       .quote = {"通过这样的权重共享可以减少参数的数量，加快收敛。", 143},
       .brief = {"tying input and output tables saves parameters", "输入输出共享词元表可省参数"},
       .claim =
           {"The Transformer shares embeddings between encoder and decoder, and between the decoder's embedding "
            "and its output layer, which saves parameters and speeds convergence.",
            "Transformer 在编码器与解码器的嵌入之间、解码器的嵌入与输出全连接层之间共享权重，可减少参数并加快收敛。"},
       .test = {"Whether the checkpoint's masked-word output is tied to its token table and how many parameters that "
                "saves; shared subwords, and the softmax's time by size of vocabulary.",
                "看检查点的掩码词输出层是否与词元表共享权重、节省多少参数；并统计共享子词以及 softmax 时间随词表大小的"
                "变化。"},
       .published = {"Cramming (paper): no gain from untying.", "Cramming（论文）：取消共享没有带来提升。"},
       .evidence = Evidence::checkpoint},
      {.id = "Q6b",
       .document = document,
       .quote = {"Embedding层和FC层权重共享，Embedding层中和向量 x 最接近的那一行对应的词，会获得更大的预测概率。",
                 141},
       .brief = {"with tied, equally long rows the nearest word is likeliest", "共享且行等长时最近的词概率最大"},
       .claim = {"With tied weights and rows of equal magnitude, the word whose embedding row is nearest to the vector "
                 "x gets the largest predicted probability.",
                 "权重共享且各行量级相同时，嵌入表中与向量 x 最接近的那一行所对应的词获得最大的预测概率。"},
       .test = {"How often the largest logit belongs to the row nearest to the hidden vector, by cosine and by "
                "distance, with intervals; and the spread of the rows' norms and of the bias.",
                "统计最大 logit 属于与隐藏向量最近的那一行的比例（按余弦与按距离），给出区间；并给出各行模长与偏置的离"
                "散程度。"},
       .published = {},
       .evidence = Evidence::checkpoint},
      {.id = "Q7",
       .document = document,
       .quote = {"前馈层的gelu激活函数和self-attention，self-attention是非线性的", 158},
       .brief = {"non-linearity comes from GELU and self-attention alone", "非线性来自 GELU 与自注意力"},
       .claim = {"BERT's non-linearity comes from the feed-forward layers' GELU and from self-attention.",
                 "BERT 的非线性来自前馈层的 GELU 激活函数与自注意力。"},
       .test = {"Every source on its own (GELU, softmax, normalisations, the pooler's tanh, the head) moved a small "
                "step towards its best affine fit, of words alone: how far sentence vectors move, and how much "
                "curvature is left without it.",
                "把每个来源（GELU、softmax、各归一化、池化层的 "
                "tanh、任务头）只对普通词向其最佳仿射拟合移动一小步：看句向量移动多少，以及去掉它之后剩余多少曲率。"},
       .published = {},
       .evidence = Evidence::checkpoint},
      {.id = "Q8a",
       .document = document,
       .quote =
           {"如此得到的 word Embedding，和concat后的特征：[1,0,0,0,1,0,0,1,0]，再过维度为 [4+3+2,768] = [9, 768] 的"
            "全连接层，得到的向量其实就是一样的。",
            176},
       .brief = {"adding is one layer on concatenated one-hot vectors", "相加等于拼接 one-hot 再过一层"},
       .claim = {"Adding the three embeddings gives the same vector as concatenating the three one-hot vectors and "
                 "passing them through one layer of 4 + 3 + 2 = 9 rows.",
                 "三个嵌入相加，与把三个 one-hot 拼接后再过一个 4 + 3 + 2 = 9 行的全连接层，得到的向量相同。"},
       .test = {"The document's own example with its 9- and 24-wide vectors, the rows at BERT's size (31,036 against "
                "31,254,528), and the checkpoint's three tables stacked into one: the largest difference in units of "
                "the last place.",
                "验证文中 9 维与 24 维的例子，给出 BERT 尺寸下的行数（31,036 对 31,254,528），并把检查点的三张表叠成一"
                "张：给出以末位单位（ULP）计的最大差。"},
       .published = {"google-research/bert, modeling.py: token and segment are added first, then position.",
                     "google-research/bert，modeling.py：先加词元与句段，再加位置。"},
       .evidence = Evidence::checkpoint},
      {.id = "Q8b",
       .document = document,
       .quote = {"Embedding 矩阵维度就是 [24,768]，最后得到的 word Embedding 依然是和上面的等效", 182},
       .brief = {"one table of all 24 combinations is still equivalent", "24 行的组合表仍与相加等效"},
       .claim = {"Mapping the three one-hot vectors to a single one of 4 · 3 · 2 = 24 gives a table of 24 rows whose "
                 "result is still equivalent to the sum.",
                 "把三个 one-hot 映射成 4 · 3 · 2 = 24 维的一个 one-hot，得到 24 行的表，其结果仍与相加等效。"},
       .test = {"Algebra: the document's example both ways, from sums to one table of 24 rows and from 24 rows drawn "
                "freely to sums: how much of them no sum reaches. Which of the two trains better needs training.",
                "代数：文中的例子双向检验：由相加得到 24 行的表，以及由自由选取的 24 "
                "行得到相加，看其中多少是任何相加都达不到的。哪一种训练得更好须经训练才知。"},
       .published = {},
       .evidence = Evidence::checkpoint},
      {.id = "Q8c",
       .document = document,
       .quote = {"两种方式得到的 word Embedding 可能方差会有差别，但是，BERT还有Layer Norm，会把 Embedding 结果统一到相"
                 "同的分布。",
                 184},
       .brief = {"layer normalisation evens out the parts' variances", "层归一化抹平各部分的方差"},
       .claim =
           {"The two ways may give embeddings of different variance, but BERT's layer normalisation brings them to "
            "the same distribution.",
            "两种方式得到的嵌入方差可能不同，但 BERT 的层归一化会把它们统一到相同的分布。"},
       .test = {"The variance of each part alone and of the sum, before and after the first normalisation, and whether "
                "the proportions of token, position and segment are the same on both sides of it.",
                "计算各部分单独以及相加之和在第一次归一化前后的方差，并看词元、位置、句段的比例在归一化前后是否相同。"},
       .published = {},
       .evidence = Evidence::checkpoint},
      {.id = "Q8d",
       .document = document,
       .quote =
           {"BERT的三个Embedding相加，本质可以看作一个特征的融合，强大如 BERT 应该可以学到融合后特征的语义信息的。",
            188},
       .brief = {"BERT can learn what the fused features mean", "BERT 能学到融合特征的含义"},
       .claim = {"Adding the three embeddings is in essence a fusion of features, and a model as strong as BERT should "
                 "be able to learn what the fused features mean.",
                 "三个嵌入相加本质上是特征的融合，强大如 BERT 应该可以学到融合后特征的语义信息。"},
       .test = {"In small models trained from scratch on tasks of known optimum: the sum against no positions, "
                "concatenation, gates, a joint table and position inside attention, judged by an equivalence margin "
                "fixed beforehand.",
                "在最优解已知的任务上从头训练小模型：比较相加与无位置、拼接、门控、联合表、把位置放进注意力各方案，用事"
                "先定好的等效界限判定。"},
       .published =
           {"DIET (Chen et al. 2021), table 2, GLUE average: 84.8 with the sum, 84.9 with position per head "
            "(DIET-REL), 85.2 with segment per head too. TUPE (Ke et al., 2006.15595), table 1: +0.68 from untied "
            "projections, +0.17 from dropping the cross terms, +0.66 from untying [CLS]. Essentially one "
            "pre-training run each.",
            "DIET（Chen 等 2021）表 2，GLUE 平均分：相加 84.8，位置放进每个头（DIET-REL）84.9，句段也放进每个头"
            " 85.2。TUPE（Ke 等，2006.15595）表 1：投影不共享 +0.68，去掉交叉项 +0.17，解除 [CLS] 的绑定 +0.66。基"
            "本上每种方案只预训练一次。"},
       .evidence = Evidence::trained_controls},
      {.id = "Q9",
       .document = document,
       .quote = {"Transformer的点积模型做缩放的原因是什么？", 199},
       .brief = {"why are dot products scaled? (a question)", "点积为何缩放？（只提问）"},
       .claim = {"Why the Transformer scales its dot products is asked, and answered by a link alone.",
                 "Transformer 的点积为什么要缩放：文中只提出问题并给出链接。"},
       .test = {"The spread of the attention logits and the entropy of the weights, with the scale and without it, "
                "head by head; trained controls would compare scales of 1, 1/√a and 1/a.",
                "逐头计算有缩放与无缩放时注意力 logits 的离散程度与权重的熵；训练对照将比较 1、1/√a、1/a 三种缩放。"},
       .published = {},
       .evidence = Evidence::checkpoint},
      {.id = "Q10",
       .document = document,
       .quote = {"在BERT应用中，如何解决长文本问题？", 204},
       .brief = {"how to use BERT on long texts? (a question)", "长文本怎么用 BERT？（只提问）"},
       .claim = {"How BERT is to be used on long texts is asked, and answered by a link alone.",
                 "应用 BERT 时如何处理长文本：文中只提出问题并给出链接。"},
       .test = {"Texts beyond the position table: head, tail, or both kept, sliding windows, and hierarchical "
                "positions, compared document by document.",
                "对超出位置表长度的文本：保留开头、保留结尾、首尾兼取、滑动窗口、层次分解位置，逐篇配对比较。"},
       .published = {"Su, kexue.fm 7947: going from 512 to 1024 tokens gave 0 and +0.5 % on two tasks.",
                     "苏剑林，kexue.fm 7947：长度从 512 增到 1024，在两个任务上分别提升 0 与 +0.5%。"},
       .evidence = Evidence::checkpoint},
  };
}

}  // namespace summand::lab
