package io.godwit.server.service;

import io.godwit.extension.Registration;
import io.godwit.extension.service.ClusterInfo;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows the cluster to one extension, and tells it of changes in its own threads. */
public final class ExtensionCluster implements ClusterInfo, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ExtensionCluster.class);

    private final String id;
    private final ServiceNodes nodes;
    private final Executor executor;
    private final List<Consumer<List<Member>>> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean isDue = new AtomicBoolean();
    private final Runnable onNodes = this::changed;

    /**
     * @param id of the extension
     * @param executor the extension's
     */
    public ExtensionCluster(String id, Sessions sessions, Executor executor) {
        this.id = id;
        this.nodes = sessions.nodes();
        this.executor = executor;
        nodes.listen(onNodes);
    }

    @Override
    public List<Member> members() {
        return nodes.states();
    }

    @Override
    public Registration onChange(Consumer<List<Member>> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    private void changed() {
        if (!listeners.isEmpty() && isDue.compareAndSet(false, true)) {
            try {
                executor.execute(this::tell);
            } catch (RejectedExecutionException stopped) {
                close();
            }
        }
    }

    /** One call at a time: two threads of the extension must not tell it in the wrong order. */
    private synchronized void tell() {
        isDue.set(false);
        List<Member> now = members();
        for (Consumer<List<Member>> each : listeners) {
            try {
                each.accept(now);
            } catch (RuntimeException e) {
                log.warn("Extension {} has failed to take a change of the cluster", id, e);
            }
        }
    }

    @Override
    public void close() {
        nodes.forget(onNodes);
        listeners.clear();
    }
}
