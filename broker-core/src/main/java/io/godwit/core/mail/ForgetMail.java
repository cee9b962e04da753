package io.godwit.core.mail;

import io.godwit.core.shard.Shard;

/** Tells a session of another shard that a QoS 2 message will not come again. */
final class ForgetMail extends SessionMail<Recipient> {
    private final int ingressServer;
    private final long ingressCounter;

    ForgetMail(Recipient session, int ingressServer, long ingressCounter) {
        super(session);
        this.ingressServer = ingressServer;
        this.ingressCounter = ingressCounter;
    }

    @Override
    public boolean deliver(Shard at) {
        session.forgetIngress(ingressServer, ingressCounter);
        return true;
    }
}
