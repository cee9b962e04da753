package io.godwit.chaos;

/** What all clients of a run share. */
record Scene(Checker checker, Retained retained, History history, Tally tally, Outages outages) {
    static Scene of(long seed) {
        return of(new Checker(new History(seed)));
    }

    static Scene ofNodes(long seed, int nodes) {
        return of(new Checker(new History(seed), nodes));
    }

    private static Scene of(Checker checker) {
        return new Scene(
                checker, new Retained(checker), checker.history, new Tally(), new Outages());
    }
}
