package io.godwit.server.admin;

import java.util.Locale;

/** Why the admin port refused a request, or closed a connection before its answer had left. */
enum AdminRefusal {
    /**
     * The request, or the reading of its answer, took longer than {@code admin.request-timeout}.
     */
    TIMEOUT,
    /** Closed for a newcomer: of all that waited this one had waited longest. */
    MADE_ROOM,
    /** Every connection had a request in work, so only health was answered. */
    BUSY,
    /** The Host was none of this machine's names. */
    HOST,
    /** The token was wrong, or missing. */
    TOKEN,
    /** What changes something was asked for from elsewhere, or without its header. */
    COMMAND,
    /** There was no memory for the request or for its answer. */
    MEMORY;

    /** The tag {@code cause} of {@code godwit_admin_refused_total}. */
    String cause() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
