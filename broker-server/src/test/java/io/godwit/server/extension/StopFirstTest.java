package io.godwit.server.extension;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.extension.ExtensionStatus.State;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Extensions that are stopped before the one that takes their place starts. */
class StopFirstTest {
    @TempDir Path root;
    private ExtensionsFixture fixture;

    @BeforeEach
    void start() throws Exception {
        fixture = new ExtensionsFixture(root);
        extension("1", "").writeTo(fixture.folder);
        fixture.start();
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private static TestExtension extension(String version, String further) {
        return TestExtension.called("a")
                .main(
                        "p.Main",
                        TestExtension.mainSource(
                                """
                                log("start %s");
                                %s
                                context.registrations().publishInterceptor(
                                        "v%s", (client, packet) -> null, OnFailure.REFUSE);
                                """
                                        .formatted(version, further, version),
                                "log(\"stop " + version + "\");"))
                .version(version)
                .says("replace: stop-first");
    }

    private String filter() {
        return fixture.running()
                .getFirst()
                .registered()
                .publishInterceptors()
                .getFirst()
                .topicFilter();
    }

    @Test
    void old_one_is_paused_and_stopped_before_the_new_one_starts() throws Exception {
        extension("2", "").writeTo(fixture.folder);
        assertThat(fixture.extensions().replace("a").get().kind())
                .isEqualTo(ExtensionChange.Kind.DONE);
        assertThat(fixture.log("a")).containsExactly("start 1", "stop 1", "start 2");
        assertThat(fixture.runtimeEvents).containsExactly("pause a 1", "await a 1", "close a 1");
        assertThat(fixture.told).hasSize(2);
        assertThat(filter()).isEqualTo("v2");
        assertThat(fixture.state("a").version()).isEqualTo("2");
        try (var copies = Files.list(fixture.copies)) {
            assertThat(copies).hasSize(1);
        }
    }

    @Test
    void what_it_had_registered_is_asked_for_meanwhile() throws Exception {
        TestExtension.starting(
                        "b",
                        """
                        context.executor().scheduleAtFixedRate(() -> {
                            context.registrations().clientListener(new ClientListener() {}).close();
                        }, 1, 1, java.util.concurrent.TimeUnit.MILLISECONDS);
                        """)
                .writeTo(fixture.folder);
        fixture.lookTwice();
        extension("2", "Thread.sleep(300);").writeTo(fixture.folder);
        fixture.extensions().replace("a").get();
        List<List<RunningExtension>> told = List.copyOf(fixture.told); // It grows all the time.
        assertThat(told).hasSizeGreaterThan(20);
        assertThat(told.subList(1, told.size()))
                .allSatisfy(running ->
                        assertThat(running.getFirst().registered().publishInterceptors())
                                .hasSize(1));
        assertThat(filter()).isEqualTo("v2");
    }

    @Test
    void old_one_is_started_again_when_the_new_one_does_not() throws Exception {
        extension("2", "if (true) throw new Exception(\"no port\");").writeTo(fixture.folder);
        ExtensionChange change = fixture.extensions().replace("a").get();
        assertThat(change.kind()).isEqualTo(ExtensionChange.Kind.REFUSED);
        assertThat(change.text()).contains("no port");
        assertThat(fixture.log("a")).containsExactly("start 1", "stop 1", "start 2", "start 1");
        assertThat(filter()).isEqualTo("v1");
        ExtensionStatus state = fixture.state("a");
        assertThat(state.state()).isEqualTo(State.RUNNING);
        assertThat(state.version()).isEqualTo("1");
        assertThat(state.cause()).contains("no port");
        fixture.close();
        assertThat(fixture.log("a")).last().isEqualTo("stop 1");
    }

    @Test
    void extension_has_failed_when_neither_starts() throws Exception {
        Files.writeString(fixture.folder.resolve("gone"), "");
        extension(
                        "1.5",
                        "if (!Files.exists(context.info().folder().resolve(\"../gone\")))"
                                + " throw new Exception(\"gone\");")
                .writeTo(fixture.folder);
        fixture.extensions().replace("a").get();
        assertThat(filter()).isEqualTo("v1.5");
        Files.delete(fixture.folder.resolve("gone"));
        extension("2", "if (true) throw new Exception(\"no port\");").writeTo(fixture.folder);
        ExtensionChange change = fixture.extensions().replace("a").get();
        assertThat(change.text()).contains("no port", "gone");
        assertThat(fixture.state("a").state()).isEqualTo(State.FAILED);
        assertThat(fixture.running()).isEmpty();
        extension("3", "").writeTo(fixture.folder);
        fixture.lookTwice();
        assertThat(fixture.state("a").state()).isEqualTo(State.RUNNING);
    }

    @Test
    void old_one_goes_on_when_the_files_of_the_new_one_are_not_right() throws Exception {
        TestExtension.logging("a").says("replace: sometimes").writeTo(fixture.folder);
        assertThat(fixture.extensions().replace("a").get().text())
                .contains("replace", "allowed: beside, stop-first");
        assertThat(fixture.log("a")).containsExactly("start 1");
        assertThat(fixture.runtimeEvents).isEmpty();
    }
}
