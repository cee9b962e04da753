package io.godwit.conformance.v5;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.wire.Props;
import io.godwit.conformance.wire.WireClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * What is refused, or reaches nobody, says why in words, where the client takes them: without these
 * the rules about leaving a Reason String out would hold for want of any.
 */
class ReasonStringConformance extends Conformance5 {
    private static final int REASON_STRING = 0x1F;

    @Test
    @Mqtt5({"MQTT-3.4.2-2", "MQTT-3.5.2-2"})
    @ResourceLock(value = EVERY_TOPIC, mode = ResourceAccessMode.READ)
    void puback_and_pubrec_say_why_as_far_as_the_client_has_room() {
        String topic = topic("nobody");
        var client = client();
        var pubAck = client.send(publish(topic).qos(1, 1)).next();
        assertThat(pubAck.ack(PUBACK).properties().text(REASON_STRING)).contains("subscribed");
        var pubRec = client.send(publish(topic).qos(2, 2)).next();
        assertThat(pubRec.ack(PUBREC).properties().text(REASON_STRING)).contains("subscribed");
        var exact = withRoom(pubAck.size());
        assertThat(exact.send(publish(topic).qos(1, 1)).next().size()).isEqualTo(pubAck.size());
        var tight = withRoom(pubAck.size() - 1);
        var without = tight.send(publish(topic).qos(1, 1)).next().ack(PUBACK);
        assertThat(without.reason()).isEqualTo(0x10);
        assertThat(without.properties().all()).isEmpty();
    }

    @Test
    @Mqtt5({"MQTT-3.6.2-2", "MQTT-3.7.2-2"})
    void pubrel_and_pubcomp_of_what_is_not_under_way_say_so() {
        var client = client();
        var pubRel = client.sendAck(PUBREC, 77).next();
        assertThat(pubRel.ack(PUBREL).properties().text(REASON_STRING)).contains("identifier");
        var pubComp = client.sendAck(PUBREL, 78).next();
        assertThat(pubComp.ack(PUBCOMP).properties().text(REASON_STRING)).contains("identifier");
        var tight = withRoom(pubComp.size() - 1);
        assertThat(tight.sendAck(PUBREL, 78).next().ack(PUBCOMP).properties().all()).isEmpty();
    }

    @Test
    @Mqtt5({"MQTT-3.9.2-1", "MQTT-3.11.2-1"})
    void suback_and_unsuback_name_the_first_filter_that_failed() {
        var client = client();
        String deep = "deep/" + "a/".repeat(200);
        var subAck = client.send(subscribe(1, deep, QOS_0)).next();
        assertThat(subAck.subAck().codes()).containsExactly(0x8F);
        assertThat(subAck.subAck().properties().text(REASON_STRING))
                .startsWith("deep/a/")
                .contains("levels");
        var unsubAck = client.send(unsubscribe(2, "no", "such")).next();
        assertThat(unsubAck.unsubAck().properties().text(REASON_STRING)).startsWith("no: ");
        var tight = withRoom(unsubAck.size() - 1);
        var without = tight.send(unsubscribe(2, "no", "such")).next().unsubAck();
        assertThat(without.codes()).containsExactly(0x11, 0x11);
        assertThat(without.properties().all()).isEmpty();
    }

    @Test
    @Mqtt5("MQTT-3.1.2-29")
    @ResourceLock(value = EVERY_TOPIC, mode = ResourceAccessMode.READ)
    void a_client_that_wants_no_problem_information_gets_none() {
        var client = client(connect().properties(Props.requestProblemInformation(0)));
        String topic = topic("nobody");
        var pubAck = client.send(publish(topic).qos(1, 1)).next().ack(PUBACK);
        assertThat(pubAck.reason()).isEqualTo(0x10);
        assertThat(pubAck.properties().all()).isEmpty();
        var pubComp = client.sendAck(PUBREL, 3).next().ack(PUBCOMP);
        assertThat(pubComp.reason()).isEqualTo(0x92);
        assertThat(pubComp.properties().all()).isEmpty();
        var subAck = client.send(subscribe(4, "a/".repeat(200), QOS_0)).next().subAck();
        assertThat(subAck.codes()).containsExactly(0x8F);
        assertThat(subAck.properties().all()).isEmpty();
        var unsubAck = client.send(unsubscribe(5, "no such filter")).next().unsubAck();
        assertThat(unsubAck.codes()).containsExactly(0x11);
        assertThat(unsubAck.properties().all()).isEmpty();
    }

    private WireClient withRoom(int bytes) {
        return client(connect().properties(Props.maximumPacketSize(bytes)));
    }
}
