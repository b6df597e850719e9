# SPDX-License-Identifier: BSD-3-Clause
"""Settings of Sphinx for the manual. tools/make-manual sets the version."""

project = "softfeb"
author = "softfeb maintainers"
root_doc = "index"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
html_title = "softfeb"
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_last_updated_fmt = None
# On the site, as on GitHub, every heading has an anchor.
myst_heading_anchors = 6
# As on GitHub, a block without a language is not highlighted.
highlight_language = "none"
pygments_style = "default"
pygments_dark_style = "monokai"
smartquotes = False
# The pages are also read on GitHub, where headings may begin at any level.
suppress_warnings = ["myst.header"]
