package io.godwit.persistence.settings;

/** When a commit counts as durable ({@code durability.sync}). */
public enum Durability {
    /** When it is synced: a power cut loses nothing that was acknowledged. */
    COMMIT,

    /**
     * When it is written; synced every {@code durability.sync-interval}: a power cut loses what was
     * acknowledged since, a killed process nothing.
     */
    INTERVAL,

    /**
     * When it is written; the operating system syncs when it likes: a power cut loses up to about
     * half a minute, a killed process nothing.
     */
    OS
}
