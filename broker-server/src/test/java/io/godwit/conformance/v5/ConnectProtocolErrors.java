package io.godwit.conformance.v5;

import static io.godwit.conformance.wire.Bytes.text;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.wire.Props;
import org.junit.jupiter.api.Test;

/** "It is a Protocol Error" in the properties of CONNECT and of its Will (3.1.2.11, 3.1.3.2). */
class ConnectProtocolErrors extends Conformance5 {
    @Test
    @Mqtt5("PE-3.1.2.11.2")
    void session_expiry_is_there_once() {
        once(Props.sessionExpiry(10));
    }

    @Test
    @Mqtt5("PE-3.1.2.11.3-1")
    void receive_maximum_is_there_once() {
        once(Props.receiveMaximum(10));
    }

    @Test
    @Mqtt5("PE-3.1.2.11.4-1")
    void maximum_packet_size_is_there_once() {
        once(Props.maximumPacketSize(1_000));
    }

    @Test
    @Mqtt5("PE-3.1.2.11.5")
    void topic_alias_maximum_is_there_once() {
        once(Props.topicAliasMaximum(10));
    }

    @Test
    @Mqtt5("PE-3.1.2.11.6-1")
    void request_response_information_is_there_once() {
        once(Props.requestResponseInformation(1));
    }

    @Test
    @Mqtt5("PE-3.1.2.11.7-1")
    void request_problem_information_is_there_once() {
        once(Props.requestProblemInformation(1));
    }

    @Test
    @Mqtt5("PE-3.1.3.2.2")
    void will_delay_of_the_will_is_there_once() {
        onceInWill(Props.willDelay(1));
    }

    @Test
    @Mqtt5("PE-3.1.3.2.3")
    void payload_format_of_the_will_is_there_once() {
        onceInWill(Props.payloadFormat(1));
    }

    @Test
    @Mqtt5("PE-3.1.3.2.4")
    void message_expiry_of_the_will_is_there_once() {
        onceInWill(Props.messageExpiry(10));
    }

    @Test
    @Mqtt5("PE-3.1.3.2.5")
    void content_type_of_the_will_is_there_once() {
        onceInWill(Props.contentType("a/b"));
    }

    @Test
    @Mqtt5("PE-3.1.3.2.6")
    void response_topic_of_the_will_is_there_once() {
        onceInWill(Props.responseTopic("a/b"));
    }

    @Test
    @Mqtt5("PE-3.1.3.2.7")
    void correlation_data_of_the_will_is_there_once() {
        onceInWill(Props.correlationData(new byte[1]));
    }

    @Test
    @Mqtt5("PE-3.1.2.11.3-2")
    void receive_maximum_is_not_0() {
        accepted(connect().properties(Props.receiveMaximum(1)));
        refused(connect().properties(Props.receiveMaximum(0)), 0x82);
    }

    @Test
    @Mqtt5("PE-3.1.2.11.4-2")
    void maximum_packet_size_is_not_0() {
        accepted(connect().properties(Props.maximumPacketSize(1_000)));
        refused(connect().properties(Props.maximumPacketSize(0)), 0x82);
    }

    @Test
    @Mqtt5({"PE-3.1.2.11.6-2", "PE-3.1.2.11.7-2"})
    void requests_for_information_are_0_or_1() {
        for (int value = 0; value <= 1; value++) {
            accepted(
                    connect()
                            .properties(
                                    Props.requestResponseInformation(value),
                                    Props.requestProblemInformation(value)));
        }
        refused(connect().properties(Props.requestResponseInformation(2)), 0x82);
        refused(connect().properties(Props.requestProblemInformation(2)), 0x82);
    }

    @Test
    @Mqtt5("PE-3.1.2.11.9")
    void authentication_method_is_there_once() {
        accepted(connect());
        byte[] method = Props.authMethod("NO-SUCH-METHOD");
        refused(connect().properties(method), 0x8C);
        refused(connect().properties(method, method), 0x82);
    }

    @Test
    @Mqtt5({"PE-3.1.2.11.10-1", "PE-3.1.2.11.10-2"})
    void authentication_data_is_there_once_and_with_a_method() {
        accepted(connect());
        byte[] method = Props.authMethod("NO-SUCH-METHOD");
        byte[] data = Props.authData(text("data"));
        refused(connect().properties(method, data), 0x8C);
        refused(connect().properties(data), 0x82);
        refused(connect().properties(method, data, data), 0x82);
    }

    private void once(byte[] property) {
        byte[] user = Props.userProperty("n", "v");
        accepted(connect().properties(property, user, user));
        refused(connect().properties(property, user, property), 0x82);
    }

    private void onceInWill(byte[] property) {
        byte[] user = Props.userProperty("n", "v");
        var good = connect().will(topic("will"), "x").willProperties(property, user, user);
        accepted(good);
        var bad = connect().will(topic("will"), "x").willProperties(property, user, property);
        refused(bad, 0x82);
    }
}
