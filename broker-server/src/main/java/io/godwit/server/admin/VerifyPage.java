package io.godwit.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** {@code POST /cluster/verify}: whether all copies are equal to what their leaders have. */
final class VerifyPage {
    static final String PATH = "/cluster/verify";
    static final String COMMAND = "verify";

    /** Beyond the minute that the cluster has. */
    private static final long MARGIN_MS = 5_000;

    private final @Nullable ClusterView cluster;

    /**
     * @param cluster null: this node is in none
     */
    VerifyPage(@Nullable ClusterView cluster) {
        this.cluster = cluster;
    }

    CompletableFuture<HttpAnswer> answer() {
        if (cluster == null) {
            return CompletableFuture.completedFuture(
                    HttpAnswer.error(
                            HttpResponseStatus.CONFLICT,
                            "this broker is not in a cluster (cluster.enabled: false)"));
        }
        return cluster.verify()
                .orTimeout(ClusterView.VERIFY_MS + MARGIN_MS, TimeUnit.MILLISECONDS)
                .handle((result, failure) ->
                        failure == null
                                ? answer(result)
                                : HttpAnswer.error(
                                        HttpResponseStatus.SERVICE_UNAVAILABLE,
                                        "the node did not answer in time"));
    }

    private static HttpAnswer answer(VerifyResult result) {
        if (result.isBusy()) {
            return HttpAnswer.error(
                    HttpResponseStatus.CONFLICT,
                    "copies are being compared already: ask again when that is over");
        }
        return HttpAnswer.json(
                JsonText.write(json -> {
                    json.writeArrayFieldStart("leaders");
                    for (VerifyResult.Leader each : result.leaders()) {
                        leader(json, each);
                    }
                    json.writeEndArray();
                })
                        + "\n");
    }

    private static void leader(JsonGenerator json, VerifyResult.Leader leader) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", leader.name());
        json.writeNumberField("server", leader.server());
        json.writeNumberField("copies", leader.copies());
        json.writeNumberField("setsMissing", leader.setsMissing());
        json.writeStringField("notCompared", leader.reason());
        json.writeArrayFieldStart("followers");
        for (VerifyResult.Follower each : leader.followers()) {
            json.writeStartObject();
            json.writeStringField("name", each.name());
            json.writeNumberField("server", each.server());
            json.writeNumberField("sets", each.sets());
            json.writeNumberField("queues", each.queues());
            json.writeNumberField("slotsDiffering", each.slotsDiffering());
            json.writeStringField("notCompared", each.reason());
            json.writeArrayFieldStart("slots");
            for (VerifyResult.Slot slot : each.slots()) {
                json.writeStartObject();
                json.writeStringField("slot", slot.name());
                json.writeNumberField("queues", slot.queues());
                json.writeNumberField("copied", slot.copied());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
