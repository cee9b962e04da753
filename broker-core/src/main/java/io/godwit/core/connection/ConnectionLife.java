package io.godwit.core.connection;

import io.godwit.core.auth.Access;
import io.godwit.core.auth.AccessControl;
import io.godwit.core.auth.ConnectionSetup;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Subject;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.index.FilterReview;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.publish.Publishing;
import io.godwit.core.review.ClientEvents;
import io.godwit.core.review.ConnectionSetups;
import io.godwit.core.session.Goodbye;
import io.godwit.core.session.Session;
import io.godwit.core.session.WillKeeper;
import io.godwit.core.takeover.Claimant;
import io.godwit.core.takeover.ClaimingUser;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The life of a connection: how it gets its session, what it may do when, and how it ends.
 *
 * <pre>
 * state           trigger                                next
 * AWAIT_CONNECT   CONNECT                                CONNECTING
 * AWAIT_CONNECT   limits.connect-timeout                 CLOSED
 * new             authenticated at another node          CONNECTING
 * CONNECTING      authenticated, placed, claimed,
 *                 committed                              CONNECTED (CONNACK 0)
 * CONNECTING      refused                                CLOSED (CONNACK with the reason)
 * CONNECTING      placed at another node                 CLOSED (the wire stays open)
 * CONNECTING      the node asked does not answer         CLOSED (no CONNACK)
 * CONNECTED       DISCONNECT, violation, keep alive,
 *                 taken over, socket gone, shutdown      CLOSED
 * </pre>
 *
 * While CONNECTING nothing more is decoded: what the client sends behind its CONNECT waits.
 */
abstract class ConnectionLife extends ConnectionState
        implements PausedConnections.Paused,
                Claimant,
                Placement.Asking,
                ConnectionSetups.Connection {
    static final String USER_REMOVED = "the user was removed";
    private static final ClientId NOBODY = ClientId.of("");
    private static final String SILENT = "nothing came for 1.5 keep alives";

    private @Nullable ConnectHandler connecting;
    @Nullable AuthExchange authentication;

    /** What hears of the connection's end, since it is served here; null in a node of its own. */
    private Placement.@Nullable Stay stay;

    /** Whether, while connecting, an AUTH is expected, and only that. */
    boolean awaitsAuth;

    /** Whether somebody was told that the client is connected. */
    private boolean isToldOf;

    /** Says who has ended the connection; null: nobody. */
    private @Nullable Ending ending;

    record Ending(ClientEvents.Cause cause, ReasonCode reason) {
        private static final Ending LOST = new Ending(ClientEvents.Cause.LOST, ReasonCode.SUCCESS);
    }

    /** Whether a SUBSCRIBE or UNSUBSCRIBE that is reviewed keeps what is behind it waiting. */
    abstract boolean awaitsReview();

    ConnectionLife(ConnectionContext context, Wire wire) {
        super(context, wire);
        context.load().connections(1);
        armConnectTimeout(lastReadMs());
    }

    /** Takes up a CONNECT. */
    final void begin(Packet.Connect connect) {
        if (state != State.AWAIT_CONNECT) {
            throw new ProtocolViolation(ReasonCode.PROTOCOL_ERROR, "second CONNECT");
        }
        state = State.CONNECTING;
        version = connect.version();
        packetBytesMaxOut = inbound.answerBytesMax;
        will = connect.will();
        ConnectHandler handler = new ConnectHandler(this, connect, peer());
        connecting = handler;
        handler.begin();
    }

    /** Takes up a CONNECT that the node of the client's socket has authenticated. */
    public final void begin(AuthenticatedConnect from) {
        Packet.Connect connect = from.connect();
        state = State.CONNECTING;
        version = connect.version();
        inbound.setFrom(connect);
        packetBytesMaxOut = inbound.answerBytesMax;
        will = connect.will();
        ConnectHandler handler = new ConnectHandler(this, connect, from.peer());
        connecting = handler;
        handler.beginAuthenticated(from);
    }

    // ---------------------------------------------------------------- its place in a cluster

    @Override
    public final void here(Placement.Stay given) {
        shard.enter();
        ConnectHandler handler = connecting;
        if (handler == null) {
            given.claimed();
            given.ended();
            return;
        }
        stay = given;
        armConnectTimeout(shard.nowMs());
        handler.here(given);
    }

    /** Dismantles this without closing the wire, which is the pipe's from now on. */
    @Override
    public final void elsewhere(Placement.Pipe pipe) {
        shard.enter();
        ConnectHandler handler = connecting;
        if (handler == null) {
            return;
        }
        ConnectionLog.elsewhere(handler.clientId(), wire);
        connecting = null;
        handler.placeFound();
        handler.release();
        state = State.CLOSED;
        shard.timers().cancel(this);
        fallSilent();
        context.load().connections(-1);
        context.paused().remove(this);
        boolean isUnread = isReadingStopped();
        ByteBuf undecoded = takeUndecoded();
        try {
            WireListener next = pipe.open(wire);
            wire.replaceListener(next);
            if (isUnread) {
                wire.read(true);
            }
            if (undecoded.isReadable()) {
                next.onBytes(undecoded);
            }
        } finally {
            undecoded.release();
        }
    }

    @Override
    public final void refused(ReasonCode reason, String text) {
        shard.enter();
        ConnectHandler handler = connecting;
        if (handler != null) {
            handler.placeFound();
            refuse(reason, text);
        }
    }

    @Override
    public final void endUnanswered(String text) {
        shard.enter();
        ConnectHandler handler = connecting;
        if (handler != null) {
            handler.placeFound();
            context.log().closed(handler.clientId(), wire, ReasonCode.SERVER_UNAVAILABLE, text);
            closeQuietly(false);
        }
    }

    @Override
    public final void endTakenOver() {
        shard.enter();
        if (state == State.CLOSED) {
            return;
        }
        Session mine = session;
        boolean promised = state == State.CONNECTED;
        takenOver();
        if (mine != null) {
            shard.counters().increment(Metric.TAKEOVERS, version);
            mine.life().onConnectionLost(this, promised);
        }
    }

    @Override
    public final void endElsewhere() {
        shard.enter();
        if (state != State.CLOSED) {
            ReasonCode reason =
                    state == State.CONNECTED
                            ? ReasonCode.SERVER_SHUTTING_DOWN
                            : ReasonCode.SERVER_UNAVAILABLE; // CONNACK has no other.
            fail(reason, "another node leads the session now");
        }
    }

    @Override
    public final @Nullable WillKeeper willKeeper() {
        return stay;
    }

    private void leaveStay(Placement.Stay left, @Nullable ConnectHandler unfinished) {
        Placement placement = context.placement();
        long patienceMs = placement == null ? 0 : placement.patienceMs();
        StayEnd end = new StayEnd(left, shard, session, publishing, patienceMs);
        if (unfinished == null) {
            end.begin();
        } else {
            unfinished.afterClaim(end);
        }
    }

    // ---------------------------------------------------------------- CONNECT's outcome

    /** Notes that enhanced authentication began. */
    void authenticating(AuthExchange exchange) {
        authentication = exchange;
    }

    /** Takes what the client may do, with whom that was decided about. */
    void bound(Subject subject, Access granted) {
        known = KnownClient.since(shard.nowMs(), subject);
        access = granted;
        Session mine = session;
        if (mine != null) {
            mine.boundQueue(settings().queue());
        }
    }

    /**
     * Takes what a re-authentication has found out; ends the connection if that is another user, or
     * one who may not be connected.
     *
     * @return whether the connection goes on
     */
    boolean authenticatedAgain(Identity found) {
        KnownClient before = known;
        if (before == null) {
            if (!found.equals(Identity.ANONYMOUS)) {
                close(ReasonCode.NOT_AUTHORIZED, "re-authentication as another user", true);
            }
            return !isClosed();
        }
        Subject now =
                new Subject(
                        before.subject().clientId(),
                        found,
                        before.subject().peer(),
                        before.subject().setup());
        if (!Objects.equals(found.userName(), before.subject().identity().userName())) {
            close(ReasonCode.NOT_AUTHORIZED, "re-authentication as another user", true);
            return false;
        }
        return isAllowed(now);
    }

    /**
     * Asks the rules about a client that is connected.
     *
     * @return false when they do not let it be connected: then it is not any more
     */
    private boolean isAllowed(Subject subject) {
        AccessControl rules = context.security().rulesOf(subject);
        if (!rules.mayConnect(subject)) {
            closeUnauthorized(subject.clientId(), "the rules do not let this client connect");
            return false;
        }
        bound(subject, rules.of(subject));
        return true;
    }

    private void closeUnauthorized(ClientId clientId, String text) {
        context.log().mayNotStay(clientId, wire, text);
        close(ReasonCode.NOT_AUTHORIZED, text, true);
    }

    @Override
    public final void review() {
        Session mine = session;
        if (state != State.CONNECTED || mine == null) {
            return;
        }
        beSetUp();
        KnownClient client = known;
        if (client == null) {
            return;
        }
        Identity identity = client.subject().identity();
        if (context.security().isRemoved(identity)) {
            closeUnauthorized(client.subject().clientId(), USER_REMOVED);
            return;
        }
        if (identity.access() != null) {
            return;
        }
        long endMs = client.endMs();
        if (isAllowed(client.subject())) {
            known = new KnownClient(client.subject(), endMs);
            FilterReview.begin(
                    context.subscribing(), mine, access, context.log()::filtersRevoked, () -> {});
        }
    }

    /** Has the connection set up that was there before anything was to be set up. */
    private void beSetUp() {
        ConnectionSetups setups = context.reviews().setups();
        if (setups == null || subject().setup() != null) {
            return;
        }
        long endMs = known == null ? Long.MAX_VALUE : known.endMs();
        known = new KnownClient(subject().with(setups.connected(subject(), version, this)), endMs);
    }

    @Override
    public final void change(Runnable change) {
        shard.execute(() -> {
            KnownClient client = known;
            AccessControl before =
                    client == null ? null : context.security().rulesOf(client.subject());
            change.run();
            if (client != null && before != context.security().rulesOf(client.subject())) {
                review();
            }
        });
    }

    /** Sends an AUTH; while connecting, the client's answer is the only packet that may come. */
    void sendAuth(Packet.Auth auth) {
        send(auth);
        if (state == State.CONNECTING) {
            awaitsAuth = true;
            resumeDecoding();
        }
    }

    @Override
    public void kept() {
        ConnectHandler handler = connecting;
        if (handler != null) {
            handler.refuse(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID, ClaimingUser.REFUSAL);
        }
    }

    /** Goes on when the registrar grants the client id. @see ConnectHandler#granted */
    @Override
    public @Nullable Session granted(@Nullable Session existing) {
        ConnectHandler handler = connecting;
        return handler == null ? existing : handler.granted(existing);
    }

    /** Takes the session, which is this connection's now, though not promised yet. */
    void attached(Session granted) {
        session = granted;
        granted.boundQueue(settings().queue());
    }

    /** Sends CONNACK: the session is this connection's and may be promised. */
    void connected(
            Session granted,
            Packet.ConnAck connAck,
            int keepAliveSeconds,
            int newInFlightMax,
            int aliasMax,
            boolean wantsProblemInformation,
            @Nullable AuthExchange newAuthentication) {
        session = granted;
        state = State.CONNECTED;
        inbound.packetBytesMax = context.mqtt().maximumPacketSize();
        if (connecting != null) {
            connecting.release();
            connecting = null;
        }
        connectedAtMs = shard.wallMs();
        keepAliveMs = keepAliveSeconds * 1000;
        inFlightMax = newInFlightMax;
        explains = wantsProblemInformation;
        authentication = newAuthentication;
        if (aliasMax > 0) {
            aliases = new TopicAliases(aliasMax);
        }
        answer(connAck);
        shard.counters().increment(Metric.CONNECTS, version);
        granted.life().promised();
        ClientEvents events = context.reviews().events();
        if (events != null) {
            isToldOf = true;
            events.connected(subject(), version, connAck.sessionPresent());
        }
        ConnectionLog.connected(granted, wire, keepAliveSeconds);
        armKeepAlive();
        openForPublish();
        granted.resume();
        resumeDecoding();
    }

    /** Refuses the CONNECT: CONNACK with the reason, then the end. */
    void refuse(ReasonCode reason, String text) {
        if (state == State.CLOSED) {
            return;
        }
        shard.counters().increment(Metric.CONNECTS_REFUSED, inbound.version);
        ConnectHandler refused = connecting;
        context.log().refused(refused == null ? null : refused.clientId(), wire, reason, text);
        ClientEvents events = context.reviews().events();
        if (events != null && refused != null) {
            events.refused(refused.clientId(), refused.peer(), reason, text);
        }
        Session mine = session;
        int code = ConnectHandler.connAckCode(version, reason);
        boolean explained = version.isV5() && !text.isEmpty();
        finish(
                code > 0
                        ? new Packet.ConnAck(
                                false, code, explained ? reasonString(text) : Properties.NONE)
                        : null);
        if (mine != null) {
            mine.life().onConnectionLost(this, false);
        }
    }

    // ---------------------------------------------------------------- the end

    @Override
    void onViolation(ProtocolViolation violation) {
        shard.counters().increment(Metric.PROTOCOL_VIOLATIONS, inbound.version);
        closeFor(violation.reason(), String.valueOf(violation.getMessage()));
    }

    @Override
    void onNoMemory() {
        shard.counters().increment(Metric.CLOSED_MEMORY, inbound.version);
        context.log().noMemory(wire);
        closeFor(ReasonCode.QUOTA_EXCEEDED, "no memory for a packet");
    }

    /** Ends the connection for what it has sent, which may have been no whole CONNECT. */
    private void closeFor(ReasonCode reason, String text) {
        ProtocolVersion known = inbound.version;
        Session mine = session;
        if (state == State.CONNECTED && mine != null) {
            context.log().closed(mine.clientId(), wire, reason, text);
            close(reason, text, true);
        } else if (known != null) {
            version = known;
            packetBytesMaxOut = inbound.answerBytesMax;
            refuse(reason, text);
        } else {
            context.log().notMqtt(wire, text);
            finish();
        }
    }

    /** Ends the connection with a DISCONNECT (5.0) that says why. */
    @Override
    public void close(ReasonCode reason, String text, boolean publishWill) {
        if (state == State.CLOSED) {
            return;
        }
        if (state == State.CONNECTING) {
            refuse(reason, text);
            return;
        }
        Session mine = session;
        if (mine != null) {
            ConnectionLog.ended(mine, wire, text);
        }
        ended(
                reason == ReasonCode.KEEP_ALIVE_TIMEOUT
                        ? ClientEvents.Cause.LOST
                        : ClientEvents.Cause.SERVER,
                reason);
        boolean isTold = state == State.CONNECTED && version.isV5();
        closeAfter(isTold ? new Packet.Disconnect(reason, reasonString(text)) : null, publishWill);
    }

    @Override
    public void fail(ReasonCode reason, String text) {
        close(reason, text, true);
    }

    @Override
    void closeQuietly(boolean publishWill) {
        closeAfter(null, publishWill);
    }

    private void closeAfter(Packet.@Nullable Disconnect last, boolean publishWill) {
        Session mine = session;
        // Without CONNACK nobody was promised a will.
        boolean promised = state == State.CONNECTED;
        finish(last);
        if (mine != null) {
            mine.life().onConnectionLost(this, publishWill && promised);
        }
    }

    /**
     * Ends the connection after DISCONNECT. When a kept will is given up with it, the socket closes
     * once that is kept: nothing else tells the client that it can rely on it.
     */
    final void leave(boolean publishWill) {
        Session mine = session;
        if (publishWill || mine == null || !mine.life().isWillKept()) {
            closeQuietly(publishWill);
            return;
        }
        end();
        fallSilent();
        mine.life().onConnectionLost(this, false);
        shard.afterCommit(isKept -> wire.close());
    }

    /** Ends the connection whose session goes to a newer one, which deals with the will. */
    @Override
    public void takenOver() {
        Session mine = session;
        if (mine != null) {
            context.log().takenOver(mine, wire);
        }
        ended(ClientEvents.Cause.SERVER, ReasonCode.SESSION_TAKEN_OVER);
        boolean isTold = state == State.CONNECTED && version.isV5();
        finish(
                isTold
                        ? new Packet.Disconnect(ReasonCode.SESSION_TAKEN_OVER, Properties.NONE)
                        : null);
    }

    /** Ends the connection since the broker stops. */
    @Override
    public void onShutdown(Goodbye goodbye) {
        if (state == State.CONNECTED && version.isV5()) {
            // The node that a remote client is connected to goes on: it has nowhere else to go.
            boolean isRemote = wire.edge() != Wire.HERE;
            answer((isRemote ? Goodbye.SHUTTING_DOWN : goodbye).packet()); // Nobody is asked now.
        }
        ended(ClientEvents.Cause.SERVER, goodbye.reason());
        finish();
    }

    @Override
    public void onRevoked() {
        shard.enter();
        close(ReasonCode.NOT_AUTHORIZED, "the certificate was revoked", true);
    }

    @Override
    public void onOverdrawn() {
        shard.enter();
        if (state != State.CLOSED) {
            shard.counters().increment(Metric.CLOSED_OUTBOUND, inbound.version);
            close(ReasonCode.QUOTA_EXCEEDED, "no memory for more outgoing bytes", true);
        }
    }

    @Override
    public void onClosed() {
        shard.enter();
        if (state == State.CONNECTING && context.placement() != null) {
            socketIsGone(); // At once: a socket that is gone must not go on at another node.
        } else {
            context.gone().add(this::socketIsGone);
        }
    }

    /** Ends the connection, whose socket is gone. */
    private void socketIsGone() {
        // What came whole before the end counts, although our own pause has kept it waiting.
        Publishing publisher = publishing;
        boolean holds = state == State.CONNECTED && holdsBytes();
        boolean isUnderWay = awaitsReview() || publisher != null && publisher.isUnderWay();
        boolean goesOn = holds && isUnderWay && !waitsAtPublish();
        if (holds && !goesOn && context.load().isAlarm()) {
            skipPublishes(); // Perhaps a DISCONNECT is behind them.
        }
        if (goesOn) {
            socketGone();
        } else if (state != State.CLOSED) {
            Session mine = session;
            ConnectHandler handler = connecting;
            if (mine != null) {
                ConnectionLog.ended(mine, wire, "its socket is gone");
            } else if (handler != null && handler.isPlaceOpen()) {
                ConnectionLog.endedBeforePlaced(handler.clientId(), wire);
            }
            closeQuietly(true);
        }
        context.load().connections(-1);
        context.paused().remove(this);
        context.slowSubscribers().speedUp(this);
        if (state != State.CLOSED) {
            context.paused().add(this);
        }
    }

    /** Notes who ends the connection; what is noted first counts. */
    final void ended(ClientEvents.Cause cause, ReasonCode reason) {
        if (isToldOf && ending == null) {
            ending = new Ending(cause, reason);
        }
    }

    /** Tells of the end of a connection whose begin was told. */
    private void tellOfEnd() {
        ClientEvents events = isToldOf ? context.reviews().events() : null;
        if (events != null) {
            Ending end = ending == null ? Ending.LOST : ending;
            events.disconnected(subject(), version, end.cause(), end.reason());
        }
    }

    private void finish() {
        finish(null);
    }

    /**
     * Ends the connection.
     *
     * @param last goes out before; when a reviewer sees it, the wire stays for so long
     */
    private void finish(@Nullable Packet last) {
        if (state == State.CLOSED) {
            return;
        }
        boolean isReviewed =
                last != null
                        && (session != null || connecting != null)
                        && sees(last.type(), true)
                        && !isWithinPayload();
        if (last != null && !isReviewed) {
            answer(last);
        }
        Subject client = isReviewed ? reviewedClient() : null;
        end();
        if (last == null || client == null) {
            shutUp();
        } else {
            fallSilent();
            reviewLast(client, last);
        }
    }

    @Override
    final Subject reviewedClient() {
        KnownClient client = known;
        Session mine = session;
        ConnectHandler handler = connecting;
        if (client != null) {
            return client.subject();
        }
        if (mine != null && state == State.CONNECTED) {
            return subject();
        }
        ClientId claimed =
                mine != null ? mine.clientId() : handler != null ? handler.clientId() : NOBODY;
        return new Subject(claimed, Identity.ANONYMOUS, peer());
    }

    @Override
    final void onAuthUnreviewed() {
        close(
                ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR,
                "an extension did not answer about an AUTH",
                true);
    }

    /** Has a reviewer see CONNACK before it goes out. */
    final void reviewConnAck(Packet.ConnAck connAck, Consumer<Packet.ConnAck> then) {
        stopConnectTimeout();
        reviewed()
                .add(
                        reviewedClient(),
                        version,
                        connAck,
                        true,
                        made -> then.accept((Packet.ConnAck) fitting(connAck, made)));
    }

    /** Has a reviewer see a packet of the client, which counts without its answer. */
    final void tell(Packet packet) {
        reviewed().add(reviewedClient(), version, packet, false, made -> onLessReviewed());
    }

    private void end() {
        if (state == State.CONNECTED) {
            shard.counters().increment(Metric.CONNECTIONS_CLOSED, version);
            tellOfEnd();
        }
        state = State.CLOSED;
        shard.timers().cancel(this);
        releaseHeld();
        if (share != null) {
            context.quotas().giveBack(share);
            share = null;
        }
        ConnectHandler unfinished = connecting;
        if (unfinished != null) {
            unfinished.abandon();
            connecting = null;
        } else {
            forgetSetup();
        }
        if (publishing != null) {
            publishing.onConnectionLost();
        }
        Placement.Stay left = stay;
        if (left != null) {
            stay = null;
            leaveStay(left, unfinished);
        }
        session = null;
    }

    private void forgetSetup() {
        ConnectionSetup setup = known == null ? null : known.subject().setup();
        if (setup != null) {
            setup.ended();
        }
    }

    static Properties reasonString(String text) {
        return Properties.builder().add(Property.REASON_STRING, text).build();
    }

    // ---------------------------------------------------------------- time

    private void armConnectTimeout(long sinceMs) {
        shard.timers().arm(this, sinceMs + context.limits().connectTimeoutMs());
    }

    /** Bounds the wait for an authenticator; a connected client's keep alive waits meanwhile. */
    final void awaitVerdict(long patienceMs) {
        shard.timers().cancel(this);
        shard.timers().arm(this, shard.nowMs() + patienceMs);
    }

    /** Arms what was armed before {@link #awaitVerdict}. */
    final void stopAwaitingVerdict() {
        if (state == State.CONNECTED) {
            armKeepAlive();
        } else if (state == State.CONNECTING) {
            shard.timers().cancel(this);
            armConnectTimeout(shard.nowMs());
        }
    }

    /** Lets the client wait for its place as long as the cluster bounds that. */
    final void stopConnectTimeout() {
        shard.timers().cancel(this);
    }

    private void armKeepAlive() {
        shard.timers().cancel(this);
        armUntil(keepAliveMs > 0 ? lastReadMs() + keepAliveMs + keepAliveMs / 2 : Long.MAX_VALUE);
    }

    /** Arms the timer for a time, or for the end of the connection if that is earlier. */
    private void armUntil(long atMs) {
        KnownClient client = known;
        long earlier = client == null ? atMs : Math.min(atMs, client.endMs());
        if (earlier != Long.MAX_VALUE) {
            shard.timers().arm(this, earlier);
        }
    }

    @Override
    protected void onTimer(long nowMs) {
        ConnectHandler handler = connecting;
        AuthExchange exchange = authentication;
        if (handler != null && handler.authenticationTimedOut()
                || state == State.CONNECTED && exchange != null && exchange.timedOut()) {
            return;
        }
        if (state == State.AWAIT_CONNECT || state == State.CONNECTING) {
            shard.counters().increment(Metric.CONNECT_TIMEOUTS);
            closeQuietly(false);
            return;
        }
        if (known != null && nowMs >= known.endMs()) {
            close(ReasonCode.MAXIMUM_CONNECT_TIME, "its time is over", true);
            return;
        }
        if (keepAliveMs == 0) {
            armUntil(Long.MAX_VALUE);
            return;
        }
        long deadlineMs = lastReadMs() + keepAliveMs + keepAliveMs / 2;
        if (isReadingStopped()) {
            // Whoever is not read cannot be heard.
            armUntil(nowMs + keepAliveMs);
        } else if (nowMs >= deadlineMs) {
            shard.counters().increment(Metric.KEEP_ALIVE_TIMEOUTS, version);
            Session mine = session;
            if (mine != null) {
                context.log().closed(mine.clientId(), wire, ReasonCode.KEEP_ALIVE_TIMEOUT, SILENT);
            }
            close(ReasonCode.KEEP_ALIVE_TIMEOUT, SILENT, true);
        } else {
            armUntil(deadlineMs);
        }
    }
}
