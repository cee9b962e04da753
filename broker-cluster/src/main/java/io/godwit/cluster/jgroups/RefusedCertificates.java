package io.godwit.cluster.jgroups;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts certificates that were refused; a line for each that differs from the one before. */
final class RefusedCertificates implements Consumer<String> {
    private static final Logger LOG = LoggerFactory.getLogger(RefusedCertificates.class);

    private final AtomicLong count = new AtomicLong();
    private final AtomicReference<String> last = new AtomicReference<>("");

    @Override
    public void accept(String line) {
        count.incrementAndGet();
        // A node tries again every second or so, each time from another port.
        String withoutPort = line.replaceAll(":[0-9]+ \\(", " (");
        if (!withoutPort.equals(last.getAndSet(withoutPort))) {
            LOG.warn("{}", line);
        }
    }

    long count() {
        return count.get();
    }
}
