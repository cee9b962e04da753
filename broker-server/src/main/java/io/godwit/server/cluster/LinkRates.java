package io.godwit.server.cluster;

import io.godwit.cluster.transport.LinkFigures;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How much goes by each link in a second; one thread. */
final class LinkRates {
    static final long SAMPLE_MS = 1_000;

    private static final Rate NONE = new Rate(0, 0);

    /** Bytes in a second. */
    record Rate(long sent, long received) {}

    private record Sample(long atMs, LinkFigures figures, Rate rate) {}

    private Map<Long, Sample> last = Map.of();

    /**
     * Looks at all links that are open.
     *
     * @param nowMs monotonic, about {@link #SAMPLE_MS} after the last call
     */
    void sample(List<LinkFigures> links, long nowMs) {
        Map<Long, Sample> now = new HashMap<>();
        for (LinkFigures each : links) {
            now.put(each.number(), new Sample(nowMs, each, rate(each, nowMs)));
        }
        last = now;
    }

    private Rate rate(LinkFigures now, long nowMs) {
        Sample before = last.get(now.number());
        if (before == null || nowMs <= before.atMs()) {
            return NONE;
        }
        long ms = nowMs - before.atMs();
        return new Rate(
                (now.bytesSent() - before.figures().bytesSent()) * 1_000 / ms,
                (now.bytesReceived() - before.figures().bytesReceived()) * 1_000 / ms);
    }

    /** Of a link between the last two looks. */
    Rate of(LinkFigures link) {
        Sample sample = last.get(link.number());
        return sample == null ? NONE : sample.rate();
    }
}
