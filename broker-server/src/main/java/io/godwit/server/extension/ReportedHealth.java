package io.godwit.server.extension;

import io.godwit.extension.HealthReport;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Holds how one extension says that it is doing, and logs each change. Any thread. */
final class ReportedHealth implements HealthReport {
    private static final Logger log = LoggerFactory.getLogger(Extensions.class);
    private static final int TEXT_MAX = 200;

    /** Says how an extension is doing. */
    enum Level {
        HEALTHY,
        DEGRADED,
        FAILED;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * @param why empty when all is well
     */
    record Report(Level level, String why) {}

    static final Report NONE = new Report(Level.HEALTHY, "");

    private final String id;
    private volatile Report report = NONE;

    ReportedHealth(String id) {
        this.id = id;
    }

    Report report() {
        return report;
    }

    @Override
    public void healthy() {
        become(new Report(Level.HEALTHY, ""));
    }

    @Override
    public void degraded(String why) {
        become(new Report(Level.DEGRADED, cut(why)));
    }

    @Override
    public void failed(String why) {
        become(new Report(Level.FAILED, cut(why)));
    }

    private static String cut(String why) {
        String line = why.replaceAll("\\s*[\\r\\n]+\\s*", " ");
        return line.length() > TEXT_MAX ? line.substring(0, TEXT_MAX) : line;
    }

    private synchronized void become(Report next) {
        Level before = report.level();
        report = next;
        if (next.level() == before) {
            return;
        }
        switch (next.level()) {
            case HEALTHY -> log.info("Extension {} is healthy again", id);
            case DEGRADED -> log.warn("Extension {} is degraded: {}", id, next.why());
            case FAILED -> log.error("Extension {} has failed: {}", id, next.why());
        }
    }
}
