"""vega_bundle.py OUT.js: the Vega bundle that the report carries, from the pinned vl-convert-python."""

import pathlib
import sys

WANTED = "1.9.0"

try:
    import vl_convert
except ImportError:
    sys.exit(f"{sys.executable} has no vl-convert-python: run scripts/install_python_packages demo")
if vl_convert.__version__ != WANTED:
    sys.exit(f"vl-convert-python: expected {WANTED}, got {vl_convert.__version__}")
bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version="6.4")
# It goes into a <script> element, which these would end or change.
assert "</script" not in bundle.lower() and "<!--" not in bundle
pathlib.Path(sys.argv[1]).write_text(bundle, encoding="utf-8")
