package io.godwit.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.godwit.core.node.NodeContext;
import io.godwit.core.packet.ClientId;
import io.godwit.core.session.ClientOrder;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreMetric;
import io.godwit.server.Health;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What a path means:
 *
 * <pre>
 * /                the page for browsers
 * /metrics         Prometheus' text format, or OpenMetrics when that is accepted
 * /health/live     200 while the process works
 * /health/ready    200 while clients are let in, else 503; an alarm degrades it, but a subscriber
 *                  must still get in: it is the one who can end the alarm
 * /clients         ?page=0..&amp;size=1..1000, by client id; ?sort=queuedBytes&amp;order=desc&amp;limit=1..1000
 * /clients/{id}    one client; the id percent-encoded. DELETE ?session=true|false: disconnects it
 * /cluster         the cluster as this node sees it
 * /cluster/forget  POST ?node=name or server id: it does not belong to the cluster any more
 * /cluster/drain   POST ?node=name or server id of this node: it gives its sessions to others
 * /cluster/undrain POST: it may lead sessions again
 * /cluster/verify  POST: whether all copies are equal to what their leaders have
 * /store/backup    POST ?to=folder: copies the store
 * /reload          POST: reads files again that may have changed
 * /extensions      how each extension is doing
 * /extensions/{id}/enable, disable, replace
 *                  POST: has an extension run, no more, or anew; disable?force=true
 * </pre>
 */
final class AdminRoutes {
    static final HttpAnswer NOT_FOUND =
            HttpAnswer.error(
                    HttpResponseStatus.NOT_FOUND,
                    "available: / (in a browser), /metrics, /health/live, /health/ready, /clients, /clients/{id},"
                            + " /memory, /cluster, /extensions");

    /** Disconnects a client. */
    static final String KICK = "kick";

    private static final HttpAnswer BAD_CLIENT_ID =
            HttpAnswer.error(
                    HttpResponseStatus.BAD_REQUEST, "the client id must be UTF-8, percent-encoded");

    private static final List<String> TRUE = List.of("true");
    private static final List<String> ASCENDING = List.of("asc");
    private static final List<String> DESCENDING = List.of("desc");
    private static final List<String> FALSE = List.of("false");
    private static final String CLIENT_PREFIX = "/clients/";
    private static final int TEXTS_MAX = 10;
    private static final int SIZE_DEFAULT = 100;
    private static final int SIZE_MAX = 1_000;
    private static final int PAGE_MAX = 1_000_000_000;
    private static final List<String> PAGED = List.of("page", "size");
    private static final List<String> SORTED = List.of("sort", "order", "limit");

    private final MetricsPage metrics;
    private final ClientsPage clients;
    private final NodeContext context;
    private final Store store;
    private final Health health;
    private final BackupPage backup;
    private final ClusterPage cluster;
    private final ForgetPage forget;
    private final VerifyPage verify;
    private final DrainPage drain;
    private final ReloadPage reload;
    private final ExtensionsPage extensions;

    AdminRoutes(
            MetricsPage metrics,
            ClientsPage clients,
            NodeContext context,
            Store store,
            Health health,
            BackupPage backup,
            ClusterPage cluster,
            ReloadPage reload,
            ExtensionsPage extensions) {
        this.reload = reload;
        this.extensions = extensions;
        this.backup = backup;
        this.cluster = cluster;
        this.forget = new ForgetPage(cluster.view());
        this.verify = new VerifyPage(cluster.view());
        this.drain = new DrainPage(cluster.view());
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
            case StatusPage.PATH,
                    "/metrics",
                    "/health/live",
                    "/health/ready",
                    "/clients",
                    MemoryPage.PATH,
                    ExtensionsPage.PATH,
                    ClusterPage.PATH ->
                    true;
            default -> path.startsWith(CLIENT_PREFIX);
        };
    }

    /** The methods that a path allows which only reads, as in the header Allow. */
    static String readingMethods(String uri) {
        return path(uri).startsWith(CLIENT_PREFIX) ? "GET, HEAD, DELETE" : "GET, HEAD";
    }

    /** Names the command that a request stands for; null when it only reads. */
    static @Nullable String command(HttpMethod method, String uri) {
        String path = path(uri);
        return switch (path) {
            case BackupPage.PATH -> BackupPage.COMMAND;
            case ForgetPage.PATH -> ForgetPage.COMMAND;
            case VerifyPage.PATH -> VerifyPage.COMMAND;
            case DrainPage.DRAIN_PATH -> DrainPage.DRAIN;
            case DrainPage.UNDRAIN_PATH -> DrainPage.UNDRAIN;
            case ReloadPage.PATH -> ReloadPage.COMMAND;
            default -> ExtensionsPage.isChange(path) ? ExtensionsPage.COMMAND : kick(method, path);
        };
    }

    private static @Nullable String kick(HttpMethod method, String path) {
        return method.equals(HttpMethod.DELETE) && path.startsWith(CLIENT_PREFIX) ? KICK : null;
    }

    /** The method by which a command is requested. */
    static HttpMethod methodOf(String command) {
        return command.equals(KICK) ? HttpMethod.DELETE : HttpMethod.POST;
    }

    /** Executes the {@link #command} of a request. */
    CompletableFuture<HttpAnswer> execute(String command, String uri) {
        return switch (command) {
            case KICK -> kick(uri);
            case ForgetPage.COMMAND -> forget.answer(uri);
            case VerifyPage.COMMAND -> verify.answer();
            case DrainPage.DRAIN -> drain.answer(uri, true);
            case DrainPage.UNDRAIN -> drain.answer(uri, false);
            case ReloadPage.COMMAND -> reload.answer();
            case ExtensionsPage.COMMAND -> extensions.execute(uri);
            default -> backup.answer(uri);
        };
    }

    private CompletableFuture<HttpAnswer> kick(String uri) {
        byte[] id = decode(path(uri).substring(CLIENT_PREFIX.length()));
        if (id == null) {
            return now(BAD_CLIENT_ID);
        }
        Map<String, List<String>> query = query(uri);
        List<String> session = query == null ? List.of() : query.getOrDefault("session", FALSE);
        if (!session.equals(FALSE) && !session.equals(TRUE)) {
            return badRequest("session must be true (the session ends, too) or false");
        }
        return clients.kick(new ClientId(id), session.equals(TRUE));
    }

    /** The page that a request asks for, as its time is counted. */
    static AdminTimes.Page page(HttpMethod method, String uri) {
        if (command(method, uri) != null) {
            return AdminTimes.Page.COMMAND;
        }
        return switch (path(uri)) {
            case "/metrics" -> AdminTimes.Page.METRICS;
            case "/health/live", "/health/ready" -> AdminTimes.Page.HEALTH;
            case "/clients" -> AdminTimes.Page.CLIENTS;
            case MemoryPage.PATH -> AdminTimes.Page.MEMORY;
            case ClusterPage.PATH -> AdminTimes.Page.CLUSTER;
            case ExtensionsPage.PATH -> AdminTimes.Page.EXTENSIONS;
            case StatusPage.PATH -> AdminTimes.Page.STATUS;
            default ->
                    path(uri).startsWith(CLIENT_PREFIX)
                            ? AdminTimes.Page.CLIENT
                            : AdminTimes.Page.OTHER;
        };
    }

    private static String accept(HttpRequest request) {
        return String.join(",", request.headers().getAll(HttpHeaderNames.ACCEPT));
    }

    CompletableFuture<HttpAnswer> answer(HttpRequest request) {
        String uri = request.uri();
        String path = path(uri);
        return switch (path) {
            case "/metrics" -> metrics.answer(accept(request));
            case StatusPage.PATH -> now(StatusPage.answer(accept(request)));
            case "/health/live" -> now(HttpAnswer.json("{\"status\":\"live\"}\n"));
            case "/health/ready" -> now(ready());
            case "/clients" -> page(uri);
            case ClusterPage.PATH -> cluster.answer();
            case ExtensionsPage.PATH -> now(extensions.answer());
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
        List<String> troubles = extensions.troubles();
        if (extensions.isMissingOne()) {
            return HttpAnswer.json(
                    HttpResponseStatus.SERVICE_UNAVAILABLE,
                    JsonText.write(json -> {
                        json.writeStringField("status", "extension-failed");
                        texts(json, "extensions", troubles);
                    })
                            + "\n");
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
        if (!cluster.areCopiesWhole()) {
            alarms.add("copies");
        }
        if (context.load().areCopiesFull()) {
            alarms.add("copies-full");
        }
        List<String> damage = store.damage();
        if (!damage.isEmpty()) {
            alarms.add("damage");
        }
        if (!troubles.isEmpty()) {
            alarms.add("extensions");
        }
        return HttpAnswer.json(
                JsonText.write(json -> {
                    json.writeStringField("status", alarms.isEmpty() ? "ready" : "degraded");
                    texts(json, "alarms", alarms);
                    texts(json, "damage", damage);
                    texts(json, "nodesOutOfReach", outOfReach);
                    texts(json, "extensions", troubles);
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

    private static @Nullable Map<String, List<String>> query(String uri) {
        try {
            return new QueryStringDecoder(uri).parameters();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static CompletableFuture<HttpAnswer> badRequest(String text) {
        return now(HttpAnswer.error(HttpResponseStatus.BAD_REQUEST, text));
    }

    private CompletableFuture<HttpAnswer> page(String uri) {
        Map<String, List<String>> query = query(uri);
        if (query == null) {
            return badRequest("malformed query");
        }
        boolean isSorted = query.keySet().stream().anyMatch(SORTED::contains);
        if (isSorted && query.keySet().stream().anyMatch(PAGED::contains)) {
            return badRequest("sort, order and limit can't be combined with page and size");
        }
        return isSorted ? sorted(query) : paged(query);
    }

    private CompletableFuture<HttpAnswer> paged(Map<String, List<String>> query) {
        int page = number(query.get("page"), 0, 0, PAGE_MAX);
        int size = number(query.get("size"), SIZE_DEFAULT, 1, SIZE_MAX);
        if (page < 0 || size < 0) {
            return badRequest("page must be 0.." + PAGE_MAX + ", size 1.." + SIZE_MAX);
        }
        return clients.page(page, size);
    }

    private CompletableFuture<HttpAnswer> sorted(Map<String, List<String>> query) {
        List<String> sort = query.getOrDefault("sort", List.of());
        Optional<ClientOrder> column =
                sort.size() == 1 ? ClientOrder.byColumn(sort.getFirst()) : Optional.empty();
        List<String> order = query.getOrDefault("order", DESCENDING);
        int limit = number(query.get("limit"), SIZE_DEFAULT, 1, SIZE_MAX);
        if (column.isEmpty()) {
            return badRequest("sort must be one of " + ClientOrder.columns());
        }
        if (limit < 0 || !order.equals(DESCENDING) && !order.equals(ASCENDING)) {
            return badRequest("order must be asc or desc, limit 1.." + SIZE_MAX);
        }
        return clients.first(column.get(), order.equals(DESCENDING), limit);
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
            return now(BAD_CLIENT_ID);
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
