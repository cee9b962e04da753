package io.godwit.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintStream;
import java.util.Map;
import java.util.StringJoiner;
import picocli.CommandLine.Command;

/** Lines of {@code key=value}; exit code 1 when the node is in no cluster. */
@Command(name = "status", description = "Members, links and refusals, as the node sees them.")
final class ClusterStatusCommand extends AdminCommand {
    @Override
    String path() {
        return "/cluster";
    }

    @Override
    String field() {
        return "enabled";
    }

    @Override
    int print(JsonNode page, PrintStream out) {
        if (!page.get("enabled").asBoolean()) {
            System.err.println("this broker is not in a cluster (cluster.enabled: false)");
            return 1;
        }
        cluster(page, out);
        return 0;
    }

    private static void cluster(JsonNode page, PrintStream out) {
        out.printf(
                "cluster=%s bind=%s version=%s%n",
                page.get("name").asText(), page.get("bind").asText(), page.get("version").asText());
        for (JsonNode each : page.get("members")) {
            member(each, out);
        }
        slots(page, out);
        unheard(page.path("unheard"), out);
        copies(page.get("copies"), out);
        StringBuilder links = new StringBuilder("links");
        count(page, links, "opened", "links.up");
        count(page, links, "ended", "links.down");
        count(page, links, "silent", "links.silent");
        count(page, links, "frames-missing", "frames.missing");
        count(page, links, "offers-refused", "offers.refused");
        out.println(links);
        for (Map.Entry<String, JsonNode> each : page.get("refusals").properties()) {
            long here = each.getValue().get("here").asLong();
            long byOthers = each.getValue().get("byOthers").asLong();
            if (here + byOthers > 0) {
                out.printf("refused=%s here=%d by-others=%d%n", each.getKey(), here, byOthers);
            }
        }
    }

    private static void slots(JsonNode page, PrintStream out) {
        JsonNode slots = page.get("slots");
        out.printf(
                "slots led=%d elsewhere=%d loading=%d offline=%d unknown=%d"
                        + " sessions-aside=%d%s%n",
                slots.get("led").asLong(),
                slots.get("elsewhere").asLong(),
                slots.get("loading").asLong(),
                slots.get("offline").asLong(),
                slots.get("unknown").asLong(),
                slots.get("sessionsAside").asLong(),
                slots.path("drain").asText("no").equals("no")
                        ? ""
                        : " " + slots.get("drain").asText());
        for (JsonNode each : slots.get("table")) {
            out.printf(
                    "  leader=%d start=%d changes=%d slots=%d%n",
                    each.get("server").asLong(),
                    each.get("start").asLong(),
                    each.get("changes").asLong(),
                    each.get("slots").asLong());
        }
    }

    private static void unheard(JsonNode leaders, PrintStream out) {
        for (JsonNode each : leaders) {
            StringJoiner sets = new StringJoiner(", ");
            each.get("sets").forEach(set -> sets.add(set.asText()));
            out.printf(
                    "  copy sets %s of %s wait: too few of the nodes that are here have heard it since"
                            + " they started; start it, or godwit cluster forget %s%n",
                    sets, each.get("name").asText(), each.get("name").asText());
        }
    }

    /** Says in one sentence whether every session has its copies, then where they are. */
    private static void copies(JsonNode copies, PrintStream out) {
        JsonNode aside = copies.get("aside");
        if (aside.get("sessions").asLong() > 0) {
            out.printf(
                    "copies: %,d messages of %,d sessions are set aside at this node, since their"
                            + " leaders do not have them (%,d bytes)%n",
                    aside.get("messages").asLong(),
                    aside.get("sessions").asLong(),
                    aside.get("bytes").asLong());
        }
        long wanted = copies.get("wanted").asLong();
        if (wanted == 1) {
            out.println("copies: none (cluster.copies = 1)");
            return;
        }
        if (copies.get("whole").asBoolean()) {
            out.println("copies: all whole");
        } else {
            long leftMs = copies.get("leftMs").asLong();
            out.printf(
                    "copies: %,d sessions have fewer than %d%s%n",
                    copies.get("sessionsMissing").asLong(),
                    wanted,
                    leftMs < 0
                            ? ", and no other node is there to have them"
                            : leftMs < 60_000
                                    ? ", " + (leftMs / 1_000 + 1) + " s left"
                                    : ", " + (leftMs / 60_000 + 1) + " min left");
        }
        if (copies.get("outvoted").asBoolean()) {
            out.println(
                    "  acknowledgements wait: members that are out of reach may have taken over, or may"
                            + " be about to");
        }
        for (JsonNode each : copies.get("followers")) {
            out.printf(
                    "  follower=%d sets=%d whole=%d lag=%d lag-bytes=%d filled-bytes=%d%s%n",
                    each.get("server").asLong(),
                    each.get("sets").asLong(),
                    each.get("wholeSets").asLong(),
                    each.get("lagParts").asLong(),
                    each.get("lagBytes").asLong(),
                    each.get("filledBytes").asLong(),
                    each.get("full").asBoolean() ? " full: publishers wait" : "");
        }
    }

    private static void count(JsonNode page, StringBuilder to, String word, String name) {
        to.append(' ').append(word).append('=').append(page.get("links").get(name).asLong());
    }

    private static void member(JsonNode member, PrintStream out) {
        out.printf(
                "node=%s server-id=%d start=%d %s slots=%d%n",
                member.get("name").asText(),
                member.get("server").asLong(),
                member.get("start").asLong(),
                member.get("self").asBoolean()
                        ? "this"
                        : member.get("live").asBoolean() ? "live" : "out-of-reach",
                member.get("slots").asLong());
        JsonNode differ = member.path("security").path("differ");
        if (!differ.isEmpty()) {
            StringJoiner names = new StringJoiner(",");
            differ.forEach(each -> names.add(each.asText()));
            out.printf("  differs from this node in: %s%n", names);
        }
        JsonNode link = member.get("link");
        if (link == null) {
            return;
        }
        out.printf(
                "  link=%d %s to=%s version=%s protocol=%d clock-ahead=%dms sent=%d/s"
                        + " received=%d/s%n",
                link.get("number").asLong(),
                link.get("state").asText(),
                link.get("address").asText(),
                link.get("version").asText(),
                link.get("protocol").asLong(),
                link.get("clockAheadMs").asLong(),
                link.get("sentBytesPerSecond").asLong(),
                link.get("receivedBytesPerSecond").asLong());
        for (Map.Entry<String, JsonNode> each : link.get("classes").properties()) {
            out.printf(
                    "    %-11s lag=%d credit=%d untaken=%d%n",
                    each.getKey(),
                    each.getValue().get("lagBytes").asLong(),
                    each.getValue().get("creditBytes").asLong(),
                    each.getValue().get("untakenBytes").asLong());
        }
    }
}
