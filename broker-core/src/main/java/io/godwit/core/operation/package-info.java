/**
 * Operations on durable queues, sessions and retained messages, and their encoding: what the store
 * keeps in its journal and the cluster ships. Start with {@code PartEncoder}.
 */
@NullMarked
package io.godwit.core.operation;

import org.jspecify.annotations.NullMarked;
