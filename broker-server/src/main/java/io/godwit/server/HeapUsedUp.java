package io.godwit.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the process ends when the Java heap is used up where state may be half changed: as in a
 * crash, since an orderly stop needs memory, too, and would tell what is no longer true. The JVM's
 * own way, {@code -XX:+ExitOnOutOfMemoryError}, would end it for a packet that one client sends,
 * see docs/decisions/0024.
 */
final class HeapUsedUp {
    /** That of {@code -XX:+ExitOnOutOfMemoryError}. */
    private static final int EXIT_CODE = 3;

    private static final Logger log = LoggerFactory.getLogger(Server.class);

    private HeapUsedUp() {}

    /** Ends the process, too, when a thread of any library ends for it. */
    static void watch() {
        Thread.setDefaultUncaughtExceptionHandler((thread, fault) -> {
            if (fault instanceof OutOfMemoryError none) {
                end("in thread " + thread.getName(), none);
            } else {
                log.error("Internal error in thread {}", thread.getName(), fault);
            }
        });
    }

    /**
     * @param where names the part of the broker, or the extension, that found no memory
     */
    static void end(String where, OutOfMemoryError cause) {
        try {
            // Not to the log, which is written later.
            System.err.println("godwit: out of memory " + where + ", the broker exits with code 3");
            cause.printStackTrace();
        } finally {
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }
}
