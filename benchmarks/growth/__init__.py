"""How cost grows with what there is, and with what an agent did: a slope for each, on logarithmic axes."""
