package io.godwit.server.extension.call;

import io.godwit.core.auth.AccessControl;
import io.godwit.core.auth.ConnectionSetup;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.review.ConnectionSetups;
import io.godwit.extension.client.Client;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What extensions have set up for one connection. It changes by the thread of the connection's
 * shard alone, which also asks it; others look only at which extensions have something here.
 */
final class SetUpClient implements ConnectionSetup {
    private final SetUpClients all;
    private final Subject subject;
    private final ProtocolVersion version;
    private final ConnectionSetups.Connection connection;

    /** By the ids of the extensions. */
    private volatile Map<String, OwnSetup> setups = Map.of();

    /** Initializers that were asked, by the ids of their extensions. */
    private Map<String, ExtensionCalls> asked = Map.of();

    private @Nullable AccessControl access;

    private final OwnReviews<ExtensionReviewer> reviewer = new OwnReviews<>();
    private final OwnReviews<ExtensionDeliveries> deliveries = new OwnReviews<>();
    private final OwnReviews<PacketReviews> packets = new OwnReviews<>();

    /** Changes that are to come since the extensions have changed; guarded by this. */
    private int changesLeft;

    /** Holds calls that wait for the last of these changes; guarded by this. */
    private List<Runnable> afterChanges = List.of();

    /** Made when somebody asks for them; null: nobody has. */
    private @Nullable ClientAttributes attributes;

    private boolean hasEnded;

    SetUpClient(
            SetUpClients all,
            Subject subject,
            ProtocolVersion version,
            ConnectionSetups.Connection connection) {
        this.all = all;
        this.subject = subject;
        this.version = version;
        this.connection = connection;
    }

    Subject subject() {
        return subject;
    }

    ConnectionSetups.Connection connection() {
        return connection;
    }

    /** Returns the client as extensions see it. */
    Client shown() {
        return Packets.client(subject, version);
    }

    @Override
    public @Nullable AccessControl access() {
        return access;
    }

    @Override
    public void ended() {
        all.remove(this);
        endAttributes();
    }

    private synchronized void endAttributes() {
        hasEnded = true;
        if (attributes != null) {
            attributes.end();
        }
    }

    synchronized ClientAttributes attributes() {
        ClientAttributes made = attributes;
        if (made == null) {
            made =
                    new ClientAttributes(
                            subject.identity().attributes(), all.attributeBytesAccount());
            attributes = made;
            if (hasEnded) {
                made.end();
            }
        }
        return made;
    }

    Map<String, OwnSetup> setups() {
        return setups;
    }

    /**
     * Notes that an initializer is asked.
     *
     * @return false if it was asked before
     */
    synchronized boolean ask(ExtensionCalls calls) {
        if (asked.get(calls.id()) == calls) {
            return false;
        }
        Map<String, ExtensionCalls> more = new HashMap<>(asked);
        more.put(calls.id(), calls);
        asked = Map.copyOf(more);
        return true;
    }

    /** Notes that an initializer that was asked has to be asked again. */
    synchronized void askAgain(ExtensionCalls calls) {
        Map<String, ExtensionCalls> rest = new HashMap<>(asked);
        rest.remove(calls.id(), calls);
        asked = Map.copyOf(rest);
    }

    /** Forgets extensions that do not run any more: nothing else refers to their classes. */
    synchronized void forgetStopped(SetUpExtensions now) {
        if (!asked.isEmpty()) {
            Map<String, ExtensionCalls> rest = new HashMap<>(asked);
            rest.values().removeIf(each -> !now.runs(each));
            asked = Map.copyOf(rest);
        }
    }

    /**
     * Takes what extensions have set up, and gives up what is not theirs any more.
     *
     * @param now the extensions that run
     */
    void take(Collection<OwnSetup> made, SetUpExtensions now) {
        Map<String, OwnSetup> next = new HashMap<>(setups);
        for (OwnSetup each : made) {
            OwnSetup before = next.get(each.calls().id());
            if (before == null || now.runs(each.calls()) || !now.runs(before.calls())) {
                next.put(each.calls().id(), each);
            }
        }
        next.values().removeIf(each -> !now.keeps(each));
        setups = Map.copyOf(next);
        access = now.access(setups);
        reviewer.forget();
        deliveries.forget();
        packets.forget();
    }

    // ---------------------------------------------------------------- who reviews it

    /** Returns who reviews what this client sends. */
    ExtensionReviewer reviewer(ExtensionReviewer ofAll) {
        return setups.isEmpty()
                ? ofAll
                : reviewer.of(ofAll, setups.values(), ExtensionReviewer::with);
    }

    /** Returns who reviews what goes to this client. */
    ExtensionDeliveries deliveries(ExtensionDeliveries ofAll) {
        return setups.isEmpty()
                ? ofAll
                : deliveries.of(ofAll, setups.values(), ExtensionDeliveries::with);
    }

    /** Returns who reviews the packets of this client that nobody can stop. */
    PacketReviews packets(PacketReviews ofAll) {
        return setups.isEmpty() ? ofAll : packets.of(ofAll, setups.values(), PacketReviews::with);
    }

    // ---------------------------------------------------------------- changing over

    /** Notes that it may have to change, since the extensions have. */
    synchronized void changeBegins() {
        changesLeft++;
    }

    /** Notes that a change has come to its end. */
    void changeEnds() {
        List<Runnable> ready;
        synchronized (this) {
            if (--changesLeft > 0) {
                return;
            }
            ready = afterChanges;
            afterChanges = List.of();
        }
        ready.forEach(Runnable::run);
    }

    /** Runs something once it has changed over to the extensions that run now. Any thread. */
    void whenChanged(Runnable then) {
        synchronized (this) {
            if (changesLeft > 0) {
                if (afterChanges.isEmpty()) {
                    afterChanges = new ArrayList<>();
                }
                afterChanges.add(then);
                return;
            }
        }
        then.run();
    }
}
