package io.godwit.server.reload;

import java.util.List;
import java.util.stream.Collectors;

/** Tells what one reload did, part by part, in the order of registration. */
public record ReloadReport(List<Part> parts) {
    /** The result of one part. */
    public record Part(String name, ReloadResult result) {
        @Override
        public String toString() {
            return name + ": " + result;
        }
    }

    public ReloadReport {
        parts = List.copyOf(parts);
    }

    /** Whether any part kept its old state because of a mistake. */
    public boolean isFailed() {
        return parts.stream().anyMatch(each -> each.result().kind() == ReloadResult.Kind.FAILED);
    }

    /** Says in one line what came of it. */
    @Override
    public String toString() {
        return parts.isEmpty()
                ? "there is nothing to reload"
                : parts.stream().map(Part::toString).collect(Collectors.joining("; "));
    }
}
