package io.godwit.persistence.rocks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What of a store can't be read: its files are looked at one by one, so that it works however
 * little can be opened. Reads everything; changes nothing.
 *
 * @param logs all write-ahead logs
 * @param tables damaged table files
 * @param isLogMissing there is none, though an open store always has one
 */
public record DamageReport(List<LogScan> logs, List<TableDamage> tables, boolean isLogMissing) {

    /** Looks at the logs only: as long as they may become together, {@code walBytes}. */
    static DamageReport ofLogs(Path path) throws IOException {
        List<LogScan> logs = new ArrayList<>();
        for (Path log : new RocksFolder(path).files(RocksFolder.LOGS)) {
            logs.add(LogScan.of(log));
        }
        return new DamageReport(logs, List.of(), logs.isEmpty());
    }

    /** Looks at every file. */
    public static DamageReport of(Path path) throws IOException {
        DamageReport logs = ofLogs(path);
        List<TableDamage> tables = new ArrayList<>();
        for (Path table : new RocksFolder(path).files(RocksFolder.TABLES)) {
            TableDamage damage = TableDamage.of(table);
            if (damage != null) {
                tables.add(damage);
            }
        }
        return new DamageReport(logs.logs(), tables, logs.isLogMissing());
    }

    public boolean isDamaged() {
        return isLogMissing || !tables.isEmpty() || logs.stream().anyMatch(LogScan::isDamaged);
    }

    /** Logs that end within a record: what a crash leaves, no damage. */
    List<LogScan> tornLogs() {
        return logs.stream().filter(each -> !each.isDamaged() && each.tornBytes() > 0).toList();
    }

    /** Sentences, one for each file; empty when no damage was found. */
    public String text() {
        StringBuilder text = new StringBuilder();
        if (isLogMissing) {
            text.append(
                    "It has no write-ahead log (*.log): these files hold the newest messages and"
                            + " must never be deleted. ");
        }
        for (LogScan log : logs) {
            if (log.isDamaged()) {
                text.append(log.file())
                        .append(" can't be read from byte ")
                        .append(log.whole())
                        .append(" to byte ")
                        .append(log.validAgain())
                        .append(" of ")
                        .append(log.length())
                        .append(": commits there were acknowledged, of any queue. ");
            }
        }
        tables.forEach(each -> text.append(each.text()).append(' '));
        return text.toString();
    }
}
