// The report's data, its two languages, and what every page is made of: elements, prose, numbers.
const data = JSON.parse(document.getElementById("report").textContent);

let language = "en";

const interface_words = {
  in_short: { en: "In short", zh: "要点" },
  adding_question: { en: "Does adding hurt?", zh: "相加有害吗？" },
  adding_cannot_tell: {
    en: "Whether a model trained with another composition, such as concatenation, would be better. No finished model shows that: it takes models trained with each.",
    zh: "若换一种组合方式（例如拼接）来训练，模型是否会更好。训练完的模型回答不了，须有两种方式各自训练的模型作对照。",
  },
  learned_question: { en: "What has the position table learned?", zh: "位置表学到了什么？" },
  learned_too: { en: "It also learned:", zh: "它还学到了：" },
  circles_too: { en: "Circles that turn with position?", zh: "随位置转动的圆？" },
  would_tell_more: { en: "This run left out experiments that say more about the table. To run them:", zh: "本次运行未包含另几个能说明位置表的实验。运行它们：" },
  learned_cannot_tell: {
    en: "Why training made it so, and whether the model needs it. It says nothing about other checkpoints: run it on yours.",
    zh: "训练为何使它如此、模型是否需要它。也不说明其他检查点：请在你自己的检查点上运行。",
  },
  how_sure: { en: "How sure", zh: "有多可靠" },
  cannot_tell: { en: "What this cannot tell", zh: "这不能说明什么" },
  more_on: { en: "More:", zh: "详见：" },
  all_verdicts: { en: "All claims, their tests and verdicts", zh: "全部说法、检验与判定" },
  not_in_this_run: { en: "Not part of this run. To run it:", zh: "本次运行未包含。运行它：" },
  nowhere: { en: "There is no such page here. This is the first page.", zh: "没有这个页面。以下是首页。" },
  position: { en: "position", zh: "位置" },
  a_step: { en: "a step", zh: "每步" },
  positions_a_turn: { en: "positions a turn", zh: "个位置一圈" },
  turns_in_all: { en: "turns in all", zh: "圈（全部位置）" },
  dials_title: { en: "The circles", zh: "各圆" },
  dials_kept: { en: "share of this row's squared distance from the mean row that the circles rebuild:", zh: "这一行与均值行距离的平方中，各圆共还原" },
  dials_missing: { en: "missing", zh: "缺少" },
  dials_row: { en: "this row of the table", zh: "位置表的这一行" },
  dials_sum: { en: "the sum of the circles", zh: "各圆之和" },
  dials_rest: { en: "the rest", zh: "其余部分" },
  dials_left_out: { en: "this row is an outlier and was left out", zh: "这一行模长突出，未计入" },
  dials_caption: {
    en: "Each picture shows a plane that turns by its own angle from one position to the next. Each point is a position. Move the slider, or press the arrow keys. The bar shows how much of the row each plane rebuilds; no plane holds the rest. The strips are the row's numbers: orange above the mean row, blue below.",
    zh: "每幅图是一个平面，从一个位置到下一个位置转过各自的角度；每个点是一个位置。拖动滑块，或按方向键。横条是各平面还原该行的份额，其余部分不在任何平面中。色条是该行的各个数值：橙色高于均值行，蓝色低于均值行。",
  },
  group_table: { en: "The table", zh: "位置表" },
  group_sum: { en: "The sum", zh: "相加" },
  group_attention: { en: "Attention", zh: "注意力" },
  group_limits: { en: "Outputs and limits", zh: "输出与限度" },
  fold_more: { en: "+ {} more numbers", zh: "另有 {} 项数值" },
  verdicts: { en: "Verdicts", zh: "判定" },
  own_experiments: { en: "Your own experiments", zh: "您自己的实验" },
  to_run: { en: "To run it", zh: "运行方法" },
  glossary: { en: "Glossary", zh: "术语表" },
  about: { en: "About this run", zh: "关于本次运行" },
  skip: { en: "Skip to the content", zh: "跳到正文" },
  on_checkpoint: { en: "On this checkpoint", zh: "就此检查点而言" },
  scope: {
    en: "These results are about this checkpoint's weights, not about BERT in general.",
    zh: "以下判定只就这一检查点的权重而言，不是说 BERT 本身。",
  },
  quick: { en: "A quick run: fewer draws, wider intervals.", zh: "快速运行：抽样较少，区间较宽。" },
  all: { en: "all", zh: "全部" },
  claims: { en: "claims", zh: "条说法" },
  claim: { en: "Claim", zh: "说法" },
  menu: { en: "Menu", zh: "目录" },
  measure: { en: "Measured", zh: "测量项" },
  verdict: { en: "Verdicts on this checkpoint", zh: "就此检查点的判定" },
  test: { en: "Test", zh: "检验" },
  number: { en: "Number", zh: "数值" },
  interval: { en: "95 % interval", zh: "95% 区间" },
  null: { en: "Null", zh: "阴性对照" },
  control: { en: "Positive control", zh: "阳性对照" },
  joint_phases: { en: "Joint random phases", zh: "联合随机相位" },
  random_walk: { en: "Random walk", zh: "随机游走" },
  gaussian_process: { en: "Gaussian process", zh: "高斯过程" },
  white_noise: { en: "White noise", zh: "白噪声" },
  sinusoid: { en: "Sinusoid", zh: "正弦编码" },
  published: { en: "Published", zh: "已发表结果" },
  worked_out: { en: "Computed in advance, by earlier methods", zh: "事先用早先的方法算得" },
  quote: { en: "The document's words", zh: "文档原文" },
  in_full: { en: "In full", zh: "完整说法" },
  why_and_how: { en: "why, how it was tested, what is published", zh: "理由、检验方法与已发表结果" },
  search: { en: "Search the claims", zh: "搜索说法" },
  no_claim_found: { en: "No claim has all of these words.", zh: "没有同时含有这些词的说法。" },
  open: { en: "open", zh: "打开" },
  report: { en: "report", zh: "报告" },
  more: { en: "+ {} more", zh: "另有 {} 项" },
  colon: { en: ": ", zh: "：" },
  document: { en: "document", zh: "文档" },
  line: { en: "line", zh: "行" },
  unpublished: { en: "not published", zh: "未公开" },
  answer: { en: "Answer", zh: "回答" },
  other_sentences: { en: "The other sentences in question", zh: "其他相关原句" },
  figures: { en: "Figures", zh: "图" },
  claims_title: { en: "Claims", zh: "各条说法" },
  numbers: { en: "Numbers", zh: "数值" },
  why: { en: "Why", zh: "理由" },
  study: { en: "summand’s study of trained models, which says nothing of this checkpoint", zh: "summand 对从头训练的模型所作的研究（与此检查点无关）" },
  study_badge: { en: "study", zh: "研究" },
  observation: { en: "Observation", zh: "观察" },
  inference: { en: "Inference", zh: "推断" },
  conclusion: { en: "Conclusion", zh: "结论" },
  observation_rule: { en: "Rule for the observation", zh: "观察的判定规则" },
  inference_rule: { en: "Rule for the inference", zh: "推断的判定规则" },
  rule_hash: { en: "Hash of the rules", zh: "规则哈希" },
  calibration: { en: "Calibration", zh: "校准" },
  calibration_lead: {
    en: "How often is each rule right where the truth is known? Each row shows how often the rule says “holds” of a true claim, how often of a false one, and whether another seed changes the verdict.",
    zh: "真相已知时，每条规则判对多少？每行给出：对真的说法判“成立”的比例，对假的说法判“成立”的比例，以及换一个随机种子判定是否改变。",
  },
  calibration_reading: {
    en: "Power: the share judged “holds” among subjects planted as true. False-positive rate: the same share among subjects planted as false. Stable: the share of planted subjects that ten seeds judge alike. Brackets are 95 % intervals (Wilson). These rates belong to the rule and to the planted sizes, not to this checkpoint.",
    zh: "检出率：在构造为真的样例中判为“成立”的比例。误报率：在构造为假的样例中判为“成立”的比例。稳定：十个随机种子判定相同的样例所占比例。方括号为 95% 区间（Wilson）。这些只与规则和样例的大小有关，与此检查点无关。",
  },
  calibration_strips: {
    en: "On the right: what was planted as true (✓) and as false (✕), with the range of each parameter and the table's rows and columns. The strip shows where the rule's number fell: 95 % of the planted subjects (thin), half of them (thick), the median (dot). A dashed line is a threshold of the rule.",
    zh: "右侧列出构造为真（✓）与为假（✕）的样例，各参数在所注范围内抽取，并注明表的行数与列数。横条表示规则所用数值的位置：细线为 95% 的样例，粗线为一半，圆点为中位。虚线是规则的阈值。",
  },
  calibration_quick: {
    en: "A quick run does not judge a claim if fewer than nine in ten planted subjects keep their verdict under ten seeds.",
    zh: "快速运行中，若十个种子下判定不变的样例不足十分之九，则该说法不予判定。",
  },
  power: { en: "Power", zh: "检出率" },
  false_positives: { en: "False-positive rate", zh: "误报率" },
  where_true: { en: "Planted truths: “holds” where true", zh: "构造的真值：为真时判“成立”" },
  where_false: { en: "where false", zh: "为假时" },
  seeds_agree: { en: "seeds agree", zh: "各种子一致" },
  by_full_runs: { en: "by full runs", zh: "完整运行" },
  by_quick_runs: { en: "by quick runs", zh: "快速运行" },
  dials_beyond: { en: "the planes overlap", zh: "各平面有重叠" },
  stability: { en: "Stable", zh: "稳定" },
  planted: { en: "What was planted, and where the number fell", zh: "构造的样例与数值的位置" },
  planted_true: { en: "planted as true", zh: "构造为真" },
  planted_false: { en: "planted as false", zh: "构造为假" },
  threshold: { en: "threshold", zh: "阈值" },
  logarithmic: { en: "logarithmic axis", zh: "对数坐标轴" },
  also_decides: { en: "not shown, but also decides: ", zh: "未画出但同样参与判定：" },
  beside_null: { en: "compared with its null", zh: "与其阴性对照相比" },
  no_number: { en: "no number", zh: "无数值" },
  median: { en: "median", zh: "中位数" },
  of_95: { en: "95 % from", zh: "95% 位于" },
  other_rule: { en: "calibrated with another rule than this run's", zh: "校准所用规则与本次运行不同" },
  not_calibrated: { en: "not calibrated", zh: "未校准" },
  how: { en: "How it was computed", zh: "计算方法" },
  definition: { en: "Definition", zh: "定义" },
  source: { en: "Source", zh: "来源" },
  remarks: { en: "Remarks", zh: "说明" },
  left_out: { en: "Left out", zh: "省略的部分" },
  redo: { en: "To run it again", zh: "重新计算" },
  copy: { en: "Copy", zh: "复制" },
  copied: { en: "Copied", zh: "已复制" },
  seconds: { en: "seconds", zh: "秒" },
  took: { en: "Time", zh: "用时" },
  save: { en: "Save", zh: "保存" },
  table: { en: "Table", zh: "数据表" },
  rows_of: { en: "The first rows; the CSV has all of them:", zh: "仅列出前若干行，全部见 CSV：" },
  matrix_keys: { en: "Arrow keys move from cell to cell.", zh: "用方向键逐格查看。" },
  no_figure: { en: "This figure could not be drawn", zh: "无法绘制此图" },
  checkpoint: { en: "Checkpoint", zh: "检查点" },
  name: { en: "Name", zh: "名称" },
  path: { en: "Path", zh: "路径" },
  hash: { en: "Hash", zh: "哈希" },
  corpus: { en: "Corpus", zh: "语料" },
  warning: { en: "Warning", zh: "注意" },
  seed: { en: "Seed", zh: "随机种子" },
  run: { en: "Run", zh: "运行" },
  mode: { en: "Mode", zh: "模式" },
  full: { en: "full", zh: "完整" },
  quick_mode: { en: "quick", zh: "快速" },
  versions: { en: "Versions", zh: "版本" },
  reading: { en: "How to read the verdicts", zh: "如何阅读判定" },
  reading_observation: {
    en: "The observation says whether what a document reports is there. A rule judges it, against a null and a positive control. The rules were developed on all-MiniLM-L6-v2 and then frozen. Each rule's hash says whether it is still the frozen one; docs/rules.md lists which rules changed, and after which number.",
    zh: "“观察”指文档所说的现象是否存在。它由一条规则判定，并与阴性对照和阳性对照比较。规则在 all-MiniLM-L6-v2 上写成，随后冻结。规则的哈希旁注明它是否仍是冻结时的那一条；docs/rules.md 列出哪些规则改过，以及是在看到哪个数值之后。",
  },
  reading_inference: {
    en: "The inference says whether the document's conclusion follows from its observation. An observation may hold although the inference does not follow, and the reverse.",
    zh: "“推断”指文档的结论能否由它的观察推出。观察成立而推断不成立，或者相反，都有可能。",
  },
  reading_conclusion: {
    en: "The conclusion is what the document argues for. The named claim, its own or another, decides whether it is true on this checkpoint. A bad argument may have a true conclusion.",
    zh: "“结论”是文档所要论证的事；它在此检查点上是真是假，由所标的那条说法（本条或他条）判断。论证不成立，结论仍可能为真。",
  },
  reading_kind: {
    en: "“Algebra” and “code” mark claims whose observation is the same on every checkpoint: it is no finding about this one. Their inference may differ.",
    zh: "标“代数”“代码”的说法，其观察在任何检查点上都相同，不是关于此检查点的发现；推断则可以不同。",
  },
  reading_measured: {
    en: "“Not measured” is no verdict: the reason says what is missing.",
    zh: "“未测量”不是判定：理由说明还缺什么。",
  },
  files: { en: "Files next to this page", zh: "本页旁边的文件" },
  files_results: { en: "every verdict and number, for programs", zh: "全部判定和数值，供程序读取" },
  files_figures: {
    en: "the data of each figure as CSV, and its Vega-Lite specification",
    zh: "每幅图的数据（CSV）及其 Vega-Lite 规格",
  },
  side_by_side: { en: "Checkpoints side by side", zh: "检查点并列比较" },
  checkpoints: { en: "Checkpoints", zh: "检查点" },
  checkpoint: { en: "Checkpoint", zh: "检查点" },
  hash: { en: "Hash", zh: "哈希" },
  sizes: { en: "Sizes", zh: "规模" },
  same_as: { en: "the same checkpoint as", zh: "与此为同一检查点：" },
  of_comparable: { en: "of {} measured on two or more", zh: "共 {} 条在两个或更多检查点上测量过" },
  documents_lead: {
    en: "The claims come from five documents; a few are the laboratory's own:",
    zh: "这些说法取自五份文档，另有几条是实验室自己的：",
  },
  claims_of: { en: "{} claims", zh: "{} 条" },
  never_published: {
    en: "It was never published: a language model makes these claims when asked, and nobody vouches for them.",
    zh: "它从未发表：语言模型被问到时会给出这些说法，没有人为其担保。",
  },
  verdicts_differ: { en: "different verdicts", zh: "判定不同" },
  verdict_differs: { en: "different verdict", zh: "判定不同" },
  numbers_differ: { en: "different numbers", zh: "数值不同" },
  differ: { en: "differ", zh: "项不同" },
  none_differ: { en: "No verdict differs.", zh: "没有不同的判定。" },
  beside_first: {
    en: "A claim that was not measured on a checkpoint counts as no difference. Each number is compared with that of the first checkpoint that has it: = identical, ≈ the same to rounding, ≠ different, with the relative difference. Where two intervals overlap, the difference may be chance.",
    zh: "在某个检查点上未测量的说法不算不同。每个数值与首个有该数值的检查点相比：= 完全相同，≈ 仅差舍入，≠ 不同，并给出相对差。两个区间有重叠时，差别可能出于偶然。",
  },
  overlapping: { en: "intervals overlap", zh: "区间重叠" },
  licences: { en: "Licences of what this page contains", zh: "本页所含组件的许可证" },
};

const say = (words) => together(with_minus(typeof words === "string" ? words : words?.[language] || words?.en || ""));
const word = (key) => say(interface_words[key]);
/** A text that has a count in it. */
const counted = (key, count) => word(key).replace("{}", count);
const verdict_word = (verdict) => say(data.verdict_words[verdict]);

/** Where a page, or a place on one, is: the language is part of every address. */
const address = (...parts) => `#/${language}/${parts.map(encodeURIComponent).join("/")}`;

// A term is linked to the glossary where it first stands on a page.
const linked = new Set();
const escape_pattern = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const longest_first = (texts) => texts.filter(Boolean).sort((a, b) => b.length - a.length).map(escape_pattern);
// What is found without its group is a phrase in which a term's name means something else: it is passed over.
const patterns = Object.fromEntries(
  ["en", "zh"].map((key) => {
    const names = longest_first(data.glossary.filter((term) => term.in_texts).map((term) => term.name[key]));
    const elsewhere = longest_first(data.glossary.flatMap((term) => term.elsewhere.map((phrase) => phrase[key])));
    const any = [...elsewhere, `(${names.join("|")})${key === "en" ? "s?" : ""}`].join("|");
    return [key, key === "en" ? new RegExp(`(?<![\\w-])(?:${any})(?![\\w-])`, "gi") : new RegExp(any, "g")];
  }),
);

function term_link(term, text) {
  linked.add(term.id);
  return element("a", { class: "term", href: address("glossary", term.id), title: say(term.meaning) }, text);
}

/** A label of the page's own, linked to what it means, whatever texts mean by the word. */
function labelled(id, text) {
  const term = data.glossary.find((each) => each.id === id);
  return term && !linked.has(id) ? term_link(term, text) : text;
}

function with_terms(text) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(patterns[language])) {
    const name = match[1]?.toLowerCase();
    const term = name && data.glossary.find((each) => each.name[language].toLowerCase() === name);
    if (!term || linked.has(term.id)) continue;
    parts.push(text.slice(from, match.index), term_link(term, match[0]));
    from = match.index + match[0].length;
  }
  return [...parts, text.slice(from)];
}

/** A text of the report as nodes: `code` between backticks, terms linked to the glossary. */
function prose(words) {
  return say(words).split("`").flatMap((part, i) => (i % 2 ? [element("code", {}, part)] : with_terms(part)));
}

/** "[0.99, 1]": where a column is too narrow for it, it breaks between its ends alone. */
function shown_interval(interval) {
  if (!interval) return null;
  const [low, high] = interval.map((each) => shown(each));
  const end = (text) => element("span", { class: "end" }, text);
  return [" ", element("span", { class: "interval" }, end(`[${low},`), " ", end(`${high}]`))];
}

/** Takes the language that an address asks for, else the browser's. */
function speak(asked) {
  const of_browser = navigator.language.startsWith("zh") ? "zh" : "en";
  language = ["en", "zh"].includes(asked) ? asked : of_browser;
  document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
}

/** Links to the same place of the same page in both languages. */
function language_switch(...place) {
  const link = (key, text) => {
    const href = `#/${key}/${place.filter(Boolean).map(encodeURIComponent).join("/")}`;
    return element("a", { href, lang: key, "aria-current": key === language ? "true" : null }, text);
  };
  const group = { class: "languages", role: "group", "aria-label": "Language / 语言" };
  return element("div", group, link("en", "English"), link("zh", "中文"));
}
