"""The live page as a reader meets it: in headless Chromium, driven by Playwright, served by `summand serve`.
SUMMAND_PICTURES=FOLDER keeps pictures of it."""

import json
import os
import pathlib
import re
import sys
import unittest

import served
import summand_testing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lab"))
import browser as chromium_of_tests  # noqa: E402

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    print("skipped: no Playwright here (pip install playwright)")
    sys.exit(77)

MODELS = {name: summand_testing.ROOT / "models" / name for name in ("summand-mini", "summand-mini-sentences", "tenth-none")}
WIDE, NARROW = 1280, 390  # pixels: a laptop, a telephone
VIEWS = (("en", WIDE, "light"), ("zh", WIDE, "dark"), ("zh", NARROW, "light"), ("en", NARROW, "dark"))
PANELS = ("order", "parts", "read_back", "attention", "scores", "masks", "neighbours", "claims")
PATIENCE_MS = 120_000  # a bound for what never comes, not a measure: a busy machine is slow

# Texts that are faint on their ground: WCAG 2.2, contrast.
FAINT = """() => {
  const numbers = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const luminance = (colour) => colour.slice(0, 3).map((c) => linear(c / 255)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !node.checkVisibility({ visibilityProperty: true }) || node.closest('script, .unseen, option')) continue;
    if (node.closest(':disabled')) continue;
    const [light, dark] = [numbers(getComputedStyle(node).color), ground(node)].map(luminance).sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < 4.5) found.push(`${walker.currentNode.textContent.trim().slice(0, 40)}: ${contrast.toFixed(2)}`);
  }
  return [...new Set(found)];
}"""
# What reaches beyond its panel, unless it scrolls there.
BEYOND = """() => [...document.querySelectorAll('.panel *, .controls-card *')].filter((node) => node.checkVisibility() && !node.closest('.scroll, .unseen, textarea'))
  .filter((node) => { const box = node.getBoundingClientRect(); const place = node.closest('.panel, .controls-card').getBoundingClientRect();
    return box.width && (box.right > place.right + 1 || box.left < place.left - 1); }).map((node) => node.outerHTML.slice(0, 80))"""


class LivePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(served.Served("--log", "faults", models=[f"{name}={path}" for name, path in MODELS.items()]))
        cls.address = f"{cls.server.url}/"
        playwright = cls.enterClassContext(sync_playwright())
        cls.chromium = playwright.chromium.launch(executable_path=chromium_of_tests.chromium(), args=["--no-sandbox"])
        cls.addClassCleanup(cls.chromium.close)

    def setUp(self):
        self.complaints, self.requests = [], []
        self.refusals = 0  # answers that a test asks for, which Chromium's console reports

    def tearDown(self):
        complaints = [text for text in self.complaints if not (self.refusals and "the server responded with a status of 422" in text)]
        self.assertEqual(complaints, [])
        self.assertEqual([url for url in self.requests if not url.startswith(self.address)], [])

    def open(self, fragment="", width=WIDE, scheme="light", locale="en-GB"):
        context = self.chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, locale=locale)
        self.addCleanup(context.close)
        self.page = page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", lambda message: self.complaints.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(f"{self.address}#{fragment}")
        self.settle()
        return page

    def settle(self):
        """Waits until nothing is asked any more and what was answered is drawn."""
        self.page.wait_for_selector("#neighbours-0 *, #error:not([hidden])", state="attached")
        self.page.wait_for_function("""async () => {
          const answered = () => document.getElementById('main').dataset.answered;
          const before = answered();
          await new Promise((done) => setTimeout(done, 350));
          return before === answered();
        }""")

    def cards(self):
        return self.page.locator(".card-text").all_inner_texts()

    def text(self, selector):
        return self.page.locator(selector).inner_text()

    def cosine(self, column=0):
        return float(self.text(f"#neighbours-{column} .told b").replace("−", "-"))

    def slide(self, name, value):
        self.page.locator(f"#{name}").fill(str(value))
        self.settle()

    def fragment(self):
        self.page.wait_for_timeout(400)
        return self.page.evaluate("location.hash.slice(1)")

    def test_typing_shows_the_tokens_at_once(self):
        self.open()
        self.assertEqual(self.cards()[:3], ["[CLS]", "the", "river"])
        self.page.locator("#text").fill("a dog and")
        self.settle()
        self.assertEqual(self.cards(), ["[CLS]", "a", "dog", "and", "[SEP]"])
        self.assertEqual(self.page.locator("#parts-0 tbody tr").count(), 5)
        self.page.locator("#pair").fill("the cat")
        self.settle()
        self.assertIn("cat", self.cards())
        self.assertEqual(self.page.locator("#parts-0 .letter").last.inner_text(), "B")
        self.assertIn("text=a+dog+and&pair=the+cat", self.fragment())

    def test_sliders_change_what_the_model_makes_of_it(self):
        self.open()
        self.assertEqual(self.cosine(), 1)
        self.assertTrue(self.page.locator("#reset_all").is_disabled())
        self.slide("position", 0)
        without = self.cosine()
        self.assertLess(without, 0.999)
        self.assertIn("✕", self.text("#read_back-0"))
        self.assertRegex(self.text("#read_back-0 .told"), "^token 11 of 11, position 0 of 11, segment 11 of 11 read back$")
        self.assertRegex(self.text("#read_back-0 tbody"), r"✕\s+position \d+ instead of \d+")
        self.assertRegex(self.text("#effect"), rf"^\d+ of 11 read back · cosine {without:.3f}$")
        self.slide("noise", 0.5)
        noisy = self.cosine()
        self.page.locator("#draw_again").click()
        self.settle()
        self.assertNotEqual(self.cosine(), noisy)
        self.page.locator("#position").press("ArrowRight")
        self.settle()
        self.assertEqual(self.text("#position-value"), "0.05")
        self.page.locator("#reset_all").click()
        self.settle()
        self.assertEqual(self.cosine(), 1)
        self.assertNotIn("✕", self.text("#read_back-0"))

    def test_a_token_is_dragged_by_the_pointer(self):
        page = self.open("text=one+two+three+four")
        card = page.locator(".card-button", has_text="one").bounding_box()
        goal = page.locator(".card-button", has_text="three").bounding_box()
        page.mouse.move(card["x"] + 8, card["y"] + 8)
        page.mouse.down()
        page.mouse.move(goal["x"] + goal["width"] - 4, goal["y"] + 10, steps=12)
        self.settle()
        self.assertEqual(self.cards(), ["[CLS]", "two", "three", "one", "four", "[SEP]"])  # while it is held
        page.mouse.up()
        self.assertLess(self.cosine(), 1)
        self.assertIn("order=0.3.1.2.4.5", self.fragment())
        self.assertEqual(page.locator("#parts-0 tbody th").nth(3).inner_text().split(), ["3", "one"])
        page.locator("#original_order").click()
        self.settle()
        self.assertEqual(self.cards()[1], "one")
        self.assertEqual(self.cosine(), 1)

    def test_a_token_is_moved_by_the_keyboard_and_it_is_said(self):
        page = self.open("text=one+two+three+four")
        page.locator(".card-button", has_text="two").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        self.settle()
        self.assertEqual(self.cards(), ["[CLS]", "one", "three", "four", "two", "[SEP]"])
        self.assertEqual(page.locator("#said").inner_text(), "two now takes position 4 of 5")
        self.assertEqual(page.evaluate("document.activeElement.innerText").split()[-1], "two")
        page.keyboard.press("Home")
        self.settle()
        self.assertEqual(self.cards()[0], "two")
        self.assertEqual(page.evaluate("document.activeElement.innerText").split()[-1], "two")

    def test_shuffled_words_keep_their_frame(self):
        page = self.open("text=one+two+three+four+five+six+seven+eight")
        page.locator("#shuffle").click()
        self.settle()
        cards = self.cards()
        self.assertEqual((cards[0], cards[-1]), ("[CLS]", "[SEP]"))
        self.assertEqual(sorted(cards[1:-1]), sorted("one two three four five six seven eight".split()))
        page.locator("#reverse").click()
        self.settle()
        self.assertEqual(self.cards()[1:-1], "eight seven six five four three two one".split())

    def test_a_link_restores_everything(self):
        page = self.open("text=one+two&position=0.5&token=1.2&noise=0.3&seed=7&order=0.2.1.3&layer=3&head=2&term=1-1&chosen=1&language=zh"
                         "&model=summand-mini&with=summand-mini-sentences&sentences=a+dog%0Aa+cat")
        self.assertEqual(page.locator("html").get_attribute("lang"), "zh-Hans")
        self.assertEqual(self.cards(), ["[CLS]", "two", "one", "[SEP]"])
        self.assertEqual(self.text("#position-value"), "0.5")
        self.assertEqual(page.locator("#noise").input_value(), "0.3")
        self.assertEqual(page.locator("#model").input_value(), "summand-mini")
        self.assertEqual(page.locator("#with").input_value(), "summand-mini-sentences")
        self.assertEqual(self.text("#attention-0 .told b"), "第 3 层，注意力头 2")
        self.assertEqual(page.locator("#term-0-1-1").get_attribute("aria-pressed"), "true")
        self.assertEqual(page.locator("#neighbours-0 li").count(), 2)
        self.assertEqual(page.locator("#parts-0 tr.chosen").inner_text().split()[:2], ["2", "one"])
        cosine = self.cosine()
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.locator("#copy_link").click()
        self.assertEqual(self.text("#copy_link"), "已复制")
        again = page.evaluate("location.hash.slice(1)")
        copied = page.evaluate("navigator.clipboard.readText()")
        self.assertEqual(copied, f"{self.address}#{again}".replace("&language=zh", ""))  # its reader has a language too
        for field in ("text=one+two", "position=0.5", "order=0.2.1.3", "layer=3", "head=2", "term=1-1", "language=zh", "with=summand-mini-sentences"):
            self.assertIn(field, again)
        self.open(again)
        self.assertEqual((self.cosine(), self.fragment()), (cosine, again))

    def test_a_link_that_is_wrong_shows_the_page_all_the_same(self):
        self.refusals = 1
        page = self.open("text=a+dog&position=much&order=0.0.1&layer=99&head=-1&model=none&%E0%A4%A=1&colour=red")
        self.assertIn("none", self.text("#error"))
        self.assertEqual(self.cards(), ["[CLS]", "a", "dog", "[SEP]"])
        self.assertEqual(self.cosine(), 1)
        # An order of another text is let go.
        page.evaluate("location.hash = 'text=a+dog&order=0.2.1'")
        self.settle()
        self.assertEqual(self.cards(), ["[CLS]", "a", "dog", "[SEP]"])
        self.assertNotIn("order", self.fragment())

    def test_two_models_stand_side_by_side(self):
        page = self.open("text=The+[MASK]+of+the+united+states+spoke.")
        self.assertTrue(page.locator("#differences").is_hidden())
        page.locator("#with").select_option("summand-mini-sentences")
        self.settle()
        self.assertEqual(page.locator("#parts .model-name").all_inner_texts(), ["summand-mini", "summand-mini-sentences"])
        self.assertEqual(page.locator("#differences thead th").all_inner_texts()[1:], ["summand-mini", "summand-mini-sentences", "Difference"])
        self.slide("position", 0)
        cosines = [self.cosine(0), self.cosine(1)]
        row = page.locator("#differences tr", has_text="Cosine with the unchanged").locator("td").all_inner_texts()
        self.assertEqual([float(cell.replace("−", "-")) for cell in row[:2]], cosines)
        self.assertAlmostEqual(float(row[2].replace("−", "-")), cosines[1] - cosines[0], places=3)
        for name in ("Token", "Position", "Sums read back"):
            row = page.locator("#differences tr", has_text=name).first.locator("td").all_inner_texts()
            numbers = [int(re.match(r"[+−]?\d+", cell)[0].replace("−", "-")) for cell in row]
            self.assertEqual(numbers[2], numbers[1] - numbers[0], row)
            self.assertTrue(row[2].endswith(" points"), row)
        self.assertRegex(self.text("#effect"), r"^summand-mini · \d+ of \d+ read back · cosine 0\.\d+ · first mask: \S+\nsummand-mini-sentences · ")
        page.locator("#with").select_option("")
        self.settle()
        self.assertTrue(page.locator("#differences").is_hidden())

    def test_a_model_without_positions_says_what_it_lacks(self):
        page = self.open("model=tenth-none")
        self.assertTrue(page.locator("#position").is_disabled())
        self.assertIn("does not add three tables", self.text("#read_back-0"))
        self.assertIn("does not add three tables", self.text("#scores-0"))
        self.assertGreater(page.locator("#parts-0 tbody tr").count(), 3)

    def test_predictions_change_with_the_order(self):
        page = self.open("text=The+president+of+the+united+states+spoke+to+congress.")
        self.assertIn("[MASK]", self.text("#masks-0"))
        page.locator(".card-button", has_text="states").click()
        page.locator("#mask_it").click()
        self.settle()
        self.assertEqual(page.locator("#text").input_value(), "The president of the united [MASK] spoke to congress.")
        now, before = (page.locator(f"#masks-0 .fillings.{kind} .filling").all_inner_texts() for kind in ("now", "before"))
        self.assertEqual(now, before)
        self.assertEqual(now[0], "states")
        page.locator("#reverse").click()
        self.settle()
        after = page.locator("#masks-0 .fillings.now .filling").all_inner_texts()
        self.assertNotEqual(after, before)
        self.assertEqual(page.locator("#masks-0 .fillings.before .filling").all_inner_texts(), before)
        self.assertIn(f"first mask: {after[0]}", self.text("#effect"))

    def test_a_word_that_was_masked_comes_back(self):
        text = "The river burst its banks."
        page = self.open("text=The+river+burst+its+banks.")
        field, button = page.locator("#text"), page.locator("#mask_it")
        page.locator(".card-button", has_text="river").click()
        button.click()
        self.settle()
        self.assertEqual((field.input_value(), button.inner_text()), ("The [MASK] burst its banks.", "Unmask"))
        page.locator(".card-button", has_text="banks").click()
        self.assertEqual(button.inner_text(), "Mask this token")
        button.click()
        self.settle()
        page.locator(".card-button").nth(2).click()
        button.click()
        self.settle()
        self.assertEqual(field.input_value(), "The river burst its [MASK].")
        page.locator("#reset_all").click()
        self.settle()
        self.assertEqual(field.input_value(), text)
        self.assertTrue(page.locator("#reset_all").is_disabled())
        # A mask that the reader wrote has no word to put back.
        field.fill("The [MASK] burst its banks.")
        self.settle()
        page.locator(".card-button").nth(2).click()
        self.assertTrue(button.is_disabled())
        self.assertEqual(button.inner_text(), "Mask this token")

    def test_words_that_the_model_does_not_know_are_told(self):
        page = self.open("text=我爱语言模型")
        told = re.fullmatch(r"(\d+) of (\d+) tokens are \[UNK\]: this model does not know these words\.", self.text("#unknown"))
        self.assertGreater(3 * int(told[1]), int(told[2]))
        page.locator("#with").select_option("summand-mini-sentences")
        self.settle()
        self.assertIn("summand-mini-sentences: ", self.text("#unknown"))
        page.locator("#text").fill("The river burst its banks.")
        self.settle()
        self.assertTrue(page.locator("#unknown").is_hidden())

    def test_scores_that_change_nothing_are_blank(self):
        page = self.open("term=0-0")
        colours = """(id) => { const canvas = document.querySelector(`#${id} canvas`); const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          return [...new Set(Array.from({ length: data.length / 4 }, (_, i) => data.slice(4 * i, 4 * i + 3).join(' ')))]; }"""
        self.assertGreater(len(page.evaluate(colours, "scores-cells-0")), 10)
        self.slide("token", 0)
        for canvas in ("scores-cells-0", "term-0-0-0"):
            self.assertEqual(page.evaluate(colours, canvas), ["255 255 255"])
        self.assertEqual(self.text("#scores-0 .heat-map .scale").split(), ["−0.0100", "+0.0100"])
        self.assertEqual(self.text("#attention-0 .scale").split(), ["0", "%", "100", "%"])

    def test_the_readers_own_sentences_are_neighbours(self):
        page = self.open("text=the+dog+sleeps")
        self.assertEqual(page.locator("#neighbours-0 li").count(), 7)
        self.assertRegex(self.text("#neighbours-0 .yardstick"), r"other sentences of the list: median −?0\.\d{3}, largest 0\.\d{3}\.$")
        page.locator("#all-sentences-0").click()
        self.assertEqual(page.locator("#neighbours-0 li").count(), 20)
        page.locator("#neighbours summary").click()
        page.locator("#sentences").fill("the dog sleeps\nrates rose\n\n")
        self.settle()
        self.assertEqual(page.locator("#neighbours-0 .sentence").all_inner_texts(), ["rates rose"])  # the sentence itself is left out
        self.refusals = 1
        page.locator("#sentences").fill("\n".join(["a"] * 65))
        page.wait_for_selector("#error:not([hidden])")
        self.assertEqual(self.text("#error"), "[sentences] expected at most 64, got 65")
        page.locator("#built_in_list").click()
        self.settle()
        self.assertTrue(page.locator("#error").is_hidden())
        self.assertEqual(page.locator("#neighbours-0 li").count(), 20)

    def test_layers_and_heads_are_chosen_and_cells_are_read_by_keyboard(self):
        page = self.open()
        page.locator("#all-heads-0").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        self.settle()
        self.assertEqual(self.text("#attention-0 .told b"), "Layer 2, head 2")
        self.assertEqual(page.evaluate("document.activeElement.id"), "all-heads-0")
        page.locator("#attention-cells-0").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        self.assertIn("1 the", self.text("#tip"))
        page.keyboard.press("Escape")
        self.assertTrue(page.locator("#tip").is_hidden())
        box = page.locator("#attention-cells-0").bounding_box()
        page.mouse.move(box["x"] + 5, box["y"] + 5)
        self.assertIn("0 [CLS]", self.text("#tip"))
        page.locator("#term-0-1-1").click()
        self.assertIn("Position with Position", self.text("#scores-0"))

    def test_many_tokens_have_every_third_name(self):
        page = self.open("text=" + "+".join(["word"] * 58))
        self.assertEqual(page.locator("#parts-0 tbody tr").count(), 60)
        for side in ("rows", "columns"):
            names = page.locator(f"#attention-0 .{side} span")
            self.assertEqual(names.count(), 20)
            self.assertTrue(names.first.is_visible())
        self.assertIn("point at a cell", self.text("#attention-0 .heat-map"))
        page.locator("#attention-cells-0").hover()
        self.assertRegex(self.text("#tip"), r"Weight\s*[\d.]+\s%")

    def test_an_answer_to_an_earlier_text_is_not_shown(self):
        page = self.open("text=first")
        held = []

        def hold_first(route):
            if "slow" in route.request.post_data:
                held.append(route)
            else:
                route.continue_()

        page.route("**/live/look", hold_first)
        page.locator("#text").fill("slow")
        page.wait_for_timeout(300)
        self.assertEqual(len(held), 1)
        page.locator("#text").fill("quick")
        self.settle()
        self.assertEqual(self.cards(), ["[CLS]", "quick", "[SEP]"])
        try:
            held[0].continue_()
        except Exception:  # the page has given it up
            pass
        self.settle()
        self.assertEqual(self.cards(), ["[CLS]", "quick", "[SEP]"])

    def test_the_first_card_says_that_the_model_is_loaded(self):
        page = self.open()
        held = []
        page.route("**/live/look", lambda route: held.append(route))
        page.reload()
        page.wait_for_selector("#loading:not([hidden])")
        self.assertEqual(self.text("#loading"), "Loading the model, a few seconds …")
        while not held:
            page.wait_for_timeout(20)
        held[0].continue_()
        self.settle()
        self.assertTrue(page.locator("#loading").is_hidden())

    def test_the_server_may_go_away(self):
        page = self.open()
        page.route("**/live/look", lambda route: route.abort())
        page.locator("#text").fill("a cat")
        page.wait_for_selector("#error:not([hidden])")
        self.assertEqual(self.text("#error"), "The server does not answer.")
        self.assertEqual(page.locator("#parts .sides").evaluate("(node) => getComputedStyle(node).opacity"), "0.45")  # of before
        page.unroute("**/live/look")
        page.locator("#text").fill("a cat sleeps")
        self.settle()
        self.assertTrue(page.locator("#error").is_hidden())
        self.assertEqual(page.locator("#parts .sides").evaluate("(node) => getComputedStyle(node).opacity"), "1")
        self.complaints = [text for text in self.complaints if "ERR_FAILED" not in text]

    def test_claims_are_run_and_arrive_as_they_are_found(self):
        page = self.open()
        self.refusals = 1
        page.locator("#only").fill("no-such-thing")
        page.locator("#run_claims").click()
        page.wait_for_selector("#claims .error")
        self.assertRegex(self.text("#claims .error"), "^There is no claim “no-such-thing” that can be judged here")
        page.locator("#only").fill("3.9")
        page.locator("#run_claims").click()
        page.wait_for_selector("#claims .error")
        self.assertRegex(self.text("#claims .error"), "^There is no claim “3.9” that can be judged here")
        other = page.context.new_page()  # a failure is its own reader's
        other.goto(self.address)
        other.wait_for_selector("#neighbours-0 *")
        self.assertEqual(other.locator("#claims .error").count(), 0)
        other.close()
        self.assertEqual(self.text("#choose_claim option >> nth=1"), "3.1 unlike quantities cannot be added; concatenating is more natural")
        page.locator("#only").fill("")
        self.assertEqual(self.text("#run_claims"), "All claims")
        page.locator("#choose_claim").select_option("E1")
        self.assertEqual((page.locator("#only").input_value(), self.text("#run_claims")), ("E1", "Run these claims"))
        page.locator("#only").fill("initialisation, norms")
        self.assertEqual(page.locator("#claims .error").count(), 0)
        page.locator("#only").press("Enter")
        page.wait_for_selector("#claims .verdict-list tbody tr")
        page.wait_for_selector("#open_report")
        self.assertGreater(page.locator("#claims .verdict-list tbody tr").count(), 2)
        self.assertIn("Finished: summand-mini.", self.text("#claims"))
        page.locator("#language-zh").click()
        self.assertIn("已完成：summand-mini。", self.text("#claims"))
        self.assertTrue(re.search("[一-鿿]", self.text("#claims .verdict-list tbody tr >> nth=0")))
        page.locator("#only").fill("")
        page.locator("#run_claims").click()
        page.wait_for_selector("#cancel_claims")
        page.locator("#cancel_claims").click()
        page.wait_for_selector("#run_claims")
        self.assertIn("已取消", self.text("#claims"))

    def test_the_question_of_the_heading_has_a_button(self):
        page = self.open()
        for link in page.locator(".intro a").evaluate_all("(links) => links.map(({ href }) => href)"):
            self.assertEqual(page.request.get(link).status, 200, link)
        page.locator("#only").fill("E1")
        page.locator("#run_question").click()
        row = page.locator("#claims .verdict-list tbody tr", has=page.locator(".id", has_text=re.compile("^3\\.1$")))
        self.assertRegex(row.inner_text(), r"(?s)unlike quantities cannot be added.*fails.*Inference: does not follow.*Conclusion: ")
        row.locator("summary").click()
        self.assertRegex(row.inner_text(), r"(?s)are found in.*Null: .*Positive control: ")
        # A claim against adding that fails is no bad news.
        self.assertEqual(row.locator(".badge").get_attribute("class"), "badge fails")
        page.wait_for_selector("#open_report")
        self.assertIn("Not at the input: all three parts can be read back from the sum.", self.text("#claims .short-answer"))
        self.assertEqual(page.locator("#only").input_value(), "E1")

    def test_both_languages_have_every_word(self):
        page = self.open(locale="zh-CN")
        self.assertEqual(page.locator("html").get_attribute("lang"), "zh-Hans")
        self.assertEqual(self.text("h1"), "词元、位置与句段相加，有害吗？")
        left = [line for line in self.text("#main").split("\n") if re.search(r"[a-z]{4,} [a-z]{3,} [a-z]{3,}", line)]
        sentences = page.locator(".sentence").all_inner_texts()
        self.assertEqual([line for line in left if line not in sentences], [])
        page.locator("#language-en").click()
        self.settle()
        self.assertEqual(self.text("h1"), "Does adding token, position and segment hurt?")
        self.assertIn("language=en", self.fragment())
        words = json.loads((summand_testing.ROOT / "serve/live/assets/words.json").read_text(encoding="utf-8"))
        for key, texts in words.items():
            self.assertEqual(set(texts), {"en", "zh"}, key)
            marks = [sorted(re.findall(r"\{\w+\}", texts[language])) for language in ("en", "zh")]
            self.assertEqual(marks[0], marks[1], key)
        used = "".join(file.read_text(encoding="utf-8") for file in (summand_testing.ROOT / "serve/live/assets").glob("*.js"))
        names = {key: re.sub("_(title|caption)$|^(scheme|wrong|of)_", "", key) for key in words}
        self.assertEqual([key for key, name in names.items() if not re.search(rf"\b{name}\b", used)], [])

    def test_every_view_fits_and_can_be_read(self):
        for language, width, scheme in VIEWS:
            for more in ("", "&with=summand-mini-sentences&position=0.3&chosen=2&text=The+president+of+the+united+[MASK]+spoke+to+congress.&pair=Nobody+knew+why."):
                with self.subTest(language=language, width=width, scheme=scheme, more=more):
                    page = self.open(f"language={language}{more}", width, scheme)
                    self.assertEqual([name for name in PANELS if not page.locator(f"#{name}").is_visible()], [])
                    beyond = page.evaluate("(({scrollWidth, clientWidth}) => scrollWidth - clientWidth)(document.documentElement)")
                    self.assertEqual(beyond, 0)
                    self.assertEqual(page.evaluate(BEYOND), [])
                    self.assertEqual(page.evaluate(FAINT), [])
                    if folder := os.environ.get("SUMMAND_PICTURES"):
                        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
                        name = f"live-{language}-{width}-{scheme}{'-two' if more else ''}.png"
                        page.screenshot(path=pathlib.Path(folder) / name, full_page=True)

    def test_the_reader_chooses_light_or_dark(self):
        page = self.open(scheme="dark")
        paper = "getComputedStyle(document.body).backgroundColor"
        dark = page.evaluate(paper)
        page.locator("#scheme").select_option("light")
        light = page.evaluate(paper)
        self.assertNotEqual(light, dark)
        page.reload()
        self.settle()
        self.assertEqual((page.locator("#scheme").input_value(), page.evaluate(paper)), ("light", light))
        page.locator("#scheme").select_option("auto")
        self.assertEqual(page.evaluate(paper), dark)
        page.emulate_media(color_scheme="light")
        self.assertEqual(page.evaluate(paper), light)

    def test_headings_labels_and_focus_are_in_order(self):
        page = self.open()
        self.assertEqual(page.locator("h1").count(), 1)
        unlabelled = """() => [...document.querySelectorAll('button, input, select, textarea, [tabindex="0"]')].filter((node) => node.checkVisibility())
          .filter((node) => !(node.innerText?.trim() || node.labels?.length || node.getAttribute('aria-label'))).map((node) => node.outerHTML.slice(0, 80))"""
        self.assertEqual(page.evaluate(unlabelled), [])
        twice = "() => [...document.querySelectorAll('[id]')].map(({ id }) => id).filter((id, i, all) => all.indexOf(id) !== i)"
        self.assertEqual(page.evaluate(twice), [])
        page.keyboard.press("Tab")
        self.assertEqual(page.evaluate("document.activeElement.className"), "skip")
        page.keyboard.press("Enter")
        self.assertEqual(page.evaluate("document.activeElement.id"), "results")


if __name__ == "__main__":
    chromium_of_tests.chromium()
    unittest.main()
