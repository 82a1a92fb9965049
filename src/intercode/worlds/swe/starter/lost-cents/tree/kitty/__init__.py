from kitty.ledger import Ledger
from kitty.money import parse, shares, show

__all__ = ["Ledger", "parse", "shares", "show"]
