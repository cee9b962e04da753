/**
 * Shards: one writer for everything, mailboxes between them, the registrar of client ids. Start
 * with {@code Shard}.
 */
@NullMarked
package io.godwit.core.shard;

import org.jspecify.annotations.NullMarked;
