package io.godwit.core.id;

/**
 * A session as other nodes name it.
 *
 * @param queueId of its queue
 * @param generation of the CONNECT that created it: a session made anew under the same queue id is
 *     another one
 */
public record SessionKey(long queueId, HybridId generation) {}
