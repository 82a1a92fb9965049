"""How far scorings agree with people: recorded episodes, read by people, beside what each scoring gives them."""
