package io.godwit.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.store.KeptQueue;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Not all pages that are wanted are read at once. */
class PagePaceTest {
    private static final int EACH = 800;
    private static final int AT_ONCE = PagePace.READING_MAX / EACH;

    /** Pages that bring as much as may be taken, and those that are being read by then. */
    private static final int HELD = PagePace.TO_TAKE_MAX / EACH + 1;

    private static final int BEGUN = HELD - 1 + AT_ONCE;

    private final PagePace pace = new PagePace();
    private final List<Object> asked = new ArrayList<>();
    private final KeptQueue queue =
            (KeptQueue)
                    Proxy.newProxyInstance(
                            KeptQueue.class.getClassLoader(),
                            new Class<?>[] {KeptQueue.class},
                            (proxy, method, arguments) -> asked.add(arguments[0]));

    @Test
    void pages_are_read_in_the_order_in_which_they_were_wanted_and_so_many_at_a_time() {
        List<Page> pages = want(3 * AT_ONCE);

        assertThat(asked).isEqualTo(pages.subList(0, AT_ONCE));
        pages.get(1).onRead(null);
        pages.get(0).onRead(new IllegalStateException("unreadable"));

        assertThat(asked).isEqualTo(pages.subList(0, AT_ONCE + 2));
        assertThat(pages.get(0).taken).isEqualTo(1);
        for (int i = 2; i < pages.size(); i++) {
            pages.get(i).onRead(null);
        }
        assertThat(asked).isEqualTo(pages);
    }

    @Test
    void one_that_nobody_waits_for_any_more_is_not_read() {
        List<Page> pages = want(AT_ONCE + 2);
        pages.get(0).cancel();
        pages.get(AT_ONCE).cancel();

        pages.get(0).onRead(null);

        assertThat(asked).hasSize(AT_ONCE + 1).last().isSameAs(pages.get(AT_ONCE + 1));
        assertThat(pages.get(0).taken).isZero();
    }

    @Test
    void what_was_read_and_not_taken_holds_up_what_comes_next() {
        readUntilHeld();

        take(HELD * EACH - PagePace.TO_TAKE_MAX);
        assertThat(asked).hasSize(BEGUN);
        take(1);
        assertThat(asked).hasSize(BEGUN + 1);
    }

    @Test
    void who_takes_nothing_holds_nobody_up_for_more_than_two_ticks() {
        readUntilHeld();

        pace.onTick();
        assertThat(asked).hasSize(BEGUN);
        pace.onTick();
        assertThat(asked).hasSize(BEGUN + 1);
    }

    private void readUntilHeld() {
        want(HELD + 2 * AT_ONCE).forEach(page -> page.brings = EACH);
        for (int i = 0; i < HELD; i++) {
            ((Page) asked.get(i)).onRead(null);
        }
        assertThat(asked).hasSize(BEGUN);
    }

    private void take(int messages) {
        for (int i = 0; i < messages; i++) {
            pace.onTaken();
        }
    }

    private List<Page> want(int count) {
        List<Page> pages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            pages.add(new Page());
            pace.read(queue, pages.getLast());
        }
        return pages;
    }

    private static final class Page extends AskedPage {
        int taken;
        int brings;

        Page() {
            super(1, Section.IDLE, HybridId.NONE, HybridId.MAX, EACH, 1 << 20);
        }

        @Override
        void done(@Nullable Throwable failure) {
            taken++;
        }

        @Override
        int messagesToTake() {
            return brings;
        }

        @Override
        public void row(
                long messageId,
                int qos,
                boolean retain,
                int[] ids,
                @Nullable Message message,
                int packetId,
                @Nullable Object note) {}

        @Override
        public void marker(long messageId, int packetId) {}
    }
}
