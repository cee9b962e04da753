package io.godwit.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.operation.Subject;
import io.godwit.core.store.FillAsk;
import io.godwit.core.store.FillReader;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.window.PartOps;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stream from a leader to one follower: every part from its opening on, and pieces that fill
 * the copy at the places of their moments. Nothing that was sent is forgotten, so the follower goes
 * on from where it stands after a crash.
 */
final class CopyWire {
    private final StoreFixture leader;
    private final int server;
    private final List<byte[]> sent = new ArrayList<>();
    private final List<byte[]> heldBack = new ArrayList<>();
    private boolean isOpen;
    private boolean holds;
    private long start;
    private int applied;

    /** Behind so many parts a mark stands; -1: none does. */
    private int mark = -1;

    /** The fill that is under way, its answer, or its failure. */
    boolean isFilling;

    @Nullable FillAsk next;
    @Nullable Throwable failure;
    int bodies;

    /** Queues that the copy had already. */
    int leftOut;

    CopyWire(StoreFixture leader, int server) {
        this.leader = leader;
        this.server = server;
        leader.store.ship((position, set, body) -> part(body));
    }

    private void part(byte[] body) {
        if (isOpen) {
            (holds ? heldBack : sent).add(body);
        }
    }

    /** Opens a stream anew: parts from now on are in it. */
    void open() {
        isOpen = true;
        start++;
        sent.clear();
        applied = 0;
    }

    /**
     * Opens a stream of a later start of the leader.
     *
     * @param number above those of the streams before
     */
    void open(long number) {
        start = number - 1;
        open();
    }

    /** Brings everything again in a new stream, as what its follower owed is passed on. */
    void beginAgain() {
        start++;
        applied = 0;
    }

    /** Goes on behind a position, at another follower for example. */
    void resumeAt(int position) {
        applied = position;
    }

    /** How many streams were opened. */
    long streams() {
        return start;
    }

    /** Asks for a piece; it is in the stream when time has passed. */
    void fill(FillAsk ask) {
        isFilling = true;
        next = null;
        failure = null;
        leader.store.readFill(
                ask,
                new FillReader() {
                    @Override
                    public void onMoment() {
                        holds = true;
                    }

                    @Override
                    public void onRead(List<byte[]> read, int left, @Nullable FillAsk rest) {
                        sent.addAll(read);
                        bodies += read.size();
                        leftOut += left;
                        release();
                        next = rest;
                        isFilling = false;
                    }

                    @Override
                    public void onFailed(Throwable cause) {
                        release();
                        failure = cause;
                        isFilling = false;
                    }

                    private void release() {
                        sent.addAll(heldBack);
                        heldBack.clear();
                        holds = false;
                    }
                });
    }

    /**
     * Says which queues of a copy set the leader has adopted.
     *
     * @return bytes of the parts that say so
     */
    int nameAdopted(int copySet) {
        List<List<byte[]>> told = new ArrayList<>();
        leader.store.adoptedOf(copySet, told::add);
        while (told.isEmpty() && leader.time.step()) {}
        sent.addAll(told.getFirst());
        return told.getFirst().stream().mapToInt(each -> each.length).sum();
    }

    /** Lets time pass at the leader until the piece is in the stream. */
    void await() {
        while (isFilling && leader.time.step()) {}
        if (failure != null) {
            throw new AssertionError("not filled", failure);
        }
    }

    /** Fills some queues to their ends. */
    void fillAll(int messages, long... queueIds) {
        FillAsk ask = new FillAsk(queueIds, messages, 1 << 20);
        while (ask != null) {
            fill(ask);
            await();
            ask = next;
        }
    }

    /** Sets a mark behind what was sent: no more is applied until it is passed. */
    void mark() {
        assertThat(holds).isFalse();
        mark = sent.size();
    }

    boolean isAtMark() {
        return applied == mark;
    }

    void passMark() {
        mark = -1;
    }

    int waiting() {
        return sent.size() - applied;
    }

    /** Has the follower apply some of what was sent; it is committed by whoever wants it to be. */
    void apply(StoreFixture copy, int count) {
        for (int i = 0; i < count && applied < sent.size() && applied != mark; i++, applied++) {
            copy.shard(1).apply(server, start, applied + 1, sent.get(applied));
        }
    }

    /** Has the follower apply and commit all that was sent. */
    void deliver(StoreFixture copy) {
        apply(copy, sent.size());
        copy.commit();
    }

    /** Goes on behind what the follower has after a start. */
    void resume(StoreFixture copy) throws DiskFailure {
        Subject.StreamAt at = PartOps.stream(copy.disk, server);
        applied = at == null || at.start() != start ? 0 : (int) at.position();
    }
}
