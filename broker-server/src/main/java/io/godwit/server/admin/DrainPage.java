package io.godwit.server.admin;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /cluster/drain?node=NAME} and {@code POST /cluster/undrain?node=NAME}: this node,
 * which has to have that name or server id, gives its sessions to others and leads nothing; or may
 * lead again. Answers at once how far it is, and may be asked again.
 */
final class DrainPage {
    static final String DRAIN_PATH = "/cluster/drain";
    static final String UNDRAIN_PATH = "/cluster/undrain";
    static final String DRAIN = "drain";
    static final String UNDRAIN = "undrain";

    private final @Nullable ClusterView cluster;

    /**
     * @param cluster null: this node is in none
     */
    DrainPage(@Nullable ClusterView cluster) {
        this.cluster = cluster;
    }

    CompletableFuture<HttpAnswer> answer(String uri, boolean isDraining) {
        return CompletableFuture.completedFuture(drain(uri, isDraining));
    }

    private HttpAnswer drain(String uri, boolean isDraining) {
        if (cluster == null) {
            return HttpAnswer.error(
                    HttpResponseStatus.CONFLICT,
                    "this broker is not in a cluster (cluster.enabled: false)");
        }
        List<String> node;
        try {
            node = new QueryStringDecoder(uri).parameters().getOrDefault("node", List.of());
        } catch (IllegalArgumentException e) {
            return HttpAnswer.error(HttpResponseStatus.BAD_REQUEST, "malformed query");
        }
        if (node.size() != 1) {
            return HttpAnswer.error(
                    HttpResponseStatus.BAD_REQUEST,
                    "node= must be given exactly once, with the name or server id of this node");
        }
        DrainResult result = cluster.drain(node.getFirst(), isDraining);
        String refusal = result.refusal();
        if (refusal != null) {
            return HttpAnswer.error(HttpResponseStatus.CONFLICT, refusal);
        }
        return HttpAnswer.json(
                JsonText.write(json -> {
                    json.writeStringField("name", result.name());
                    json.writeBooleanField("draining", result.isDraining());
                    json.writeArrayFieldStart("setsLeft");
                    for (int each : result.left()) {
                        json.writeNumber(each);
                    }
                    json.writeEndArray();
                })
                        + "\n");
    }
}
