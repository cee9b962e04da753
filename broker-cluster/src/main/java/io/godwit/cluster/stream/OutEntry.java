package io.godwit.cluster.stream;

import io.godwit.core.ack.Receipt;
import io.godwit.core.packet.ReasonCode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A record of an {@link OutStream} until it is answered, and who waits for that. */
final class OutEntry {
    /** Stands for a record that nobody needs any more. */
    private static final StreamRecord GONE = new StreamRecord.FiltersEnd();

    StreamRecord record;

    /** Of the record, which another thread has written since, and whose message is far away. */
    final int bytes;

    /** Goes with no other start: QoS 0. */
    final boolean once;

    /** Its receipt waits only while the node is heard. */
    final boolean lenient;

    /** It may have come to an earlier start of the node, or by an earlier start of this one. */
    boolean again;

    /** Not to leave yet, nor anything behind it. */
    boolean held;

    boolean wasOffered;
    boolean done;

    private @Nullable Receipt receipt;
    private @Nullable List<Runnable> then;
    private @Nullable List<Runnable> atLast;

    OutEntry(
            StreamRecord record,
            @Nullable Receipt receipt,
            boolean once,
            boolean lenient,
            boolean again) {
        this.record = record;
        this.bytes = record.bytes();
        this.receipt = receipt;
        this.once = once;
        this.lenient = lenient;
        this.again = again;
    }

    /** Tells the receipt why it was refused. */
    void refused(ReasonCode reason) {
        if (receipt != null) {
            receipt.reason = reason;
        }
    }

    /**
     * Tells whoever published it that a target of the node holds more than its part.
     *
     * @return false when nobody is there to wait
     */
    boolean feedsFull(BooleanSupplier isFull) {
        if (receipt != null) {
            receipt.feedsFull(isFull);
        }
        return receipt != null;
    }

    /** Nobody waits for it by a receipt any more. */
    void release() {
        Receipt waiting = receipt;
        receipt = null;
        Receipt.done(waiting);
    }

    /** It was answered, or is not to be sent: it stays for its place alone. */
    void end() {
        done = true;
        record = GONE;
        release();
    }

    /** Runs a task once everything up to this one is answered, or the node is away. */
    void then(Runnable task) {
        if (then == null) {
            then = new ArrayList<>(1);
        }
        then.add(task);
    }

    /** Runs a task once everything up to this one is answered. */
    void atLast(Runnable task) {
        if (atLast == null) {
            atLast = new ArrayList<>(1);
        }
        atLast.add(task);
    }

    /** Runs what waits for an answer or for the node to be away. */
    void runThen() {
        List<Runnable> tasks = then;
        if (tasks != null) {
            then = null;
            tasks.forEach(Runnable::run);
        }
    }

    /** Runs what waits for an answer, however late. */
    void runAtLast() {
        if (atLast != null) {
            atLast.forEach(Runnable::run);
        }
    }

    /** Takes out the tasks of {@link #then}: they are to wait for another entry. */
    List<Runnable> removeThen() {
        List<Runnable> tasks = then;
        then = null;
        return tasks == null ? List.of() : tasks;
    }
}
