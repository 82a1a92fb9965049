import pytest

from vintage import Version, fits, newest


def test_numbers_compare_as_numbers():
    assert Version("1.10.0") > Version("1.9.3")
    assert Version("2") == Version("2.0.0")


def test_build_data_says_nothing():
    assert Version("1.0.0+linux") == Version("1.0.0+mac")


@pytest.mark.parametrize("text", ["", "v1", "1.2.3.4", "1.x"])
def test_what_is_no_version_is_refused(text):
    with pytest.raises(ValueError, match="no version"):
        Version(text)


@pytest.mark.parametrize(
    ("version", "wanted", "right"),
    [
        ("1.4.0", "^1.2", True),
        ("2.0.0", "^1.2", False),
        ("1.2.9", "~1.2.3", True),
        ("1.3.0", "~1.2.3", False),
        ("1.5", ">=1.0 <2.0", True),
        ("2.0", ">=1.0 <2.0", False),
    ],
)
def test_ranges(version, wanted, right):
    assert fits(Version(version), wanted) is right


def test_the_newest_is_found():
    assert newest(["1.0.0", "1.10.0", "1.9.0", "2.0.0"], "^1") == Version("1.10.0")
    assert newest(["1.0.0"], "^2") is None
