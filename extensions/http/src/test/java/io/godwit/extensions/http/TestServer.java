package io.godwit.extensions.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/** A server that answers as a test wants it to. */
final class TestServer implements AutoCloseable {
    /** Answers one request. */
    interface Behaviour {
        void answer(HttpExchange exchange, String question) throws Exception;
    }

    private final HttpServer server;
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final String scheme;
    private volatile Behaviour behaviour = status(204);

    /** The bodies of all requests. */
    final List<String> questions = new CopyOnWriteArrayList<>();

    /** The headers Authorization of all requests. */
    final List<@Nullable String> authorizations = new CopyOnWriteArrayList<>();

    private TestServer(HttpServer server, String scheme) {
        this.server = server;
        this.scheme = scheme;
        server.setExecutor(executor);
        server.createContext("/", this::handle);
        server.start();
    }

    static TestServer start() {
        return start(0);
    }

    static TestServer start(int port) {
        try {
            return new TestServer(HttpServer.create(localhost(port), 0), "http");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static TestServer startTls(SSLContext tls, boolean needsClientCertificate) {
        try {
            HttpsServer server = HttpsServer.create(localhost(0), 0);
            server.setHttpsConfigurator(
                    new HttpsConfigurator(tls) {
                        @Override
                        public void configure(HttpsParameters parameters) {
                            SSLParameters wanted = tls.getDefaultSSLParameters();
                            wanted.setNeedClientAuth(needsClientCertificate);
                            parameters.setSSLParameters(wanted);
                        }
                    });
            return new TestServer(server, "https");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static InetSocketAddress localhost(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    int port() {
        return server.getAddress().getPort();
    }

    URI url() {
        return URI.create(scheme + "://localhost:" + port() + "/mqtt");
    }

    TestServer answers(Behaviour how) {
        behaviour = how;
        return this;
    }

    static Behaviour status(int status) {
        return (exchange, question) -> exchange.sendResponseHeaders(status, -1);
    }

    static Behaviour json(String body) {
        return (exchange, question) -> send(exchange, body);
    }

    static void send(HttpExchange exchange, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private void handle(HttpExchange exchange) {
        try (exchange) {
            String question =
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            questions.add(question);
            authorizations.add(exchange.getRequestHeaders().getFirst("Authorization"));
            behaviour.answer(exchange, question);
        } catch (Exception e) {
            // The other side has closed, or the test is over: the connection ends here, too.
        }
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }
}
