package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.ClientSettings;
import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.auth.EnhancedAuthenticator.Step;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Verdict;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.settings.QueueBounds;
import io.godwit.core.settings.QueuePolicy;
import io.godwit.extension.access.AccessRule;
import io.godwit.extension.access.AccessRules;
import io.godwit.extension.auth.AuthenticationResult;
import io.godwit.extension.auth.Grant;
import io.godwit.extension.packet.Bytes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ExtensionAuthenticationTest {
    private static final Peer PEER = new Peer("10.0.0.1:5000", false, "tcp");

    private final SteppedCalls.Clock clock = new SteppedCalls.Clock();
    private final SteppedCalls extension = new SteppedCalls("ext", clock);
    private final List<Verdict> verdicts = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();

    private static Packet.Connect connect(Properties properties) {
        return new Packet.Connect(
                ProtocolVersion.MQTT_5,
                ClientId.of("c"),
                true,
                0,
                null,
                "user",
                null,
                false,
                properties);
    }

    private ExtensionHooks hooks() {
        return new ExtensionHooks(List.of(extension.running(0)), new ReviewOrder(), 1_000);
    }

    private void authenticate() {
        io.godwit.core.auth.Authenticator own = hooks().authenticators().get("ext");
        assertThat(own).isNotNull();
        assertThat(own.name()).isEqualTo("ext");
        own.authenticate(connect(Properties.NONE), PEER, verdicts::add);
    }

    @Test
    void a_grant_becomes_an_identity() {
        AccessRules rules =
                AccessRules.of(AccessRule.allow(AccessRule.Action.PUBLISH).topic("a").build());
        extension.registering.authenticator =
                request ->
                        AuthenticationResult.granted(
                                        Grant.to(request.connect().userName() + "-known")
                                                .groups(List.of("g"))
                                                .attributes(Map.of("k", "v"))
                                                .rules(rules)
                                                .connectTime(Duration.ofMillis(1_500))
                                                .receiveMaximum(5)
                                                .publishRate(6)
                                                .publishBytes(7)
                                                .queueMessages(8)
                                                .queueBytes(9_000)
                                                .queueFull(Grant.QueueFull.DISCARD_OLDEST)
                                                .connectionsOfUser(10)
                                                .connectionsOfAddress(11)
                                                .build())
                                .now();
        authenticate();
        assertThat(verdicts).isEmpty();
        extension.runAll();

        Identity identity = ((Verdict.Granted) verdicts.get(0)).identity();
        assertThat(identity.userName()).isEqualTo("user-known");
        assertThat(identity.groups()).containsExactly("g");
        assertThat(identity.attributes()).containsEntry("k", "v");
        assertThat(identity.connectSeconds()).isEqualTo(2);
        assertThat(identity.settings())
                .isEqualTo(
                        new ClientSettings(
                                5,
                                6,
                                7,
                                new QueueBounds(8, 9_000, QueuePolicy.DISCARD_OLDEST),
                                10,
                                11));
        assertThat(identity.access()).isNotNull();
        assertThat(extension.calls.state().waiting()).isZero();
    }

    @Test
    void it_may_pass_on_or_refuse() {
        extension.registering.authenticator = request -> AuthenticationResult.passedOn().now();
        authenticate();
        extension.registering.authenticator =
                request ->
                        AuthenticationResult.refused(
                                        io.godwit.extension.packet.ReasonCode.BANNED, "why")
                                .now();
        authenticate();
        extension.runAll();

        assertThat(verdicts)
                .containsExactly(
                        new Verdict.PassedOn(), new Verdict.Refused(ReasonCode.BANNED, "why"));
    }

    static Stream<Grant> badGrants() {
        return Stream.of(
                Grant.to("\uD800").build(),
                Grant.to("u").attributes(Map.of("k", "v".repeat(10_000))).build(),
                Grant.to("u")
                        .rules(AccessRules.of(AccessRule.allow().group("unknown").build()))
                        .build());
    }

    @ParameterizedTest
    @MethodSource("badGrants")
    void a_grant_that_the_broker_cannot_take_keeps_the_client_out(Grant grant) {
        extension.registering.authenticator = request -> AuthenticationResult.granted(grant).now();
        authenticate();
        extension.runAll();

        assertThat(verdicts).containsExactly(new Verdict.Refused(ReasonCode.SERVER_UNAVAILABLE));
        assertThat(extension.state(CallKind.AUTHENTICATE).failed(CallFailure.INVALID)).isEqualTo(1);
    }

    @Test
    void no_answer_keeps_the_client_out_and_without_a_place_the_broker_is_busy() {
        extension.registering.authenticator = request -> new CompletableFuture<>();
        for (int i = 0; i < 101; i++) {
            authenticate();
        }
        assertThat(verdicts).containsExactly(new Verdict.Refused(ReasonCode.SERVER_BUSY));
        extension.runAll();
        extension.passMs(10_000);

        assertThat(verdicts)
                .hasSize(101)
                .endsWith(new Verdict.Refused(ReasonCode.SERVER_UNAVAILABLE));
        assertThat(extension.calls.state().waiting()).isZero();
    }

    @Test
    void an_enhanced_authenticator_takes_steps_and_lets_the_client_in() {
        extension.registering.methods.put(
                "M",
                request ->
                        data ->
                                data == null
                                        ? more("first " + request.connect().clientId()).now()
                                        : success(data).now());
        EnhancedAuthenticator method = hooks().methods().get("M");
        assertThat(method).isNotNull();
        assertThat(method.method()).isEqualTo("M");
        String id = extension.calls.id();
        assertThat(method.authenticator()).as("asked where its extension is").isEqualTo(id);
        List<Verdict> ofOthers = new ArrayList<>();
        hooks().authenticators()
                .forEach((name, each) -> each.authenticate(connectBy("M"), PEER, ofOthers::add));
        assertThat(ofOthers).containsExactly(new Verdict.PassedOn());
        EnhancedAuthenticator.Exchange exchange = method.begin(connectBy("M"), PEER);
        exchange.step(null, steps::add);
        extension.runAll();
        exchange.step(text("answer"), steps::add);
        extension.runAll();

        assertThat(((Step.Continue) steps.get(0)).data()).isEqualTo(text("first c"));
        Step.Success success = (Step.Success) steps.get(1);
        assertThat(success.data()).isEqualTo(text("answer"));
        assertThat(success.identity().userName()).isEqualTo("known");
    }

    @Test
    @SuppressWarnings("NullAway") // An extension may be compiled without it.
    void a_method_is_a_part_of_its_extensions_authenticator() {
        extension.registering.authenticator = request -> AuthenticationResult.passedOn().now();
        extension.registering.methods.put("M", request -> data -> null);

        assertThat(hooks().methods().get("M"))
                .extracting(EnhancedAuthenticator::authenticator)
                .isEqualTo("ext");
    }

    @Test
    @SuppressWarnings("NullAway") // An extension may be compiled without it.
    void a_failed_step_keeps_the_client_out_or_ends_its_connection() {
        extension.registering.methods.put("M", request -> data -> null);
        EnhancedAuthenticator method = hooks().methods().get("M");
        assertThat(method).isNotNull();
        method.begin(connectBy("M"), PEER).step(null, steps::add);
        method.begin(connectBy("M").sender(), PEER).step(null, steps::add);
        extension.runAll();

        assertThat(steps)
                .containsExactly(
                        new Step.Failure(ReasonCode.SERVER_UNAVAILABLE),
                        new Step.Failure(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR));
    }

    private static Packet.Connect connectBy(String method) {
        return connect(Properties.builder().add(Property.AUTHENTICATION_METHOD, method).build());
    }

    private static io.godwit.extension.auth.EnhancedAuthenticator.Step more(String text) {
        return new io.godwit.extension.auth.EnhancedAuthenticator.Step.Continue(Bytes.ofText(text));
    }

    private static io.godwit.extension.auth.EnhancedAuthenticator.Step success(Bytes data) {
        return new io.godwit.extension.auth.EnhancedAuthenticator.Step.Success(
                Grant.to("known").build(), data);
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
