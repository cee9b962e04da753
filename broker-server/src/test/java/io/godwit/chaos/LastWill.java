package io.godwit.chaos;

import io.godwit.conformance.wire.Bytes;
import io.godwit.conformance.wire.ConnectBytes;
import org.jspecify.annotations.Nullable;

/**
 * The will of a client, without delay: another one with each connection, in one stream.
 *
 * <pre>
 * CONNECT left                               it may come
 * CONNACK seen, ended without DISCONNECT     it must come, also when the broker died of it
 * ended with DISCONNECT                      it may: nobody knows whether the broker saw that
 * ended while the node that serves it stops  it may: not if the client is back before its next start
 *                                            (or before another node has taken its session over)
 * </pre>
 */
final class LastWill {
    /** The first level of the topics of all wills. */
    static final String TOPICS = "w/";

    private final Client client;
    private final String topic;
    private final int qos;
    private int last;
    private @Nullable Mark due;
    private @Nullable Integer leaving;
    private boolean hasLeft;

    LastWill(Client client, String topic) {
        this.client = client;
        this.topic = topic;
        qos = 1 + client.number() % 2;
    }

    /** CONNECT is about to leave. */
    void write(ConnectBytes connect) {
        Mark mark = mark(++last);
        connect.will(Bytes.utf8(topic), Bytes.bin(mark.payload(0))).willQos(qos);
        client.scene().checker().sent(mark);
        client.note("has the will", mark);
    }

    static boolean isWill(Mark mark) {
        return mark.topic().startsWith(TOPICS);
    }

    private Mark mark(int seq) {
        return new Mark(client.number(), topic, qos, seq);
    }

    /** CONNACK says that the connection is there. */
    void accepted() {
        due = mark(last);
        if (hasLeft) {
            leaving = null; // Another node serves it, so it has taken the session over.
        }
    }

    /** DISCONNECT has left. */
    void waived() {
        due = null;
    }

    /**
     * @param node null: none does
     */
    void nodeIsLeaving(@Nullable Integer node) {
        leaving = node;
        hasLeft = false;
    }

    /** A node has ended. */
    void nodeHasEnded(int node) {
        hasLeft |= leaving != null && leaving == node;
    }

    void connectionEnded() {
        Leaders leaders = client.scene().checker().leaders;
        if (leaving != null && leaders.mayLead(client.name(), leaving)) {
            due = null;
        }
        if (due != null) {
            client.scene().tally().count(Happening.WILLS_DUE);
            client.scene().checker().acked(due);
            due = null;
        }
    }
}
