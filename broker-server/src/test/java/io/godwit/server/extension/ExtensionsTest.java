package io.godwit.server.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.godwit.server.StartFailed;
import io.godwit.server.config.ExtensionsConfig;
import io.godwit.server.extension.ExtensionStatus.State;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExtensionsTest {
    @TempDir Path root;
    private ExtensionsFixture fixture;

    @BeforeEach
    void makeFixture() throws Exception {
        fixture = new ExtensionsFixture(root);
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private static ExtensionsConfig.OfOne config(
            ExtensionsConfig.Enabled enabled, boolean required) {
        return new ExtensionsConfig.OfOne(enabled, required, "", 1_000, 10, List.of(), 0);
    }

    @Test
    void extension_is_started_and_stopped_in_threads_of_its_own() throws Exception {
        TestExtension.starting(
                        "a",
                        """
                        Thread thread = Thread.currentThread();
                        log(thread.getName() + " "
                                + (thread.getContextClassLoader() == Main.class.getClassLoader()));
                        log(context.info().id() + " " + context.info().version() + " "
                                + context.server().nodeName());
                        """)
                .writeTo(fixture.folder);
        fixture.start();
        assertThat(fixture.state("a").state()).isEqualTo(State.RUNNING);
        assertThat(fixture.runningIds()).containsExactly("a");
        fixture.close();
        assertThat(fixture.log("a")).containsExactly("extension-a-start true", "a 1.0 n1", "stop");
        assertThat(fixture.runningIds()).isEmpty();
        assertThat(fixture.runtimeEvents).containsExactly("await a 1.0", "close a 1.0");
        assertThat(fixture.copies).doesNotExist();
    }

    @Test
    void folder_is_looked_at_and_there_is_no_thread_between_the_looks() throws Exception {
        fixture.watchMs = 1_000;
        fixture.start();
        assertThat(fixture.extensions().states()).isEmpty();
        await().until(() -> fixture.extensions().threads() == 0);
        TestExtension.logging("a").writeTo(fixture.folder);
        await().until(() -> fixture.extensions().states().size() == 1);
        await().until(() -> fixture.state("a").state() == State.RUNNING);
    }

    @Test
    void what_is_registered_in_start_is_told_when_it_has_returned_and_later_changes_at_once()
            throws Exception {
        TestExtension.starting(
                        "a",
                        """
                        Registration first = context.registrations().publishInterceptor(
                                "a/#", (client, packet) -> null, OnFailure.REFUSE);
                        context.executor().schedule(() -> {
                            first.close();
                            first.close();
                            context.registrations().clientListener(new ClientListener() {});
                        }, 300, java.util.concurrent.TimeUnit.MILLISECONDS);
                        """)
                .writeTo(fixture.folder);
        fixture.start();
        assertThat(fixture.told).hasSize(1);
        Registered first = fixture.running().getFirst().registered();
        assertThat(first.publishInterceptors()).hasSize(1);
        assertThat(first.publishInterceptors().getFirst().topicFilter()).isEqualTo("a/#");
        await().until(() -> fixture.told.size() == 3);
        Registered last = fixture.running().getFirst().registered();
        assertThat(last.publishInterceptors()).isEmpty();
        assertThat(last.clientListeners()).hasSize(1);
    }

    @Test
    void extensions_start_by_start_priority_and_id_behind_those_that_they_need() throws Exception {
        TestExtension.logging("a").says("needs: [c]").writeTo(fixture.folder);
        TestExtension.logging("b").writeTo(fixture.folder);
        TestExtension.logging("c").says("start-priority: 5").writeTo(fixture.folder);
        TestExtension.logging("d")
                .says("start-priority: 2000")
                .says("priority: 7")
                .writeTo(fixture.folder);
        fixture.start();
        assertThat(fixture.runtimes)
                .extracting(each -> each.info.id())
                .containsExactly("d", "b", "c", "a");
        assertThat(fixture.runningIds()).containsExactly("d", "a", "b", "c");
        fixture.close();
        assertThat(fixture.runtimeEvents)
                .filteredOn(each -> each.startsWith("close"))
                .containsExactly("close a 1.0", "close c 1.0", "close b 1.0", "close d 1.0");
    }

    @Test
    void needs_that_are_not_met_are_named_and_the_extension_starts_when_they_are()
            throws Exception {
        TestExtension.logging("a").says("needs: b").writeTo(fixture.folder);
        TestExtension.logging("self").says("needs: [self]").writeTo(fixture.folder);
        TestExtension.logging("x").says("needs: [y]").writeTo(fixture.folder);
        TestExtension.logging("y").says("needs: [x]").writeTo(fixture.folder);
        fixture.start();
        assertThat(fixture.state("a").cause()).isEqualTo("it needs b, which is not there");
        assertThat(fixture.state("self").cause()).isEqualTo("it needs itself (needs)");
        assertThat(fixture.state("x").cause()).isEqualTo("it needs itself, by way of y");
        assertThat(fixture.runningIds()).isEmpty();
        TestExtension.logging("b").writeTo(fixture.folder);
        fixture.lookTwice();
        fixture.lookTwice();
        assertThat(fixture.runningIds()).containsExactly("a", "b");
    }

    @Test
    void failed_extension_leaves_the_others_alone_unless_it_is_required() throws Exception {
        TestExtension.starting("bad", "throw new IllegalStateException(\"no\");")
                .writeTo(fixture.folder);
        TestExtension.logging("good").writeTo(fixture.folder);
        fixture.start();
        assertThat(fixture.state("bad").state()).isEqualTo(State.FAILED);
        assertThat(fixture.state("bad").isWell()).isFalse();
        assertThat(fixture.state("bad").isMissed()).isFalse();
        assertThat(fixture.runningIds()).containsExactly("good");
        fixture.close();

        fixture.required.add("bad");
        assertThatThrownBy(fixture::start)
                .isInstanceOf(StartFailed.class)
                .hasMessage(
                        "the extension bad, which is required, does not run: start() threw"
                                + " java.lang.IllegalStateException: no");
    }

    @Test
    void required_extension_without_a_folder_keeps_the_broker_from_starting() {
        fixture.named.put("a", config(ExtensionsConfig.Enabled.AUTO, true));
        assertThatThrownBy(fixture::start)
                .isInstanceOf(StartFailed.class)
                .hasMessageContaining("the extension a is required, and there is no folder");
    }

    @Test
    void start_that_blocks_is_given_up() throws Exception {
        TestExtension.starting("a", "Thread.sleep(100_000);").writeTo(fixture.folder);
        fixture.startMs = 200;
        fixture.start();
        assertThat(fixture.state("a").cause()).isEqualTo("start() has not returned within 0.2 s");
        assertThat(fixture.runningIds()).isEmpty();
    }

    @Test
    void stop_that_blocks_or_throws_is_given_up() throws Exception {
        TestExtension.called("a")
                .main("p.Main", TestExtension.mainSource("", "Thread.sleep(100_000);"))
                .writeTo(fixture.folder);
        TestExtension.called("b")
                .main("p.Main", TestExtension.mainSource("", "throw new Error(\"no\");"))
                .writeTo(fixture.folder);
        fixture.stopMs = 200;
        fixture.start();
        long before = System.nanoTime();
        fixture.close();
        assertThat(System.nanoTime() - before).isLessThan(4_000_000_000L);
        assertThat(fixture.runningIds()).isEmpty();
        assertThat(fixture.runtimeEvents).contains("close a 1.0", "close b 1.0");
    }

    @Test
    void enhanced_authentication_method_belongs_to_one_extension() throws Exception {
        String takes =
                """
                EnhancedAuthenticator own = request -> data -> null;
                context.registrations().enhancedAuthenticator("%s", own);
                """;
        TestExtension.starting("a", takes.formatted("M")).writeTo(fixture.folder);
        TestExtension.starting("b", takes.formatted("M")).writeTo(fixture.folder);
        TestExtension.starting("c", takes.formatted("SCRAM-SHA-256")).writeTo(fixture.folder);
        fixture.start();
        assertThat(fixture.runningIds()).containsExactly("a");
        assertThat(fixture.state("b").cause())
                .contains("the extension a has the Authentication Method M");
        assertThat(fixture.state("c").cause()).contains("SCRAM-SHA-256 is the broker's own");
        TestExtension.starting("a", takes.formatted("M")).version("2").writeTo(fixture.folder);
        fixture.lookTwice();
        assertThat(fixture.state("a").version()).isEqualTo("2");
        assertThat(fixture.state("a").cause()).isEmpty();
        assertThat(fixture.running().getFirst().registered().methods()).containsOnlyKeys("M");
    }

    @Test
    void health_that_an_extension_reports_is_shown() throws Exception {
        TestExtension.starting("a", "context.health().degraded(\"one of two servers is down\");")
                .writeTo(fixture.folder);
        fixture.start();
        assertThat(fixture.state("a").health()).isEqualTo("degraded");
        assertThat(fixture.state("a").healthCause()).isEqualTo("one of two servers is down");
        assertThat(fixture.state("a").isWell()).isFalse();
    }

    @Test
    void threads_come_from_the_descriptor_unless_a_key_says_otherwise() throws Exception {
        TestExtension.logging("a").says("threads: virtual").writeTo(fixture.folder);
        TestExtension.logging("b").writeTo(fixture.folder);
        TestExtension.logging("c").says("threads: 3").writeTo(fixture.folder);
        fixture.named.put(
                "c",
                new ExtensionsConfig.OfOne(
                        ExtensionsConfig.Enabled.AUTO, false, "9", 1_000, 10, List.of(), 0));
        fixture.start();
        assertThat(fixture.runtimes)
                .extracting(each -> each.threads.platform())
                .containsExactly(0, 2, 9);
    }

    @Test
    void share_of_cpu_is_for_platform_threads_only() throws Exception {
        TestExtension.logging("a").says("threads: virtual").writeTo(fixture.folder);
        TestExtension.logging("b").writeTo(fixture.folder);
        for (String each : List.of("a", "b")) {
            fixture.named.put(
                    each,
                    new ExtensionsConfig.OfOne(
                            ExtensionsConfig.Enabled.AUTO, false, "", 1_000, 10, List.of(), 0.5));
        }
        fixture.start();
        assertThat(fixture.state("a").state()).isEqualTo(State.FAILED);
        assertThat(fixture.state("a").cause())
                .contains("extensions.a.cpu must be 0", "threads are virtual");
        assertThat(fixture.runtimes)
                .extracting(each -> each.threads)
                .containsExactly(new ExtensionThreads(2, 0.5));
    }

    @Test
    void disabled_extension_does_not_start_and_is_not_loaded() throws Exception {
        Path folder = TestExtension.logging("a").writeTo(fixture.folder);
        Files.createFile(folder.resolve("DISABLED"));
        TestExtension.logging("b").writeTo(fixture.folder);
        fixture.named.put("b", config(ExtensionsConfig.Enabled.FALSE, false));
        fixture.start();
        assertThat(fixture.state("a").state()).isEqualTo(State.DISABLED);
        assertThat(fixture.state("b").cause()).isEqualTo("extensions.b.enabled is false");
        assertThat(fixture.runtimes).isEmpty();
        Files.delete(folder.resolve("DISABLED"));
        fixture.lookTwice();
        assertThat(fixture.runningIds()).containsExactly("a");
        Files.createFile(folder.resolve("DISABLED"));
        fixture.lookTwice();
        assertThat(fixture.runningIds()).isEmpty();
        assertThat(fixture.log("a")).containsExactly("start", "stop");
    }

    @Test
    void folders_with_a_dot_in_front_or_tmp_behind_are_not_looked_at() throws Exception {
        TestExtension.logging(".a").writeTo(fixture.folder);
        TestExtension.logging("b.tmp").writeTo(fixture.folder);
        Files.writeString(fixture.folder.resolve("README"), "");
        fixture.start();
        assertThat(fixture.extensions().states()).isEmpty();
    }

    @Test
    void new_folder_counts_when_two_looks_have_found_the_same() throws Exception {
        fixture.start();
        Path folder = TestExtension.logging("a").writeTo(fixture.folder);
        byte[] whole = Files.readAllBytes(folder.resolve("a.jar"));
        Files.write(folder.resolve("a.jar"), Arrays.copyOf(whole, whole.length / 2));
        fixture.extensions().lookLater().get();
        assertThat(fixture.state("a").state()).isEqualTo(State.WAITING);
        Files.write(folder.resolve("a.jar"), whole);
        fixture.extensions().lookLater().get();
        assertThat(fixture.state("a").state()).isEqualTo(State.WAITING);
        fixture.extensions().lookLater().get();
        assertThat(fixture.state("a").state()).isEqualTo(State.RUNNING);
    }

    @Test
    void folder_is_watched() throws Exception {
        fixture.watchMs = 20;
        fixture.start();
        TestExtension.logging("a").writeTo(fixture.folder);
        await().until(() -> fixture.runningIds().contains("a"));
        Files.createFile(fixture.folder.resolve("a").resolve("DISABLED"));
        await().until(() -> fixture.runningIds().isEmpty());
    }

    @Test
    void half_copied_extension_fails_and_starts_when_it_is_whole() throws Exception {
        fixture.start();
        Path folder = TestExtension.logging("a").writeTo(fixture.folder);
        byte[] whole = Files.readAllBytes(folder.resolve("a.jar"));
        Files.write(folder.resolve("a.jar"), Arrays.copyOf(whole, whole.length / 2));
        fixture.lookTwice();
        assertThat(fixture.state("a").state()).isEqualTo(State.FAILED);
        Files.write(folder.resolve("a.jar"), whole);
        fixture.lookTwice();
        assertThat(fixture.state("a").state()).isEqualTo(State.RUNNING);
    }

    @Test
    void changed_extension_takes_the_place_of_the_old_one_in_one_step() throws Exception {
        TestExtension.starting("a", "log(\"start 1\");").writeTo(fixture.folder);
        fixture.start();
        fixture.told.clear();
        TestExtension.starting("a", "log(\"start 2\");").version("2").writeTo(fixture.folder);
        fixture.lookTwice();
        assertThat(fixture.log("a")).containsExactly("start 1", "start 2", "stop");
        assertThat(fixture.told).hasSize(1);
        assertThat(fixture.running().getFirst().runtime()).isSameAs(fixture.runtimes.get(1));
        assertThat(fixture.runtimeEvents).containsExactly("await a 1.0", "close a 1.0");
        assertThat(fixture.state("a").version()).isEqualTo("2");
    }

    @Test
    void replacement_that_does_not_start_changes_nothing_and_is_told() throws Exception {
        TestExtension.logging("a").writeTo(fixture.folder);
        fixture.start();
        fixture.told.clear();
        TestExtension.starting("a", "throw new Exception(\"no\");")
                .version("2")
                .writeTo(fixture.folder);
        fixture.lookTwice();
        fixture.lookTwice();
        assertThat(fixture.told).isEmpty();
        assertThat(fixture.runtimes).hasSize(2);
        assertThat(fixture.state("a").state()).isEqualTo(State.RUNNING);
        assertThat(fixture.state("a").version()).isEqualTo("1.0");
        assertThat(fixture.state("a").cause())
                .isEqualTo(
                        "the one in its folder does not start: start() threw java.lang.Exception:"
                                + " no");
    }

    @Test
    void extension_whose_jar_is_overwritten_or_deleted_goes_on_with_its_own_classes()
            throws Exception {
        Path folder =
                TestExtension.starting(
                                "a",
                                """
                                context.executor().schedule(() -> {
                                    try { log(Late.word()); } catch (Exception e) {}
                                }, 500, java.util.concurrent.TimeUnit.MILLISECONDS);
                                """)
                        .source(
                                "p.Late",
                                "package p; class Late { static String word() {"
                                        + " return \"late\"; } }")
                        .writeTo(fixture.folder);
        fixture.start();
        Files.write(folder.resolve("a.jar"), new byte[1_000]);
        Files.delete(folder.resolve("a.jar"));
        await().until(() -> fixture.log("a").contains("late"));
    }

    @Test
    void extension_whose_folder_is_gone_at_two_looks_is_stopped() throws Exception {
        Path folder = TestExtension.logging("a").writeTo(fixture.folder);
        fixture.start();
        Path aside = Files.move(folder, fixture.folder.resolve("a.tmp"));
        fixture.extensions().lookLater().get();
        assertThat(fixture.runningIds()).containsExactly("a");
        Files.move(aside, folder);
        fixture.lookTwice();
        assertThat(fixture.runningIds()).containsExactly("a");
        Files.move(folder, aside);
        fixture.lookTwice();
        assertThat(fixture.runningIds()).isEmpty();
        assertThat(fixture.extensions().states()).isEmpty();
    }

    @Test
    void commands_enable_disable_and_replace() throws Exception {
        Path folder = TestExtension.logging("a").writeTo(fixture.folder);
        fixture.start();
        Extensions extensions = fixture.extensions();
        assertThat(extensions.enable("b").get().kind()).isEqualTo(ExtensionChange.Kind.UNKNOWN);
        assertThat(extensions.replace("../a").get().kind()).isEqualTo(ExtensionChange.Kind.UNKNOWN);
        assertThat(extensions.enable("a").get().text()).isEqualTo("a runs already");
        assertThat(extensions.replace("a").get().text()).isEqualTo("a was replaced, version 1.0");
        assertThat(extensions.disable("a", false).get().text()).isEqualTo("a is disabled");
        assertThat(folder.resolve("DISABLED")).exists();
        assertThat(fixture.runningIds()).isEmpty();
        assertThat(extensions.replace("a").get().kind()).isEqualTo(ExtensionChange.Kind.REFUSED);
        assertThat(extensions.enable("a").get().text()).isEqualTo("a runs");
        assertThat(folder.resolve("DISABLED")).doesNotExist();
        assertThat(fixture.log("a")).containsExactly("start", "start", "stop", "stop", "start");
    }

    @Test
    void required_extension_is_disabled_only_by_force() throws Exception {
        TestExtension.logging("a").says("required: true").writeTo(fixture.folder);
        fixture.start();
        assertThat(fixture.extensions().disable("a", false).get().kind())
                .isEqualTo(ExtensionChange.Kind.REFUSED);
        assertThat(fixture.runningIds()).containsExactly("a");
        assertThat(fixture.extensions().disable("a", true).get().kind())
                .isEqualTo(ExtensionChange.Kind.DONE);
        assertThat(fixture.state("a").isMissed()).isTrue();
    }

    @Test
    void key_that_says_whether_it_runs_wins_over_commands() throws Exception {
        Path folder = TestExtension.logging("a").writeTo(fixture.folder);
        Files.createFile(folder.resolve("DISABLED"));
        fixture.named.put("a", config(ExtensionsConfig.Enabled.TRUE, false));
        fixture.start();
        assertThat(fixture.runningIds()).containsExactly("a");
        assertThat(fixture.extensions().disable("a", true).get().text())
                .isEqualTo("extensions.a.enabled is true");
    }

    @Test
    void class_loader_that_is_held_after_the_stop_is_counted_and_one_that_is_not_is_freed()
            throws Exception {
        TestExtension.logging("tidy").writeTo(fixture.folder);
        TestExtension.starting(
                        "untidy",
                        """
                        Thread left = new Thread(() -> {
                            try { Thread.sleep(100_000); } catch (InterruptedException e) {}
                        }, "left-over");
                        left.setDaemon(true);
                        left.start();
                        """)
                .writeTo(fixture.folder);
        fixture.start();
        fixture.extensions().disable("tidy", false).get();
        fixture.extensions().disable("untidy", false).get();
        fixture.told.clear();
        fixture.runtimes.clear();
        await().until(() -> {
            System.gc();
            fixture.extensions().lookLater().get();
            return fixture.extensions().leakedLoaders() > 0;
        });
        for (int i = 0; i < 3; i++) {
            System.gc();
            fixture.extensions().lookLater().get();
        }
        assertThat(fixture.extensions().leakedLoaders()).isEqualTo(1);
    }
}
