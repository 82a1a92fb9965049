import pytest

from larder import Larder


def test_what_was_put_is_found(shelf):
    shelf.put("bread", 3)
    assert shelf.get("bread") == 3
    assert shelf.get("wine") is None
    assert shelf.get("wine", 0) == 0


def test_the_entry_used_longest_ago_goes_first(shelf):
    shelf.put("a", 1)
    shelf.put("b", 2)
    shelf.get("a")
    shelf.put("c", 3)
    assert (shelf.get("a"), shelf.get("b"), shelf.get("c")) == (1, None, 3)
    assert shelf.evicted == 1


def test_an_entry_lapses(shelf, clock):
    shelf.put("milk", 1)
    clock.advance(9)
    assert shelf.get("milk") == 1
    clock.advance(1)
    assert shelf.get("milk") is None


@pytest.mark.parametrize("capacity", [0, -1])
def test_a_larder_without_room_is_refused(capacity):
    with pytest.raises(ValueError, match="one entry"):
        Larder(capacity)


def test_clearing_takes_everything(shelf):
    shelf.put("a", 1)
    shelf.clear()
    assert len(shelf) == 0
