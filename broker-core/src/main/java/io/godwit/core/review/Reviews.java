package io.godwit.core.review;

import org.jspecify.annotations.Nullable;

/**
 * Holds who reviews what clients do and get, one for all shards. Each is null while nobody does,
 * which costs a packet one read; they may change at any time: a question that is under way is
 * answered by the one that was asked.
 */
public final class Reviews {
    private volatile @Nullable Reviewer reviewer;
    private volatile @Nullable ClientEvents events;
    private volatile @Nullable DeliveryReviewer deliveries;
    private volatile @Nullable ConnectReviewer connects;
    private volatile @Nullable PacketReviewer packets;
    private volatile @Nullable SessionEvents sessionEvents;
    private volatile @Nullable ConnectionSetups setups;

    /** Whether somebody wants to know who the clients are. */
    public boolean isOn() {
        return reviewer != null || events != null || deliveries != null || setups != null;
    }

    public @Nullable Reviewer reviewer() {
        return reviewer;
    }

    public void reviewer(@Nullable Reviewer next) {
        reviewer = next;
    }

    public @Nullable ClientEvents events() {
        return events;
    }

    public void events(@Nullable ClientEvents next) {
        events = next;
    }

    public @Nullable DeliveryReviewer deliveries() {
        return deliveries;
    }

    public void deliveries(@Nullable DeliveryReviewer next) {
        deliveries = next;
    }

    public @Nullable SessionEvents sessionEvents() {
        return sessionEvents;
    }

    public void sessionEvents(@Nullable SessionEvents next) {
        sessionEvents = next;
    }

    public @Nullable ConnectionSetups setups() {
        return setups;
    }

    /** Has others set up connections; those that are connected have to be looked at after that. */
    public void setups(@Nullable ConnectionSetups next) {
        setups = next;
    }

    public @Nullable ConnectReviewer connects() {
        return connects;
    }

    public void connects(@Nullable ConnectReviewer next) {
        connects = next;
    }

    public @Nullable PacketReviewer packets() {
        return packets;
    }

    public void packets(@Nullable PacketReviewer next) {
        packets = next;
    }
}
