package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.review.ClientEvents;
import io.godwit.core.review.SessionEvents;
import io.godwit.extension.client.Client;
import io.godwit.extension.event.ClientListener;
import io.godwit.extension.event.SessionListener;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExtensionEventsTest {
    private final SteppedCalls.Clock clock = new SteppedCalls.Clock();
    private final SteppedCalls extension = new SteppedCalls("ext", clock);
    private final List<String> told = new ArrayList<>();
    private final Subject client =
            new Subject(
                    ClientId.of("c"),
                    Identity.ofUser("user"),
                    new Peer("10.0.0.1:5000", false, "tcp"));

    private final class Listener implements ClientListener {
        @Override
        public void onRefused(Refusal refusal) {
            told.add("refused " + refusal.clientId() + " " + refusal.reasonCode());
        }

        @Override
        public void onConnected(Client connected, boolean sessionPresent) {
            told.add("connected " + connected.clientId() + " " + sessionPresent);
            if (sessionPresent) {
                throw new IllegalStateException("test");
            }
        }

        @Override
        public void onDisconnected(Client gone, Disconnect disconnect) {
            told.add("disconnected " + disconnect.cause() + " " + disconnect.reasonCode());
        }
    }

    private ClientEvents events() {
        extension.registering.listeners.add(new Listener());
        ClientEvents made =
                new ExtensionHooks(List.of(extension.running(0)), new ReviewOrder(), 1_000)
                        .events();
        assertThat(made).isNotNull();
        return made;
    }

    @Test
    void events_are_told_in_their_order_in_threads_of_the_extension() {
        ClientEvents events = events();
        events.refused(client.clientId(), client.peer(), ReasonCode.BANNED, "why");
        events.connected(client, ProtocolVersion.MQTT_5, false);
        events.disconnected(
                client,
                ProtocolVersion.MQTT_5,
                ClientEvents.Cause.SERVER,
                ReasonCode.KEEP_ALIVE_TIMEOUT);
        assertThat(told).isEmpty();

        extension.runAll();

        assertThat(told)
                .containsExactly("refused c 138", "connected c false", "disconnected SERVER 141");
    }

    @Test
    void events_of_sessions_are_told_in_order_with_those_of_their_clients() {
        extension.registering.sessionListeners.add(
                new SessionListener() {
                    @Override
                    public void onCreated(SessionChange change) {
                        told.add("created " + change);
                    }

                    @Override
                    public void onEnded(SessionChange change) {
                        told.add("ended " + change.clientId() + " " + change.cause());
                    }
                });
        ClientEvents events = events();
        SessionEvents sessions =
                new ExtensionHooks(List.of(extension.running(0)), new ReviewOrder(), 1_000)
                        .sessionEvents();
        assertThat(sessions).isNotNull();
        sessions.happened(
                client.clientId(),
                "ann",
                7,
                SessionEvents.Kind.CREATED,
                SessionEvents.Cause.CONNECT);
        events.connected(client, ProtocolVersion.MQTT_5, false);
        sessions.happened(
                client.clientId(),
                "ann",
                7,
                SessionEvents.Kind.ENDED,
                SessionEvents.Cause.ADMINISTRATOR);
        extension.runAll();

        assertThat(told)
                .containsExactly(
                        "created SessionChange[clientId=c, userName=ann, expirySeconds=7,"
                                + " cause=CONNECT]",
                        "connected c false",
                        "ended c ADMINISTRATOR");
        assertThat(extension.state(CallKind.SESSION_EVENT).answered()).isEqualTo(2);
    }

    @Test
    void an_event_whose_listener_throws_does_not_stop_the_next_one() {
        ClientEvents events = events();
        events.connected(client, ProtocolVersion.MQTT_5, true);
        events.connected(client, ProtocolVersion.MQTT_5, false);
        extension.runAll();

        assertThat(told).containsExactly("connected c true", "connected c false");
        assertThat(extension.state(CallKind.CLIENT_EVENT).failed(CallFailure.EXCEPTION))
                .isEqualTo(1);
    }

    @Test
    void events_for_which_there_is_no_place_are_dropped_and_counted() {
        ClientEvents events = events();
        for (int i = 0; i < 10_005; i++) {
            events.connected(client, ProtocolVersion.MQTT_5, false);
        }
        extension.runAll();

        assertThat(told).hasSize(10_000);
        assertThat(extension.calls.state().eventsDropped()).isEqualTo(5);
    }

    @Test
    void the_metrics_page_shows_extensions_while_they_run() {
        List<CallsState> running = new ArrayList<>();
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new CallMeters(() -> running).bindTo(registry);
        assertThat(registry.scrape()).doesNotContain("godwit_extension");

        ClientEvents events = events();
        events.connected(client, ProtocolVersion.MQTT_5, true);
        events.connected(client, ProtocolVersion.MQTT_5, false);
        extension.runAll();
        running.add(extension.calls.state());

        assertThat(registry.scrape())
                .contains(
                        "godwit_extension_calls_total{extension=\"ext\",kind=\"client-event\"} 1.0",
                        "godwit_extension_calls_failed_total{cause=\"exception\",extension=\"ext\","
                                + "kind=\"client-event\"} 1.0",
                        "godwit_extension_breaker_open{extension=\"ext\",kind=\"client-event\"} 0.0",
                        "godwit_extension_waiting_calls{extension=\"ext\"} 0.0");
    }
}
