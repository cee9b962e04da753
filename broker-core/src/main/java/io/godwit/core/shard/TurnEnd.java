package io.godwit.core.shard;

/**
 * Something that gathered work during the turn and hands it on at its end, such as a connection's
 * bytes.
 */
public interface TurnEnd {
    void onTurnEnd();
}
