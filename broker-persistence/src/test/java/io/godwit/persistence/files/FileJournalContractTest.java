package io.godwit.persistence.files;

import io.godwit.persistence.disk.Journal;

class FileJournalContractTest extends JournalContract {
    @Override
    Journal open() throws Exception {
        return FileJournal.open(temp.resolve("journal"), 4096, 5, 0);
    }

    @Override
    Journal next() throws Exception {
        return open();
    }
}
