package io.godwit.core.codec;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Lets JMH run on the kind of thread that an event loop has: Netty's allocators keep a cache for
 * those only.
 */
public final class NettyThreads extends ThreadPoolExecutor {
    /** What {@link CpuTime} knows the threads by. */
    static final String NAME = "jmh-worker";

    static final String EXECUTOR = "-Djmh.executor=CUSTOM";
    static final String EXECUTOR_CLASS = "-Djmh.executor.class=io.godwit.core.codec.NettyThreads";

    /** Samples of where buffers were made would be charged to the codec that makes more of them. */
    static final String NO_LEAK_DETECTION = "-Dio.netty.leakDetection.level=disabled";

    /** As JMH calls it. */
    public NettyThreads(int threads, String prefix) {
        super(
                threads,
                threads,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                new DefaultThreadFactory(NAME));
    }
}
