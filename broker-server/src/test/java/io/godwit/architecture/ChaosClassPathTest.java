package io.godwit.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * {@code ./godwit chaos} runs classes of tests, and has none of the libraries of tests: it would
 * end with NoClassDefFoundError.
 */
class ChaosClassPathTest {
    @Test
    void what_chaos_runs_needs_no_library_of_tests() {
        JavaClasses all = new ClassFileImporter().importPackages("io.godwit");
        Set<JavaClass> run =
                all.get("io.godwit.chaos.ChaosMain").getTransitiveDependenciesFromSelf().stream()
                        .map(Dependency::getTargetClass)
                        .filter(ChaosClassPathTest::isOfChaos)
                        .collect(Collectors.toSet());
        assertThat(run).extracting(JavaClass::getSimpleName).contains("AbuseRun", "RawClient");
        assertThat(run)
                .flatMap(JavaClass::getDirectDependenciesFromSelf)
                .filteredOn(ChaosClassPathTest::isOfTests)
                .isEmpty();
    }

    /** Of the rest it starts Godwit alone. */
    private static boolean isOfChaos(JavaClass each) {
        return each.getPackageName().startsWith("io.godwit.chaos")
                || each.getPackageName().startsWith("io.godwit.badinput")
                || each.getName().startsWith("io.godwit.clients.GodwitProcess");
    }

    private static boolean isOfTests(Dependency each) {
        String to = each.getTargetClass().getPackageName();
        return to.startsWith("org.assertj")
                || to.startsWith("org.awaitility")
                || to.startsWith("org.junit");
    }
}
