#include "lab/report/glossary.hpp"

namespace summand::lab {

const std::vector<Term>& glossary() {
  static const std::vector<Term> terms{
      {"attention",
       {"attention", "注意力"},
       {"What a layer uses to look from one token at the others: softmax of the scores (query · key) / √(head width), "
        "which weighs the values.",
        "一层用来从一个词元看其他词元的机制：对分数（query · key）/ √（头的宽度）取 softmax，再以此加权 value。"}},
      {"attention-rollout",
       {"attention rollout", "注意力展开"},
       {"Attention followed through all layers: each layer's weights, mixed half and half with a token's own vector, "
        "multiplied one after the other.",
        "把注意力沿各层传下去：每层的权重与词元自身各占一半，再逐层相乘。"}},
      {"cannot-be-told",
       {"cannot be told", "无法判断"},
       {"What a rule says where its interval leaves both answers open, or where it does not itself tell the null from "
        "the "
        "positive control. It is no weak yes and no weak no.",
        "区间容许两种回答，或规则本身分不开零假设与正对照时的判定。它既不是弱的“成立”，也不是弱的“不成立”。"}},
      {"circle",
       {"circle", "圆"},
       {"Here: two directions of the position table in which its rows go round steadily, one turn after the other, as "
        "the "
        "hand of a clock does from hour to hour.",
        "此处指位置表的两个方向：各行在其中一圈一圈稳定地转动，如同表针。"}},
      {"cka",
       {"linear CKA", "线性 CKA"},
       {"How alike two descriptions of the same items are, whatever their rotation and scale: 1 is alike, 0 is not.",
        "两种描述对同一批对象的相似程度，不受旋转与缩放影响：1 为相同，0 为无关。"}},
      {"cls",
       {"[CLS]", "[CLS]"},
       {"The token that stands before every text, always at position 0.", "每段文本开头的特殊词元，总在第 0 个位置。"}},
      {"conclusion",
       {"conclusion", "结论"},
       {"The third of three verdicts: whether what the document concludes is true on this checkpoint, whatever its "
        "argument "
        "is worth; open where nothing measured here tells. The claim that tells is named.",
        "三项判定中的第三项：不论论证如何，文档的结论在这个检查点上是真是假；此处所测不足以判断时为“未定”。由哪条说法判"
        "断，随之注明。"}},
      {"confidence-interval",
       {"interval", "区间"},
       {"In brackets beside a number: where 95 of 100 resamplings lie; beside a share of things that were found or "
        "not, "
        "the exact 95 % bounds. It stands only where something was sampled.",
        "数字旁方括号中的范围：100 次重抽样中有 95 次落在其中；若是找到与否的比例，则为精确的 95% "
        "界限。仅在确有抽样时给出。"}},
      {"cosine",
       {"cosine", "余弦"},
       {"The inner product of two vectors divided by both lengths: 1 is the same direction, 0 a right angle.",
        "两个向量的内积除以各自长度：1 为同向，0 为垂直。"}},
      {"crossing",
       {"crossing", "交叉"},
       {"Of two heads: one rests more on the first of two circles, the other more on the second.",
        "就两个头而言：一个更依赖两个圆中的第一个，另一个更依赖第二个。"}},
      {"dual-number",
       {"dual numbers", "对偶数"},
       {"Numbers that carry their derivatives along: a computation done with them gives exact derivatives, without "
        "small steps.",
        "携带导数一起运算的数：用它计算一遍，即得精确导数，无需取小步长。"}},
      {"effective-rank",
       {"effective rank", "有效秩"},
       {"How many components share the variance: e to the power of the entropy of the eigenvalues' shares. 1 if one "
        "component has all, the width if all are equal.",
        "有多少个成分在分担方差：特征值占比的熵的指数。只有一个成分时为 1，全部相等时等于维数。"}},
      {"eigengap",
       {"eigengap", "特征间隙"},
       {"How far two neighbouring eigenvalues lie apart. Where it is small, the two components may turn into each "
        "other "
        "from sample to sample, and neither means anything alone.",
        "相邻两个特征值的差距。差距很小时，两个成分会随样本互相混合，单独看任何一个都没有意义。"}},
      {"entropy",
       {"entropy", "熵"},
       {"How evenly weights are spread: 0 if one has all, ln n if n are equal.",
        "权重分布的均匀程度：集中于一处为 0，n 个相等为 ln n。"}},
      {"explained-variance",
       {"explained variance", "解释方差"},
       {"The share of the whole variance that lies along one principal component.",
        "沿某一主成分方向的方差占总方差的比例。"}},
      {"gini",
       {"Gini coefficient", "基尼系数"},
       {"How unevenly something is shared: 0 if all have the same, near 1 if one has nearly all.",
        "分配的不均程度：人人相同为 0，近于一者独占时接近 1。"}},
      {"hessian",
       {"mixed second derivative", "混合二阶导数"},
       {"How the effect of one input changes with another: H between two tokens' sums. Without it, each acts on its "
        "own.",
        "一个输入的作用随另一个输入改变的程度：两个词元之和之间的 H。它为零时两者各自起作用。"}},
      {"hidden-state",
       {"hidden state", "隐藏状态"},
       {"The vector of a token between two layers.", "词元在两层之间的向量。"}},
      {"inference",
       {"inference", "推断"},
       {"The second of three verdicts: whether what the document concludes from its observation, or the argument that "
        "it gives for a claim that concludes nothing further, follows.",
        "三项判定中的第二项：文档由观察得出的结论能否由观察推出；若没有进一步的结论，则为文档所给的论证能否成立。"}},
      {"intervention",
       {"intervention", "干预"},
       {"Running the model after changing one thing, such as a token's position, and seeing what else changes.",
        "只改动一处（例如某个词元的位置）再运行模型，看其他部分如何变化。"}},
      {"kind",
       {"kind", "类别"},
       {"What a claim's observation rests on: data of this checkpoint, or algebra or code, which come out alike on "
        "every "
        "checkpoint and are no finding about this one.",
        "一条说法的观察依据什么：此检查点的数据，还是任何检查点上都相同的代数或代码，后两者不是关于此检查点的发现。"}},
      {"joint-phases",
       {"joint random phases", "联合随机相位"},
       {"A copy of a table in which every frequency is turned by one random angle, the same in all columns: what the "
        "columns have to do with each other stays, where along the positions it happens does not.",
        "表的一个副本：每个频率转过一个随机角，所有列相同。各列之间的关系不变，发生在哪个位置则打乱。"}},
      {"ladder",
       {"ladder", "阶梯"},
       {"Circles of which each is the same number of times as fast as the one before.",
        "一组圆，每个的转速都是前一个的相同倍数。"}},
      {"lag-kernel",
       {"lag kernel", "滞后核"},
       {"What the inner product of two rows of a table is on average, by how many positions they are apart. A random "
        "table drawn with the same lag kernel is as smooth and has the same waves, and no other order.",
        "表中两行内积的平均值，按相隔的位置数排列。以同一滞后核随机抽出的表同样平滑、有同样的波，此外没有任何规律。"}},
      {"layer-normalisation",
       {"layer normalisation", "层归一化"},
       {"Takes the mean off a vector, divides by its standard deviation, then scales and shifts each coordinate by "
        "learned numbers. The sum of the three rows goes through one at once.",
        "把向量减去均值、除以标准差，再按学到的参数逐坐标缩放和平移。三行之和随即经过一次。"}},
      {"leverage",
       {"leverage", "杠杆值"},
       {"How much of a component's variance one row has: 1 where the component is that row.",
        "某一行在一个成分的方差中所占的份额：为 1 时该成分就是这一行。"}},
      {"mixed-difference",
       {"mixed difference", "混合差分"},
       {"What changing two things together does beyond the sum of what each does alone: zero where they do not "
        "interact.",
        "同时改变两者的效果减去各自单独改变的效果之和：互不影响时为零。"}},
      {"norm-weighted",
       {"norm-weighted attention", "模长加权注意力"},
       {"Attention with each weight times the length of what it lets through: a large weight on a short vector is "
        "little.",
        "把每个权重乘以它所传递向量的长度：权重大而向量短，作用仍小。"}},
      {"null",
       {"null", "零假设"},
       {"The same computation on something that lacks what is claimed, such as random vectors of the same size; of a "
        "claim "
        "that something is not there, on something without it as well. A number that the null reaches too is no "
        "evidence.",
        "对没有所说现象的对象（例如同样大小的随机向量）做同样的计算；若说法是“某物不存在”，也取没有它的对象。零假设也能"
        "达到的数字不算证据。"}},
      {"observation",
       {"observation", "观察"},
       {"The first of three verdicts: whether what a document says it saw is there on this checkpoint.",
        "三项判定中的第一项：文档所说的现象在这个检查点上是否存在。"}},
      {"ordinary-row",
       {"ordinary row", "普通行"},
       {"A row of the position table whose length, the mean row taken away, does not stand out from the others'.",
        "位置表中减去均值行后模长不突出的行。"}},
      {"permutation",
       {"permutation", "置换"},
       {"Putting things in another order at random, to see what a number is when order means nothing.",
        "随机打乱次序，看次序没有意义时数字会是多少。"}},
      {"phase-randomised",
       {"phase-randomised", "相位随机化"},
       {"Made from a series by keeping the strength of every frequency and drawing where each wave begins at random: "
        "as "
        "smooth as the original, and otherwise without its shape.",
        "保留序列各频率的强度、随机抽取各波的起点：与原序列同样平滑，但不再有其形状。"}},
      {"position-embedding",
       {"position embedding", "位置嵌入"},
       {"The row of a learned table that is added to a token because of where it stands.",
        "因词元所在位置而加上的、学得的表中的一行。"}},
      {"positive-control",
       {"positive control", "正对照"},
       {"The same computation on something in which what is looked for was planted, such as sinusoids. If it is not "
        "found there, the test cannot see it. Where a claim says that a thing is not there, the claim fails on it.",
        "对构造了所找现象的对象（例如正弦曲线）做同样的计算。若在那里也找不到，说明检验本身看不到它。若说法是“某物不存"
        "在”，该说法"
        "在此应不成立。"}},
      {"principal-component",
       {"principal component", "主成分"},
       {"A direction along which rows of a table differ most, after their mean is taken off; the second is the next "
        "best "
        "at a right angle to the first, and so on.",
        "减去均值后，表中各行差异最大的方向；第二个是与第一个垂直的次优方向，依此类推。"}},
      {"probe",
       {"probe", "探针"},
       {"A small classifier or regression that is trained to read something, such as the position, from vectors. It "
        "shows that it is there, not that the model uses it.",
        "训练来从向量中读出某种信息（例如位置）的小分类器或回归。它说明信息在那里，并不说明模型用到了它。"}},
      {"procrustes",
       {"Procrustes", "普氏对齐"},
       {"Turning (and mirroring) one cloud of points so that it lies as near as possible to another; what distance is "
        "left tells how different their shapes are.",
        "旋转（及镜像）一组点，使其尽量贴近另一组点；剩下的距离说明形状相差多少。"}},
      {"random-walk",
       {"random walk", "随机游走"},
       {"Each row is the one before plus a random step: smooth from row to row, and without any other order.",
        "每一行是上一行加上一个随机步：逐行平滑，除此之外没有任何规律。"}},
      {"segment",
       {"segment", "句段"},
       {"First or second text of a pair; each has a row of its own that is added to every token of that text.",
        "成对文本中的第一段或第二段；各有一行向量，加到该段的每个词元上。"}},
      {"selectivity",
       {"selectivity", "选择性"},
       {"How much better a probe reads what it is meant to than labels that were drawn at random.",
        "探针读取目标信息比读取随机标签好多少。"}},
      {"singular-value",
       {"singular value", "奇异值"},
       {"How much a matrix stretches along one of its own directions.", "矩阵沿其某个固有方向的拉伸倍数。"}},
      {"sinusoid",
       {"sinusoid", "正弦编码"},
       {"The fixed position table of the first Transformer: sines and cosines of many wavelengths.",
        "最初的 Transformer 所用的固定位置表：多种波长的正弦和余弦。"}},
      {"skill",
       {"skill over persistence", "相对持续性预报的技巧评分"},
       {"1 minus the error of a prediction divided by the error of saying “the same as the neighbour”. Zero or less: "
        "nothing was learned beyond smoothness.",
        "1 减去预测误差与“和邻居相同”这种预报的误差之比。小于等于零：除了平滑之外什么都没学到。"}},
      {"stationary",
       {"stationary", "平稳"},
       {"The same wherever one stands: what two positions have to do with each other depends on their distance alone.",
        "处处相同：两个位置的关系只取决于它们的距离。"}},
      {"surrogate",
       {"surrogate", "替代数据"},
       {"Data made by chance that shares some properties with the real ones on purpose; what both show is due to these "
        "properties.",
        "刻意保留真实数据某些性质的随机数据；两者都有的现象只来自这些性质。"}},
      {"symmetry",
       {"reflection", "反射"},
       {"Whether looking d positions back and d positions ahead comes to the same.",
        "向前看 d 个位置与向后看 d 个位置是否一样。"}},
      {"ternary-map",
       {"ternary map", "三值图"},
       {"A matrix in three colours: clearly below zero, about zero, clearly above.",
        "用三种颜色画的矩阵：明显小于零、约为零、明显大于零。"}},
      {"toeplitz",
       {"Toeplitz", "托普利茨"},
       {"A matrix whose entries depend on column minus row alone, so that its diagonals are constant.",
        "元素只取决于列号减行号的矩阵，因此每条对角线上的值都相同。"}},
      {"token-embedding",
       {"token embedding", "词元嵌入"},
       {"The row of a learned table that stands for a word piece.", "学得的表中代表一个词片的一行。"}},
      {"white-noise",
       {"white noise", "白噪声"},
       {"Independent random numbers: no value says anything about its neighbours.",
        "相互独立的随机数：任何一个都不透露邻居的信息。"}}};
  return terms;
}

}  // namespace summand::lab
