package io.godwit.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.BrokerFixture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients of the admin port that make no progress, on purpose or not. */
class AdminSlowIT {
    private static final byte[] BEGINNING =
            "GET /health/live HTTP/1.1\r\nHost: localhost\r\nX: ".getBytes(StandardCharsets.UTF_8);

    private final List<Socket> slow = new ArrayList<>();
    private BrokerFixture broker = BrokerFixture.start();

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : slow) {
            socket.close();
        }
        broker.close();
    }

    private void restart(String... settings) {
        broker.close();
        broker = BrokerFixture.start(settings);
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), broker.adminPort());
        socket.setSoTimeout(60_000);
        socket.setTcpNoDelay(true);
        return socket;
    }

    private Socket slow() throws IOException {
        Socket socket = connect();
        slow.add(socket);
        return socket;
    }

    private String get(String path) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream()
                    .write(
                            ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close")
                                    .concat("\r\n\r\n")
                                    .getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private double refused(String cause) throws IOException {
        Matcher line =
                Pattern.compile("godwit_admin_refused_total\\{cause=\"" + cause + "\"} (\\S+)")
                        .matcher(get("/metrics"));
        assertThat(line.find()).isTrue();
        return Double.parseDouble(line.group(1));
    }

    @Test
    void clients_that_send_a_byte_now_and_then_do_not_keep_health_from_answering()
            throws IOException {
        for (int i = 0; i < 200; i++) {
            slow().getOutputStream().write(i % 2 == 0 ? BEGINNING : new byte[] {'G'});
        }
        for (int round = 0; round < 5; round++) {
            for (Socket socket : slow) {
                try {
                    socket.getOutputStream().write('x');
                } catch (SocketException e) {
                    // It was closed for another one.
                }
            }
            assertThat(get("/health/live")).startsWith("HTTP/1.1 200 ");
            assertThat(get("/health/ready")).startsWith("HTTP/1.1 200 ");
        }
        assertThat(refused("made-room")).isGreaterThanOrEqualTo(200 - AdminConnections.PLACES);
    }

    @Test
    void a_request_has_a_time_limit_as_a_whole_however_often_a_byte_comes() throws IOException {
        restart("admin.request-timeout=3s"); // Long enough for the page that is asked for below.
        Socket drip = slow();
        drip.getOutputStream().write(BEGINNING);
        drip.setSoTimeout(100);

        assertThat(closedWithin(drip, 60_000)).isTrue();
        assertThat(refused("timeout")).isEqualTo(1);
    }

    /** Sends a byte every 100 ms until the broker has enough of it. */
    private static boolean closedWithin(Socket socket, long ms) throws IOException {
        long until = System.nanoTime() + ms * 1_000_000;
        while (System.nanoTime() < until) {
            try {
                socket.getOutputStream().write('x');
                if (socket.getInputStream().read() < 0) {
                    return true;
                }
            } catch (SocketTimeoutException e) {
                // Still open: go on.
            } catch (SocketException e) {
                return true;
            }
        }
        return false;
    }

    @Test
    void an_idle_connection_stays_while_there_is_room() throws Exception {
        restart("admin.request-timeout=3s");
        Socket kept = slow();
        byte[] request =
                "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
                        .getBytes(StandardCharsets.UTF_8);
        byte[] answer = new byte[4_096];
        for (int i = 0; i < 2; i++) {
            kept.getOutputStream().write(request);
            int count = kept.getInputStream().read(answer);
            assertThat(new String(answer, 0, count, StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 200 ");
            if (i == 0) {
                Thread.sleep(3_500); // longer than a request may take
            }
        }
    }
}
