"""Questions over a reference: what its headings name, its labels say and its questions are answered with."""

import pytest

from graphrag_lite import pipeline
from graphrag_lite.search.index import Index
from graphrag_lite.settings import Settings

SETTINGS = """Settings
========

.. contents::

.. _guide: http://x

RATE_LIMIT
----------

Default: ``16``

The most requests that the pump sends to one dike at the same time, see `the guide`_.

DNS_TIMEOUT
-----------

Default: ``60``

Seconds that a name is looked for by the resolver.

CachingResolver supports a timeout for names by the DNS_TIMEOUT setting, but works with IPv4 alone.

bodyLimit
---------

Default: ``1048576``

Bytes that a request may have.
"""
OPTIONS = """Running the pump
================

``-k``, ``--kind``
    Of pump, wind or steam. The default is wind.

``--flush-locks``
    Opens all locks at its start, those of the dike included.

Libraries
---------

* aio-dikes - Async dikes for several pumps (tidepg, wind)
* tidepg - Client for tides that is based on wind.
"""
FAQ = """Questions
=========

:Author: Ann Lee
:Number: 257
:Created: 3-May-2021

What is the usual ending for a dike file?
-----------------------------------------

It's ".dyk".

Other programs already read texts with this ending.

Where do I get it?
------------------

Also see `What is the usual ending for a dike file?`_

Ask the wardens of your own polder first.
"""


OTHER = """Charter
=======

:Author: Ann Lee
:Number: 300
:Created: 1-Mar-2020

It has number 300 as dikes were wet, and numbers are given by all of the wardens to whom a dike belongs.
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    root = tmp_path_factory.mktemp("reference")
    (root / "input").mkdir()
    (root / "input/settings.rst").write_text(SETTINGS, encoding="utf-8")
    (root / "input/options.rst").write_text(OPTIONS, encoding="utf-8")
    (root / "input/faq.rst").write_text(FAQ, encoding="utf-8")
    (root / "input/charter.rst").write_text(OTHER, encoding="utf-8")
    return Index(pipeline.index(root / "input", root / "output", Settings()).snapshot)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What is the default of DNS_TIMEOUT?", "Default: 60 [1]"),
        ("What is the default body limit?", "Default: 1048576 [1]"),
        ("Which option opens all locks?", "--flush-locks: Opens all locks"),
        ("What does the RATE_LIMIT setting do?", "The most requests"),
        ("What is tidepg?", "tidepg - Client for tides"),
        ("What's the usual ending for a dike file?", 'It\'s ".dyk". [1]'),
    ],
)
def test_what_stands_below_a_heading_is_of_what_it_names(index: Index, question: str, first: str) -> None:
    assert index.query(question, "local").answer.startswith(first)


def test_fields_of_a_head_are_told_of_the_document_that_has_the_others(index: Index) -> None:
    assert "Created: 3-May-2021" in index.query("When was number 257 created?", "local").answer.split("[1]")[0]


def test_an_option_that_no_text_has_is_refused_and_the_nearest_is_named(index: Index) -> None:
    answer = index.query("What is the default of RATE_LIMITS_MAX?", "local")
    assert answer.abstained and answer.answer.startswith("The corpus does not say. No text has “RATE_LIMITS_MAX”; near")
    assert "RATE_LIMIT" in answer.answer.split("near to it: ")[1]
    assert index.query("What is the default of dns_timeout?", "local").answer.startswith("Default: 60")
