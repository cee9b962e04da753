package io.godwit.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.extension.command.ExtensionCommand;
import io.godwit.server.rules.RulesCommand;
import io.godwit.server.store.StoreCommand;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class HelpTest {
    /** With the commands below them. */
    static Stream<CommandLine> commands() {
        return Stream.of(
                        new StoreCommand(),
                        new MemoryCommand(),
                        new KickCommand(),
                        new PasswdCommand(),
                        new RulesCommand(),
                        new ClusterCommand(),
                        new ExtensionCommand(),
                        new ClusterCertCommand())
                .map(CommandLine::new)
                .flatMap(each -> Stream.concat(Stream.of(each), below(each)));
    }

    private static Stream<CommandLine> below(CommandLine command) {
        return command.getSubcommands().values().stream();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void every_command_explains_itself_and_none_has_a_version_of_its_own(CommandLine command) {
        List<OptionSpec> options = command.getCommandSpec().options();
        assertThat(options).filteredOn(OptionSpec::usageHelp).hasSize(1);
        assertThat(options).noneMatch(OptionSpec::versionHelp);
        assertThat(options).flatExtracting(each -> List.of(each.names())).doesNotHaveDuplicates();
        assertThat(options).allSatisfy(each -> assertThat(each.description()).isNotEmpty());
    }
}
