package io.godwit.core.connection;

import io.godwit.core.auth.AccessControl;
import io.godwit.core.auth.ClientSettings;
import io.godwit.core.auth.ConnectionSetup;
import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Security;
import io.godwit.core.auth.Subject;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.index.FilterReview;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Will;
import io.godwit.core.review.ConnectOutcome;
import io.godwit.core.review.ConnectReviewer;
import io.godwit.core.review.ConnectionSetups;
import io.godwit.core.review.Permission;
import io.godwit.core.review.PublishOutcome;
import io.godwit.core.review.Reviewer;
import io.godwit.core.session.ClientQuotas;
import io.godwit.core.session.Session;
import io.godwit.core.shard.Shard;
import io.godwit.core.takeover.Claimant;
import io.godwit.core.takeover.ClaimingUser;
import io.godwit.core.takeover.Token;
import org.jspecify.annotations.Nullable;

/**
 * One CONNECT on its way to CONNACK: checks, authentication, in a cluster its place, the
 * registrar's grant, the commit of a durable session. Gone once the connection is connected or
 * refused, or goes on at another node.
 */
final class ConnectHandler {
    /** The largest packet that the protocol allows: as good as no Maximum Packet Size. */
    private static final long PACKET_SIZE_UNLIMITED = 268_435_460;

    /** What a CONNECT takes beside its texts while it waits, with what it becomes. */
    private static final int CONNECT_BYTES = 500;

    /** Client ids that are tried until one is of a slot that this node leads. */
    private static final int ID_TRIES = 16;

    private static final String NO_WILL = "this client may not publish its will";
    private static final String CONNECT_REFUSED = "an extension has refused the CONNECT";

    private final ConnectionLife connection;
    private final ConnectionContext context;
    private final Shard shard;

    /** The CONNECT as its client has sent it, or as a reviewer has changed it. */
    private Packet.Connect connect;

    /** Whether the reviewer's answer about the CONNECT is waited for. */
    private boolean awaitsConnectReview;

    /** When the client was authenticated, here or at its node, by the clock of this node. */
    private long connectedMs;

    private ClientId clientId;
    private boolean assignedId;
    private long expirySeconds;
    private @Nullable AuthExchange exchange;

    /** The question who the client is, while that is open. */
    private @Nullable Authentication authentication;

    private final Peer peer;

    /** The rules that were asked about the client. */
    private AccessControl rules = AccessControl.OPEN;

    private Identity identity = Identity.ANONYMOUS;
    private byte @Nullable [] authenticationData;
    private boolean abandoned;

    /** Holds what extensions have set up for the connection; null: nothing, or not yet. */
    private @Nullable ConnectionSetup setup;

    /** Whether it waits to be set up. */
    private boolean awaitsSetup;

    /** CONNACK as a reviewer has made it; null: none has, or not yet. */
    private Packet.@Nullable ConnAck reviewedConnAck;

    /** Says who decides about the will; null while that is not known. */
    private @Nullable Permission willPermission;

    /** Whether the reviewer's answer about the will is waited for. */
    private boolean awaitsReview;

    /**
     * Its question for its place, while that has no answer; also null before {@code ask} returns.
     */
    private Placement.@Nullable Question question;

    /** Whether its place is not known, though the client is authenticated. */
    private boolean isPlaceOpen;

    /** Its claim where a placement has to know of that; null without one. */
    private @Nullable PlacedClaim placedClaim;

    /** Whether another node has authenticated it. */
    private boolean isFromElsewhere;

    /** Its claim of the client id, while that has no answer. */
    private @Nullable Token claimed;

    /** What it is charged with while it waits for an authenticator, its turn, others, the store. */
    private long heldBytes;

    ConnectHandler(ConnectionLife connection, Packet.Connect connect, Peer peer) {
        this.peer = peer;
        this.connection = connection;
        this.context = connection.context;
        this.shard = connection.shard;
        this.connect = connect;
        this.clientId = connect.clientId();
    }

    /** The client id of the CONNECT, which may be empty. */
    ClientId clientId() {
        return clientId;
    }

    Peer peer() {
        return peer;
    }

    void begin() {
        ReasonCode refusal = admit();
        if (refusal != null) {
            refuse(refusal);
            return;
        }
        ConnectReviewer reviewer = context.reviews().connects();
        if (reviewer == null) {
            authenticate();
        } else {
            reviewConnect(reviewer);
        }
    }

    // ---------------------------------------------------------------- its CONNECT, reviewed

    private void reviewConnect(ConnectReviewer reviewer) {
        awaitsConnectReview = true;
        connection.awaitVerdict(context.security().authenticateMs());
        Packet.Connect shown = connect.withClientId(clientId);
        try {
            reviewer.connect(
                    shown, peer, outcome -> shard.execute(() -> onConnectReviewed(shown, outcome)));
        } catch (RuntimeException e) {
            onConnectReviewed(shown, new ConnectOutcome.Failed());
        }
    }

    private void onConnectReviewed(Packet.Connect shown, @Nullable ConnectOutcome outcome) {
        if (!awaitsConnectReview) {
            return; // A second answer, or one that came too late.
        }
        awaitsConnectReview = false;
        connection.stopAwaitingVerdict();
        switch (outcome) {
            case ConnectOutcome.Go go when go.connect() == shown -> authenticate();
            case ConnectOutcome.Go go -> authenticate(go.connect());
            case ConnectOutcome.Dropped dropped -> {
                context.log()
                        .closed(
                                clientId,
                                connection.wire,
                                ReasonCode.NOT_AUTHORIZED,
                                "an extension has dropped its CONNECT");
                shard.counters().increment(Metric.CONNECTS_REFUSED, connect.version());
                connection.closeQuietly(false);
            }
            case ConnectOutcome.Refused refused -> refuse(refused.reason(), CONNECT_REFUSED);
            case ConnectOutcome.Failed failed -> refuseUnreviewed();
            case null -> refuseUnreviewed();
        }
    }

    private void refuseUnreviewed() {
        refuse(ReasonCode.SERVER_UNAVAILABLE, "an extension did not answer about the CONNECT");
    }

    /** Goes on with what the reviewer has made, which is judged as if the client had sent it. */
    private void authenticate(Packet.Connect made) {
        int bytesMax =
                Math.min(
                        context.limits().packets().connectBytes(),
                        context.mqtt().maximumPacketSize());
        try {
            connect = context.decoder().judged(made, bytesMax);
        } catch (ProtocolViolation violation) {
            refuse(
                    violation.reason(),
                    "as an extension has changed the CONNECT: " + violation.getMessage());
            return;
        }
        clientId = connect.clientId();
        connection.will = connect.will();
        release();
        if (hold()) {
            authenticate();
        } else {
            refuse(ReasonCode.QUOTA_EXCEEDED);
        }
    }

    // ---------------------------------------------------------------- who it is

    private void authenticate() {
        ReasonCode refusal = checkWill();
        if (refusal != null) {
            refuse(refusal);
            return;
        }
        expirySeconds = sessionExpiry();
        Packet.Connect named =
                Authentication.named(
                        context.security().certificate(peer.listener()), connect, peer, this);
        if (named == null) {
            return;
        }
        Packet.Connect asked = named.withClientId(clientId);
        String method = connect.properties().text(Property.AUTHENTICATION_METHOD);
        if (method == null) {
            Authentication question = new Authentication(connection, this, asked, peer);
            authentication = question;
            question.begin();
            return;
        }
        EnhancedAuthenticator authenticator =
                context.security().authenticators().method(method, peer.listener());
        if (authenticator == null) {
            refuse(ReasonCode.BAD_AUTHENTICATION_METHOD);
            return;
        }
        AuthExchange begun = new AuthExchange(connection, authenticator, asked, peer);
        exchange = begun;
        connection.authenticating(begun);
        begun.begin(this, asked, connect.properties().binary(Property.AUTHENTICATION_DATA));
    }

    /** Begins where another node, which its client is connected to, has authenticated it. */
    void beginAuthenticated(AuthenticatedConnect from) {
        if (!hold()) {
            refuse(ReasonCode.QUOTA_EXCEEDED);
            return;
        }
        isFromElsewhere = true;
        connectedMs = from.connectedMs();
        assignedId = from.assignedId();
        expirySeconds = Math.min(from.expirySeconds(), context.mqtt().sessionExpiryMaximum());
        authenticationData = from.authenticationData();
        String method = connect.properties().text(Property.AUTHENTICATION_METHOD);
        if (method != null) {
            EnhancedAuthenticator known =
                    context.security().authenticators().method(method, peer.listener());
            exchange =
                    new AuthExchange(
                            connection,
                            known == null ? new MissingMethod(method) : known,
                            connect,
                            peer);
        }
        if (takeIdentity(from.identity())) {
            findPlace();
        }
    }

    private @Nullable ReasonCode admit() {
        if (!context.connectRate().admits()) {
            shard.counters().increment(Metric.REFUSED_CONNECT_RATE);
            return ReasonCode.CONNECTION_RATE_EXCEEDED;
        }
        if (!hold()) {
            return ReasonCode.QUOTA_EXCEEDED;
        }
        if (clientId.length() == 0) {
            if (!connect.version().isV5() && !connect.cleanStart()) {
                return ReasonCode.CLIENT_IDENTIFIER_NOT_VALID;
            }
            clientId = newClientId();
            assignedId = true;
        }
        return null;
    }

    private @Nullable ReasonCode checkWill() {
        Will will = connect.will();
        if (will != null) {
            if (will.accountedBytes() > context.limits().clients().willBytes()) {
                shard.counters().increment(Metric.REFUSED_WILLS);
                return ReasonCode.QUOTA_EXCEEDED;
            }
            if (will.qos() > context.mqtt().maximumQos()) {
                return ReasonCode.QOS_NOT_SUPPORTED;
            }
            if (will.retain() && !context.mqtt().retainAvailable()) {
                return ReasonCode.RETAIN_NOT_SUPPORTED;
            }
            if (will.topic().levels() > context.limits().topicLevels()) {
                return ReasonCode.TOPIC_NAME_INVALID;
            }
        }
        return null;
    }

    /** Draws one that this node leads: its client has no other node to wait for. */
    private ClientId newClientId() {
        Placement placement = context.placement();
        ClientId drawn = ClientId.of("auto-" + context.randomName());
        for (int tries = 1;
                placement != null && tries < ID_TRIES && !placement.leads(drawn.slot());
                tries++) {
            drawn = ClientId.of("auto-" + context.randomName());
        }
        return drawn;
    }

    /**
     * @return whether the node has room for one more that waits
     */
    private boolean hold() {
        int bytes = (int) Math.min(Integer.MAX_VALUE, CONNECT_BYTES + connect.accountedBytes());
        if (!context.load().mayHold(bytes, 0)) {
            shard.counters().increment(Metric.REFUSED_PARTIAL_BYTES);
            return false;
        }
        heldBytes = bytes;
        context.load().held(bytes);
        return true;
    }

    /** Gives back what it is charged with: it waits no more. */
    void release() {
        context.load().held(-heldBytes);
        heldBytes = 0;
    }

    private long sessionExpiry() {
        if (connect.version().isV5()) {
            return Math.min(
                    connect.properties().number(Property.SESSION_EXPIRY_INTERVAL, 0),
                    context.mqtt().sessionExpiryMaximum());
        }
        return connect.cleanStart()
                ? 0
                : Math.min(context.mqtt().sessionExpiry3x(), context.mqtt().sessionExpiryMaximum());
    }

    /** Refuses the CONNECT if a reviewer or an authenticator has not answered in its time. */
    boolean authenticationTimedOut() {
        if (awaitsConnectReview) {
            awaitsConnectReview = false;
            refuseUnreviewed();
            return true;
        }
        Authentication open = authentication;
        return open != null && open.timedOut()
                || connection.authentication != null && connection.authentication.timedOut();
    }

    /** Goes on when the client is authenticated, with the last data of enhanced authentication. */
    void authenticated(Identity found, byte @Nullable [] data) {
        authentication = null;
        if (abandoned) {
            return;
        }
        connectedMs = shard.nowMs();
        authenticationData = data;
        connection.stopAwaitingVerdict();
        if (takeIdentity(found)) {
            findPlace();
        }
    }

    /**
     * Asks the rules about the client.
     *
     * @return false when it is refused
     */
    private boolean takeIdentity(Identity found) {
        identity = found;
        if (context.security().isRemoved(found)) {
            refuse(ReasonCode.NOT_AUTHORIZED, ConnectionLife.USER_REMOVED);
            return false;
        }
        Subject subject = subject();
        rules = context.security().rulesOf(subject);
        if (rules != AccessControl.OPEN
                || found != Identity.ANONYMOUS
                || setup != null
                || context.reviews().isOn()) {
            if (!rules.mayConnect(subject)) {
                refuse(ReasonCode.NOT_AUTHORIZED, "the rules do not let this client connect");
                return false;
            }
            connection.bound(subject, rules.of(subject));
        }
        return isWillReviewedLater() || mayPublishWill();
    }

    private Subject subject() {
        return new Subject(clientId, identity, peer, setup);
    }

    /** Whether the will is reviewed when the connection is set up: that may decide about it. */
    private boolean isWillReviewedLater() {
        return willPermission == null
                && (willReviewer() != null || context.reviews().setups() != null);
    }

    /** Asks who decides about the will; refuses the CONNECT if it may not be published. */
    private boolean mayPublishWill() {
        Will will = connect.will();
        Permission permission = willPermission == null ? Permission.BY_RULES : willPermission;
        if (will != null
                && !permission
                        .of(connection.access())
                        .mayPublish(will.topic(), will.qos(), will.retain())) {
            refuse(ReasonCode.NOT_AUTHORIZED, NO_WILL);
            return false;
        }
        return true;
    }

    // ---------------------------------------------------------------- its setup

    /** Has the connection set up, at the node that serves it; then its will is reviewed. */
    private void setUp() {
        ConnectionSetups setups = context.reviews().setups();
        if (abandoned || setups == null) {
            reviewWill();
            return;
        }
        awaitsSetup = true;
        connection.stopConnectTimeout();
        try {
            setup =
                    setups.connecting(
                            subject(),
                            connect.version(),
                            connection,
                            refusal -> shard.execute(() -> onSetUp(refusal)));
        } catch (RuntimeException e) {
            onSetUp(ReasonCode.SERVER_UNAVAILABLE);
        }
    }

    private void onSetUp(@Nullable ReasonCode refusal) {
        if (!awaitsSetup) {
            return; // A second answer, or nobody waits for it any more.
        }
        awaitsSetup = false;
        connection.stopAwaitingVerdict();
        if (refusal != null) {
            refuse(refusal, "an extension did not set the client up");
            withdrawPlaced();
        } else if (takeIdentity(identity)) { // It may have other rules now.
            reviewWill();
        } else {
            withdrawPlaced();
        }
    }

    // ---------------------------------------------------------------- its will, reviewed

    private @Nullable Reviewer willReviewer() {
        Reviewer reviewer = connect.will() == null ? null : context.reviews().reviewer();
        return reviewer != null && reviewer.seesWill(subject()) ? reviewer : null;
    }

    /** Shows the will to the reviewer, at the node that serves the connection; then claims. */
    private void reviewWill() {
        Will will = connect.will();
        Reviewer reviewer = willReviewer();
        if (abandoned || will == null || reviewer == null) {
            willPermission = Permission.BY_RULES;
            claimOrEnd(abandoned || mayPublishWill());
            return;
        }
        awaitsReview = true;
        connection.stopConnectTimeout();
        try {
            reviewer.will(
                    subject(),
                    connect.version(),
                    will,
                    outcome -> shard.execute(() -> onWillReviewed(outcome)));
        } catch (RuntimeException e) {
            onWillReviewed(new PublishOutcome.Failed());
        }
    }

    private void onWillReviewed(@Nullable PublishOutcome outcome) {
        if (!awaitsReview) {
            return; // A second answer, or nobody waits for it any more.
        }
        awaitsReview = false;
        connection.stopAwaitingVerdict();
        if (outcome instanceof PublishOutcome.Go go) {
            willPermission = go.permission();
            claimOrEnd(mayPublishWill());
        } else if (outcome == null || outcome instanceof PublishOutcome.Failed) {
            refuse(ReasonCode.SERVER_UNAVAILABLE, "an extension did not answer about the will");
            withdrawPlaced();
        } else {
            refuse(ReasonCode.NOT_AUTHORIZED, NO_WILL);
            withdrawPlaced();
        }
    }

    private void claimOrEnd(boolean mayClaim) {
        if (mayClaim) {
            claim();
        } else {
            withdrawPlaced();
        }
    }

    /** Ends the claim that a placement has to know of, which is not made. */
    private void withdrawPlaced() {
        if (placedClaim != null) {
            placedClaim.withdrawn();
        }
    }

    // ---------------------------------------------------------------- its place

    private void findPlace() {
        if (abandoned || context.placement() == null) {
            setUp();
            return;
        }
        isPlaceOpen = true;
        if (connection.isDecoding()) {
            shard.execute(this::ask); // What has come behind the CONNECT is held by then.
        } else {
            ask();
        }
    }

    private void ask() {
        Placement placement = context.placement();
        if (abandoned || placement == null) {
            return;
        }
        connection.stopConnectTimeout();
        Placement.Question asked = placement.ask(authenticated(), connection);
        if (isPlaceOpen && abandoned) {
            asked.withdraw();
        } else if (isPlaceOpen) {
            question = asked;
        }
    }

    private AuthenticatedConnect authenticated() {
        Packet.Connect withoutSecrets =
                new Packet.Connect(
                        connect.version(),
                        clientId,
                        connect.cleanStart(),
                        connect.keepAliveSeconds(),
                        connect.will(),
                        userName(),
                        null,
                        connect.bridge(),
                        connect.properties().without(Property.AUTHENTICATION_DATA));
        return new AuthenticatedConnect(
                withoutSecrets,
                assignedId,
                expirySeconds,
                authenticationData,
                peer,
                identity,
                connectedMs);
    }

    /** Returns the user name that sessions are counted by: one that was not checked, if need be. */
    private @Nullable String userName() {
        return identity.userName() == null ? connect.userName() : identity.userName();
    }

    /** Whether the connection waits to be told which node serves it. */
    boolean isPlaceOpen() {
        return isPlaceOpen;
    }

    /** Goes on at this node. */
    void here(Placement.Stay stay) {
        placeFound();
        placedClaim = new PlacedClaim(connection, stay);
        setUp();
    }

    /** Notes that the question for its place is answered. */
    void placeFound() {
        isPlaceOpen = false;
        question = null;
    }

    /** Begins with the end of the stay once the claim, if there is one, has come to its end. */
    void afterClaim(StayEnd end) {
        PlacedClaim placed = placedClaim;
        if (placed == null) {
            end.begin();
        } else {
            placed.before(end);
        }
    }

    // ---------------------------------------------------------------- its client id

    /** Many that come at once claim their ids in turn: each makes work for some shards. */
    private void claim() {
        if (!abandoned && !context.claims().add(this::claimNow)) {
            shard.counters().increment(Metric.CONNECTS_PACED);
        }
    }

    private void claimNow() {
        if (!abandoned) {
            Claimant claimant = placedClaim == null ? connection : placedClaim;
            boolean isOwned = context.security().sessionOwner() == Security.SessionOwner.USER;
            claimed =
                    context.takeover()
                            .claim(
                                    clientId,
                                    connect.cleanStart(),
                                    isOwned ? ClaimingUser.of(identity.userName()) : null,
                                    claimant);
        } else {
            withdrawPlaced();
        }
    }

    /**
     * Goes on when the registrar grants the client id.
     *
     * @param existing the session to continue, already on this shard, or null
     * @return the session that the client id now has, or null when the connection is gone and there
     *     is none
     */
    @Nullable Session granted(@Nullable Session existing) {
        claimed = null;
        if (abandoned) {
            return existing;
        }
        if (connection.will() != null && !context.sessions().mayOweAnother(existing)) {
            shard.counters().increment(Metric.REFUSED_WILLS);
            refuse(ReasonCode.QUOTA_EXCEEDED);
            return existing;
        }
        Will will = connect.will();
        if (existing == null
                && !context.load().mayKeepSession(will == null ? 0 : will.accountedBytes())) {
            return refuseSession();
        }
        if (!takeDiskReserve(existing)) {
            shard.counters().increment(Metric.REFUSED_DISK_ALARM);
            refuse(ReasonCode.QUOTA_EXCEEDED, "the broker's disk is nearly full");
            return existing;
        }
        ClientSettings settings = identity.settings();
        ClientQuotas.Share connectionShare =
                context.quotas()
                        .take(
                                userName(),
                                peer.remoteAddress(),
                                settings.connectionsOfUser(),
                                settings.connectionsOfAddress());
        if (connectionShare == null) {
            shard.counters().increment(Metric.REFUSED_CONNECTIONS_SHARE);
            refuse(
                    ReasonCode.QUOTA_EXCEEDED,
                    "too many connections (limits.connections-per-user, -per-address)");
            return existing;
        }
        connection.share = connectionShare;
        boolean present = existing != null;
        Session session = existing;
        if (session == null) {
            ClientQuotas.Share share =
                    context.sessions().takeShare(userName(), peer.remoteAddress());
            if (share == null) {
                return refuseSession();
            }
            session =
                    context.sessions()
                            .create(
                                    clientId,
                                    connect.version(),
                                    expirySeconds,
                                    expirySeconds > 0 || connection.will() != null,
                                    share);
        }
        if (session == null) {
            refuse(ReasonCode.SERVER_UNAVAILABLE);
            return null;
        }
        Session mine = session;
        mine.life().belongsTo(identity.userName());
        boolean waits = mine.life().attach(connection, connect.version(), expirySeconds);
        connection.attached(mine);
        if (waits) {
            shard.afterCommit(mine.copySet(), isKept -> onCommit(mine, present, isKept));
        } else {
            onCommit(mine, present, true);
        }
        return mine;
    }

    /**
     * Takes what the CONNECT writes from the reserve of the disk alarm. A durable session comes
     * back once in each alarm even when nothing is left: who takes what is queued frees space.
     */
    private boolean takeDiskReserve(@Nullable Session existing) {
        Will will = connect.will();
        long willBytes = will == null ? 0 : will.accountedBytes();
        ShardLoad load = context.load();
        if (existing == null || expirySeconds > 0 && !existing.isDurable()) {
            boolean isStored = expirySeconds > 0 || will != null;
            return !isStored || load.takeDiskReserveForSession(willBytes);
        }
        if (will == null || load.takeDiskReserveForWill(willBytes)) {
            return true;
        }
        if (!existing.isDurable() || existing.hasReturnedIn(load.diskAlarms())) {
            return false;
        }
        existing.returnIn(load.diskAlarms());
        return true;
    }

    private @Nullable Session refuseSession() {
        shard.counters().increment(Metric.REFUSED_SESSIONS);
        refuse(ReasonCode.QUOTA_EXCEEDED);
        return null;
    }

    private void onCommit(Session session, boolean present, boolean isKept) {
        if (abandoned) {
            return;
        }
        if (!isKept) {
            refuse(ReasonCode.SERVER_UNAVAILABLE);
            if (!present) {
                session.life().end(true); // Nobody was promised one.
            }
            return;
        }
        if (!present || rules == AccessControl.OPEN) {
            // With CONNACK the session begins to send what has waited for its client.
            context.greetings().add(() -> greet(session, present));
        } else {
            FilterReview.begin(
                    context.subscribing(),
                    session,
                    connection.access(),
                    context.log()::filtersRevoked,
                    () -> context.greetings().add(() -> greet(session, present)));
        }
    }

    private void greet(Session session, boolean present) {
        if (abandoned) {
            return;
        }
        Security security = context.security();
        if (rules != security.rulesOf(subject()) || security.isRemoved(identity)) {
            if (takeIdentity(identity)) { // The rules have changed meanwhile.
                onCommit(session, present, true);
            } else if (!present) {
                session.life().end(true); // Nobody was promised one.
            }
            return;
        }
        Properties asked = connect.properties();
        boolean v5 = connect.version().isV5();
        int inFlightMax =
                v5
                        ? (int) asked.number(Property.RECEIVE_MAXIMUM, context.mqtt().inFlight3x())
                        : context.mqtt().inFlight3x();
        int keepAlive = keepAlive();
        Packet.ConnAck connAck = reviewedConnAck;
        if (connAck == null) {
            connAck =
                    new Packet.ConnAck(
                            present && connect.version() != ProtocolVersion.MQTT_3_1,
                            0,
                            v5 ? connAckProperties(keepAlive) : Properties.NONE);
            if (connection.sees(PacketType.CONNACK, true)) {
                connection.reviewConnAck(
                        connAck,
                        made -> {
                            reviewedConnAck = made;
                            greet(session, present); // The rules may have changed meanwhile.
                        });
                return;
            }
        }
        connection.connected(
                session,
                connAck,
                keepAlive,
                Math.min(inFlightMax, 65_534),
                (int)
                        Math.min(
                                asked.number(Property.TOPIC_ALIAS_MAXIMUM, 0),
                                context.mqtt().topicAliasMaximumOutbound()),
                asked.number(Property.REQUEST_PROBLEM_INFORMATION, 1) == 1,
                exchange);
    }

    private int keepAlive() {
        int asked = connect.keepAliveSeconds();
        int max = context.mqtt().keepAliveMaximum();
        return max > 0 && (asked == 0 || asked > max) ? max : asked;
    }

    /** Only what differs from the standard's defaults. */
    private Properties connAckProperties(int keepAlive) {
        Properties.Builder properties = Properties.builder();
        // A reviewer, also that of another node, may have changed the CONNECT: then nobody here
        // knows what the client asked for.
        boolean mayBeChanged = isFromElsewhere || context.reviews().connects() != null;
        long askedExpiry = connect.properties().number(Property.SESSION_EXPIRY_INTERVAL, 0);
        if (expirySeconds != askedExpiry || mayBeChanged) {
            properties.add(Property.SESSION_EXPIRY_INTERVAL, expirySeconds);
        }
        int granted = connection.settings().receiveMaximum();
        ifOther(
                properties,
                Property.RECEIVE_MAXIMUM,
                granted == 0 ? context.mqtt().receiveMaximum() : granted,
                65_535);
        if (context.mqtt().maximumQos() < 2) {
            properties.add(Property.MAXIMUM_QOS, context.mqtt().maximumQos());
        }
        ifOff(properties, Property.RETAIN_AVAILABLE, context.mqtt().retainAvailable());
        ifOther(
                properties,
                Property.MAXIMUM_PACKET_SIZE,
                context.mqtt().maximumPacketSize(),
                PACKET_SIZE_UNLIMITED);
        if (assignedId) {
            properties.add(Property.ASSIGNED_CLIENT_IDENTIFIER, clientId.toString());
        }
        ifOther(properties, Property.TOPIC_ALIAS_MAXIMUM, context.mqtt().topicAliasMaximum(), 0);
        ifOff(
                properties,
                Property.WILDCARD_SUBSCRIPTION_AVAILABLE,
                context.mqtt().wildcardSubscriptions());
        ifOff(
                properties,
                Property.SUBSCRIPTION_IDENTIFIER_AVAILABLE,
                context.mqtt().subscriptionIdentifiers());
        ifOff(
                properties,
                Property.SHARED_SUBSCRIPTION_AVAILABLE,
                context.mqtt().sharedSubscriptions());
        if (keepAlive != connect.keepAliveSeconds() || mayBeChanged) {
            properties.add(Property.SERVER_KEEP_ALIVE, keepAlive);
        }
        if (connect.properties().number(Property.REQUEST_RESPONSE_INFORMATION, 0) == 1
                && !context.mqtt().responseInformation().isEmpty()) {
            properties.add(Property.RESPONSE_INFORMATION, context.mqtt().responseInformation());
        }
        String method = connect.properties().text(Property.AUTHENTICATION_METHOD);
        if (method != null) {
            properties.add(Property.AUTHENTICATION_METHOD, method);
            if (authenticationData != null) {
                properties.add(Property.AUTHENTICATION_DATA, authenticationData);
            }
        }
        return properties.build();
    }

    private static void ifOther(Properties.Builder to, Property property, long value, long usual) {
        if (value != usual) {
            to.add(property, value);
        }
    }

    private static void ifOff(Properties.Builder to, Property property, boolean available) {
        if (!available) {
            to.add(property, 0);
        }
    }

    void refuse(ReasonCode reason) {
        refuse(reason, "");
    }

    void refuse(ReasonCode reason, String text) {
        if (!abandoned) {
            connection.refuse(reason, text);
        }
    }

    /** Drops whatever comes from now on, since the connection is gone. */
    void abandon() {
        abandoned = true;
        authentication = null;
        if (setup != null) {
            setup.ended();
        }
        awaitsConnectReview = false;
        if (awaitsReview || awaitsSetup) {
            awaitsReview = false;
            awaitsSetup = false;
            withdrawPlaced();
        }
        Placement.Question asked = question;
        if (asked != null) {
            question = null;
            asked.withdraw();
        }
        Token waits = claimed;
        if (waits != null) {
            context.takeover().withdraw(clientId, waits);
        }
        release();
    }

    /**
     * The byte of CONNACK for a refusal.
     *
     * @return a reason code in 5.0; 1..5 in 3.x, or -1 when 3.x has no word for it and just closes
     */
    static int connAckCode(ProtocolVersion version, ReasonCode reason) {
        if (version.isV5()) {
            return reason.code();
        }
        return switch (reason) {
            case UNSUPPORTED_PROTOCOL_VERSION -> 1;
            case CLIENT_IDENTIFIER_NOT_VALID -> 2;
            case SERVER_UNAVAILABLE,
                    SERVER_BUSY,
                    SERVER_SHUTTING_DOWN,
                    QUOTA_EXCEEDED,
                    CONNECTION_RATE_EXCEEDED ->
                    3;
            case BAD_USER_NAME_OR_PASSWORD -> 4;
            case NOT_AUTHORIZED, BANNED, BAD_AUTHENTICATION_METHOD -> 5;
            default -> -1;
        };
    }
}
