package io.godwit.server;

import io.godwit.core.metrics.Metric;
import io.godwit.core.node.BrokerShard;
import io.godwit.server.config.Config;
import io.godwit.server.config.ConfigException;
import io.godwit.server.config.ConfigLoader;
import io.godwit.server.extension.Hook;
import io.godwit.server.extension.Registered;
import io.godwit.server.extension.call.CallFailure;
import io.godwit.server.extension.call.CallKind;
import io.godwit.server.extension.call.CallWatch;
import io.godwit.server.extension.call.CallsState;
import io.godwit.server.extension.call.ExtensionHooks;
import io.godwit.server.logging.Logs;
import io.godwit.server.loop.ShardEventLoop;
import io.godwit.testkit.RecordedCall;
import io.godwit.testkit.RecordedRegistration;
import io.godwit.testkit.spi.BrokerNotStarted;
import io.godwit.testkit.spi.BrokerPlan;
import io.godwit.testkit.spi.BrokerStarter;
import io.godwit.testkit.spi.StartedBroker;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A broker for the tests of extensions: the kit for these finds it, nothing else does. */
public final class KitBroker implements BrokerStarter {
    private static final String LISTENER = "mqtt";
    private static final long SHARD_SECONDS = 10;

    @Override
    public StartedBroker start(BrokerPlan plan) throws BrokerNotStarted {
        try {
            KitFolder folder = KitFolder.fill(plan);
            Config config = ConfigLoader.load(null, Map.of(), folder.settings(plan));
            // Where lines go is the tests' own choice.
            Logs.level(config.log().level());
            Watch watch = new Watch(plan);
            ForKit kit = new ForKit(plan.passedMs(), folder.mainClasses(), watch);
            return new Started(Server.start(config, Server.Ports.of(kit)));
        } catch (ConfigException e) {
            List<String> problems = e.problems().stream().map(String::valueOf).toList();
            throw new BrokerNotStarted(String.join("; ", problems), e);
        } catch (StartFailed e) {
            throw new BrokerNotStarted(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new BrokerNotStarted(e.toString(), e);
        }
    }

    private record Watch(BrokerPlan plan) implements CallWatch {
        @Override
        public long nanoTime() {
            return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(plan.passedMs().getAsLong());
        }

        @Override
        public void onEnd(
                String extension,
                CallKind kind,
                String clientId,
                @Nullable CallFailure failure,
                long nanos) {
            plan.calls()
                    .accept(
                            new RecordedCall(
                                    extension,
                                    kind.tag(),
                                    clientId,
                                    failure == null ? RecordedCall.ANSWERED : failure.tag(),
                                    Duration.ofNanos(nanos)));
        }
    }

    private static final class Started implements StartedBroker {
        private final Server server;

        Started(Server server) {
            this.server = server;
        }

        @Override
        public int port() {
            return server.port(LISTENER);
        }

        @Override
        public void onTimePassed() {
            onShards((shard, done) -> {
                shard.onTick();
                done.run();
            });
        }

        @Override
        public Activity look() {
            onShards((shard, done) -> {
                shard.enter();
                shard.afterCommitHere(isKept -> done.run());
            });
            List<String> underWay = new ArrayList<>();
            long done = 0;
            for (int i = 0; i < server.broker().shards(); i++) {
                BrokerShard shard = server.broker().shard(i);
                done += shard.counters().total(Metric.BYTES_RECEIVED);
                done += shard.counters().total(Metric.BYTES_SENT);
                if (shard.mailboxDepth() > 0) {
                    underWay.add("shard " + i + " has mail");
                }
            }
            if (server.outboundBytes() > 0) {
                underWay.add(server.outboundBytes() + " bytes wait for clients to read them");
            }
            for (ExtensionHooks.Running each : server.extensions().running()) {
                CallsState state = each.calls().state();
                done += ended(state);
                if (!each.calls().isQuiet()) {
                    underWay.add(
                            state.extension()
                                    + " has "
                                    + state.waiting()
                                    + " calls, or events, to answer");
                }
            }
            return new Activity(String.join("; ", underWay), done);
        }

        private static long ended(CallsState state) {
            long sum = 0;
            for (CallsState.OfKind each : state.kinds()) {
                sum += each.answered();
                for (long failed : each.failures().values()) {
                    sum += failed;
                }
            }
            return sum;
        }

        private interface OnShard {
            void run(BrokerShard shard, Runnable done);
        }

        /** Has all shards do something; returns when they have done it. */
        private void onShards(OnShard task) {
            int shards = server.broker().shards();
            CountDownLatch left = new CountDownLatch(shards);
            for (int i = 0; i < shards; i++) {
                ShardEventLoop loop = server.loops().get(i);
                BrokerShard shard = server.broker().shard(i);
                loop.execute(() -> task.run(shard, left::countDown));
            }
            try {
                if (!left.await(SHARD_SECONDS, TimeUnit.SECONDS)) {
                    throw new IllegalStateException(
                            "a shard has not answered within " + SHARD_SECONDS + " s");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
        }

        @Override
        public List<RecordedRegistration> registrations() {
            return server.extensions().running().stream()
                    .map(ExtensionHooks.Running::registered)
                    .sorted(
                            Comparator.comparingInt(
                                            (Registered each) -> each.extension().priority())
                                    .reversed())
                    .flatMap(each -> registrations(each).stream())
                    .toList();
        }

        /** Names all that there is: the record's components are the kinds. */
        private static List<RecordedRegistration> registrations(Registered registered) {
            List<RecordedRegistration> found = new ArrayList<>();
            for (RecordComponent each : Registered.class.getRecordComponents()) {
                if (each.getType() == registered.extension().getClass()) {
                    continue;
                }
                String kind = kind(each.getName());
                add(
                        valueOf(each, registered),
                        name ->
                                found.add(
                                        new RecordedRegistration(
                                                registered.extension().id(), kind, name)));
            }
            return found;
        }

        private static void add(@Nullable Object value, Consumer<String> names) {
            switch (value) {
                case null -> {}
                case Boolean notRegistered -> {}
                case Collection<?> several -> several.forEach(one -> add(one, names));
                case Map<?, ?> byName ->
                        byName.keySet().forEach(name -> names.accept(String.valueOf(name)));
                case Hook<?> hook -> names.accept(hook.topicFilter());
                default -> names.accept("");
            }
        }

        private static @Nullable Object valueOf(RecordComponent component, Registered registered) {
            try {
                return component.getAccessor().invoke(registered);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Turns {@code publishInterceptors} into {@code publish-interceptor}. */
        private static String kind(String component) {
            return component
                    .replaceFirst("s$", "")
                    .replaceAll("([A-Z])", "-$1")
                    .toLowerCase(Locale.ROOT);
        }

        @Override
        public void close() {
            server.close();
            Throwable fault = server.fault();
            if (fault != null) {
                throw new IllegalStateException("the broker has met a fault: " + fault, fault);
            }
        }
    }
}
