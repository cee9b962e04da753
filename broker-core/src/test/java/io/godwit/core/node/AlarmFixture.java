package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;

/** A broker that stops publishers at {@link #MEMORY} bytes, and its alarm. */
final class AlarmFixture {
    static final long MEMORY = 100_000;
    static final int PARKED = 2_000;

    final TestNode node =
            new TestNode(
                    2,
                    LimitSettings.DEFAULTS,
                    new OverloadSettings(200, 1 << 20, 1 << 18, 50_000, MEMORY, PARKED, 1000));

    void alarm() {
        node.transportBytes = MEMORY + 1;
        node.tick(100);
        assertThat(node.context.load().memory().isAlarm()).isTrue();
    }

    void alarmEnds() {
        node.transportBytes = 0;
        node.tick(100);
        node.tick(100);
        assertThat(node.context.load().memory().isAlarm()).isFalse();
    }
}
