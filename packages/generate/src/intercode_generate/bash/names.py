"""The words that file systems are named with. Each list is cut into training's, validation's and the tests' part."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


PLACES = _words(
    "harbor orchard quarry bakery museum clinic depot studio garden library brewery workshop theater airport winery "
    "foundry nursery pharmacy kitchen observatory dairy shipyard archive-hall gallery sawmill lighthouse tannery "
    "greenhouse laundry printshop stables apiary aquarium boathouse cannery chapel creamery dockyard embassy ferry "
    "glassworks hostel icehouse junkyard kennel lodge marina newsroom outpost pottery quayside ranch smithy tavern "
    "university vineyard warehouse yard zoo academy"
)

FOLDERS = _words(
    "north south east west upper lower inner outer spring summer autumn winter alpha beta gamma delta current former "
    "shared private monday tuesday friday sunday first second third final blue green amber violet river hill lake "
    "forest bridge tower market square old-town new-town coast island valley meadow draft review ready paused pilot "
    "sample backup mirror stage local remote public staff guest"
)

STEMS = _words(
    "report plan notes summary budget invoice letter list schedule menu index readme minutes agenda survey contract "
    "receipt manual guide recipe catalog ledger roster memo outline draft proposal brief journal log-book inventory "
    "forecast checklist glossary timetable brochure leaflet handbook register diary petition verdict ticket voucher "
    "label poster script story poem song essay article column chapter appendix preface dossier bulletin digest almanac"
)

PEOPLE = _words(
    "anna bruno chloe dario elena felix greta hugo ines jonas karin luis mara nils olga pavel rosa sven tara urs vera "
    "walter xenia yara zeno amir bella carlos dora emil fiona goran hanna ivan julia kofi lena marco nadia otto paula "
    "quinn rafael sofia tomas ulla victor wanda yusuf zora"
)

THINGS = _words(
    "apple anchor basket candle copper cotton drum engine feather fiddle gravel hammer helmet honey iron jacket kettle "
    "ladder lantern marble mirror needle oak olive paper pepper pillow quartz ribbon rope saddle salt sponge spoon "
    "steel sugar tablet thread timber velvet vinegar wagon walnut wheel whistle wool yarn zinc barrel brick"
)

COMPONENTS = _words(
    "auth billing cache cron database email export gateway import index login mailer metrics network parser payment "
    "queue report router scheduler search session storage sync upload web worker audit backup billing-api catalog"
)

KEYS = _words(
    "port timeout retries workers level cache_size max_users interval threads buffer limit depth width height rate "
    "delay quota window batch_size pool_size ttl backlog priority weight threshold rounds pages columns margin scale"
)

VERBS = _words("checked opened closed moved counted sold packed ordered painted washed mended sorted signed sent found")

ADJECTIVES = _words("old new small large red quiet heavy broken clean early late cheap spare round bright narrow")

SUFFIXES = ("txt", "md", "csv", "log", "conf", "json", "sh", "bak", "tmp", "dat")

USERS = (0, 1001, 1002, 1003, 1004)
"""Owners of files, as numbers: the sandbox's accounts have no names for them."""
