package io.godwit.core.id;

/** Gives message ids. */
public interface MessageIds {
    /**
     * @param last the highest id that the queue has had, or 0
     * @return an id above it that no other message of the node has
     */
    long nextMessageId(long last);
}
