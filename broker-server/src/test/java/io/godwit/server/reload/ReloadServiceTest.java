package io.godwit.server.reload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ReloadServiceTest {
    private final ReloadService service = new ReloadService();
    private final Logger log = (Logger) LoggerFactory.getLogger(ReloadService.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.setLevel(Level.INFO);
        lines.start();
        log.addAppender(lines);
    }

    @AfterEach
    void close() {
        service.close();
        log.detachAppender(lines);
        log.setLevel(null);
    }

    private static Reloadable part(String name, Supplier<ReloadResult> result) {
        return new Reloadable() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public ReloadResult reload() {
                return result.get();
            }
        };
    }

    private ReloadReport reload() throws Exception {
        return service.reloadAll().get(60, TimeUnit.SECONDS);
    }

    private List<String> logged() {
        return lines.list.stream()
                .map(each -> each.getLevel() + " " + each.getFormattedMessage())
                .toList();
    }

    @Test
    void a_reload_says_in_one_line_what_came_of_each_part() throws Exception {
        service.register(part("users", ReloadResult::unchanged));
        service.register(part("rules", () -> ReloadResult.changed("12 rules")));

        ReloadReport report = reload();

        assertThat(report.isFailed()).isFalse();
        assertThat(logged()).containsExactly("INFO Reload: users: unchanged; rules: 12 rules");
    }

    @Test
    void a_mistake_is_named_and_other_parts_are_reloaded_all_the_same() throws Exception {
        service.register(part("users", () -> ReloadResult.failed("line 3 has no password")));
        service.register(
                part(
                        "rules",
                        () -> {
                            throw new IllegalStateException("planted");
                        }));
        service.register(part("log", () -> ReloadResult.changed("debug")));

        assertThat(reload().isFailed()).isTrue();
        assertThat(logged())
                .contains(
                        "WARN Reload: users: not changed: line 3 has no password; rules: not"
                                + " changed: an internal error of the broker; its log has the"
                                + " details; log: debug");
    }

    @Test
    void a_reload_without_parts_says_so() throws Exception {
        assertThat(reload().parts()).isEmpty();
        assertThat(logged()).containsExactly("INFO Reload: there is nothing to reload");
    }

    @Test
    void a_watched_mistake_is_logged_once_until_it_changes() {
        AtomicInteger looks = new AtomicInteger();
        service.watch(
                part(
                        "users",
                        () -> {
                            int look = looks.incrementAndGet();
                            return ReloadResult.failed(look < 5 ? "no key" : "no certificate");
                        }),
                1);

        await().until(() -> looks.get() > 10);
        service.close();
        assertThat(logged())
                .containsExactly(
                        "WARN Reload: users: not changed: no key",
                        "WARN Reload: users: not changed: no certificate");
    }

    @Test
    void a_watched_mistake_that_comes_back_is_logged_again() {
        AtomicInteger looks = new AtomicInteger();
        service.watch(
                part(
                        "users",
                        () ->
                                looks.incrementAndGet() == 3
                                        ? ReloadResult.unchanged()
                                        : ReloadResult.failed("no key")),
                1);

        await().until(() -> looks.get() > 5);
        service.close();
        assertThat(logged()).hasSize(2);
    }

    @Test
    void requests_that_wait_for_the_same_reload_share_it() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger reloads = new AtomicInteger();
        service.register(
                part(
                        "users",
                        () -> {
                            begun.countDown();
                            try {
                                go.await();
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                            reloads.incrementAndGet();
                            return ReloadResult.unchanged();
                        }));

        CompletableFuture<ReloadReport> first = service.reloadAll();
        begun.await();
        CompletableFuture<ReloadReport> second = service.reloadAll();
        CompletableFuture<ReloadReport> third = service.reloadAll();
        go.countDown();

        assertThat(third).isSameAs(second);
        CompletableFuture.allOf(first, second).get(60, TimeUnit.SECONDS);
        assertThat(reloads).hasValue(2);
    }

    @Test
    void a_request_after_the_close_fails() {
        service.close();
        assertThat(service.reloadAll()).isCompletedExceptionally();
    }
}
