package io.godwit.server.security.users;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;

/** Counts what happens to users and passwords. Any thread. */
public final class UsersMetrics {
    private static final String PREFIX = "godwit.";

    final LongAdder wrong = new LongAdder();
    final LongAdder delayed = new LongAdder();
    final LongAdder tooMany = new LongAdder();
    final LongAdder busy = new LongAdder();
    final LongAdder hashed = new LongAdder();
    final LongAdder remembered = new LongAdder();
    final LongAdder reloadFailures = new LongAdder();

    UsersMetrics() {}

    void bindTo(MeterRegistry to, Users users) {
        counter(
                to,
                "passwords.wrong",
                "Wrong passwords, tokens and SCRAM proofs, and unknown users of whom no other"
                        + " authenticator is asked.",
                wrong);
        counter(
                to,
                "passwords.delayed",
                "Logins that waited because of wrong passwords before them.",
                delayed);
        counter(
                to,
                "passwords.refused.many",
                "Logins refused unchecked, because of too many wrong passwords before them.",
                tooMany);
        counter(
                to,
                "passwords.refused.busy",
                "Logins refused unchecked, because too many passwords wait to be hashed.",
                busy);
        counter(to, "passwords.hashed", "Passwords that were hashed to check them.", hashed);
        counter(
                to,
                "passwords.remembered",
                "Logins with a password that was found right shortly before.",
                remembered);
        counter(
                to,
                "users.reload.failures",
                "Changed files of users that were not accepted: the users before stay.",
                reloadFailures);
        gauge(to, users, "users", "Users in the file of security.users.", Users::size);
        gauge(
                to,
                users,
                "passwords.waiting",
                "Passwords that wait to be hashed.",
                Users::waitingForHashers);
        gauge(
                to,
                users,
                "logins.waiting",
                "Logins that wait because of wrong passwords before them.",
                Users::waitingForTurn);
    }

    private static void counter(MeterRegistry to, String name, String meaning, LongAdder of) {
        FunctionCounter.builder(PREFIX + name, of, LongAdder::sum)
                .description(meaning)
                .register(to);
    }

    private static void gauge(
            MeterRegistry to,
            Users users,
            String name,
            String meaning,
            ToDoubleFunction<Users> value) {
        Gauge.builder(PREFIX + name, users, value).description(meaning).register(to);
    }
}
