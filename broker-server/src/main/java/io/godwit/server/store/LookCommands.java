package io.godwit.server.store;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.inspect.QueuePeek;
import io.godwit.persistence.inspect.Queues;
import io.godwit.persistence.inspect.StoreSummary;
import io.godwit.persistence.inspect.StoreVerify;
import io.godwit.persistence.inspect.StoreView;
import io.godwit.persistence.rocks.DamageReport;
import io.godwit.persistence.rocks.TableDamage;
import io.godwit.server.StartFailed;
import io.godwit.server.data.FolderLock;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Commands that change nothing, also not of a damaged store. */
@SuppressWarnings("try") // locks are held, not used
final class LookCommands {
    private LookCommands() {}

    abstract static class Look extends StoreCommand.Each {
        abstract int look(StoreView view, PrintStream out) throws DiskFailure, IOException;

        @Override
        int run(PrintStream out) throws StartFailed, StoreUnusable, DiskFailure, IOException {
            try (FolderLock lock = folder.lock(false);
                    StoreView view = StoreView.open(folder.store())) {
                view.problems().forEach(each -> System.err.println("damaged: " + each + "."));
                return Math.max(look(view, out), view.problems().isEmpty() ? 0 : 1);
            }
        }
    }

    @Command(name = "info", description = "Shows how much the store holds.")
    static final class Info extends Look {
        @Override
        int look(StoreView view, PrintStream out) throws DiskFailure {
            StoreSummary summary = new StoreSummary(view.disk());
            long[] sums = new long[6];
            long[] copied = new long[2];
            StoreSummary.Sessions sessions =
                    line -> {
                        if (line.copyOf() != 0) {
                            copied[0]++;
                            copied[1] += line.waiting().messages();
                            return;
                        }
                        sums[0]++;
                        sums[1] += line.subscriptions();
                        sums[2] += line.waiting().messages();
                        sums[3] += line.waiting().bytes();
                        sums[4] += line.waiting().inFlight();
                        sums[5] += line.session().isAside() ? 1 : 0;
                    };
            summary.sessions(null, sessions);
            Set<TopicFilter> groups = new HashSet<>();
            long inGroups = 0;
            for (StoreSummary.GroupLine each : summary.groups()) {
                if (each.copyOf() != 0) {
                    copied[1] += each.waiting().messages();
                    continue;
                }
                groups.add(each.filter());
                inGroups += each.waiting().messages();
            }
            out.println("sessions            " + sums[0] + " (" + sums[5] + " set aside)");
            out.println("subscriptions       " + sums[1]);
            out.println("queued messages     " + sums[2] + " (" + sums[4] + " in flight)");
            out.println("queued bytes        " + sums[3]);
            out.println("shared groups       " + groups.size() + " with " + inGroups + " messages");
            out.println(
                    "copies              "
                            + copied[0]
                            + " of other nodes' sessions, with "
                            + copied[1]
                            + " messages");
            out.println("retained messages   " + summary.entries(Family.RETAINED));
            out.println("shared payloads     " + summary.entries(Family.PAYLOADS));
            out.println("bytes of tables     " + view.rocks().bytes());
            out.println("rows up to commit   " + view.rowsPosition());
            out.println("journal up to       " + view.journalPosition());
            return 0;
        }
    }

    @Command(
            name = "sessions",
            description = "Lists durable sessions and shared groups, with what waits for them.")
    static final class Sessions extends Look {
        @Option(names = "--client", paramLabel = "ID", description = "only this client")
        private @Nullable String client;

        @Override
        int look(StoreView view, PrintStream out) throws DiskFailure {
            StoreSummary summary = new StoreSummary(view.disk());
            long nowMs = System.currentTimeMillis();
            int[] shown = {0};
            summary.sessions(
                    client == null ? null : ClientId.of(client),
                    line -> {
                        shown[0]++;
                        out.println(Texts.session(line, nowMs));
                    });
            if (client != null) {
                if (shown[0] == 0) {
                    System.err.println("there is no session of client " + client);
                }
                return shown[0] == 0 ? 1 : 0;
            }
            for (StoreSummary.GroupLine each : summary.groups()) {
                out.println(
                        "group="
                                + Texts.quoted(each.filter().toString())
                                + " part="
                                + each.part()
                                + " queue="
                                + Queues.text(each.queueId())
                                + Texts.copyOf(each.copyOf())
                                + Texts.waiting(each.waiting(), nowMs));
            }
            return 0;
        }
    }

    @Command(
            name = "peek",
            description =
                    "Shows the oldest messages of one queue: first those in flight, then"
                            + " those that wait.")
    static final class Peek extends Look {
        @Mixin private QueueChoice choice = new QueueChoice();

        @Option(names = "--limit", paramLabel = "N", description = "at most this many (20)")
        private int limit = 20;

        @Option(names = "--payload", description = "shows payloads too, in base64")
        private boolean payload;

        @Override
        int look(StoreView view, PrintStream out) throws DiskFailure {
            List<Long> queues = choice.of(view.disk());
            if (queues.isEmpty()) {
                System.err.println(choice.missing());
                return 1;
            }
            int left = limit;
            for (long queueId : queues) {
                QueuePeek peek = new QueuePeek(view.disk());
                left -= peek.show(queueId, left, seen -> out.println(line(seen)));
            }
            return 0;
        }

        private String line(QueuePeek.Seen seen) {
            StringBuilder text = new StringBuilder();
            text.append("id=").append(Queues.text(seen.messageId()));
            text.append(" came=").append(Instant.ofEpochMilli(seen.messageId().clock() >>> 16));
            text.append(" state=").append(seen.state()).append(" qos=").append(seen.qos());
            if (seen.packetId() != 0) {
                text.append(" packet=").append(seen.packetId());
            }
            Message message = seen.message();
            if (message == null) {
                return text.append(" message=none").toString();
            }
            text.append(" topic=").append(Texts.quoted(message.topic.toString()));
            text.append(" bytes=").append(message.payload.length);
            if (message.expiresAtMs != Message.NEVER) {
                text.append(" expires=").append(Instant.ofEpochMilli(message.expiresAtMs));
            }
            if (payload) {
                text.append(" payload=")
                        .append(Base64.getEncoder().encodeToString(message.payload));
            }
            return text.toString();
        }
    }

    @Command(
            name = "verify",
            description = {
                "Verifies checksums, the journal, counts, payloads and indexes.",
                "Of a client, a group or a queue: only its rows are read."
            })
    static final class Verify extends StoreCommand.Each {
        @Mixin private QueueChoice choice = new QueueChoice();

        @Override
        int run(PrintStream out) throws StartFailed, StoreUnusable, DiskFailure, IOException {
            try (FolderLock lock = folder.lock(false)) {
                Path store = folder.store();
                if (choice.isMade()) {
                    return queues(store, out);
                }
                Set<String> problems = new LinkedHashSet<>();
                for (TableDamage each : DamageReport.of(store).tables()) {
                    problems.add(each.describe());
                }
                long rows = 0;
                long ofCopies = 0;
                long aside = 0;
                try (StoreView view = StoreView.open(store)) {
                    problems.addAll(view.problems());
                    StoreVerify verify = new StoreVerify(view.disk(), problems::add);
                    verify.run();
                    rows = verify.rows();
                    ofCopies = verify.rowsOfCopies();
                    aside = verify.rowsAside();
                } catch (StoreUnusable e) {
                    if (problems.isEmpty()) {
                        throw e;
                    }
                    problems.add(String.valueOf(e.getMessage()));
                }
                problems.forEach(out::println);
                out.println(
                        problems.isEmpty()
                                ? "The store is intact: "
                                        + rows
                                        + " rows"
                                        + copies(ofCopies)
                                        + aside(aside)
                                : problems.size() + " problems; " + rows + " rows could be read.");
                return problems.isEmpty() ? 0 : 1;
            }
        }

        private static String copies(long rows) {
            return rows == 0 ? "." : ", " + rows + " of them in copies of other nodes' queues.";
        }

        private static String aside(long rows) {
            return rows == 0 ? "" : " " + rows + " messages are set aside.";
        }

        private int queues(Path store, PrintStream out) throws StoreUnusable, DiskFailure {
            try (StoreView view = StoreView.open(store)) {
                List<Long> queues = choice.of(view.disk());
                if (queues.isEmpty()) {
                    System.err.println(choice.missing());
                    return 1;
                }
                Set<String> problems = new LinkedHashSet<>(view.problems());
                StoreVerify verify = new StoreVerify(view.disk(), problems::add);
                for (long queueId : queues) {
                    verify.run(queueId);
                }
                problems.forEach(out::println);
                out.println(
                        problems.isEmpty()
                                ? "The queue is intact: " + verify.rows() + " rows."
                                : problems.size()
                                        + " problems; "
                                        + verify.rows()
                                        + " rows could be read.");
                return problems.isEmpty() ? 0 : 1;
            }
        }
    }
}
