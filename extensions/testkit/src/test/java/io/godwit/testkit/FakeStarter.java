package io.godwit.testkit;

import io.godwit.testkit.spi.BrokerPlan;
import io.godwit.testkit.spi.BrokerStarter;
import io.godwit.testkit.spi.StartedBroker;
import java.util.ArrayList;
import java.util.List;

/** Notes what brokers are asked for, and starts none. */
public final class FakeStarter implements BrokerStarter {
    static final List<BrokerPlan> PLANS = new ArrayList<>();
    static int running;

    /** When above 0, that many looks find something under way. */
    static int busyLooks;

    @Override
    public StartedBroker start(BrokerPlan plan) {
        PLANS.add(plan);
        running++;
        int port = plan.port() == 0 ? 4_000 + PLANS.size() : plan.port();
        return new StartedBroker() {
            @Override
            public int port() {
                return port;
            }

            @Override
            public void onTimePassed() {
                plan.calls().accept(GodwitKitTest.CALL);
            }

            @Override
            public Activity look() {
                return new Activity(busyLooks-- > 0 ? "a call" : "", 1);
            }

            @Override
            public List<RecordedRegistration> registrations() {
                return List.of();
            }

            @Override
            public void close() {
                running--;
            }
        };
    }
}
