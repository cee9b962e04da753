package io.godwit.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.godwit.core.node.NodeContext;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreMetric;
import io.godwit.server.Health;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What a path means:
 *
 * <pre>
 * /metrics         Prometheus' text format
 * /health/live     200 while the process works
 * /health/ready    200 while clients are let in, else 503; an alarm degrades it, but a subscriber
 *                  must still get in: it is the one who can end the alarm
 * /clients         ?page=0..&amp;size=1..1000, by client id
 * /clients/{id}    one client; the id percent-encoded
 * /cluster         the cluster as this node sees it
 * /cluster/forget  POST ?node=name or server id: it does not belong to the cluster any more
 * /store/backup    POST ?to=folder: copies the store
 * </pre>
 */
final class AdminRoutes {
    static final HttpAnswer NOT_FOUND =
            HttpAnswer.error(
                    HttpResponseStatus.NOT_FOUND,
                    "available: /metrics, /health/live, /health/ready, /clients, /clients/{id},"
                            + " /memory, /cluster");

    private static final String CLIENT_PREFIX = "/clients/";
    private static final int TEXTS_MAX = 10;
    private static final int SIZE_DEFAULT = 100;
    private static final int SIZE_MAX = 1_000;
    private static final int PAGE_MAX = 1_000_000_000;

    private final MetricsPage metrics;
    private final ClientsPage clients;
    private final NodeContext context;
    private final Store store;
    private final Health health;
    private final BackupPage backup;
    private final ClusterPage cluster;
    private final ForgetPage forget;

    AdminRoutes(
            MetricsPage metrics,
            ClientsPage clients,
            NodeContext context,
            Store store,
            Health health,
            BackupPage backup,
            ClusterPage cluster) {
        this.backup = backup;
        this.cluster = cluster;
        this.forget = new ForgetPage(cluster.view());
        this.metrics = metrics;
        this.clients = clients;
        this.context = context;
        this.store = store;
        this.health = health;
    }

    private static String path(String uri) {
        int query = uri.indexOf('?');
        return query < 0 ? uri : uri.substring(0, query);
    }

    /** Whether this is one of the two questions that are always answered, and at once. */
    static boolean isHealth(String uri) {
        return path(uri).startsWith("/health/");
    }

    /** Whether a GET of this would not be answered with 404 for its path. */
    boolean knows(String uri) {
        String path = path(uri);
        return switch (path) {
            case "/metrics",
                    "/health/live",
                    "/health/ready",
                    "/clients",
                    MemoryPage.PATH,
                    ClusterPage.PATH ->
                    true;
            default -> path.startsWith(CLIENT_PREFIX);
        };
    }

    /** What a POST of this does; null when it is no command. */
    static @Nullable String command(String uri) {
        return switch (path(uri)) {
            case BackupPage.PATH -> BackupPage.COMMAND;
            case ForgetPage.PATH -> ForgetPage.COMMAND;
            default -> null;
        };
    }

    /** Call when {@link #command} is not null. */
    CompletableFuture<HttpAnswer> execute(String uri) {
        return path(uri).equals(ForgetPage.PATH) ? forget.answer(uri) : backup.answer(uri);
    }

    CompletableFuture<HttpAnswer> answer(String uri) {
        String path = path(uri);
        return switch (path) {
            case "/metrics" -> metrics.answer();
            case "/health/live" -> now(HttpAnswer.json("{\"status\":\"live\"}\n"));
            case "/health/ready" -> now(ready());
            case "/clients" -> page(uri);
            case ClusterPage.PATH -> cluster.answer();
            case MemoryPage.PATH -> now(MemoryPage.answer(context.load().memory()));
            default ->
                    path.startsWith(CLIENT_PREFIX)
                            ? client(path.substring(CLIENT_PREFIX.length()))
                            : now(NOT_FOUND);
        };
    }

    private static CompletableFuture<HttpAnswer> now(HttpAnswer answer) {
        return CompletableFuture.completedFuture(answer);
    }

    private HttpAnswer ready() {
        if (!health.isReady()) {
            return HttpAnswer.json(
                    HttpResponseStatus.SERVICE_UNAVAILABLE,
                    "{\"status\":\"" + health.word() + "\"}\n");
        }
        if (store.value(StoreMetric.STALLED) > 0) {
            return HttpAnswer.json(
                    HttpResponseStatus.SERVICE_UNAVAILABLE, "{\"status\":\"stalled\"}\n");
        }
        List<String> alarms = new ArrayList<>();
        if (context.load().isDiskAlarm()) {
            alarms.add("disk");
        }
        if (context.load().memory().isAlarm()) {
            alarms.add("memory");
        }
        if (context.load().isQueuesFull()) {
            alarms.add("queues");
        }
        List<String> outOfReach = cluster.outOfReach();
        if (!outOfReach.isEmpty()) {
            alarms.add("cluster");
        }
        List<String> damage = store.damage();
        if (!damage.isEmpty()) {
            alarms.add("damage");
        }
        return HttpAnswer.json(
                JsonText.write(json -> {
                    json.writeStringField("status", alarms.isEmpty() ? "ready" : "degraded");
                    texts(json, "alarms", alarms);
                    texts(json, "damage", damage);
                    texts(json, "nodesOutOfReach", outOfReach);
                })
                        + "\n");
    }

    private static void texts(JsonGenerator json, String name, List<String> texts)
            throws IOException {
        if (texts.isEmpty()) {
            return;
        }
        json.writeArrayFieldStart(name);
        for (String each : texts.subList(0, Math.min(TEXTS_MAX, texts.size()))) {
            json.writeString(each);
        }
        json.writeEndArray();
    }

    private CompletableFuture<HttpAnswer> page(String uri) {
        Map<String, List<String>> query;
        try {
            query = new QueryStringDecoder(uri).parameters();
        } catch (IllegalArgumentException e) {
            return now(HttpAnswer.error(HttpResponseStatus.BAD_REQUEST, "malformed query"));
        }
        int page = number(query.get("page"), 0, 0, PAGE_MAX);
        int size = number(query.get("size"), SIZE_DEFAULT, 1, SIZE_MAX);
        if (page < 0 || size < 0) {
            return now(
                    HttpAnswer.error(
                            HttpResponseStatus.BAD_REQUEST,
                            "page must be 0.." + PAGE_MAX + ", size 1.." + SIZE_MAX));
        }
        return clients.page(page, size);
    }

    /** -1 when it is no number in the range, or was given twice. */
    private static int number(@Nullable List<String> values, int absent, int min, int max) {
        if (values == null) {
            return absent;
        }
        String text = values.size() == 1 ? values.getFirst() : "";
        if (!text.matches("[0-9]{1,9}|1000000000")) {
            return -1;
        }
        int number = Integer.parseInt(text);
        return number < min || number > max ? -1 : number;
    }

    private CompletableFuture<HttpAnswer> client(String encoded) {
        byte[] id = decode(encoded);
        if (id == null) {
            return now(
                    HttpAnswer.error(
                            HttpResponseStatus.BAD_REQUEST,
                            "the client id must be UTF-8, percent-encoded"));
        }
        return clients.one(new ClientId(id));
    }

    /** Unlike in a query a plus sign stands for itself. Null when it is damaged. */
    private static byte @Nullable [] decode(String encoded) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(encoded.length());
        for (int i = 0; i < encoded.length(); i++) {
            char c = encoded.charAt(i);
            if (c != '%') {
                bytes.write(c); // HTTP's request line has bytes only
                continue;
            }
            if (i + 2 >= encoded.length()) {
                return null;
            }
            int high = Character.digit(encoded.charAt(i + 1), 16);
            int low = Character.digit(encoded.charAt(i + 2), 16);
            if (high < 0 || low < 0) {
                return null;
            }
            bytes.write(high << 4 | low);
            i += 2;
        }
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray()));
        } catch (CharacterCodingException e) {
            return null;
        }
        return bytes.toByteArray();
    }
}
