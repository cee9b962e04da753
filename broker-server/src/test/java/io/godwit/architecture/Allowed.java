package io.godwit.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Everything that a package may depend on besides itself; what is not named is forbidden.
 *
 * @param owner package below {@code io.godwit}
 * @param ours packages below {@code io.godwit}
 * @param others packages of the JDK and of libraries, as ArchUnit writes them
 * @param instead what to do about a violation
 */
record Allowed(String owner, List<String> ours, List<String> others, String instead) {
    /** An answer that comes later, on an executor that is passed in; nobody waits for it. */
    private static final Class<?>[] CALLED_BACK = {CompletableFuture.class, Executor.class};

    private static final String ROOT = "io.godwit.";

    /** The lines of all modules. */
    static List<Allowed> table() {
        List<Allowed> all = new ArrayList<>();
        all.add(
                new Allowed(
                        "extension",
                        List.of("extension.."),
                        List.of(
                                "java..",
                                "org.jspecify.annotations",
                                "io.micrometer.core.instrument"),
                        "what extensions compile against uses the JDK and Micrometer only"));
        for (String each :
                List.of(
                        "access",
                        "auth",
                        "client",
                        "event",
                        "intercept",
                        "packet",
                        "service",
                        "setup")) {
            all.add(
                    new Allowed(
                            "extension." + each,
                            List.of("extension.."),
                            List.of("java..", "org.jspecify.annotations"),
                            "what extensions compile against uses the JDK only"));
        }
        all.add(
                new Allowed(
                        "testkit",
                        List.of("extension", "testkit.spi"),
                        List.of(
                                "java..",
                                "org.jspecify.annotations",
                                "org.junit.jupiter.api.extension"),
                        "what tests of extensions compile against knows a broker by its ports only"));
        all.add(
                new Allowed(
                        "testkit.spi",
                        List.of("extension", "testkit"),
                        List.of("java..", "org.jspecify.annotations"),
                        "what the kit asks of a broker uses the JDK only"));
        all.addAll(CoreTable.table());
        all.addAll(PersistenceTable.table());
        all.addAll(ClusterTable.table());
        all.addAll(ServerTable.table());
        return all;
    }

    String packageName() {
        return ROOT + owner;
    }

    ArchRule rule() {
        List<String> all = new ArrayList<>(others);
        all.add(packageName());
        ours.forEach(each -> all.add(ROOT + each));
        return ArchRuleDefinition.classes()
                .that()
                .resideInAPackage(packageName())
                .should()
                .onlyDependOnClassesThat(
                        JavaClass.Predicates.resideInAnyPackage(all.toArray(String[]::new))
                                .or(JavaClass.Predicates.belongToAnyOf(CALLED_BACK)))
                .because(instead)
                .allowEmptyShould(true);
    }

    static List<String> packagesOf(JavaClasses classes) {
        return classes.stream().map(JavaClass::getPackageName).distinct().sorted().toList();
    }
}
