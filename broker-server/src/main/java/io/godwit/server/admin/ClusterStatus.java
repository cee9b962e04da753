package io.godwit.server.admin;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cluster as one node sees it at a moment.
 *
 * @param name of the cluster
 * @param bind where this node listens for others
 * @param version of this node's program
 * @param members every server id that joined and is not forgotten, this one too
 * @param slots which members lead them
 * @param unheard leaders that are out of reach, and whose copy sets wait for them
 * @param copies of this node's sessions at other members
 * @param links what has happened to links since the start, by name
 * @param refusals of nodes, by cause
 */
public record ClusterStatus(
        String name,
        String bind,
        String version,
        List<Member> members,
        Slots slots,
        List<Unheard> unheard,
        Copies copies,
        Map<String, Long> links,
        Map<String, Refusals> refusals) {
    public ClusterStatus {
        members = List.copyOf(members);
        unheard = List.copyOf(unheard);
    }

    /**
     * A leader that is out of reach, and that too few of the members which are here have heard
     * since they started: it may have gone on without them.
     *
     * @param name the server id, if none is known
     * @param sets copy sets that members which are here have whole copies of
     */
    public record Unheard(int server, String name, List<Integer> sets) {
        public Unheard {
            sets = List.copyOf(sets);
        }
    }

    /**
     * Counts the slots of client ids by where they are led.
     *
     * @param led by this node
     * @param elsewhere led by another member that is heard
     * @param loading taken over by this node, which loads their sessions
     * @param offline their leader is not there now
     * @param unknown no leader of them is known
     * @param sessionsAside sessions of this node that are set aside
     * @param drain whether this node is to lead nothing, and still leads sessions
     * @param table by leader
     */
    public record Slots(
            int led,
            int elsewhere,
            int loading,
            int offline,
            int unknown,
            long sessionsAside,
            Drain drain,
            List<Row> table) {
        public Slots {
            table = List.copyOf(table);
        }
    }

    /** Whether a node is to lead nothing. */
    public enum Drain {
        NO,
        /** It still leads sessions. */
        DRAINING,
        /** It leads no session. */
        DRAINED
    }

    /**
     * The copies of this node's durable sessions at other members. Sessions are divided into sets,
     * each of which has its copies at the same members.
     *
     * @param wanted how many copies of a session there are to be, this node's included
     * @param sets how many sets there are
     * @param wholeSets sets that have all their copies, with everything
     * @param sessionsMissing sessions that lack a copy, or may
     * @param leftMs about how long it takes to fill what is being filled; -1: not known
     * @param aside what this node has set aside of its copies of other members' sessions
     * @param followers members that have copies
     * @param records which members acknowledgements of each set wait for
     * @param isOutvoted acknowledgements wait: members that are out of reach may have taken over,
     *     or may be about to
     */
    public record Copies(
            int wanted,
            int sets,
            int wholeSets,
            long sessionsMissing,
            long leftMs,
            Aside aside,
            List<Follower> followers,
            List<CopyRecord> records,
            boolean isOutvoted) {
        public Copies {
            followers = List.copyOf(followers);
            records = List.copyOf(records);
        }

        /** Whether every session has all its copies. */
        public boolean areWhole() {
            return wholeSets == sets;
        }
    }

    /**
     * What copies had and their leaders did not have.
     *
     * @param sessions sessions, and parts of shared groups
     * @param messages of them
     * @param bytes of the messages
     */
    public record Aside(long sessions, long messages, long bytes) {}

    /**
     * A member that has copies of this node's sessions.
     *
     * @param sets that it follows
     * @param wholeSets of these, those of which it has everything
     * @param lagParts parts of the journal that it has not confirmed
     * @param lagBytes their bytes
     * @param filledBytes bytes of older messages and sessions that were sent to it
     * @param isFull it has an alarm of disk or memory: publishers of this node wait
     */
    public record Follower(
            int server,
            int sets,
            int wholeSets,
            long lagParts,
            long lagBytes,
            long filledBytes,
            boolean isFull) {}

    /**
     * The members that acknowledgements of one set wait for, as every member knows them.
     *
     * @param set number of the set
     * @param start of this node that has made the record
     * @param change number of the change in this start
     * @param whole server ids of those that have everything
     * @param filling server ids of those that are being filled
     */
    public record CopyRecord(
            int set, long start, long change, List<Integer> whole, List<Integer> filling) {
        public CopyRecord {
            whole = List.copyOf(whole);
            filling = List.copyOf(filling);
        }
    }

    /**
     * Slots with one epoch.
     *
     * @param server id of their leader
     * @param start of the leader
     * @param changes how often they have changed their leader
     * @param slots how many they are
     */
    public record Row(int server, long start, long changes, int slots) {}

    /**
     * @param start of the node: the last that was seen
     * @param slots that it leads
     * @param link null for this node and for those that have none
     */
    public record Member(
            int server,
            long start,
            String name,
            boolean isSelf,
            boolean isLive,
            int slots,
            @Nullable Link link,
            SecurityFiles security) {}

    /**
     * The files that say who comes in at a member: digests in hexadecimal; empty: it has none, or
     * is not heard.
     *
     * @param users of {@code security.users}
     * @param rules of {@code security.rules}
     * @param authorities of clients' certificates, and their revocation lists
     * @param differ which of these are others than at this node
     */
    public record SecurityFiles(
            String users, String rules, String authorities, List<String> differ) {
        public SecurityFiles {
            differ = List.copyOf(differ);
        }
    }

    /**
     * The link to a member.
     *
     * @param address of the peer, for people
     * @param state up, or silent: nothing was heard for cluster.peer-timeout
     * @param version of the peer's program
     * @param protocol version of messages that both speak
     * @param number of the link among all of this start: one that is high tells of many that ended
     * @param clockAheadMs of the peer, when the link was opened; its hello's way is in it
     * @param sentBytesPerSecond in the last second
     * @param receivedBytesPerSecond in the last second
     */
    public record Link(
            String address,
            String state,
            String version,
            int protocol,
            long number,
            long clockAheadMs,
            long sentBytes,
            long sentBytesPerSecond,
            long receivedBytes,
            long receivedBytesPerSecond,
            List<OfClass> classes) {
        public Link {
            classes = List.copyOf(classes);
        }
    }

    /**
     * One class of messages of a link.
     *
     * @param lagBytes that wait for the peer, or were sent and are not confirmed
     * @param creditBytes that may leave before the peer gives more
     * @param untakenBytes that came from the peer and are not done with
     */
    public record OfClass(String name, long lagBytes, long creditBytes, long untakenBytes) {}

    /** How often this node has refused another one, and was refused, for one cause. */
    public record Refusals(long here, long byOthers) {}
}
