package io.godwit.cluster.membership;

/** Why a node is not let in. Codes are given once: they go to the other node. */
public enum Refusal {
    CLUSTER_NAME(1, "cluster.name", "Nodes refused: of a cluster with another name."),
    PROTOCOL(2, "protocol", "Nodes refused: no version that both speak."),
    SERVER_ID(3, "server.id", "Nodes refused: another live process has the same server id."),
    OLD_START(4, "old.start", "Nodes refused: a copied or restored data folder."),
    CLOCK(5, "clock", "Nodes refused: their clock is too far ahead."),
    FORGOTTEN(6, "forgotten", "Nodes refused: they were forgotten while they ran.");

    private final int code;
    private final String metricName;
    private final String meaning;

    Refusal(int code, String metricName, String meaning) {
        this.code = code;
        this.metricName = metricName;
        this.meaning = meaning;
    }

    int code() {
        return code;
    }

    /** Dotted name below {@code godwit.cluster.refused.}. */
    public String metricName() {
        return metricName;
    }

    public String meaning() {
        return meaning;
    }
}
