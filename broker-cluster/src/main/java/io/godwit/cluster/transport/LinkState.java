package io.godwit.cluster.transport;

/**
 * What a link is.
 *
 * <pre>
 * from    to      when
 * UP      SILENT  nothing came, or nothing was confirmed, for the peer time-out
 * SILENT  UP      something came, and what was sent is confirmed
 * UP      DOWN    a frame is missing or bad, the peer began anew, left, or takes nothing in
 * SILENT  DOWN    the same
 * </pre>
 */
public enum LinkState {
    UP,
    SILENT,
    DOWN
}
