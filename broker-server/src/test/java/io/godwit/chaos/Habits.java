package io.godwit.chaos;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client is like.
 *
 * @param perSecond publishes, 0 for none; {@code window} of QoS 1 and 2 are under way at most
 * @param bulkBytes payload of every message; 0 for mostly small ones of random size
 * @param topics that it publishes to
 * @param retained topics that only it publishes to, with RETAIN
 * @param filters with their QoS; all are subscribed at once
 * @param churning subscribed and unsubscribed in turn, or null
 * @param will topic to which only its will is published, or null
 * @param group name of the shared group that the filters belong to, or null
 */
record Habits(
        boolean v5,
        int perSecond,
        int window,
        int bulkBytes,
        List<String> topics,
        List<String> retained,
        Map<String, Integer> filters,
        @Nullable String churning,
        @Nullable String will,
        @Nullable String group,
        Acking acking,
        Attendance attendance) {
    enum Acking {
        PROMPT,
        /** After some milliseconds. */
        SLOW,
        /** Many at once, or when nothing has come for a while. */
        HOARDING
    }

    enum Attendance {
        ALWAYS,
        /** Leaves and comes back within a round. */
        FLAKY,
        /** Stays away for whole rounds. */
        RARE,
        /** Comes when it is called. */
        ON_CALL
    }

    /** Neither publishes nor subscribes. */
    static Habits quiet(boolean v5) {
        return new Habits(
                v5,
                0,
                0,
                0,
                List.of(),
                List.of(),
                Map.of(),
                null,
                null,
                null,
                Acking.PROMPT,
                Attendance.ALWAYS);
    }

    Habits publishing(int rate, int inFlight, List<String> to) {
        return publishing(rate, inFlight, 0, to);
    }

    Habits publishing(int rate, int inFlight, int bytes, List<String> to) {
        return new Habits(
                v5,
                rate,
                inFlight,
                bytes,
                to,
                retained,
                filters,
                churning,
                will,
                group,
                acking,
                attendance);
    }

    Habits retaining(List<String> own) {
        return new Habits(
                v5,
                perSecond,
                window,
                bulkBytes,
                topics,
                own,
                filters,
                churning,
                will,
                group,
                acking,
                attendance);
    }

    Habits subscribing(Map<String, Integer> to, Acking how, Attendance when) {
        return new Habits(
                v5, perSecond, window, bulkBytes, topics, retained, to, churning, will, group, how,
                when);
    }

    Habits churning(String filter) {
        return new Habits(
                v5,
                perSecond,
                window,
                bulkBytes,
                topics,
                retained,
                filters,
                filter,
                will,
                group,
                acking,
                attendance);
    }

    Habits inGroup(String name) {
        return new Habits(
                v5,
                perSecond,
                window,
                bulkBytes,
                topics,
                retained,
                filters,
                churning,
                will,
                name,
                acking,
                attendance);
    }

    Habits leaving(String topic) {
        return new Habits(
                v5,
                perSecond,
                window,
                bulkBytes,
                topics,
                retained,
                filters,
                churning,
                topic,
                group,
                acking,
                attendance);
    }
}
