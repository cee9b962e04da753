package io.godwit.server.loop;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.util.concurrent.ThreadAwareExecutor;

/**
 * Epoll without the event that the peer has closed its side (EPOLLRDHUP). On that event Netty reads
 * a socket to its end at once, even one that is not to be read: megabytes in one turn, and past the
 * brake on publishers. Without it the end of a stream is found where it stands, behind the bytes
 * before it; a reset is told all the same.
 */
record HangUpFilter(IoHandler epoll) implements IoHandler {
    static IoHandlerFactory over(IoHandlerFactory epoll) {
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return new HangUpFilter(epoll.newHandler(executor));
            }

            @Override
            public boolean isChangingThreadSupported() {
                return epoll.isChangingThreadSupported();
            }
        };
    }

    private record Registration(IoRegistration registered) implements IoRegistration {
        @Override
        public <T> T attachment() {
            return registered.attachment();
        }

        @Override
        public long submit(IoOps ops) {
            EpollIoOps wanted = (EpollIoOps) ops;
            // No event at all would end the registration. Errors are told unasked anyway.
            return registered.submit(
                    wanted.contains(EpollIoOps.EPOLLRDHUP)
                            ? wanted.without(EpollIoOps.EPOLLRDHUP).with(EpollIoOps.EPOLLERR)
                            : wanted);
        }

        @Override
        public boolean isValid() {
            return registered.isValid();
        }

        @Override
        public boolean cancel() {
            return registered.cancel();
        }
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return new Registration(epoll.register(handle));
    }

    @Override
    public void initialize() {
        epoll.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
        return epoll.run(context);
    }

    @Override
    public void prepareToDestroy() {
        epoll.prepareToDestroy();
    }

    @Override
    public void destroy() {
        epoll.destroy();
    }

    @Override
    public void wakeup() {
        epoll.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
        return epoll.isCompatible(type);
    }
}
