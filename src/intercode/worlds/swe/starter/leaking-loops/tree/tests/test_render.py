import pytest

from stencil import Safe, TemplateError, render


def test_values_are_escaped():
    assert render("<p>{{ text }}</p>", text="1 < 2 & 3") == "<p>1 &lt; 2 &amp; 3</p>"


def test_safe_text_is_not_escaped():
    assert render("{{ text }}", text=Safe("<b>")) == "<b>"


def test_dotted_names():
    assert render("{{ user.name }}", user={"name": "Anna"}) == "Anna"


def test_loops_and_conditions():
    template = "{% for x in xs %}{% if x %}{{ x }},{% end %}{% end %}"
    assert render(template, xs=[1, 0, 2]) == "1,2,"


def test_unknown_names_and_tags_are_refused():
    for template in ("{{ nothing }}", "{% while x %}{% end %}", "{% end %}"):
        with pytest.raises(TemplateError):
            render(template)
