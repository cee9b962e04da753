package io.godwit.cluster.takeover;

import io.godwit.cluster.takeover.TakeoverMessages.Page;
import io.godwit.cluster.takeover.TakeoverMessages.PageRequest;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.store.CopyPage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pages that new homes ask for of what this node has given. One is read when its link has room;
 * what is asked for meanwhile, a few bytes, waits. Bounded by the sessions that are given, each of
 * which is asked for one page at a time. Owned by the shard that owns the topic index.
 */
final class PageRequests {
    private static final Logger LOG = LoggerFactory.getLogger(PageRequests.class);

    private final NodeTakeovers node;
    private final List<Request> waiting = new ArrayList<>(0);

    private record Request(PeerLink from, PageRequest request) {}

    PageRequests(NodeTakeovers node) {
        this.node = node;
    }

    /** Reads and sends it, now or when there is room. */
    void ask(PeerLink from, PageRequest request) {
        if (!from.hasRoom(TrafficClass.APPENDS)) {
            waiting.add(new Request(from, request));
            return;
        }
        node.answer(
                request.clientId(),
                to ->
                        to.readPage(
                                request.clientId(),
                                request.changes(),
                                request.above(),
                                reader(from, request)));
    }

    private CopyPage.Reader reader(PeerLink from, PageRequest request) {
        return new CopyPage.Reader() {
            @Override
            public void onPage(CopyPage page) {
                Page found = new Page(request.clientId(), request.changes(), page);
                if (!from.offer(TakeoverMessages.of(found))) {
                    node.onOwner(any -> waiting.add(new Request(from, request)));
                }
            }

            /** All of it was in the header; with it the first pages would bring nothing else. */
            @Override
            public boolean wantsRemembered() {
                return false;
            }

            @Override
            public void onFailed(Throwable cause) {
                LOG.warn(
                        "A page of {} for node {} could not be read",
                        request.clientId(),
                        from.peer(),
                        cause);
            }
        };
    }

    /** There may be room again on links; those that have ended ask no more. */
    void retry(Predicate<PeerLink> isLinked) {
        List<Request> again = List.copyOf(waiting);
        waiting.clear();
        for (Request each : again) {
            if (isLinked.test(each.from)) {
                ask(each.from, each.request);
            }
        }
    }
}
