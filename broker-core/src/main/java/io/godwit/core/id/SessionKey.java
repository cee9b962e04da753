package io.godwit.core.id;

/**
 * Names a session of this start or another one.
 *
 * @param queueId of its queue
 * @param generation of the CONNECT that created it: a session made anew under the same queue id is
 *     another one
 */
public record SessionKey(long queueId, HybridId generation) {}
