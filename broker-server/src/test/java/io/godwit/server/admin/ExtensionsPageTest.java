package io.godwit.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.extension.ExtensionsFixture;
import io.godwit.server.extension.TestExtension;
import io.netty.handler.codec.http.HttpMethod;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExtensionsPageTest {
    @TempDir Path root;

    private static String text(HttpAnswer answer) {
        return answer.status().code() + " " + new String(answer.body(), StandardCharsets.UTF_8);
    }

    @Test
    void broker_without_extensions_has_an_empty_page_and_nothing_to_change() throws Exception {
        ExtensionsPage page = new ExtensionsPage(null);
        assertThat(text(page.answer())).isEqualTo("200 {\"extensions\":[]}\n");
        assertThat(page.troubles()).isEmpty();
        assertThat(page.isMissingOne()).isFalse();
        assertThat(text(page.execute("/extensions/a/enable").get())).startsWith("404 ");
    }

    @Test
    void page_shows_states_and_executes_changes() throws Exception {
        try (ExtensionsFixture fixture = new ExtensionsFixture(root)) {
            TestExtension.starting("a", "context.health().degraded(\"slow\");")
                    .writeTo(fixture.folder);
            TestExtension.called("b").writeTo(fixture.folder);
            TestExtension.logging("c").says("required: true").writeTo(fixture.folder);
            fixture.start();
            ExtensionsPage page = new ExtensionsPage(fixture.extensions());
            assertThat(text(page.answer()))
                    .contains(
                            "{\"id\":\"a\",\"name\":\"a\",\"version\":\"1.0\",\"state\":\"running\","
                                    + "\"cause\":\"\",\"health\":\"degraded\","
                                    + "\"healthCause\":\"slow\",\"required\":false,\"since\":")
                    .contains("\"state\":\"failed\",\"cause\":\"none of its JARs");
            assertThat(page.troubles()).hasSize(2).contains("a: slow");
            assertThat(page.isMissingOne()).isFalse();
            assertThat(text(page.execute("/extensions/d/enable").get()))
                    .isEqualTo("404 {\"error\":\"there is no extension d\"}\n");
            assertThat(text(page.execute("/extensions/a/disable").get()))
                    .isEqualTo("200 {\"id\":\"a\",\"text\":\"a is disabled\"}\n");
            assertThat(text(page.execute("/extensions/c/disable").get())).startsWith("409 ");
            assertThat(text(page.execute("/extensions/c/disable?force=true").get()))
                    .startsWith("200 ");
            assertThat(page.isMissingOne()).isTrue();
            assertThat(text(page.execute("/extensions/c/enable").get())).startsWith("200 ");
            assertThat(text(page.execute("/extensions/c/replace").get()))
                    .contains("c was replaced, version 1.0");
            assertThat(page.isMissingOne()).isFalse();
        }
    }

    @Test
    void change_of_an_extension_is_a_command_and_its_page_is_not() {
        assertThat(AdminRoutes.command(HttpMethod.POST, "/extensions/a/disable?force=true"))
                .isEqualTo("change-extension");
        assertThat(AdminRoutes.command(HttpMethod.GET, "/extensions")).isNull();
        assertThat(AdminRoutes.command(HttpMethod.POST, "/extensions/a/b")).isNull();
        assertThat(AdminRoutes.page(HttpMethod.GET, "/extensions"))
                .isEqualTo(AdminTimes.Page.EXTENSIONS);
    }
}
