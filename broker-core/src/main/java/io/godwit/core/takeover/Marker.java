package io.godwit.core.takeover;

/**
 * The last word of one shard to a session's old owner, which passes it on to the new one: nothing
 * from there is on the way to the old owner any more.
 *
 * @param token under which the session moves
 * @param origin index of the shard that says so
 */
record Marker(Token token, int origin) {}
