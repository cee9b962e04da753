package io.godwit.cluster.retained;

import io.godwit.cluster.publish.ShardStreams;
import io.godwit.cluster.stream.OutStream;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.core.index.RetainedCopies;
import io.godwit.core.message.Digest;
import io.godwit.core.packet.Topic;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Brings the retained messages of two nodes together when a link between them is up: each tells the
 * digest of what it has, whoever has something else asks for copies, and the later of two values
 * stays. On the shard that owns the retained store.
 */
public final class RetainedSync {
    /** Copies under way to one node. */
    private static final int PAGE = 200;

    private final ShardStreams streams;
    private final RetainedCopies own;

    /** Nodes whose messages are all here, as of a moment since this start. */
    private final Set<Integer> complete = new HashSet<>();

    /** Copies that are being sent, by node; a later round takes the place of an earlier. */
    private final Map<Integer, Round> rounds = new HashMap<>();

    private final class Round {
        final int server;
        final List<Topic> topics;
        int next;

        Round(int server, List<Topic> topics) {
            this.server = server;
            this.topics = topics;
        }

        void goOn() {
            OutStream stream = streams.shared(server);
            if (rounds.get(server) != this) {
                return;
            }
            if (stream.isAway()) {
                rounds.remove(server); // Nothing waits for its answers: all of it would go at once.
                return;
            }
            int end = Math.min(topics.size(), next + PAGE);
            while (next < end && !stream.room().isFull()) {
                RetainedCopies.Copy copy = own.copy(topics.get(next++));
                if (copy != null) {
                    add(
                            stream,
                            new StreamRecord.RetainedCopy(
                                    copy.topic(), copy.stamp(), copy.message()));
                }
            }
            if (next < topics.size()) {
                stream.whenAnswered(stream.last(), this::goOn);
            } else {
                rounds.remove(server);
                add(stream, new StreamRecord.RetainedEnd());
            }
        }
    }

    public RetainedSync(ShardStreams streams, RetainedCopies own) {
        this.streams = streams;
        this.own = own;
    }

    private static void add(OutStream stream, StreamRecord record) {
        stream.add(record, null, false, false, false);
    }

    /**
     * A link is up.
     *
     * @param isNew the node knows nothing of this start
     */
    public void onUp(int server, boolean isNew) {
        if (isNew) {
            rounds.remove(server);
        }
        Digest digest = own.digest();
        add(streams.shared(server), new StreamRecord.RetainedDigest(digest.high(), digest.low()));
    }

    /** The node is away: it begins anew when it is back. */
    public void onAway(int server) {
        rounds.remove(server);
    }

    /** The node does not belong to the cluster any more. */
    public void forget(int server) {
        rounds.remove(server);
        complete.remove(server);
    }

    /** Whether everything of this node is here, as of a moment since this start. */
    public boolean isComplete(int server) {
        return complete.contains(server);
    }

    /** A record of another node that is about copies. */
    public void onRecord(int server, StreamRecord record) {
        switch (record) {
            case StreamRecord.RetainedDigest digest -> {
                if (own.digest().isSame(new Digest(digest.high(), digest.low()))) {
                    complete.add(server);
                } else {
                    add(streams.shared(server), new StreamRecord.RetainedWanted());
                }
            }
            case StreamRecord.RetainedWanted any -> {
                Round round = new Round(server, own.topics());
                rounds.put(server, round);
                round.goOn();
            }
            case StreamRecord.RetainedCopy copy ->
                    own.keep(new RetainedCopies.Copy(copy.topic(), copy.stamp(), copy.message()));
            case StreamRecord.RetainedEnd any -> complete.add(server);
            default -> throw new IllegalArgumentException("not about copies: " + record);
        }
    }
}
