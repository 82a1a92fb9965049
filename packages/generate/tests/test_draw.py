"""Draws are the same everywhere: values that another version of Python must give too."""

from intercode_generate.draw import Draw


def test_equal_keys_give_equal_streams_and_others_do_not() -> None:
    def stream(*key: object) -> list[int]:
        draw = Draw(*key)
        return [draw.integer(0, 10**6) for _ in range(20)]

    assert stream("bash", 7) == stream("bash", 7) != stream("bash", 8)


def test_the_stream_is_the_one_that_was_published() -> None:
    draw = Draw("bash", 7, "train")
    assert [draw.integer(1, 6) for _ in range(10)] == [4, 6, 2, 3, 2, 5, 6, 6, 3, 5]
    assert draw.sample("abcdefgh", 4) == ["c", "e", "h", "g"]


def test_a_sample_has_no_place_twice_and_a_shuffle_loses_nothing() -> None:
    draw = Draw(1)
    for _ in range(50):
        found = draw.sample(range(9), 5)
        assert len(set(found)) == 5
        assert sorted(draw.shuffled(range(9))) == list(range(9))
    assert draw.sample("ab", 5)
    assert len(draw.sample("ab", 5)) == 2


def test_both_ends_of_a_range_are_drawn() -> None:
    draw = Draw(2)
    assert {draw.integer(3, 5) for _ in range(100)} == {3, 4, 5}
