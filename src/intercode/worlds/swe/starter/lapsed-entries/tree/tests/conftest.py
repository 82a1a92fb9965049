import pytest

from larder import Larder, ManualClock


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def shelf(clock):
    return Larder(capacity=2, seconds=10, clock=clock)
