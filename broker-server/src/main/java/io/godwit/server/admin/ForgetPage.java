package io.godwit.server.admin;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /cluster/forget?node=NAME}: a member that never comes back does not belong to the
 * cluster any more. With {@code dry-run=true} it only says what that would take away.
 */
final class ForgetPage {
    static final String PATH = "/cluster/forget";
    static final String COMMAND = "forget";

    private static final long MARGIN_MS = 5_000;

    private final @Nullable ClusterView cluster;

    /**
     * @param cluster null: this node is in none
     */
    ForgetPage(@Nullable ClusterView cluster) {
        this.cluster = cluster;
    }

    CompletableFuture<HttpAnswer> answer(String uri) {
        if (cluster == null) {
            return no(
                    HttpResponseStatus.CONFLICT,
                    "this broker is not in a cluster (cluster.enabled: false)");
        }
        Map<String, List<String>> query;
        try {
            query = new QueryStringDecoder(uri).parameters();
        } catch (IllegalArgumentException e) {
            return no(HttpResponseStatus.BAD_REQUEST, "malformed query");
        }
        String node = only(query.get("node"), "");
        String trial = only(query.get("dry-run"), "false");
        if (node.isEmpty() || !trial.equals("true") && !trial.equals("false")) {
            return no(
                    HttpResponseStatus.BAD_REQUEST,
                    "node= must be given exactly once, with a member's name or server id; dry-run="
                            + " must be true or false");
        }
        boolean isEarnest = trial.equals("false");
        return cluster.forget(node, isEarnest)
                .orTimeout(cluster.peerTimeoutMs() + MARGIN_MS, TimeUnit.MILLISECONDS)
                .handle((result, failure) ->
                        failure == null
                                ? answer(result, isEarnest)
                                : HttpAnswer.error(
                                        HttpResponseStatus.SERVICE_UNAVAILABLE,
                                        "the node did not answer in time"));
    }

    private static HttpAnswer answer(ForgetResult result, boolean isEarnest) {
        String refusal = result.refusal();
        if (refusal != null) {
            return HttpAnswer.error(
                    result.server() == 0
                            ? HttpResponseStatus.NOT_FOUND
                            : HttpResponseStatus.CONFLICT,
                    refusal);
        }
        return HttpAnswer.json(
                JsonText.write(json -> {
                    json.writeStringField("name", result.name());
                    json.writeNumberField("server", result.server());
                    json.writeBooleanField("forgotten", isEarnest);
                    if (!isEarnest) {
                        json.writeArrayFieldStart("lost");
                        for (int set : result.lost()) {
                            json.writeNumber(set);
                        }
                        json.writeEndArray();
                        json.writeBooleanField("losesGroups", result.losesGroups());
                    }
                })
                        + "\n");
    }

    /** The only value; empty when there are several. */
    private static String only(@Nullable List<String> values, String absent) {
        if (values == null) {
            return absent;
        }
        return values.size() == 1 ? values.getFirst() : "";
    }

    private static CompletableFuture<HttpAnswer> no(HttpResponseStatus status, String text) {
        return CompletableFuture.completedFuture(HttpAnswer.error(status, text));
    }
}
