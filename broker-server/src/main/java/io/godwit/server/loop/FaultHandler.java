package io.godwit.server.loop;

/**
 * What happens when an invariant of ours fell: state may be wrong, so nothing may go on with it.
 */
public interface FaultHandler {
    /** Called on the shard's thread. */
    void onFault(int shard, Throwable fault);
}
