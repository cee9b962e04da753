package io.godwit.server.store;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.inspect.StoreSummary;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The queues that a command is about: of a client, of a shared group, or one by its id. */
final class QueueChoice {
    @Parameters(paramLabel = "CLIENT", arity = "0..1", description = "client id of the session")
    private @Nullable String client;

    @Option(
            names = "--group",
            paramLabel = "FILTER",
            description = "instead of a client: the filter of a shared group, $share/...")
    private @Nullable String group;

    @Option(
            names = "--queue",
            paramLabel = "ID",
            description = "instead of a client: a queue id, 16 hexadecimal digits, as in the log")
    private @Nullable String queue;

    boolean isMade() {
        return client != null || group != null || queue != null;
    }

    /**
     * Ids of the queues; none when there is no such client or group.
     *
     * @throws IllegalArgumentException when the id of a queue is none
     */
    List<Long> of(DiskView disk) throws DiskFailure {
        String id = queue;
        if (id != null) {
            return List.of(Long.parseUnsignedLong(id, 16));
        }
        return new StoreSummary(disk)
                .queuesOf(
                        client == null ? null : ClientId.of(client),
                        group == null ? null : TopicFilter.of(group));
    }

    /** What there is no queue of, for a sentence. */
    String text() {
        return "" + (group != null ? group : client != null ? client : queue);
    }

    /** Says why {@link #of} found nothing. */
    String missing() {
        return isMade()
                ? "there is no queue of " + text()
                : "name a client, a group with --group, or a queue with --queue";
    }
}
