#include "train/run/page_head.hpp"

#include <fmt/format.h>

#include <string_view>

namespace summand::train {

namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{0}</title>
<style>
:root {{ --paper: #fff; --ink: #16181c; --soft: #5c626e; --line: #e4e4e4; }}
@media (prefers-color-scheme: dark) {{ :root {{ --paper: #16181c; --ink: #f2f3f5; --soft: #b8bcc4; --line: #2c3038; }} }}
body {{ margin: 0 auto; padding: 24px 16px 64px; max-width: 960px; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }}
h1 {{ font-size: 26px; line-height: 1.2; margin: 8px 0 4px; overflow-wrap: anywhere; }}
h2 {{ font-size: 19px; margin: 36px 0 8px; }} h3 {{ font-size: 15px; margin: 24px 0 4px; }}
.lead {{ margin: 0 0 20px; }} .lead, .soft, .facts th {{ color: var(--soft); }} .soft {{ font-weight: 400; }}
.charts {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); gap: 32px 40px; margin: 36px 0; }}
svg {{ width: 100%; height: auto; display: block; }}
table {{ border-spacing: 0; font-size: 14px; font-variant-numeric: tabular-nums; }}
th {{ font-weight: 400; text-align: left; }} th, td {{ padding: 5px 0; vertical-align: top; }}
tr + tr > * {{ border-top: 1px solid var(--line); }}
.wide {{ overflow-x: auto; }}
.facts {{ width: 100%; table-layout: fixed; overflow-wrap: anywhere; }} .facts th {{ width: 34%; padding-right: 12px; }}
.scores :is(th, td) + :is(th, td) {{ padding-left: 24px; }} .scores .soft {{ white-space: nowrap; }}
.scores tr:nth-child(2) {{ font-weight: 600; }} .scores tr:nth-child(2) th {{ font-weight: 600; }}
.confusion :is(th, td) {{ padding: 5px 10px; white-space: nowrap; }} .confusion td {{ text-align: right; }}
.confusion.many {{ font-size: 12px; }} .confusion.many :is(th, td) {{ padding: 3px 5px; }}
.confusion.many td.soft {{ color: color-mix(in srgb, var(--soft) 45%, transparent); }}
.confusion th span {{ display: block; overflow: hidden; text-overflow: ellipsis; max-width: min(15em, 36vw); }}
.confusion tr:first-child th {{ vertical-align: bottom; text-align: right; }}
.confusion tr > th:first-child {{ position: sticky; left: 0; padding-left: 0; background: var(--paper); text-align: left; }}
.confusion.upright tr:first-child th + th span {{ writing-mode: vertical-rl; max-height: 15em; margin-left: auto; }}
.notes {{ padding-left: 18px; margin: 0; overflow-wrap: anywhere; }} .notes li {{ margin: 4px 0; }}
.mistakes {{ list-style: none; padding: 0; margin: 0; font-size: 14px; overflow-wrap: anywhere; }}
.mistakes li {{ padding: 8px 0; }} .mistakes li + li {{ border-top: 1px solid var(--line); }} .mistakes p {{ margin: 0; }}
.mistakes .told {{ display: flex; flex-wrap: wrap; gap: 0 20px; }}
@media (max-width: 600px) {{ .scores .soft {{ display: block; font-size: 12px; }}
  .scores :is(th, td) + :is(th, td) {{ padding-left: 14px; }} }}
</style></head><body>
)";

}  // namespace

std::string page_head(const std::string& title) {
  return fmt::format(kHead, title);
}

}  // namespace summand::train
