package io.godwit.persistence.files;

import io.godwit.persistence.disk.Journal;
import io.godwit.persistence.disk.SimulatedJournal;

class SimulatedJournalContractTest extends JournalContract {
    @Override
    Journal open() {
        return new SimulatedJournal();
    }

    @Override
    Journal next() {
        return ((SimulatedJournal) journal).kill();
    }
}
