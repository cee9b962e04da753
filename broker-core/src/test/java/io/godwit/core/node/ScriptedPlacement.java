package io.godwit.core.node;

import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.Placement;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Will;
import io.godwit.core.session.WillKeeper;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** A placement that answers as the test says, and knows all that it was asked and told. */
final class ScriptedPlacement implements Placement {
    static final long PATIENCE_MS = 5_000;

    /** What was asked, in order. */
    final List<Asked> asked = new ArrayList<>();

    /** Runs before {@code ask} returns. */
    Consumer<Asked> atOnce = asked -> {};

    /** Wills that were passed on; null: this node publishes them. */
    @Nullable List<WillKeeper.Passed> passed;

    IntPredicate leads = slot -> true;

    /** A question with its connection, and what became of it. */
    final class Asked implements Question, Stay {
        final AuthenticatedConnect connect;
        final Asking asking;

        /** The calls of this side: withdraw, claimed, ended. */
        final List<String> told = new ArrayList<>();

        Asked(AuthenticatedConnect connect, Asking asking) {
            this.connect = connect;
            this.asking = asking;
        }

        void here() {
            asking.here(this);
        }

        @Override
        public void withdraw() {
            told.add("withdraw");
        }

        @Override
        public void claimed() {
            told.add("claimed");
        }

        @Override
        public boolean pass(ClientId clientId, Will will, WillKeeper.Passed then) {
            if (passed == null) {
                return false;
            }
            told.add("pass " + will.topic());
            passed.add(then);
            return true;
        }

        @Override
        public void ended() {
            told.add("ended");
        }
    }

    @Override
    public Question ask(AuthenticatedConnect connect, Asking asking) {
        Asked question = new Asked(connect, asking);
        asked.add(question);
        atOnce.accept(question);
        return question;
    }

    @Override
    public boolean passEarlierWill(ClientId clientId, Will will, WillKeeper.Passed then) {
        if (passed == null) {
            return false;
        }
        passed.add(then);
        return true;
    }

    @Override
    public boolean leads(int slot) {
        return leads.test(slot);
    }

    @Override
    public long patienceMs() {
        return PATIENCE_MS;
    }

    Asked last() {
        return asked.getLast();
    }

    /** A cluster whose shards all have this placement, and that is else as another one. */
    Cluster in(Cluster other) {
        return (Cluster)
                Proxy.newProxyInstance(
                        Cluster.class.getClassLoader(),
                        new Class<?>[] {Cluster.class},
                        (proxy, method, arguments) ->
                                method.getName().equals("placement")
                                        ? this
                                        : method.invoke(other, arguments));
    }
}
