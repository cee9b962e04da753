package io.godwit.core.session;

import io.godwit.core.message.Message;
import io.godwit.core.routing.SharedGroup;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.RowRead;
import io.godwit.core.time.Timer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads back, at start, what a durable group had: first, from its members' queues, what they have
 * in flight of it, then its own rows. On the shard that owns the group; meanwhile it takes in what
 * is published, and delivers nothing.
 */
public final class GroupReading {
    private static final int PAGE_MESSAGES = 100;
    private static final long PAGE_BYTES = 256 << 10;
    private static final long RETRY_MS = 1_000;

    private final SessionContext context;
    private final Shard shard;
    private final SharedGroup group;
    private final ArrayDeque<Session> members = new ArrayDeque<>(0);

    public GroupReading(SessionContext context, SharedGroup group) {
        this.context = context;
        this.shard = context.shard();
        this.group = group;
    }

    /** A member has messages in flight, perhaps of this group. */
    public void hasInFlight(Session member) {
        members.add(member);
    }

    public void begin() {
        Session member = members.peek();
        shard.store()
                .read(
                        member == null
                                ? new Rows(group.queueId(), 0, RowRead.Section.IDLE, null)
                                : new Rows(member.queueId(), 0, RowRead.Section.IN_FLIGHT, member));
    }

    private void onPage(Rows page, @Nullable Throwable failure) {
        if (!group.isRecovering()) {
            return; // It has ended meanwhile.
        }
        if (failure != null) {
            context.onReadFailed(group.filter(), failure);
            Timer retry =
                    new Timer() {
                        @Override
                        protected void onTimer(long nowMs) {
                            shard.store().read(page.again());
                        }
                    };
            shard.timers().arm(retry, shard.nowMs() + RETRY_MS);
            return;
        }
        Session member = page.member;
        for (Row row : page.rows) {
            if (member == null && row.message != null) {
                group.recoverRow(row.messageId, row.server, row.message, row.note);
            } else if (member != null && row.lentBy == group.queueId()) {
                group.recoverLent(member, row.messageId, row.message == null);
            }
        }
        if (!page.isLast && !page.rows.isEmpty()) {
            shard.store().read(page.next());
        } else if (member != null) {
            members.remove();
            begin();
        } else {
            group.recovered(shard.wallMs());
            context.groupsOf(shard.index()).changed(group);
        }
    }

    private record Row(
            long messageId,
            int server,
            @Nullable Message message,
            long lentBy,
            @Nullable Object note) {}

    private final class Rows extends RowRead {
        final @Nullable Session member;
        final List<Row> rows = new ArrayList<>();

        /**
         * @param member whose queue it is, or null for the group's own
         */
        Rows(long queueId, long after, Section section, @Nullable Session member) {
            super(
                    queueId,
                    section,
                    after,
                    member == null ? group.recoversUpTo() : Long.MAX_VALUE,
                    PAGE_MESSAGES,
                    PAGE_BYTES);
            this.member = member;
        }

        Rows again() {
            return new Rows(queueId, after, section, member);
        }

        Rows next() {
            return new Rows(queueId, rows.getLast().messageId(), section, member);
        }

        @Override
        public void row(
                long messageId,
                int qos,
                boolean retain,
                int[] ids,
                @Nullable Message message,
                int packetId,
                long lentBy,
                @Nullable Object note) {
            rows.add(new Row(messageId, server, message, lentBy, note));
        }

        @Override
        public void onRead(@Nullable Throwable failure) {
            onPage(this, failure);
        }
    }
}
