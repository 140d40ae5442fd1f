# SPDX-License-Identifier: GPL-2.0-only
"""Sphinx configuration of the book; utils/docs builds it."""

project = "rdma for ns-3"
author = "the authors of the rdma module"
project_copyright = author
exclude_patterns = ["images"]
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px", "description": "RDMA networks in ns-3"}
html_show_copyright = False
html_show_sourcelink = False
nitpicky = True
