package io.godwit.benchmarks.load;

import java.util.Locale;

/**
 * Counts operations of the brokers' stores between two moments; not a number where the broker does
 * not tell.
 *
 * @param operations that commits held, cancelled ones included
 * @param cancelled operations that were not written
 * @param rows messages that outlived the journal's window
 * @param linkBytes that brokers sent to each other
 */
public record StoreUse(
        double commits,
        double operations,
        double cancelled,
        double appends,
        double rows,
        double journalBytes,
        double syncs,
        double syncSeconds,
        double linkBytes) {

    private static final String SENT = "godwit_cluster_bytes_sent_total";

    static StoreUse between(Metrics before, Metrics after) {
        return new StoreUse(
                more(before, after, "commits_total"),
                more(before, after, "operations_total"),
                more(before, after, "operations_cancelled_total"),
                more(before, after, "appends_total"),
                more(before, after, "rows_written_total"),
                more(before, after, "journal_bytes_total"),
                more(before, after, "sync_seconds_count"),
                more(before, after, "sync_seconds_sum"),
                after.get(SENT) - before.get(SENT));
    }

    private static double more(Metrics before, Metrics after, String name) {
        return after.get("godwit_store_" + name) - before.get("godwit_store_" + name);
    }

    public double operationsPerCommit() {
        return operations / commits;
    }

    /** 0 to 1. */
    public double cancelledShare() {
        return cancelled / operations;
    }

    /** Of the appended messages, 0 to 1. */
    double rowShare() {
        return rows / appends;
    }

    /** Empty when the broker does not tell, or did nothing. */
    String text() {
        if (!(commits > 0)) return "";
        return String.format(
                Locale.ROOT,
                "  %.0f operations/commit, %.1f %% cancelled, %.0f rows of %.0f, %.0f syncs of %.0f us",
                operationsPerCommit(),
                cancelledShare() * 100,
                rows,
                appends,
                syncs,
                syncSeconds * 1e6 / syncs);
    }
}
