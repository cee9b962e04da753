package io.godwit.core.simulation;

import io.godwit.core.message.Message;
import io.godwit.core.store.RowRead;

/** A page that is read: the {@link Watch} sees each row before the one who asked does. */
final class WatchedRead extends RowRead {
    final RowRead asked;
    private final Watch watch;

    WatchedRead(RowRead asked, Watch watch) {
        super(
                asked.queueId,
                asked.section,
                asked.after,
                asked.upTo,
                asked.messagesMax,
                asked.bytesMax);
        this.asked = asked;
        messageMax = asked.messageMax;
        this.watch = watch;
    }

    @Override
    public boolean wantsMessages() {
        return asked.wantsMessages();
    }

    @Override
    public void row(
            long messageId,
            int qos,
            boolean retain,
            int[] ids,
            Message message,
            int packetId,
            Object note) {
        watch.rowRead(queueId, message);
        passIds();
        asked.row(messageId, qos, retain, ids, message, packetId, note);
    }

    private void passIds() {
        asked.server = server;
        asked.rowBytes = rowBytes;
        asked.ingressServer = ingressServer;
        asked.ingressCounter = ingressCounter;
    }

    @Override
    public void marker(long messageId, int packetId) {
        watch.rowRead(queueId, null);
        passIds();
        asked.marker(messageId, packetId);
    }

    @Override
    public void onRead(Throwable failure) {
        throw new IllegalStateException("only the shard's own is told");
    }
}
