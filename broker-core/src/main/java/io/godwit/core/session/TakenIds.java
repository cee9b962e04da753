package io.godwit.core.session;

import io.godwit.core.id.IngressId;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Ids;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Many ingress ids as bytes, in any order. Those of one start of a node stand together, by number:
 * one or two bytes each where a session gets much.
 *
 * <pre>
 * starts: n varint | n x (the lowest ingress id | m varint | m x distance from the one before varint)
 * </pre>
 */
final class TakenIds {
    private TakenIds() {}

    static void write(ByteWriter to, List<IngressId> ids) {
        List<IngressId> sorted = new ArrayList<>(ids);
        sorted.sort(
                Comparator.comparingInt(IngressId::server).thenComparingLong(IngressId::counter));
        List<List<IngressId>> starts = new ArrayList<>();
        for (IngressId each : sorted) {
            if (starts.isEmpty() || !isOfStart(each, starts.getLast().getFirst())) {
                starts.add(new ArrayList<>());
            }
            starts.getLast().add(each);
        }
        to.varint(starts.size());
        starts.forEach(each -> start(to, each));
    }

    private static boolean isOfStart(IngressId id, IngressId other) {
        return id.server() == other.server()
                && IngressId.start(id.counter()) == IngressId.start(other.counter());
    }

    private static void start(ByteWriter to, List<IngressId> ids) {
        IngressId before = ids.getFirst();
        Ids.ingress(to, before.server(), before.counter());
        to.varint(ids.size() - 1);
        for (IngressId each : ids.subList(1, ids.size())) {
            to.varint(each.counter() - before.counter());
            before = each;
        }
    }

    static List<IngressId> read(ByteReader from) {
        List<IngressId> ids = new ArrayList<>();
        for (int starts = from.size(); starts > 0; starts--) {
            IngressId last = Ids.ingress(from);
            ids.add(last);
            for (int more = from.size(); more > 0; more--) {
                last = new IngressId(last.server(), last.counter() + from.varint());
                ids.add(last);
            }
        }
        return ids;
    }
}
