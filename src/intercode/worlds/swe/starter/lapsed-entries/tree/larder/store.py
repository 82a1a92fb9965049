"""The cache itself."""

from collections import OrderedDict

from larder.clock import Clock


class Larder:
    """Keeps up to `capacity` entries, each for up to `seconds` (None: for ever).

    When there is no room the entry that was used longest ago goes. An entry whose time is over
    is as good as gone: it is not found, not counted and not listed.
    """

    def __init__(self, capacity, seconds=None, clock=None):
        if capacity < 1:
            raise ValueError("a larder holds one entry at least")
        self.capacity = capacity
        self.seconds = seconds
        self._clock = clock or Clock()
        self._entries = OrderedDict()
        self.evicted = 0

    def put(self, key, value, seconds=None):
        """Keep `value` under `key`, for `seconds` of its own if that is given."""
        lifetime = self.seconds if seconds is None else seconds
        until = None if lifetime is None else self._clock.now() + lifetime
        self._entries[key] = (value, until)
        self._entries.move_to_end(key)
        while len(self._entries) > self.capacity:
            self._entries.popitem(last=False)
            self.evicted += 1

    def get(self, key, default=None):
        """The value under `key`, which is now the one used last; `default` if there is none."""
        if key not in self._entries:
            return default
        value, until = self._entries[key]
        if self._lapsed(until):
            del self._entries[key]
            return default
        self._entries.move_to_end(key)
        return value

    def __contains__(self, key):
        return key in self._entries

    def __len__(self):
        return len(self._entries)

    def __iter__(self):
        return iter(list(self._entries))

    def clear(self):
        self._entries.clear()

    def _lapsed(self, until):
        return until is not None and self._clock.now() >= until
