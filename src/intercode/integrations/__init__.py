"""Roads in: one module for each peer, whose package is imported only there. Nothing here is needed by the rest."""
