package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a queue's rows on its way from the store. A queue that goes to another shard, or loses
 * the connection that the page was for, asks anew.
 */
abstract class RowPage extends AskedPage {
    /** Bytes of one page: what is read for one client is in memory until it is sent. */
    static final long BYTES_MAX = 256 << 10;

    /** Bytes of one page while the node is short of memory. */
    private static final long BYTES_MAX_ALARM = 16 << 10;

    private static final int[] NO_IDS = new int[0];

    private RowPage(
            DurableQueue queue, Section section, HybridId after, HybridId upTo, int messagesMax) {
        super(queue.queueId(), section, after, upTo, messagesMax, bytesMax(queue.shard()));
    }

    /** Bytes after which a page ends now. */
    static long bytesMax(ShardQueues shard) {
        return shard.accounts.isMemoryAlarm() ? BYTES_MAX_ALARM : BYTES_MAX;
    }

    /** Which messages are rows under which packet ids: what is to leave memory is not read. */
    static final class InFlightIds extends RowPage {
        /** A row of what was sent and has not ended. */
        record Sent(HybridId id, int packetId) {}

        final List<Sent> sent = new ArrayList<>();
        private final PageTaker<InFlightIds> taker;

        InFlightIds(DurableQueue queue, HybridId after, PageTaker<InFlightIds> taker) {
            super(
                    queue,
                    Section.IN_FLIGHT,
                    after,
                    HybridId.MAX,
                    queue.shard().durable.pageMessages());
            this.taker = taker;
        }

        @Override
        public boolean wantsMessages() {
            return false;
        }

        @Override
        public void row(
                long messageId,
                int qos,
                boolean retain,
                int[] ids,
                @Nullable Message message,
                int packetId,
                @Nullable Object note) {
            sent.add(new Sent(new HybridId(messageId, server), packetId));
        }

        @Override
        public void marker(long messageId, int packetId) {
            throw new IllegalStateException("no marker was asked for");
        }

        @Override
        void done(@Nullable Throwable failure) {
            taker.take(this, failure);
        }
    }

    /** Entries that are to be delivered, or sent again. */
    static final class Entries extends RowPage {
        final List<QueueEntry> entries = new ArrayList<>();
        private final DurableQueue queue;
        private final PageTaker<Entries> taker;

        Entries(
                DurableQueue queue,
                Section section,
                HybridId after,
                HybridId upTo,
                int messagesMax,
                PageTaker<Entries> taker) {
            super(queue, section, after, upTo, messagesMax);
            this.queue = queue;
            this.taker = taker;
        }

        @Override
        public void row(
                long messageId,
                int qos,
                boolean retain,
                int[] ids,
                @Nullable Message message,
                int packetId,
                @Nullable Object note) {
            QueueEntry entry = queue.ofRow(messageId, message, qos, retain, ids).asRow(note);
            entry.packetId = packetId;
            entry.server = server;
            entry.ingress(ingressServer, ingressCounter);
            entry.isRowReadBack = packetId == 0;
            if (packetId != 0) {
                entry.state = message == null ? QueueEntry.RELEASED : QueueEntry.SENT;
                entry.hasLeft = true;
            }
            queue.onReadBack(entry);
            entries.add(entry);
        }

        @Override
        public void marker(long messageId, int packetId) {
            QueueEntry entry = new QueueEntry(queueId, messageId, null, 2, false, NO_IDS, null);
            entry.packetId = packetId;
            entry.server = server;
            entry.ingress(ingressServer, ingressCounter);
            entry.state = QueueEntry.RELEASED;
            entry.hasLeft = true;
            entries.add(entry);
        }

        @Override
        int messagesToTake() {
            return isCancelled() || section != Section.IDLE ? 0 : entries.size();
        }

        @Override
        public int work() {
            // What a page brings is sent, and the next one asked for.
            return 1 + 2 * entries.size();
        }

        @Override
        void done(@Nullable Throwable failure) {
            taker.take(this, failure);
        }
    }

    /** Ids and sizes alone, of what is to be discarded unread. */
    static final class Sizes extends RowPage {
        private final PageTaker<Sizes> taker;
        private final long[] messageIds;
        private final int[] servers;
        private final int[] bytes;
        private int count;
        private int next;

        Sizes(DurableQueue queue, HybridId after, HybridId upTo, PageTaker<Sizes> taker) {
            super(queue, Section.IDLE, after, upTo, queue.shard().durable.pageMessages());
            this.taker = taker;
            messageIds = new long[messagesMax];
            servers = new int[messagesMax];
            bytes = new int[messagesMax];
        }

        @Override
        public boolean wantsMessages() {
            return false;
        }

        @Override
        public void row(
                long messageId,
                int qos,
                boolean retain,
                int[] ids,
                @Nullable Message message,
                int packetId,
                @Nullable Object note) {
            messageIds[count] = messageId;
            servers[count] = server;
            bytes[count++] = rowBytes;
        }

        @Override
        public void marker(long messageId, int packetId) {
            throw new IllegalStateException("no marker is idle");
        }

        @Override
        void done(@Nullable Throwable failure) {
            taker.take(this, failure);
        }

        boolean isEmpty() {
            return count == 0;
        }

        boolean hasNext() {
            return next < count;
        }

        long messageId() {
            return messageIds[next];
        }

        /** Server id of {@link #messageId}. */
        int messageServer() {
            return servers[next];
        }

        int bytes() {
            return bytes[next];
        }

        void advance() {
            next++;
        }
    }

    /** Who has asked. */
    interface PageTaker<P> {
        void take(P page, @Nullable Throwable failure);
    }
}
