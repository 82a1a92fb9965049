import pytest

from signpost import NotFound, Pattern, PatternError, Signpost


@pytest.fixture
def post():
    post = Signpost()
    post.add("/", "home")
    post.add("/users/{id:int}", "user")
    post.add("/files/{path:rest}", "files")
    return post


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/", ("home", {})),
        ("/users/7", ("user", {"id": 7})),
        ("/files/a/b.txt", ("files", {"path": "a/b.txt"})),
        ("/files/two%20words", ("files", {"path": "two words"})),
    ],
    ids=["home", "number", "rest", "escaped"],
)
def test_paths_lead_to_handlers(post, path, found):
    assert post.find(path) == found


def test_a_word_is_no_number():
    assert Pattern("/users/{id:int}").match("/users/anna") is None
    assert Pattern("/users/{id}").match("/users/7") == {"id": "7"}


@pytest.mark.parametrize("text", ["users", "/{a}/{a}", "/{a:date}"])
def test_patterns_without_a_meaning_are_refused(text):
    with pytest.raises(PatternError):
        Pattern(text)
