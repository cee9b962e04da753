package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.service.Page;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ExtensionRetainedTest {
    private final List<CompletableFuture<ExtensionRetained.Found>> asked = new ArrayList<>();
    private final List<String> questions = new ArrayList<>();
    private final List<PublishPacket> published = new ArrayList<>();
    private final ExtensionRetained retained =
            new ExtensionRetained(
                    new ExtensionRetained.Reader() {
                        @Override
                        public CompletableFuture<ExtensionRetained.Found> get(Topic topic) {
                            return ask("get " + topic);
                        }

                        @Override
                        public CompletableFuture<ExtensionRetained.Found> read(
                                TopicFilter filter, @Nullable Topic after) {
                            return ask("read " + filter + " after " + after);
                        }
                    },
                    (message, options) -> {
                        published.add(message);
                        return CompletableFuture.completedStage(null);
                    },
                    Runnable::run);

    private CompletableFuture<ExtensionRetained.Found> ask(String question) {
        CompletableFuture<ExtensionRetained.Found> made = new CompletableFuture<>();
        questions.add(question);
        asked.add(made);
        return made;
    }

    private static ExtensionRetained.Found found(boolean isLast, String... topics) {
        List<ExtensionRetained.RetainedMessage> messages = new ArrayList<>();
        for (String each : topics) {
            messages.add(
                    new ExtensionRetained.RetainedMessage(
                            Topic.of(each),
                            each.getBytes(StandardCharsets.UTF_8),
                            PublishFrame.NO_PROPERTIES,
                            1,
                            7));
        }
        return new ExtensionRetained.Found(messages, isLast);
    }

    @Test
    void pages_follow_each_other_by_the_last_topic() {
        CompletableFuture<Page<PublishPacket>> first =
                retained.page("a/#", Optional.empty()).toCompletableFuture();
        asked.getFirst().complete(found(false, "a/1", "a/2"));
        Page<PublishPacket> page = first.join();
        assertThat(page.items()).extracting(PublishPacket::topic).containsExactly("a/1", "a/2");
        assertThat(page.items().getFirst().retain()).isTrue();
        assertThat(page.items().getFirst().expirySeconds()).hasValue(7);
        CompletableFuture<Page<PublishPacket>> last =
                retained.page("a/#", page.next()).toCompletableFuture();
        asked.getLast().complete(found(true));
        assertThat(last.join().next()).isEmpty();
        assertThat(questions).containsExactly("read a/# after null", "read a/# after a/2");
    }

    @Test
    void put_sets_retain_and_remove_is_without_payload() {
        retained.put(PublishPacket.to("a").text("x").build());
        retained.remove("a");
        assertThat(published).extracting(PublishPacket::retain).containsExactly(true, true);
        assertThat(published.getLast().payload().isEmpty()).isTrue();
    }

    @Test
    void what_is_not_mqtt_is_refused_at_once() {
        assertThatThrownBy(() -> retained.get("a/+")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> retained.remove("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> retained.put(PublishPacket.to("a").build()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> retained.page("$share/g/a", Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> retained.page("a#", Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(questions).isEmpty();
    }

    @Test
    void questions_beyond_the_bound_are_refused() {
        for (int i = 0; i < ExtensionRetained.QUESTIONS_MAX; i++) {
            retained.get("a");
        }
        CompletableFuture<Optional<PublishPacket>> tooMany =
                retained.get("a").toCompletableFuture();
        assertThatThrownBy(tooMany::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(RejectedExecutionException.class);
        asked.getFirst().complete(found(true));
        assertThat(retained.get("a").toCompletableFuture()).isNotDone();
    }
}
