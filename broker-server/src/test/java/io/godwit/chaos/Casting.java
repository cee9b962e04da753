package io.godwit.chaos;

import io.godwit.chaos.Habits.Acking;
import io.godwit.chaos.Habits.Attendance;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** The clients that take part in a run. */
final class Casting {
    private static final List<String> TOPICS = List.of("t/0", "t/1", "t/2", "t/3", "t/4", "t/5");
    private static final List<String> CHURNED = List.of("c/0", "c/1");

    private static final List<Attendance> OWN_TIME =
            List.of(Attendance.ALWAYS, Attendance.FLAKY, Attendance.RARE);
    private static final int BULK_BYTES = 16 << 10;

    private final Scene scene;
    private final SplittableRandom random;
    private final int perSecond;
    private final List<Client> clients = new ArrayList<>();

    private Casting(Scene scene, SplittableRandom random, int perSecond) {
        this.scene = scene;
        this.random = random;
        this.perSecond = perSecond;
    }

    /**
     * About forty clients of both versions.
     *
     * @param perSecond messages that each publisher sends at most
     * @param bulkPerSecond large ones, to sessions that are away most of the time; 0 for none
     */
    static List<Client> crowd(
            Scene scene, SplittableRandom random, int perSecond, int bulkPerSecond) {
        Casting casting = new Casting(scene, random, perSecond);
        casting.publishers();
        casting.subscribers();
        casting.groups();
        casting.churners();
        if (bulkPerSecond > 0) {
            casting.bulk(bulkPerSecond);
        }
        return casting.clients;
    }

    private void add(Habits habits) {
        clients.add(new Client(clients.size(), habits, scene, random.split()));
    }

    private Habits publisher(boolean v5) {
        List<String> topics = new ArrayList<>(TOPICS);
        topics.addAll(CHURNED);
        topics.addAll(List.of("g/0", "g/1"));
        return Habits.quiet(v5).publishing(perSecond, 4 + random.nextInt(16), topics);
    }

    private void publishers() {
        for (int i = 0; i < 10; i++) {
            String own = "r/" + i + "/";
            Habits habits = publisher(i % 2 == 0).retaining(List.of(own + 0, own + 1));
            add(i < 4 ? habits.leaving(LastWill.TOPICS + i) : habits);
        }
        // Comes and goes, so that order across its connections is seen, too.
        add(
                publisher(true)
                        .subscribing(Map.of("t/0", 2), Acking.PROMPT, Attendance.FLAKY)
                        .leaving(LastWill.TOPICS + 4));
        add(
                publisher(false)
                        .subscribing(Map.of("t/1", 1), Acking.PROMPT, Attendance.FLAKY)
                        .leaving(LastWill.TOPICS + 5));
    }

    private void subscribers() {
        boolean v5 = true;
        for (Attendance attendance : OWN_TIME) {
            for (Acking acking : Acking.values()) {
                for (int qos = 1; qos <= 2; qos++) {
                    String topic = TOPICS.get(random.nextInt(TOPICS.size()));
                    add(Habits.quiet(v5).subscribing(Map.of(topic, qos), acking, attendance));
                    v5 = !v5;
                }
            }
        }
        add(Habits.quiet(true).subscribing(Map.of("t/+", 2), Acking.PROMPT, Attendance.ALWAYS));
        add(Habits.quiet(false).subscribing(Map.of("t/#", 1), Acking.SLOW, Attendance.FLAKY));
        add(
                Habits.quiet(true)
                        .subscribing(
                                Map.of(LastWill.TOPICS + "+", 2),
                                Acking.PROMPT,
                                Attendance.ALWAYS));
        add(
                Habits.quiet(false)
                        .subscribing(
                                Map.of(LastWill.TOPICS + "#", 1), Acking.SLOW, Attendance.RARE));
    }

    private void groups() {
        for (int group = 0; group < 2; group++) {
            for (int member = 0; member < 3; member++) {
                add(
                        Habits.quiet(true)
                                .inGroup("group" + group)
                                .subscribing(
                                        Map.of("g/" + group, 1 + group),
                                        Acking.values()[member],
                                        OWN_TIME.get(member)));
            }
        }
    }

    private void churners() {
        add(Habits.quiet(true).churning(CHURNED.get(0)));
        add(Habits.quiet(false).churning(CHURNED.get(1)));
    }

    private void bulk(int rate) {
        add(Habits.quiet(true).publishing(rate, 30, BULK_BYTES, List.of("b/0", "b/1")));
        add(Habits.quiet(true).subscribing(Map.of("b/0", 2), Acking.PROMPT, Attendance.RARE));
        add(Habits.quiet(false).subscribing(Map.of("b/+", 1), Acking.PROMPT, Attendance.RARE));
    }
}
