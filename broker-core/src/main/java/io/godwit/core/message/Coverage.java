package io.godwit.core.message;

import io.godwit.core.id.HybridId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which message ids of a queue a copy accounts for: each of them is here, or is known to be gone.
 * For each server that gave ids, intervals without their lower end; nearly always one.
 */
public final class Coverage {
    private static final class OfServer {
        final int server;

        /** From, to, from, to ...: rising, without a place where two meet. */
        long[] bounds = new long[2];

        int size;

        OfServer(int server) {
            this.server = server;
        }
    }

    private final List<OfServer> servers = new ArrayList<>(1);

    /** Adds the ids (from, to] of a server. */
    public void add(int server, long from, long to) {
        if (Long.compareUnsigned(from, to) >= 0) {
            return;
        }
        OfServer of = find(server);
        if (of == null) {
            of = new OfServer(server);
            servers.add(of);
            servers.sort((a, b) -> Integer.compare(a.server, b.server));
        }
        insert(of, from, to);
    }

    private static void insert(OfServer of, long from, long to) {
        long[] merged = new long[of.size + 2];
        int size = 0;
        long low = from;
        long high = to;
        boolean isIn = false;
        for (int i = 0; i < of.size; i += 2) {
            long a = of.bounds[i];
            long b = of.bounds[i + 1];
            if (Long.compareUnsigned(b, low) < 0) {
                merged[size++] = a;
                merged[size++] = b;
            } else if (Long.compareUnsigned(high, a) < 0) {
                if (!isIn) {
                    merged[size++] = low;
                    merged[size++] = high;
                    isIn = true;
                }
                merged[size++] = a;
                merged[size++] = b;
            } else {
                low = Long.compareUnsigned(a, low) < 0 ? a : low;
                high = Long.compareUnsigned(b, high) > 0 ? b : high;
            }
        }
        if (!isIn) {
            merged[size++] = low;
            merged[size++] = high;
        }
        of.bounds = merged;
        of.size = size;
    }

    /** Adds all that another one has. */
    public void add(Coverage other) {
        for (OfServer each : other.servers) {
            for (int i = 0; i < each.size; i += 2) {
                add(each.server, each.bounds[i], each.bounds[i + 1]);
            }
        }
    }

    /** Whether this copy accounts for a message id. */
    public boolean covers(long clock, int server) {
        OfServer of = find(server);
        if (of == null) {
            return false;
        }
        for (int i = 0; i < of.size; i += 2) {
            if (Long.compareUnsigned(of.bounds[i], clock) < 0
                    && Long.compareUnsigned(clock, of.bounds[i + 1]) <= 0) {
                return true;
            }
        }
        return false;
    }

    private @Nullable OfServer find(int server) {
        for (OfServer each : servers) {
            if (each.server == server) {
                return each;
            }
        }
        return null;
    }

    public boolean isEmpty() {
        return servers.isEmpty();
    }

    /** Servers that gave ids which it accounts for, rising. */
    public int[] servers() {
        return servers.stream().mapToInt(each -> each.server).toArray();
    }

    /** Intervals of one of them: from, to, from, to ..., rising. */
    public long[] bounds(int server) {
        OfServer of = find(server);
        return of == null ? new long[0] : Arrays.copyOf(of.bounds, of.size);
    }

    /** The highest id that it accounts for; {@link HybridId#NONE} when it accounts for none. */
    public HybridId last() {
        HybridId last = HybridId.NONE;
        for (OfServer each : servers) {
            HybridId of = new HybridId(each.bounds[each.size - 1], each.server);
            last = last.compareTo(of) < 0 ? of : last;
        }
        return last;
    }

    /** What of it lies above one id and not above another. */
    public Coverage within(HybridId above, HybridId upTo) {
        Coverage within = new Coverage();
        for (OfServer each : servers) {
            // A clock is above the bound also for the servers that sort behind the bound's.
            long low = above.clock() - (each.server > above.server() && above.clock() != 0 ? 1 : 0);
            long high = upTo.clock() - (each.server > upTo.server() && upTo.clock() != 0 ? 1 : 0);
            for (int i = 0; i < each.size; i += 2) {
                long from = each.bounds[i];
                long to = each.bounds[i + 1];
                within.add(
                        each.server,
                        Long.compareUnsigned(from, low) < 0 ? low : from,
                        Long.compareUnsigned(to, high) > 0 ? high : to);
            }
        }
        return within;
    }

    /** Returns the coverage without the ids above one id and up to another one. */
    public Coverage without(HybridId above, HybridId upTo) {
        Coverage rest = within(HybridId.NONE, above);
        rest.add(within(upTo, HybridId.MAX));
        return rest;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Coverage coverage && toString().equals(coverage.toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (OfServer each : servers) {
            text.append(each.server)
                    .append(Arrays.toString(Arrays.copyOf(each.bounds, each.size)))
                    .append(' ');
        }
        return text.toString().strip();
    }
}
