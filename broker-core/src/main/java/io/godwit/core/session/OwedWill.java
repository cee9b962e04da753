package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.IngressId;
import io.godwit.core.packet.Will;
import io.godwit.core.store.Inbound;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A will that is published, until everyone whom it goes to has taken it in: only then may the
 * record forget it. A crash before that publishes it again at the next start. At QoS 2 its ingress
 * id is kept like that of a PUBLISH, under packet id 0, so that those who have got it do not get it
 * again.
 */
public final class OwedWill extends Receipt {
    /** Packet id of a will's {@link Inbound}; no PUBLISH has it. */
    public static final int PACKET_ID = 0;

    final Will will;
    final IngressId ingress;
    final @Nullable Inbound kept;
    private final Session session;
    private final List<Runnable> then = new ArrayList<>(1);

    OwedWill(Session session, Will will, IngressId ingress, @Nullable Inbound kept) {
        super(null, PACKET_ID, will.qos());
        this.session = session;
        this.will = will;
        this.ingress = ingress;
        this.kept = kept;
    }

    /** Has the task run when it is taken in, after those given before. */
    public void whenTaken(Runnable task) {
        then.add(task);
    }

    /** A store that has failed ends the process: nobody waits for it. */
    @Override
    public void onDone() {
        session.onWillTaken(this);
        then.forEach(Runnable::run);
    }
}
