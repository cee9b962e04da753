package io.godwit.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.session.SessionState.Ended;
import io.godwit.core.session.SessionState.Moving;
import io.godwit.core.session.SessionState.Offline;
import io.godwit.core.session.SessionState.Online;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionStateTest {
    private static final ClientLink LINK =
            (ClientLink)
                    Proxy.newProxyInstance(
                            ClientLink.class.getClassLoader(),
                            new Class<?>[] {ClientLink.class},
                            (proxy, method, args) -> {
                                throw new AssertionError(method);
                            });
    private static final List<SessionState> ALL =
            List.of(new Online(LINK), new Offline(1), new Moving(2), new Ended(3));

    @Test
    void what_may_follow_what_is_the_table() {
        List<String> legal = new ArrayList<>();
        for (SessionState before : ALL) {
            for (SessionState next : ALL) {
                if (before.mayBecome(next)) {
                    legal.add(
                            before.getClass().getSimpleName()
                                    + " "
                                    + next.getClass().getSimpleName());
                }
            }
        }
        assertThat(legal)
                .containsExactly(
                        "Online Offline",
                        "Offline Online",
                        "Offline Offline",
                        "Offline Moving",
                        "Offline Ended",
                        "Moving Offline");
    }

    @Test
    void one_that_is_not_online_says_since_when() {
        assertThat(ALL).extracting(SessionState::offlineSinceMs).containsExactly(0L, 1L, 2L, 3L);
    }
}
