package io.godwit.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ArchitectureTest {
    private static final JavaClasses CLASSES = MainClasses.below("io.godwit");
    private static final String CORE = "io.godwit.core..";

    static List<Allowed> table() {
        return Allowed.table();
    }

    @ParameterizedTest
    @MethodSource("table")
    void a_package_depends_on_what_the_table_allows_only(Allowed allowed) {
        allowed.rule().check(CLASSES);
    }

    @Test
    void every_package_has_a_line_in_the_table() {
        assertThat(table().stream().map(Allowed::packageName))
                .containsAll(Allowed.packagesOf(CLASSES));
        assertThat(Allowed.packagesOf(CLASSES))
                .contains("io.godwit.core.packet", "io.godwit.server");
    }

    @Test
    void the_rules_bite_and_say_what_to_do_instead() {
        Allowed strict =
                new Allowed("server.config", List.of(), List.of("java.."), "take it as a record");
        assertThat(strict.rule().evaluate(CLASSES).getFailureReport().toString())
                .contains("take it as a record", "com.fasterxml.jackson", "MqttSettings");
    }

    @Test
    void core_reads_no_clock_by_itself() {
        noClasses()
                .that()
                .resideInAPackage(CORE)
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .because("the simulator owns the time: take it as TimeSource or as an argument")
                .check(CLASSES);
    }

    @Test
    void core_draws_no_chance_by_itself() {
        noClasses()
                .that()
                .resideInAPackage(CORE)
                .should()
                .callMethod(Math.class, "random")
                .orShould()
                .callMethod(UUID.class, "randomUUID")
                .orShould()
                .callConstructor(Random.class)
                .orShould()
                .callMethod(RandomGenerator.class, "getDefault")
                .because("a seed must replay: take a RandomGenerator")
                .check(CLASSES);
    }

    @Test
    void core_starts_no_thread_and_waits_for_none() {
        noClasses()
                .that()
                .resideInAPackage(CORE)
                .should()
                .dependOnClassesThat()
                .areAssignableTo(Thread.class)
                .because("a shard's loop calls core; work elsewhere comes back as mail")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage(CORE)
                .should()
                .callMethodWhere(
                        DescribedPredicate.describe(
                                "runs on a pool of the JDK's own",
                                (JavaMethodCall call) ->
                                        call.getTargetOwner()
                                                        .isEquivalentTo(CompletableFuture.class)
                                                && call.getName().endsWith("Async")
                                                && call.getTarget().getRawParameterTypes().stream()
                                                        .noneMatch(type ->
                                                                type.isEquivalentTo(
                                                                        Executor.class))))
                .because("who waits names the executor")
                .check(CLASSES);
        noMethods()
                .that()
                .areDeclaredInClassesThat()
                .resideInAPackage(CORE)
                .should()
                .haveModifier(JavaModifier.SYNCHRONIZED)
                .because("every piece of state has one shard as its owner")
                .check(CLASSES);
    }
}
