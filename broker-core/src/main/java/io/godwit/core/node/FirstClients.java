package io.godwit.core.node;

import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Keeps the client ids that come first in an order by a number, and no more than a limit. */
final class FirstClients {
    private record Ranked(long value, ClientId clientId) {}

    private final Comparator<Ranked> order;
    private final int limit;

    /** The last of those kept stands in front. */
    private final PriorityQueue<Ranked> kept;

    /**
     * @param isDescending whether the largest number comes first; equal ones come by client id
     * @param limit from 1
     */
    FirstClients(boolean isDescending, int limit) {
        Comparator<Ranked> byValue = Comparator.comparingLong(Ranked::value);
        this.order =
                (isDescending ? byValue.reversed() : byValue)
                        .thenComparing(each -> each.clientId().bytes(), Arrays::compareUnsigned);
        this.limit = limit;
        this.kept = new PriorityQueue<>(order.reversed());
    }

    void offer(long value, ClientId clientId) {
        offer(new Ranked(value, clientId));
    }

    void offerAll(FirstClients others) {
        others.kept.forEach(this::offer);
    }

    private void offer(Ranked client) {
        if (kept.size() < limit) {
            kept.add(client);
        } else if (order.compare(client, kept.element()) < 0) {
            kept.remove();
            kept.add(client);
        }
    }

    List<ClientId> inOrder() {
        List<Ranked> sorted = new ArrayList<>(kept);
        sorted.sort(order);
        return sorted.stream().map(Ranked::clientId).toList();
    }
}
