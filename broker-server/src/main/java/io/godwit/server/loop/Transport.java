package io.godwit.server.loop;

import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.unix.UnixChannelOption;

/** Which of Netty's transports carries the sockets. */
public enum Transport {
    EPOLL {
        @Override
        IoHandlerFactory ioHandler() {
            return HangUpFilter.over(
                    EpollIoHandler.newFactory(READY_MAX, DefaultSelectStrategyFactory.INSTANCE));
        }

        @Override
        public ServerSocketChannel newServerSocket() {
            EpollServerSocketChannel channel = new EpollServerSocketChannel();
            channel.config().setOption(UnixChannelOption.SO_REUSEPORT, true);
            return channel;
        }

        @Override
        public boolean sharesPorts() {
            return true;
        }
    },

    NIO {
        @Override
        IoHandlerFactory ioHandler() {
            return NioIoHandler.newFactory();
        }

        @Override
        public ServerSocketChannel newServerSocket() {
            return new NioServerSocketChannel();
        }

        @Override
        public boolean sharesPorts() {
            return false;
        }
    };

    /**
     * Sockets that one turn of a loop serves at most; the kernel hands the others out first in the
     * next turn. Each may bring a whole read buffer, so this bounds how long a turn lasts.
     */
    private static final int READY_MAX = 32;

    /** The fastest that loads on this machine. */
    public static Transport best() {
        return Epoll.isAvailable() ? EPOLL : NIO;
    }

    /** Why {@link #EPOLL} does not load; empty when it does. */
    public static String epollProblem() {
        Throwable cause = Epoll.unavailabilityCause();
        return cause == null ? "" : String.valueOf(cause.getMessage());
    }

    abstract IoHandlerFactory ioHandler();

    public abstract ServerSocketChannel newServerSocket();

    /** Whether several server sockets may share one port, one for each shard. */
    public abstract boolean sharesPorts();
}
