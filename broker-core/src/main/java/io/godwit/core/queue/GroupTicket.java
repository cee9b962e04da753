package io.godwit.core.queue;

import io.godwit.core.routing.SharedGroupRef;

/**
 * Names an entry of a shared group's queue while a member has it.
 *
 * @param entry the group's number of it: its message id when the group is durable
 * @param server of that message id
 * @param queueId of the group when it was durable as the entry left it; else 0
 */
public record GroupTicket(SharedGroupRef group, long entry, int server, long queueId) {}
