package io.godwit.cluster.question;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.operation.ByteReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * The questions of this node to others, and theirs to it. A question is asked once and never again:
 * when its link ends or the time is over it has failed, whether it was carried out or not. An
 * answer that comes later is dropped.
 *
 * <p>An iteration asks anew for each page, and says where the page before has ended: the node that
 * answers remembers nothing in between.
 *
 * <p>On the shard that owns the topic index, except where it says otherwise.
 */
public final class Questions {
    /** Questions to one node that may be open; further ones wait here. */
    public static final int OPEN_MAX = 64;

    /** Bytes of questions that may wait here for one node. */
    public static final int WAITING_BYTES_MAX = 4 << 20;

    /** Counts the memory of a waiting question beside its bytes. */
    private static final int QUESTION_BYTES = 200;

    /** Bytes of a question, and of an answer. */
    public static final int BYTES_MAX = 256 << 10;

    /** Time in which a question is answered, or has failed. */
    public static final long TIME_MS = 5_000;

    private final Executor shard;
    private final LongSupplier nowMs;

    /** By server id. */
    private final Map<Integer, Peer> peers = new TreeMap<>();

    private Answerer answerer = Answerer.NONE;
    private long numbers;

    private record Open(Reply reply, long deadlineMs) {}

    /** A question that is not sent yet. */
    private record Waiting(byte[] question, Open open) {
        int bytes() {
            return question.length + QUESTION_BYTES;
        }
    }

    private static final class Peer {
        final PeerLink link;

        /** By number, in the order of their deadlines. */
        final Map<Long, Open> open = new LinkedHashMap<>();

        /** In the order of their deadlines, behind those that are open. */
        final ArrayDeque<Waiting> waiting = new ArrayDeque<>(0);

        int waitingBytes;

        /** Questions of the peer that are not answered yet. */
        int answering;

        boolean isSilent;

        Peer(PeerLink link) {
            this.link = link;
        }
    }

    /**
     * @param shard runs tasks on the shard that owns the topic index
     * @param nowMs monotonic milliseconds
     */
    public Questions(Executor shard, LongSupplier nowMs) {
        this.shard = shard;
        this.nowMs = nowMs;
    }

    /** Takes what answers the questions of other nodes; until then they are refused. */
    public void answerer(Answerer of) {
        answerer = of;
    }

    /** Returns the types of the messages that come here. */
    public static MessageType[] messages() {
        return new MessageType[] {QuestionMessage.QUESTION, QuestionMessage.ANSWER};
    }

    /** Whether a message of this type comes here. */
    public static boolean handles(MessageType type) {
        return type.equals(QuestionMessage.QUESTION) || type.equals(QuestionMessage.ANSWER);
    }

    // ---------------------------------------------------------------- what this node asks

    /**
     * Asks another node.
     *
     * @param reply told once, on this shard, perhaps before this returns
     */
    public void ask(int server, byte[] question, Reply reply) {
        Peer peer = peers.get(server);
        if (peer == null || peer.isSilent) {
            reply.onFailure(new QuestionFailure(server, QuestionFailure.Cause.AWAY));
            return;
        }
        Waiting asked = new Waiting(question, new Open(reply, nowMs.getAsLong() + TIME_MS));
        if (question.length > BYTES_MAX || peer.waitingBytes + asked.bytes() > WAITING_BYTES_MAX) {
            reply.onFailure(new QuestionFailure(server, QuestionFailure.Cause.FULL));
            return;
        }
        peer.waiting.add(asked);
        peer.waitingBytes += asked.bytes();
        send(peer);
    }

    /** Sends what waits, as far as it may be open. */
    private void send(Peer peer) {
        while (peer.open.size() < OPEN_MAX && !peer.waiting.isEmpty()) {
            Waiting next = peer.waiting.remove();
            peer.waitingBytes -= next.bytes();
            long number = ++numbers;
            if (peer.link.offer(new QuestionMessage.Question(number, next.question))) {
                peer.open.put(number, next.open);
            } else {
                int server = peer.link.peer().server();
                fail(next.open, server, QuestionFailure.Cause.FULL);
            }
        }
    }

    /** Fails the questions whose time is over. */
    public void onTick() {
        long now = nowMs.getAsLong();
        List<Runnable> failed = new ArrayList<>(0);
        peers.forEach((server, peer) -> {
            Iterator<Open> open = peer.open.values().iterator();
            while (open.hasNext()) {
                Open each = open.next();
                if (each.deadlineMs > now) {
                    break;
                }
                open.remove();
                failed.add(() -> fail(each, server, QuestionFailure.Cause.TIMEOUT));
            }
            while (!peer.waiting.isEmpty() && peer.waiting.element().open.deadlineMs <= now) {
                Waiting each = peer.waiting.remove();
                peer.waitingBytes -= each.bytes();
                failed.add(() -> fail(each.open, server, QuestionFailure.Cause.TIMEOUT));
            }
            send(peer);
        });
        failed.forEach(Runnable::run);
    }

    /** Counts the bytes of the questions that wait here, for the account of memory. */
    public long bytes() {
        return peers.values().stream().mapToLong(each -> each.waitingBytes).sum();
    }

    // ---------------------------------------------------------------- links

    /** Notes that there is a link to a node. */
    public void onUp(PeerLink link) {
        peers.put(link.peer().server(), new Peer(link));
    }

    /** Notes that a node is silent: its questions fail, and it is asked nothing. */
    public void onSilent(PeerLink link) {
        Peer peer = peers.get(link.peer().server());
        if (peer != null && peer.link == link) {
            peer.isSilent = true;
            fail(peer);
        }
    }

    /** Notes that a node that was silent is heard again. */
    public void onHeard(PeerLink link) {
        Peer peer = peers.get(link.peer().server());
        if (peer != null && peer.link == link) {
            peer.isSilent = false;
        }
    }

    /** Notes that a link has ended: the questions that went by it fail. */
    public void onDown(PeerLink link) {
        Peer peer = peers.get(link.peer().server());
        if (peer != null && peer.link == link) {
            peers.remove(link.peer().server());
            fail(peer);
        }
    }

    private static void fail(Peer peer) {
        List<Open> open = new ArrayList<>(peer.open.values());
        peer.waiting.forEach(each -> open.add(each.open));
        peer.open.clear();
        peer.waiting.clear();
        peer.waitingBytes = 0;
        int server = peer.link.peer().server();
        open.forEach(each -> fail(each, server, QuestionFailure.Cause.AWAY));
    }

    private static void fail(Open question, int server, QuestionFailure.Cause cause) {
        question.reply.onFailure(new QuestionFailure(server, cause));
    }

    // ---------------------------------------------------------------- messages

    /**
     * Takes a message. Any thread.
     *
     * @throws IndexOutOfBoundsException it can't be read
     */
    public void onMessage(PeerLink from, MessageType type, ByteReader body) {
        QuestionMessage message = QuestionMessage.read(type, body);
        shard.execute(() -> {
            Peer peer = peers.get(from.peer().server());
            if (peer == null || peer.link != from) {
                return;
            }
            switch (message) {
                case QuestionMessage.Question question -> onQuestion(peer, question);
                case QuestionMessage.Answer answer -> onAnswer(peer, answer);
            }
        });
    }

    private void onAnswer(Peer peer, QuestionMessage.Answer answer) {
        Open question = peer.open.remove(answer.number());
        if (question == null) {
            return;
        }
        send(peer);
        if (answer.isAnswered()) {
            question.reply.onAnswer(answer.body());
        } else {
            question.reply.onFailure(
                    new QuestionFailure(
                            peer.link.peer().server(),
                            QuestionFailure.Cause.REFUSED,
                            new String(answer.body(), UTF_8)));
        }
    }

    private void onQuestion(Peer peer, QuestionMessage.Question question) {
        if (peer.answering >= OPEN_MAX) {
            // It asks again before what it has given up is answered.
            answer(
                    peer,
                    question.number(),
                    false,
                    "it answers as many questions as it may".getBytes(UTF_8));
            return;
        }
        peer.answering++;
        Answering answer = new Answering(peer, question.number());
        try {
            answerer.answer(question.body(), answer);
        } catch (RuntimeException e) {
            answer.failed(e.toString());
        }
    }

    private static void answer(Peer peer, long number, boolean isAnswered, byte[] body) {
        // When there is no room for it the node that asks hears nothing, and its time is over soon.
        peer.link.offer(new QuestionMessage.Answer(number, isAnswered, body));
    }

    /** Sends the answer to one question; any thread. */
    private final class Answering implements Answerer.Answer {
        private final Peer peer;
        private final long number;
        private final AtomicBoolean isAnswered = new AtomicBoolean();

        Answering(Peer peer, long number) {
            this.peer = peer;
            this.number = number;
        }

        @Override
        public void answered(byte[] body) {
            if (body.length > BYTES_MAX) {
                failed("its answer has " + body.length + " bytes");
            } else {
                send(true, body);
            }
        }

        @Override
        public void failed(String why) {
            send(false, why.getBytes(UTF_8));
        }

        private void send(boolean isGood, byte[] body) {
            if (isAnswered.compareAndSet(false, true)) {
                shard.execute(() -> {
                    peer.answering--;
                    Questions.answer(peer, number, isGood, body);
                });
            }
        }
    }
}
