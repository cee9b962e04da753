package io.godwit.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WorkerThreadTest {
    private final BlockingQueue<Throwable> faults = new LinkedBlockingQueue<>();

    @Test
    void tasks_run_one_after_the_other_on_its_thread() throws Exception {
        List<String> ran = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch done = new CountDownLatch(1);
        try (WorkerThread worker = new WorkerThread("store-test", faults::add)) {
            for (int i = 0; i < 100; i++) {
                String number = Integer.toString(i);
                worker.execute(() -> ran.add(Thread.currentThread().getName() + number));
            }
            worker.execute(done::countDown);
            assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(ran).hasSize(100).startsWith("store-test0").endsWith("store-test99");
        assertThat(faults).isEmpty();
    }

    @Test
    void a_delayed_task_comes_later_and_not_sooner() throws Exception {
        long before = System.nanoTime();
        BlockingQueue<Long> at = new LinkedBlockingQueue<>();
        try (WorkerThread worker = new WorkerThread("store-test", faults::add)) {
            worker.schedule(() -> at.add(System.nanoTime()), 20_000_000);
            worker.execute(() -> at.add(-1L));
            assertThat(at.poll(60, TimeUnit.SECONDS)).isEqualTo(-1L);
            assertThat(at.poll(60, TimeUnit.SECONDS) - before).isGreaterThanOrEqualTo(20_000_000L);
        }
    }

    @Test
    void a_task_that_throws_is_told_and_the_next_one_runs() throws Exception {
        IllegalStateException planted = new IllegalStateException("planted by the test");
        CountDownLatch next = new CountDownLatch(1);
        try (WorkerThread worker = new WorkerThread("store-test", faults::add)) {
            worker.execute(() -> {
                throw planted;
            });
            worker.execute(next::countDown);
            assertThat(next.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(faults.poll(60, TimeUnit.SECONDS)).isSameAs(planted);
        }
    }

    @Test
    void closed_it_forgets_what_waits() {
        WorkerThread worker = new WorkerThread("store-test", faults::add);
        worker.schedule(() -> faults.add(new AssertionError("ran")), 3_600_000_000_000L);
        worker.close();
        worker.execute(() -> faults.add(new AssertionError("ran")));
        assertThat(faults).isEmpty();
    }
}
