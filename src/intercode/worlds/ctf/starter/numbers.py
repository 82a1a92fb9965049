"""Primes that dice choose."""

from __future__ import annotations

import math
from random import Random

SMALL = [2, *(n for n in range(3, 1000, 2) if all(n % d for d in range(3, int(n**0.5) + 1, 2)))]
PRODUCT = math.prod(SMALL)


def prime(dice: Random, bits: int) -> int:
    """A prime of that many bits, good for RSA with the exponents 3 and 65537."""
    while True:
        found = dice.getrandbits(bits) | 1 << bits - 1
        found += 5 - found % 6  # odd, and one less than a multiple of 3
        while not is_prime(found):
            found += 6
        if found % 65537 != 1 and found.bit_length() == bits:
            return found


def next_prime(number: int) -> int:
    """The smallest prime from *number* on, which is large."""
    number |= 1
    while not is_prime(number):
        number += 2
    return number


def is_prime(number: int) -> bool:
    """Whether *number* is prime, which Miller and Rabin's test with ten bases practically never gets wrong."""
    if number < SMALL[-1] ** 2:
        return number > 1 and all(number % d for d in SMALL if d * d <= number)
    if math.gcd(number, PRODUCT) > 1:
        return False
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(_passes(number, base, odd, twos) for base in SMALL[:10])


def _passes(number: int, base: int, odd: int, twos: int) -> bool:
    rest = pow(base, odd, number)
    if rest in (1, number - 1):
        return True
    for _ in range(twos - 1):
        rest = rest * rest % number
        if rest == number - 1:
            return True
    return False
