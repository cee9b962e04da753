package io.godwit.persistence.rocks;

import java.util.EnumSet;
import org.rocksdb.HistogramType;
import org.rocksdb.Statistics;
import org.rocksdb.StatsLevel;
import org.rocksdb.TickerType;

/**
 * What flushes and compactions write, by RocksDB's own counters. Its events would tell as well, but
 * a process that ends while one is being told to Java never ends.
 */
final class TableBytes implements AutoCloseable {
    private final Statistics statistics = new Statistics(EnumSet.allOf(HistogramType.class));

    TableBytes() {
        statistics.setStatsLevel(StatsLevel.EXCEPT_DETAILED_TIMERS);
    }

    Statistics statistics() {
        return statistics;
    }

    long written() {
        return statistics.getTickerCount(TickerType.FLUSH_WRITE_BYTES)
                + statistics.getTickerCount(TickerType.COMPACT_WRITE_BYTES);
    }

    @Override
    public void close() {
        statistics.close();
    }
}
