package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.packet.Topic;
import io.godwit.core.settings.Rules;
import org.jspecify.annotations.Nullable;

/** A session as {@link ArrivedMessages} sees it. */
interface ArrivedTarget {
    Rules rules();

    /** Another node is its home. */
    boolean isAway();

    /** Whether one of its own subscriptions matches. */
    boolean wants(Topic topic);

    /** Who waits hears when what the store was told so far is kept. */
    void whenKept(@Nullable Receipt receipt);

    void deliverNow(Message message, int qos, boolean retain, int[] ids, @Nullable Receipt receipt);
}
