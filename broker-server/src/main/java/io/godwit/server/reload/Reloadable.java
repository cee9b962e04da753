package io.godwit.server.reload;

/** A part of the broker that can read anew what it was made from. */
public interface Reloadable {
    /** Names it in logs and answers, such as {@code users}. */
    String name();

    /**
     * Reads it again, and replaces the old state if the new one is right as a whole. Called by one
     * thread, which may block.
     */
    ReloadResult reload();
}
