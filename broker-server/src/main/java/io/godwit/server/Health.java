package io.godwit.server;

/** Whether clients should be sent here; read by the admin port. */
public final class Health {
    private volatile boolean ready;

    void ready(boolean now) {
        ready = now;
    }

    /** True from the moment the listeners accept until the broker begins to stop. */
    public boolean isReady() {
        return ready;
    }
}
