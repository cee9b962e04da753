package io.godwit.cluster.takeover;

import io.godwit.cluster.takeover.TakeoverMessages.Forward;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.ack.Receipt;

/** Tells the node that has forwarded a message that it is taken in. */
final class ForwardAnswer extends Receipt {
    private final PeerLink to;
    private final long number;

    ForwardAnswer(PeerLink to, Forward forward) {
        super(null, 0, forward.what().message().qos, forward.mayComeAgain());
        this.to = to;
        this.number = forward.number();
    }

    @Override
    public void onDone() {
        to.offer(TakeoverMessages.forwarded(number, !hasFailed()));
    }
}
