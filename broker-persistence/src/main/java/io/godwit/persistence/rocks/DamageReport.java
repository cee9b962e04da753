package io.godwit.persistence.rocks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What of a database can't be read: its files are looked at one by one, so that it works however
 * little can be opened. Reads everything; changes nothing.
 *
 * @param tables damaged table files
 */
public record DamageReport(List<TableDamage> tables) {
    /** Looks at every file. */
    public static DamageReport of(Path path) throws IOException {
        List<TableDamage> tables = new ArrayList<>();
        for (Path table : new RocksFolder(path).files(RocksFolder.TABLES)) {
            TableDamage damage = TableDamage.of(table);
            if (damage != null) {
                tables.add(damage);
            }
        }
        return new DamageReport(tables);
    }

    /** Looks at these files only. */
    public static DamageReport of(Path path, List<TableFile> some) {
        List<TableDamage> tables = new ArrayList<>();
        for (TableFile each : some) {
            TableDamage damage = TableDamage.of(path.resolve(each.name()));
            if (damage != null) {
                tables.add(damage);
            }
        }
        return new DamageReport(tables);
    }

    /** Has the next opening look at every file, and a broker merge nothing. */
    public void note(Path path) {
        ReadFailure.mark(path, text());
    }

    public boolean isDamaged() {
        return !tables.isEmpty();
    }

    /** Whether sessions and retained messages are whole: what is damaged concerns single queues. */
    public boolean isInQueuesOnly() {
        return tables.stream().allMatch(TableDamage::isInQueuesOnly);
    }

    /** Sentences, one for each file; empty when no damage was found. */
    public String text() {
        StringBuilder text = new StringBuilder();
        tables.forEach(each -> text.append(each.text()).append(' '));
        return text.toString();
    }
}
