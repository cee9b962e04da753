package io.godwit.cluster.transport;

/** What is counted of links; the metrics page is made from this list. */
public enum LinkMetric {
    FRAMES_SENT("frames.sent", "Frames sent to other nodes."),
    FRAMES_RECEIVED("frames.received", "Frames that came from other nodes."),
    BYTES_SENT("bytes.sent", "Bytes of frames sent to other nodes."),
    BYTES_RECEIVED("bytes.received", "Bytes of frames that came from other nodes."),
    MESSAGES_SENT("messages.sent", "Messages sent to other nodes."),
    MESSAGES_RECEIVED("messages.received", "Messages that came from other nodes."),
    LINKS_UP("links.up", "Links that were opened."),
    LINKS_DOWN("links.down", "Links that ended."),
    LINKS_SILENT("links.silent", "Times a peer was not heard for cluster.peer-timeout."),
    FRAMES_MISSING("frames.missing", "Links ended because a frame did not arrive."),
    FRAMES_BAD("frames.bad", "Links ended because a frame could not be read."),
    FRAMES_OLD("frames.old", "Frames dropped: of a link that has ended, or of no link."),
    MESSAGES_UNKNOWN("messages.unknown", "Messages skipped: of a type that this version lacks."),
    OFFERS_REFUSED("offers.refused", "Messages refused: too much waits for the node."),
    CONTROL_OVERRUN("control.overrun", "Links ended: the node does not process control messages."),
    CLOCK_REFUSED("clock.refused", "Links ended: the node's clock went too far ahead.");

    private final String metricName;
    private final String meaning;

    LinkMetric(String metricName, String meaning) {
        this.metricName = metricName;
        this.meaning = meaning;
    }

    /** Dotted name without the {@code godwit.cluster.} prefix. */
    public String metricName() {
        return metricName;
    }

    public String meaning() {
        return meaning;
    }
}
