package io.godwit.server.config;

/**
 * How the process uses the machine ({@code server.*}).
 *
 * @param shards 1..1 024; 0 in the file has become the number of cores here
 * @param openFilesReserve files that are never given to clients; at most a quarter of the limit
 */
public record ServerConfig(int shards, Transport transport, int openFilesReserve) {

    /** Which of Netty's transports carries the listeners. */
    public enum Transport {
        /** Epoll where it loads, else NIO. */
        AUTO,
        EPOLL,
        NIO
    }
}
