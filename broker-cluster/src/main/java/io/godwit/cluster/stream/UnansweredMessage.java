package io.godwit.cluster.stream;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A message of QoS 1 or 2 for durable sessions of another node, which has not answered it.
 *
 * @param slots of these sessions; not to be changed
 * @param receipt awaits the answer; null when nobody waits
 * @param isAgain it may have come before
 * @param isHeld it has not left, since its ingress id is not kept
 */
public record UnansweredMessage(
        Message message,
        BitSet slots,
        @Nullable Receipt receipt,
        boolean isAgain,
        boolean isHeld) {}
