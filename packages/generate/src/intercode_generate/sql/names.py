"""The words that databases are filled with. Each list is cut into training's, validation's and the tests' part."""

from __future__ import annotations

ROLES = (
    "place", "staff", "client", "kind", "item", "event", "line", "payment", "supplier", "supply", "review", "shift"
)  # fmt: skip
"""What a table can be in a business of any sort; `build.py` says which columns it has."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _domain(text: str) -> dict[str, str]:
    return dict(zip(ROLES, text.split(), strict=True))


DOMAINS = {
    "bakery": _domain(
        "branches bakers customers bread_types breads orders order_lines payments mills mill_offers reviews shifts"
    ),
    "clinic": _domain(
        "wards doctors patients drug_groups drugs visits prescriptions bills makers maker_offers surveys duties"
    ),
    "library": _domain(
        "reading_rooms librarians readers genres books loans loan_items fines publishers shipments ratings desk_hours"
    ),
    "garage": _domain(
        "workshops mechanics owners part_groups parts repairs repair_parts invoices dealers part_offers complaints "
        "work_logs"
    ),
    "hotel": _domain(
        "hotels porters guests service_types services stays stay_services settlements agencies agency_offers "
        "guest_votes rosters"
    ),
    "museum": _domain(
        "halls guides visitors tour_types tours bookings booking_tours receipts partners partner_tours feedbacks "
        "guide_days"
    ),
    "farm": _domain(
        "farms pickers buyers crop_types crops sales sale_crops transfers seed_houses seed_offers tastings harvests"
    ),
    "school": _domain(
        "campuses teachers pupils subjects courses enrolments enrolment_courses tuition_fees sponsors sponsor_grants "
        "evaluations lessons"
    ),
    "gym": _domain(
        "studios trainers members sports programs contracts contract_programs debits franchises franchise_programs "
        "opinions sessions"
    ),
    "cinema": _domain(
        "theaters ushers viewers film_genres films tickets ticket_films charges distributors film_rights film_votes "
        "evenings"
    ),
    "harbor": _domain(
        "docks pilots shippers cargo_types cargoes voyages voyage_cargoes tolls carriers carrier_rates inspections "
        "watches"
    ),
    "printshop": _domain(
        "presses printers clients paper_types papers jobs job_papers deposits paper_mills mill_prices verdicts "
        "machine_hours"
    ),
    "brewery": _domain(
        "cellars brewers pubs beer_styles beers deliveries delivery_beers remittances maltsters malt_offers scores "
        "brew_days"
    ),
    "theatre": _domain(
        "stages actors patrons play_genres plays reservations reservation_plays refunds studios_abroad play_licenses "
        "critiques rehearsals"
    ),
    "airline": _domain(
        "airports crews passengers meal_types meals flights flight_meals fares caterers caterer_prices meal_votes "
        "crew_days"
    ),
}
"""What the roles are called. No two domains share a table's name, so no request of one is also one of another."""

FIRST = _words(
    "Anna Bruno Chloe Dario Elena Felix Greta Hugo Ines Jonas Karin Luis Mara Nils Olga Pavel Rosa Sven Tara Urs Vera "
    "Walter Xenia Yara Zeno Amir Bella Carlos Dora Emil Fiona Goran Hanna Ivan Julia Kofi Lena Marco Nadia Otto Paula "
    "Quinn Rafael Sofia Tomas Ulla Victor Wanda Yusuf Zora"
)

LAST = _words(
    "Abel Berg Costa Dahl Eriksen Fontana Gruber Hoffman Iversen Jansen Keller Lindgren Moreau Novak Olsen Petrov "
    "Quint Rossi Santos Tanaka Ulrich Vogel Weber Xavier Young Zeller Adler Brandt Castro Dubois Engel Fischer Garcia "
    "Hansen Ito Jensen Kowalski Larsen Meyer Nakamura Ortega Pereira Reed Silva Torres Umar Varga Winter York Zimmer"
)

CITIES = _words(
    "Aarhus Bergen Cadiz Dresden Exeter Faro Genoa Haarlem Innsbruck Jena Krakow Lyon Malmo Nantes Oviedo Porto "
    "Rennes Seville Turin Uppsala Verona Warsaw Ypres Zagreb Antwerp Bremen Cork Delft Essen Ghent Huelva Iasi Kiel "
    "Leeds Murcia Narvik Oslo Pisa Riga Split"
)

COUNTRIES = _words(
    "Norway Spain Italy Poland Chile Japan Kenya Latvia Malta Nepal Oman Peru Qatar Serbia Turkey Uganda Vietnam Yemen "
    "Zambia Austria Belgium Canada Denmark Egypt Finland"
)

STATUSES = _words(
    "open closed paid shipped canceled planned started delayed returned accepted refused waiting finished approved "
    "blocked reserved confirmed disputed archived expired active paused renewed queued sealed"
)

METHODS = _words(
    "cash card transfer voucher check wallet invoice crypto giro coupon barter token stamp gift credit prepaid mobile "
    "terminal postal bonus escrow draft letter ledger remittance"
)

TITLES = _words(
    "junior senior lead trainee expert deputy chief intern fellow master assistant manager clerk porter planner "
    "analyst advisor foreman captain warden steward curator auditor buyer runner"
)

SLOTS = _words(
    "early late night dawn noon morning evening weekend holiday standby double split short long regular extra training "
    "relief summer winter cleanup opening closing midday swing"
)

LEVELS = _words(
    "bronze silver gold platinum copper basic plus premium elite starter amber jade pearl ruby opal classic prime "
    "select royal crown guest bonus core max ultra"
)

ADJECTIVES = _words(
    "Red Blue Green Small Large Heavy Light Round Old New Soft Dark Bright Plain Sweet Dry Cold Warm Fine Broad Quick "
    "Slow Rough Smooth Thin Thick Short Tall Wild Pure Deep Flat Sharp Mild Rich Grand Spare Rare Quiet Loud"
)

THINGS = _words(
    "Anchor Basket Candle Drum Engine Feather Garland Hammer Island Jacket Kettle Lantern Mirror Needle Oak Pepper "
    "Quartz Ribbon Saddle Thread Umbra Velvet Walnut Yarn Zephyr Barrel Copper Dragon Ember Falcon Harvest Iris Jasper "
    "Kite Lotus Maple Nectar Olive Pearl Raven"
)

GROUPS = _words(
    "Alpine Baltic Central Desert Eastern Forest Garden Highland Inland Jubilee Kingsway Lakeside Meadow Northern "
    "Ocean Pacific Quarry Riverside Southern Tropical Urban Valley Western Zenith Arctic Border Coastal Delta Estate "
    "Frontier Glacier Harbor Imperial Juniper Knoll Lowland Marsh Orchard Prairie Summit"
)
