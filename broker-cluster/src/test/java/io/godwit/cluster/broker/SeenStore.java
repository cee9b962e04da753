package io.godwit.cluster.broker;

import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.UnaryOperator;

/** Makes stores of which a test sees the operations that shards tell. */
final class SeenStore {
    /** Sees operations. */
    interface Operations {
        /**
         * Notes that a shard has told an operation.
         *
         * @param name of the method of {@link ShardStore}
         */
        void onTold(String name, Object[] arguments);
    }

    private SeenStore() {}

    static Store of(Store store, Operations to) {
        return seen(
                Store.class,
                store,
                (name, arguments) -> {},
                result ->
                        result instanceof ShardStore shard
                                ? seen(ShardStore.class, shard, to, each -> each)
                                : result);
    }

    private static <T> T seen(Class<T> type, T real, Operations to, UnaryOperator<Object> result) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> {
                            try {
                                Object returned = method.invoke(real, arguments);
                                to.onTold(
                                        method.getName(),
                                        arguments == null ? new Object[0] : arguments);
                                return returned == null ? null : result.apply(returned);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }));
    }
}
