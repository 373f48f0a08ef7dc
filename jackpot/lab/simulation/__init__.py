"""A floor without sockets or clocks: its decks are dealt by a seeded generator, the rest is the engine's."""
