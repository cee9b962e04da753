package io.godwit.persistence.disk;

/** The families of keys (RocksDB's column families); the ordinal is the family's number. */
public enum Family {
    /** Format, ids, sessions, subscriptions, inbound ids, groups, counts of queues and payloads. */
    META("default"),
    /** Messages that wait, by queue, status and id. */
    QUEUES("queues"),
    /** Payloads that several rows share, and large ones, by ingress id. */
    PAYLOADS("payloads"),
    /** Retained messages by topic. */
    RETAINED("retained"),
    /** Rows with an expiry, by time. */
    EXPIRY("expiry");

    private final String columnFamily;

    Family(String columnFamily) {
        this.columnFamily = columnFamily;
    }

    public String columnFamily() {
        return columnFamily;
    }
}
