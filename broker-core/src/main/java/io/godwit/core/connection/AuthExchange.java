package io.godwit.core.connection;

import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.auth.EnhancedAuthenticator.Step;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;
import org.jspecify.annotations.Nullable;

/**
 * Enhanced authentication of one connection (MQTT 5.0, 4.12), on CONNECT and again whenever the
 * client asks.
 *
 * <pre>
 * state         trigger                  next
 * IDLE          CONNECT, AUTH 0x19       THINKING
 * THINKING      Continue                 WAITING (AUTH 0x18 goes out)
 * THINKING      Success                  IDLE (CONNACK 0, or AUTH 0x00)
 * THINKING      Failure                  connection closed (CONNACK or DISCONNECT with the reason)
 * WAITING       AUTH 0x18                THINKING
 * </pre>
 *
 * Any other AUTH is a protocol error. While a re-authentication runs the client goes on under the
 * old one [MQTT-4.12.1-2].
 */
final class AuthExchange {
    private enum State {
        IDLE,
        THINKING,
        WAITING
    }

    private final ConnectionLife connection;
    private final EnhancedAuthenticator authenticator;
    private final Packet.Connect sender;
    private final Peer peer;
    private State state = State.IDLE;

    /** Counts the steps: an answer counts for its own one. */
    private int steps;

    private EnhancedAuthenticator.@Nullable Exchange exchange;
    private @Nullable ConnectHandler connecting;

    /**
     * @param connect is not kept: its will and properties may be large, and this lives as long as
     *     the connection
     */
    AuthExchange(
            ConnectionLife connection,
            EnhancedAuthenticator authenticator,
            Packet.Connect connect,
            Peer peer) {
        this.connection = connection;
        this.authenticator = authenticator;
        this.sender = connect.sender();
        this.peer = peer;
    }

    /** On CONNECT: its outcome goes to the handler. */
    void begin(ConnectHandler handler, Packet.Connect connect, byte @Nullable [] data) {
        connecting = handler;
        start(connect, data);
    }

    void onAuth(Packet.Auth auth) {
        String method = auth.properties().text(Property.AUTHENTICATION_METHOD);
        if (!authenticator.method().equals(method)) {
            throw new ProtocolViolation(
                    ReasonCode.PROTOCOL_ERROR, "AUTH with another Authentication Method");
        }
        byte[] data = auth.properties().binary(Property.AUTHENTICATION_DATA);
        if (auth.reason() == ReasonCode.REAUTHENTICATE && state == State.IDLE) {
            start(sender, data);
        } else if (auth.reason() == ReasonCode.CONTINUE_AUTHENTICATION && state == State.WAITING) {
            step(data);
        } else {
            throw new ProtocolViolation(
                    ReasonCode.PROTOCOL_ERROR, "AUTH " + auth.reason() + " out of turn");
        }
    }

    private void start(Packet.Connect from, byte @Nullable [] data) {
        try {
            exchange = authenticator.begin(from, peer);
        } catch (RuntimeException failure) {
            state = State.THINKING;
            failed(++steps, failure);
            return;
        }
        step(data);
    }

    private void step(byte @Nullable [] data) {
        state = State.THINKING;
        int asked = ++steps;
        EnhancedAuthenticator.Exchange running = exchange;
        if (running == null) {
            return;
        }
        connection.awaitVerdict(connection.context.security().authenticateMs());
        try {
            running.step(data, answer -> connection.shard.run(() -> onStep(asked, answer)));
        } catch (RuntimeException failure) {
            failed(asked, failure);
        }
    }

    private void failed(int asked, RuntimeException failure) {
        connection.context.log().authenticatorFailed(authenticator.method(), failure);
        onStep(asked, new Step.Failure(ReasonCode.SERVER_UNAVAILABLE));
    }

    /**
     * Ends the connection if the authenticator has not answered in its time.
     *
     * @return whether its answer was waited for
     */
    boolean timedOut() {
        if (state != State.THINKING) {
            return false;
        }
        connection.context.log().authenticatorSilent(authenticator.method());
        onStep(steps, new Step.Failure(ReasonCode.SERVER_UNAVAILABLE));
        return true;
    }

    private void onStep(int asked, Step answer) {
        if (connection.isClosed() || state != State.THINKING || asked != steps) {
            return; // A second answer, or one that came too late.
        }
        connection.stopAwaitingVerdict();
        ConnectHandler handler = connecting;
        switch (answer) {
            case Step.Continue more -> {
                state = State.WAITING;
                connection.sendAuth(auth(ReasonCode.CONTINUE_AUTHENTICATION, more.data()));
            }
            case Step.Success success -> {
                state = State.IDLE;
                connecting = null;
                exchange = null;
                Identity identity =
                        Authentication.grantedBy(success.identity(), authenticator.authenticator());
                if (handler != null) {
                    handler.authenticated(identity, success.data());
                } else if (connection.authenticatedAgain(identity)) {
                    connection.send(auth(ReasonCode.SUCCESS, success.data()));
                }
            }
            case Step.Failure failure -> {
                if (handler != null) {
                    handler.refuse(failure.reason());
                } else {
                    closeFor(failure.reason());
                }
            }
        }
    }

    /** Ends the connection; DISCONNECT has not all reasons of CONNACK [MQTT-3.14.2-1]. */
    private void closeFor(ReasonCode reason) {
        ReasonCode told =
                switch (reason) {
                    case BAD_AUTHENTICATION_METHOD, BAD_USER_NAME_OR_PASSWORD, BANNED ->
                            ReasonCode.NOT_AUTHORIZED;
                    case SERVER_UNAVAILABLE -> ReasonCode.SERVER_BUSY;
                    default -> reason;
                };
        String text =
                reason == ReasonCode.BAD_AUTHENTICATION_METHOD
                        ? "the broker does not have this Authentication Method"
                        : "re-authentication failed";
        connection.close(told, text, true);
    }

    private Packet.Auth auth(ReasonCode reason, byte @Nullable [] data) {
        Properties.Builder properties =
                Properties.builder().add(Property.AUTHENTICATION_METHOD, authenticator.method());
        if (data != null) {
            properties.add(Property.AUTHENTICATION_DATA, data);
        }
        return new Packet.Auth(reason, properties.build());
    }
}
