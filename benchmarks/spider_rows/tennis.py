"""Rows for `wta_1`, whose tables are empty as published: `python -m benchmarks.spider_rows.tennis` writes them.

Two countries have 51 and 50 players, since more than 50 are asked for. What a match says of a player is what is so:
names, hands and countries are those of `players`, and rank and points of a player are the same in all matches.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from intercode.datasets.spider.verified import FOLDER

FIRST = [
    "Ada",
    "Alba",
    "Anna",
    "Beata",
    "Carla",
    "Clara",
    "Dana",
    "Daria",
    "Edith",
    "Elena",
    "Emma",
    "Eva",
    "Fiona",
    "Gina",
    "Greta",
    "Hanna",
    "Helga",
    "Ida",
    "Ines",
    "Irma",
    "Jana",
    "Julia",
    "Karin",
    "Katja",
    "Lara",
    "Lena",
    "Lisa",
    "Lola",
    "Maria",
    "Marta",
    "Mia",
    "Nadia",
    "Nina",
    "Nora",
    "Olga",
    "Paula",
    "Petra",
    "Rita",
    "Rosa",
    "Sara",
    "Sofia",
    "Tanja",
    "Tessa",
    "Ulla",
    "Vera",
    "Wanda",
    "Xenia",
    "Yara",
    "Zoe",
]
LAST = [
    "Abel",
    "Baker",
    "Carter",
    "Dubois",
    "Ebert",
    "Fischer",
    "Gomez",
    "Horvat",
    "Ito",
    "Jensen",
    "Kovac",
    "Lopez",
    "Meyer",
    "Novak",
    "Olsen",
    "Petrov",
]
PLAYERS_OF = {"USA": 51, "RUS": 50, "GER": 6, "FRA": 6, "CHN": 3, "ESP": 1}
MATCHES = {  # of a year, by tournament
    "Australian Open": {2013: 6, 2016: 5, 2014: 2},
    "WTA Championships": {2013: 3, 2016: 5, 2015: 3},
    "Wimbledon": {2014: 6, 2013: 4},
    "Roland Garros": {2015: 2, 2016: 1},
}
WINNERS, LOSERS = 9, 7
"""Players who win matches, and further ones who only lose."""


def main() -> None:
    """Write wta_1.tennis.sql."""
    path = FOLDER / "planted" / "wta_1.tennis.sql"
    path.parent.mkdir(exist_ok=True)
    write(path)


def write(path: Path) -> None:
    """Write the statements to *path*."""
    dice = random.Random(20)
    players = list(_players(dice))
    lines = [*map(_player, players), *_rankings(players, dice), *_matches(players, dice)]
    path.write_text("USE `wta_1`;\n" + "".join(f"{line};\n" for line in lines), encoding="utf-8")


Player = tuple[int, str, str, str, date, str]
"""As in the table `players`: id, first and last name, hand, date of birth, country."""


def _players(dice: random.Random) -> Iterator[Player]:
    """Yield all of them. The first ones, who play, have first names of their own and come from several countries."""
    countries = [country for country, count in PLAYERS_OF.items() for _ in range(count)]
    dice.shuffle(countries)
    names = [(first, last) for last in LAST for first in FIRST]
    born = dice.sample(range(9000), len(countries))
    for number, country in enumerate(countries):
        first, last = names[number] if number < len(FIRST) else names[number + 3]
        hand = "L" if number % 5 in (1, 2) else "U" if number % 17 == 3 else "R"
        yield 200001 + number, first, last, hand, date(1974, 1, 1) + timedelta(days=born[number]), country


def _player(player: Player) -> str:
    return _insert("players", "player_id first_name last_name hand birth_date country_code", player)


def _rankings(players: list[Player], dice: random.Random) -> Iterator[str]:
    """Of twelve players at four dates. Who has made most tours at one date has not made most in all."""
    columns = "ranking_date ranking player_id ranking_points tours"
    for number, day in enumerate((date(2013, 3, 4), date(2014, 3, 3), date(2015, 3, 2), date(2016, 3, 7))):
        chosen = dice.sample(players[:14], 12 - number)
        for rank, player in enumerate(chosen, 1):
            yield _insert("rankings", columns, (day, rank * 3, player[0], 5000 - 310 * rank, dice.randrange(3, 24)))
    yield _insert("rankings", columns, (date(2016, 3, 7), 51, players[20][0], 77, 41))


def _matches(players: list[Player], dice: random.Random) -> Iterator[str]:
    """Yield a table's matches and a few qualifying ones. The winner's own columns begin with `winner`."""
    rank = {player[0]: (4 + 5 * place, 6100 - 395 * place) for place, player in enumerate(players[: WINNERS + LOSERS])}
    dice.shuffle(winners := list(players[:WINNERS]))
    minutes = dice.sample(range(55, 190), sum(sum(years.values()) for years in MATCHES.values()) + 3)
    number = 0
    for tourney, years in MATCHES.items():
        for year, count in years.items():
            for place in range(count):
                winner = winners[min(int(dice.expovariate(0.35)), WINNERS - 1)]
                loser = dice.choice([each for each in players[: WINNERS + LOSERS] if each is not winner])
                yield _match("matches", tourney, year, 1 + place, minutes[number], winner, loser, rank)
                number += 1
    for place in range(3):
        winner, loser = dice.sample(players[: WINNERS + LOSERS], 2)
        yield _match("qualifying_matches", "Wimbledon", 2014, 1 + place, minutes[number + place], winner, loser, rank)


def _match(
    table: str,
    tourney: str,
    year: int,
    number: int,
    minutes: int,
    winner: Player,
    loser: Player,
    rank: dict[int, tuple[int, int]],
) -> str:
    columns = "best_of draw_size match_num minutes round score surface "
    columns += "tourney_date tourney_id tourney_level tourney_name year"
    values: list[object] = [3, 32, number, minutes, "R32", "6-4 6-3", "Hard", date(year, 6, 1)]
    values += [f"{year}-{''.join(word[0] for word in tourney.split())}", "G", tourney, year]
    for side, player in (("winner", winner), ("loser", loser)):
        parts = ("id", "name", "ioc", "hand", "age", "rank", "rank_points")
        columns += "".join(f" {side}_{part}" for part in parts)
        age = year - player[4].year + 0.5
        values += [player[0], f"{player[1]} {player[2]}", player[5], player[3], age, *rank[player[0]]]
    return _insert(table, columns, tuple(values))


def _insert(table: str, columns: str, values: tuple[object, ...]) -> str:
    names = ", ".join(f"`{name}`" for name in columns.split())
    texts = ", ".join(str(value) if isinstance(value, int | float) else f"'{value}'" for value in values)
    return f"INSERT INTO `{table}` ({names}) VALUES ({texts})"


if __name__ == "__main__":
    main()
