package io.godwit.persistence.rocks;

import org.rocksdb.InfoLogLevel;
import org.rocksdb.Logger;

/** Takes the place of RocksDB's log where nothing is opened to be changed. */
final class Silence extends Logger {
    Silence() {
        super(InfoLogLevel.FATAL_LEVEL);
    }

    @Override
    protected void log(InfoLogLevel level, String message) {
        // What matters comes as an exception.
    }
}
