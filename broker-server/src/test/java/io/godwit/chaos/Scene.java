package io.godwit.chaos;

/** What all clients of a run share. */
record Scene(Checker checker, Retained retained, History history, Tally tally) {
    static Scene of(long seed) {
        Checker checker = new Checker(new History(seed));
        return new Scene(checker, new Retained(checker), checker.history, new Tally());
    }
}
