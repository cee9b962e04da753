package io.godwit.server.extension;

import io.godwit.extension.ExtensionInfo;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The folder of one extension, and what came of it. Only the thread {@code extensions} uses it. */
final class Slot {
    final String id;

    /** The files as the last look found them; null: the folder was gone. */
    @Nullable String seen = "";

    /** The files that the last start used, whether it worked or not; null: there was none. */
    @Nullable String tried;

    /** Its file of settings as the last look found it. */
    String seenSettings = "";

    /** The file of settings that it was started with, or last told of. */
    String toldSettings = "";

    /** It did not start for want of others; empty: not for that. */
    List<String> missing = List.of();

    boolean isDisabled;
    @Nullable LoadedExtension loaded;
    ExtensionStatus.State state = ExtensionStatus.State.WAITING;
    String cause = "";
    boolean isRequired;
    Instant since;

    /** Of the last descriptor that could be read; null: none could. */
    @Nullable ExtensionInfo info;

    Slot(String id, Instant since) {
        this.id = id;
        this.since = since;
    }

    boolean isRunning() {
        return loaded != null;
    }

    void become(ExtensionStatus.State next, String why, Instant now) {
        if (next != state) {
            since = now;
        }
        state = next;
        cause = why;
    }

    /** Describes it; the health of one that runs is asked for later. */
    ExtensionStatus status() {
        LoadedExtension running = loaded;
        ExtensionInfo shown = running == null ? info : running.info();
        return new ExtensionStatus(
                id,
                shown == null ? id : shown.name(),
                shown == null ? "" : shown.version(),
                state,
                cause,
                ReportedHealth.NONE.level().word(),
                ReportedHealth.NONE.why(),
                isRequired,
                since);
    }
}
