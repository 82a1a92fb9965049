"""Who paid what for whom."""

from kitty.money import shares


class Ledger:
    """Expenses shared by people. What somebody has got back is positive in `balances`; all together they are 0."""

    def __init__(self):
        self.balances = {}

    def spend(self, who, cents, among):
        """`who` paid for everybody in `among`, who share it in that order."""
        if not among:
            raise ValueError("somebody has to share it")
        self._add(who, cents)
        for person, share in zip(among, shares(cents, len(among))):
            self._add(person, -share)

    def settle(self):
        """Payments (from, to, cents) after which nobody owes anything: the largest debt goes to the largest credit."""
        left = dict(self.balances)
        payments = []
        while any(left.values()):
            debtor = min(left, key=left.get)
            creditor = max(left, key=left.get)
            cents = min(-left[debtor], left[creditor])
            payments.append((debtor, creditor, cents))
            left[debtor] += cents
            left[creditor] -= cents
        return payments

    def _add(self, who, cents):
        self.balances[who] = self.balances.get(who, 0) + cents
