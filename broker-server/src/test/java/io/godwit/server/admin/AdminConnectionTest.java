package io.godwit.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AdminConnectionTest {
    private static final long REQUEST_MS = 1_000;

    private final AdminRefusals refusals = new AdminRefusals();
    private final AdminConnections connections = new AdminConnections(refusals);

    private record Client(EmbeddedChannel channel, AdminConnection connection) {
        void pass(long ms) {
            channel.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
            channel.runScheduledPendingTasks();
        }
    }

    private Client connect() {
        boolean healthOnly = connections.makeRoom();
        assertThat(connections.hasRoom()).isTrue();
        AdminConnection connection =
                new AdminConnection(connections, refusals, REQUEST_MS, healthOnly);
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.freezeTime();
        channel.pipeline().addLast(connection);
        return new Client(channel, connection);
    }

    @Test
    void an_answer_that_nobody_reads_ends_with_the_requests_time() {
        Client client = connect();
        client.pass(600);
        client.connection().working(true);
        client.connection().answering();
        client.pass(300);
        assertThat(client.channel().isOpen()).isTrue();
        client.pass(101);
        assertThat(client.channel().isOpen()).isFalse();
        assertThat(refusals.get(AdminRefusal.TIMEOUT)).isEqualTo(1);
    }

    @Test
    void what_may_take_long_is_waited_for_but_not_the_reading_of_its_answer() {
        Client client = connect();
        client.connection().working(false);
        client.pass(3_600_000);
        assertThat(client.channel().isOpen()).isTrue();
        client.connection().answering();
        client.pass(REQUEST_MS + 1);
        assertThat(client.channel().isOpen()).isFalse();
    }

    @Test
    void a_silent_newcomer_has_the_time_of_a_request_and_no_more() {
        Client client = connect();
        client.pass(REQUEST_MS + 1);
        assertThat(client.channel().isOpen()).isFalse();
    }

    @Test
    void when_all_places_wait_the_one_that_has_waited_longest_goes() {
        List<Client> all = new ArrayList<>();
        for (int i = 0; i < AdminConnections.PLACES; i++) {
            all.add(connect());
        }
        all.getFirst().connection().working(true);

        Client next = connect();

        assertThat(next.connection().isHealthOnly()).isFalse();
        assertThat(all.get(0).channel().isOpen()).as("in work").isTrue();
        assertThat(all.get(1).channel().isOpen()).isFalse();
        assertThat(all.get(2).channel().isOpen()).isTrue();
        assertThat(refusals.get(AdminRefusal.MADE_ROOM)).isEqualTo(1);
    }

    @Test
    void when_all_places_work_newcomers_may_ask_for_health_and_make_room_for_each_other() {
        for (int i = 0; i < AdminConnections.PLACES; i++) {
            connect().connection().working(true);
        }
        List<Client> reserve = new ArrayList<>();
        for (int i = 0; i < AdminConnections.RESERVE * 3; i++) {
            Client client = connect();
            assertThat(client.connection().isHealthOnly()).isTrue();
            reserve.add(client);
        }
        assertThat(reserve.getLast().channel().isOpen()).isTrue();
        assertThat(reserve.stream().filter(each -> each.channel().isOpen()).count())
                .isLessThanOrEqualTo(AdminConnections.RESERVE);
    }

    @Test
    void a_place_is_free_again_when_its_connection_has_gone() {
        Client first = connect();
        for (int i = 1; i < AdminConnections.PLACES; i++) {
            connect().connection().working(true);
        }
        first.channel().close();
        assertThat(connect().connection().isHealthOnly()).isFalse();
        assertThat(refusals.get(AdminRefusal.MADE_ROOM)).isZero();
    }
}
