package io.godwit.architecture;

import java.util.ArrayList;
import java.util.List;

/** The packages of broker-persistence. */
final class PersistenceTable {
    /** What to do about an import between the two. */
    static final String WIRING =
            "persistence and cluster implement core's ports and don't know each other: let"
                    + " broker-server pass one to the other";

    private PersistenceTable() {}

    static List<Allowed> table() {
        List<Allowed> all = new ArrayList<>();
        all.add(persistence("persistence", WIRING, "core..", "persistence.."));
        all.add(persistence("persistence.disk", "the port to the disk knows nobody above it"));
        all.add(persistence("persistence.codec", WIRING, "core.."));
        all.add(persistence("persistence.files", WIRING, "core.failure", "persistence.disk"));
        all.add(persistence("persistence.settings", WIRING));
        all.add(persistence("persistence.work", WIRING));
        all.add(persistence("persistence.health", WIRING, "core.store"));
        all.add(
                persistence(
                        "persistence.space",
                        WIRING,
                        "core.failure",
                        "core.store",
                        "persistence.disk",
                        "persistence.settings"));
        all.add(
                new Allowed(
                        "persistence.rocks",
                        List.of("core.failure", "persistence.disk"),
                        List.of("java..", "org.jspecify.annotations", "org.slf4j", "org.rocksdb"),
                        "only this package sees RocksDB: the others use Disk"));
        all.add(
                persistence(
                        "persistence.journal",
                        WIRING,
                        "core..",
                        "persistence.disk",
                        "persistence.health",
                        "persistence.settings",
                        "persistence.work"));
        all.add(
                persistence(
                        "persistence.queue",
                        WIRING,
                        "core..",
                        "persistence.codec",
                        "persistence.disk",
                        "persistence.health",
                        "persistence.journal",
                        "persistence.settings"));
        all.add(
                persistence(
                        "persistence.window",
                        WIRING,
                        "core..",
                        "persistence.codec",
                        "persistence.disk",
                        "persistence.health",
                        "persistence.journal",
                        "persistence.queue",
                        "persistence.reading",
                        "persistence.settings",
                        "persistence.work"));
        all.add(
                persistence(
                        "persistence.reading",
                        WIRING,
                        "core..",
                        "persistence.codec",
                        "persistence.disk",
                        "persistence.health",
                        "persistence.journal",
                        "persistence.queue",
                        "persistence.work"));
        all.add(
                persistence(
                        "persistence.upkeep",
                        WIRING,
                        "core..",
                        "persistence.codec",
                        "persistence.disk",
                        "persistence.health",
                        "persistence.queue",
                        "persistence.settings",
                        "persistence.work"));
        all.add(
                persistence(
                        "persistence.recovery",
                        WIRING,
                        "core..",
                        "persistence.codec",
                        "persistence.disk",
                        "persistence.health",
                        "persistence.journal",
                        "persistence.queue",
                        "persistence.settings",
                        "persistence.window"));
        all.add(
                persistence(
                        "persistence.inspect",
                        WIRING,
                        "core..",
                        "persistence",
                        "persistence.codec",
                        "persistence.disk",
                        "persistence.files",
                        "persistence.health",
                        "persistence.journal",
                        "persistence.queue",
                        "persistence.recovery",
                        "persistence.rocks",
                        "persistence.settings",
                        "persistence.work"));
        return all;
    }

    private static Allowed persistence(String name, String instead, String... ours) {
        return new Allowed(
                name,
                List.of(ours),
                List.of("java..", "org.jctools..", "org.jspecify.annotations", "org.slf4j"),
                instead);
    }
}
