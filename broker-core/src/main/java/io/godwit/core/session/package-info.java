/**
 * A session, owned by one shard, from its first CONNECT to its end: its state, its subscriptions,
 * its queue and its wills, and what its shared groups tell it by mail. Start with {@link
 * io.godwit.core.session.Session} and {@link io.godwit.core.session.SessionLife}.
 *
 * <p>Words are those of {@link io.godwit.core.queue}: a session is durable when it is promised that
 * it outlives its connection. What of it is kept is its <em>record</em>, with which the store would
 * bring it back; a transient session has one only while it owes a will or is still leaving the
 * store. It is <em>recalled</em> by its registrar when another place claims its client id, and is
 * given up then; a packet id is <em>released</em> by PUBREL alone.
 */
@NullMarked
package io.godwit.core.session;

import org.jspecify.annotations.NullMarked;
