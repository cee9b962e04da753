package io.godwit.core.ack;

import io.godwit.core.message.CameBefore;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.shard.Mailer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Stands for a receipt of another shard; when its own targets are done, that one hears of it. */
public final class RelayReceipt extends Receipt {
    private final Mailer mailer;
    private final Receipt original;
    private final int origin;

    private RelayReceipt(Mailer mailer, Receipt original, int origin) {
        super(null, original.packetId, original.qos, original.mayComeAgain);
        this.mailer = mailer;
        this.original = original;
        this.origin = origin;
        this.isAgain = original.isAgain;
    }

    /**
     * The receipt that a target on this shard has to tell: the given one where it was made, else
     * one that passes on to it.
     *
     * @param origin the receipt's shard
     */
    public static @Nullable Receipt at(Mailer here, @Nullable Receipt receipt, int origin) {
        return receipt == null || origin == here.index()
                ? receipt
                : new RelayReceipt(here, receipt, origin);
    }

    @Override
    public Receipt original() {
        return original.original();
    }

    @Override
    public boolean isAmong(CameBefore before) {
        return original.isAmong(before);
    }

    @Override
    public void feedsFull(BooleanSupplier isFull) {
        mailer.send(origin, new FeedsFull(original, isFull));
    }

    @Override
    public boolean isOfOtherNode() {
        return original.isOfOtherNode();
    }

    @Override
    public void giveBack(TopicFilter group, int taker) {
        mailer.send(origin, new GivenBack(original, group, taker));
    }

    @Override
    public int shard(int here) {
        return original.shard(origin);
    }

    @Override
    public void onDone() {
        mailer.send(origin, new ReceiptDone(original, !hasFailed(), reason, takers()));
    }
}
