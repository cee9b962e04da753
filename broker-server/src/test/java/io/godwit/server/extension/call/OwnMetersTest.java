package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OwnMetersTest {
    private final ExecutorService executor = Executors.newFixedThreadPool(1);
    private final List<OwnMeters> all = new ArrayList<>();
    private final PrometheusMeterRegistry page =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @BeforeEach
    void bind() {
        new OwnMetersPage(() -> all).bindTo(page);
    }

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    private OwnMeters of(String id) {
        OwnMeters made = new OwnMeters(id, executor);
        all.add(made);
        return made;
    }

    @Test
    void names_have_a_prefix_and_the_tag_is_the_extensions_whatever_it_says() {
        OwnMeters one = of("one");
        one.registry().counter("calls", "kind", "a", "extension", "two").increment(3);
        assertThat(page.scrape())
                .contains("godwit_extension_own_calls_total{extension=\"one\",kind=\"a\"} 3.0");
    }

    @Test
    void same_name_of_two_extensions_is_one_metric() {
        of("one").registry().counter("requests").increment(1);
        of("two").registry().counter("requests").increment(2);
        String text = page.scrape();
        assertThat(text)
                .containsOnlyOnce("# TYPE godwit_extension_own_requests_total counter")
                .contains("godwit_extension_own_requests_total{extension=\"one\"} 1.0")
                .contains("godwit_extension_own_requests_total{extension=\"two\"} 2.0");
    }

    @Test
    void name_with_another_type_at_another_extension_is_left_out() {
        of("one").registry().timer("work").record(Duration.ofSeconds(2));
        OwnMeters two = of("two");
        two.registry().gauge("work.seconds", 1);
        two.registry().counter("fine").increment();
        assertThat(page.scrape())
                .contains("godwit_extension_own_work_seconds_sum{extension=\"one\"} 2.0")
                .doesNotContain("godwit_extension_own_work_seconds{extension=\"two\"}")
                .contains("godwit_extension_own_fine_total{extension=\"two\"} 1.0");
    }

    @Test
    void series_beyond_the_bound_do_nothing_and_are_counted() {
        OwnMeters one = of("one");
        for (int i = 0; i < 1_200; i++) {
            one.registry().counter("c", "i", String.valueOf(i)).increment();
        }
        assertThat(page.scrape().lines().filter(each -> each.startsWith("godwit_extension_own_c_")))
                .hasSize(OwnMeters.SERIES_MAX);
        assertThat(page.scrape())
                .contains("godwit_extension_meters_refused_total{extension=\"one\"} 200.0");
    }

    @Test
    void buckets_count_and_a_timer_without_a_place_for_them_does_nothing() {
        OwnMeters one = of("one");
        for (int i = 0; i < 50; i++) {
            Timer.builder("t")
                    .tag("i", String.valueOf(i))
                    .publishPercentileHistogram()
                    .register(one.registry());
        }
        long lines =
                page.scrape()
                        .lines()
                        .filter(each -> each.startsWith("godwit_extension_own_t_"))
                        .count();
        assertThat(lines).isBetween(900L, (long) OwnMeters.SERIES_MAX);
        assertThat(one.refused()).isPositive();
    }

    @Test
    void removed_meters_make_room() {
        OwnMeters one = of("one");
        for (int i = 0; i < 3_000; i++) {
            one.registry().remove(one.registry().counter("c", "i", String.valueOf(i)));
        }
        assertThat(one.refused()).isZero();
    }

    @Test
    void closed_ones_show_nothing_and_take_nothing() {
        OwnMeters one = of("one");
        one.registry().counter("c").increment();
        one.close();
        one.registry().counter("d").increment();
        assertThat(page.scrape()).doesNotContain("own_");
    }

    @Test
    void gauges_are_read_in_a_thread_of_the_extension_and_may_throw() {
        AtomicReference<Thread> reader = new AtomicReference<>();
        OwnMeters one = of("one");
        Gauge.builder(
                        "good",
                        () -> {
                            reader.set(Thread.currentThread());
                            return 1;
                        })
                .register(one.registry());
        Gauge.builder(
                        "bad",
                        () -> {
                            throw new IllegalStateException("no");
                        })
                .register(one.registry());
        assertThat(page.scrape()).contains("godwit_extension_own_good{extension=\"one\"} 1.0");
        assertThat(reader.get()).isNotNull().isNotSameAs(Thread.currentThread());
    }

    @Test
    void gauge_that_blocks_hides_its_extensions_meters_alone() {
        CountDownLatch never = new CountDownLatch(1);
        OwnMeters slow = of("slow");
        Gauge.builder(
                        "blocks",
                        () -> {
                            try {
                                never.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                            return 1;
                        })
                .register(slow.registry());
        OwnMeters good = new OwnMeters("good", Runnable::run);
        all.add(good);
        good.registry().counter("c").increment();
        for (int i = 0; i < 2; i++) {
            assertThat(page.scrape())
                    .contains("godwit_extension_own_c_total{extension=\"good\"} 1.0")
                    .doesNotContain("blocks");
        }
        never.countDown();
    }

    @Test
    void without_extensions_nothing_is_shown() {
        assertThat(page.scrape()).isEmpty();
    }
}
