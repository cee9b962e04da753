package io.godwit.server.extension.call;

/**
 * Keeps the reviews of each client in order, those of PUBLISHes, of SUBSCRIBEs with UNSUBSCRIBEs,
 * and of what it gets apart. One for the node, so that the order holds when the extensions change.
 */
public final class ReviewOrder {
    private final Lanes publishes = new Lanes();
    private final Lanes subscribes = new Lanes();
    private final Lanes deliveries = new Lanes();

    Lanes publishes() {
        return publishes;
    }

    Lanes subscribes() {
        return subscribes;
    }

    Lanes deliveries() {
        return deliveries;
    }
}
