package io.godwit.core.routing;

/**
 * Another node that has subscribers of a filter: a message goes there once, whoever they are.
 *
 * @param server its server id, 0..2^24-1
 */
public record NodeRef(int server) implements RouteTarget {
    @Override
    public boolean isFull() {
        return false;
    }
}
