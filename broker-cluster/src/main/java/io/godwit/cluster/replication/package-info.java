/**
 * Copies of durable queues at other nodes. A leader's journal parts go to the followers of their
 * copy set as they are; an acknowledgement waits for the followers' confirmations. A new follower
 * gets every part from its stream's beginning on, and what the queues held before piece by piece.
 */
@NullMarked
package io.godwit.cluster.replication;

import org.jspecify.annotations.NullMarked;
