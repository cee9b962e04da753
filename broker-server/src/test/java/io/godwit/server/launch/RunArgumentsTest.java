package io.godwit.server.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunArgumentsTest {
    private static RunArguments parse(String... arguments) throws RunArguments.Wrong {
        return RunArguments.parse(List.of(arguments));
    }

    @Test
    void each_option_may_carry_its_value_or_be_followed_by_it() throws RunArguments.Wrong {
        RunArguments both =
                parse("--config", "a.yaml", "--set", "x=y=z", "--set=b=", "--check", "--verbose");
        assertThat(both.config()).isEqualTo(Path.of("a.yaml"));
        assertThat(both.sets()).containsExactly("x=y=z", "b=");
        assertThat(both.check()).isTrue();
        assertThat(both.verbose()).isTrue();
        assertThat(parse("--config=b.yaml").config()).isEqualTo(Path.of("b.yaml"));
        assertThat(parse().config()).isNull();
        assertThat(parse("-h").help()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "--config, --config needs a value: --config FILE",
        "--config=, --config needs a value: --config FILE",
        "--set, --set needs a value: --set key=value",
        "--check=yes, --check takes no value",
        "--chekc, there is no option --chekc of run; godwit run --help names them",
        "now, there is no argument now of run; godwit run --help names them"
    })
    void what_is_wrong_is_a_sentence(String argument, String sentence) {
        assertThatThrownBy(() -> parse(argument))
                .isInstanceOf(RunArguments.Wrong.class)
                .hasMessage(sentence);
    }

    @Test
    void a_forgotten_value_does_not_swallow_the_next_option() {
        assertThatThrownBy(() -> parse("--config", "--check"))
                .hasMessage("--config needs a value: --config FILE");
    }

    @Test
    void the_file_is_the_one_named_else_that_of_the_environment() throws RunArguments.Wrong {
        Map<String, String> environment = Map.of("GODWIT_CONFIG", "env.yaml");
        assertThat(parse("--config=a").configFile(environment)).isEqualTo(Path.of("a"));
        assertThat(parse().configFile(environment)).isEqualTo(Path.of("env.yaml"));
        assertThat(parse().configFile(Map.of())).as("without a launcher").isNull();
    }
}
