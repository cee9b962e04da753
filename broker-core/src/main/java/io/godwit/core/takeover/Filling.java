package io.godwit.core.takeover;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Coverage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.CopyPage;
import io.godwit.core.store.SessionMoves;
import io.godwit.core.store.Store;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The queues that come after their sessions, page by page: what the sessions of a shard ask former
 * homes for, and what is read of copies here for new homes.
 */
final class Filling {
    /** Of a page: of one message at least. */
    private static final int PAGE_MESSAGES = 500;

    private static final long PAGE_BYTES = 256 << 10;

    private final Shard shard;
    private final Errands<?> errands;
    private final SessionsByGrant arrived;
    private final SessionsByGrant copies;
    private final Store store;

    /** Sessions that this shard owns, whose queue is not here whole. */
    private final Set<Session> filling = new HashSet<>(0);

    /** Those that a restart would not find here yet: nobody hears what has come of their queues. */
    private final Set<Session> arriving = new HashSet<>(0);

    Filling(
            Shard shard,
            Errands<?> errands,
            SessionsByGrant arrived,
            SessionsByGrant copies,
            Store store) {
        this.shard = shard;
        this.errands = errands;
        this.arrived = arrived;
        this.copies = copies;
        this.store = store;
    }

    // ---------------------------------------------------------------- of a new home

    /** A session has come: the first page is on its way while the session is being kept. */
    void arrives(Session session) {
        arriving.add(session);
        session.askForPage();
    }

    /** A restart would find it here. */
    void arrived(Session session) {
        arriving.remove(session);
        if (session.isFilling()) {
            session.askForPage();
        } else if (!filling.contains(session)) {
            tellWhole(session);
        }
    }

    /** A session of this shard wants the next page of its queue. */
    void askForPage(Session session, HybridId above) {
        filling.add(session);
        SessionMoves.Home from = session.life().moves().former().getLast();
        errands.homes().askForPage(from.server(), session.clientId(), from.changes(), above);
    }

    /** Asks again for what a node was asked for before its link broke. */
    void linked(int peer) {
        for (Session each : List.copyOf(filling)) {
            if (each.owner() != shard.index()) {
                // It has gone to its client's shard since, and waits there for what was asked here.
                filling.remove(each);
                errands.atOwner(each, Session::askForPageAgain);
                continue;
            }
            List<SessionMoves.Home> former = each.life().moves().former();
            if (former.isEmpty()) {
                filling.remove(each);
            } else if (former.getLast().server() == peer) {
                each.askForPageAgain();
            }
        }
    }

    /** Passes a page on to its session. */
    void page(ClientId clientId, long changes, CopyPage page) {
        tell(clientId, changes, session -> session.onPage(page));
    }

    /** The session's last former home has no more for it. */
    void noMorePages(ClientId clientId, long changes) {
        tell(
                clientId,
                changes,
                session -> {
                    CopyPage end = session.endOfPages();
                    if (end != null) {
                        session.onPage(end);
                    }
                });
    }

    private void tell(ClientId clientId, long changes, Consumer<Session> word) {
        Session here = arrived.find(clientId, changes);
        if (here != null) {
            if (here.owner() != shard.index()) {
                filling.remove(here); // It asks from there.
            }
            errands.atOwner(here, word);
        }
    }

    /** A session goes to another node, with all of its queue. */
    void leaves(Session session) {
        filling.remove(session);
    }

    /** All of a session's queue is here, durably. */
    void filled(Session session) {
        filling.remove(session);
        if (session.owner() == shard.index() && !arriving.contains(session)) {
            tellWhole(session);
        }
    }

    private void tellWhole(Session session) {
        List<SessionMoves.Home> former = session.life().moves().former();
        if (!former.isEmpty()) {
            errands.homes().whole(session.clientId(), former.getLast().changes());
        }
    }

    // ---------------------------------------------------------------- of a former home

    /** Reads a page of what was given. @see Answers#readPage */
    void read(ClientId clientId, long changes, HybridId above, CopyPage.Reader to) {
        Session copy = copies.find(clientId, changes);
        if (copy == null) {
            if (!store.keeps()) {
                to.onPage(nothing(above)); // It was an earlier start's, and is gone with that.
            }
            return;
        }
        if (store.keeps()) {
            store.readCopy(copy.queueId(), above, PAGE_MESSAGES, PAGE_BYTES, to);
            return;
        }
        errands.atOwner(
                copy, session -> to.onPage(session.memoryPage(above, PAGE_MESSAGES, PAGE_BYTES)));
    }

    private static CopyPage nothing(HybridId above) {
        return new CopyPage(0, 0, above, above, new Coverage(), List.of(), List.of(), true);
    }
}
