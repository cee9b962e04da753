package io.godwit.conformance.report;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import io.godwit.conformance.ConformanceExtension;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs all conformance tests, many at the same time, against one target. */
public final class Suite {
    private static final String TESTS = "io.godwit.conformance.";

    private Suite() {}

    /**
     * @param target see {@code Target.named}
     * @param only a regular expression for class names
     * @return in the order of their names
     */
    public static List<Outcome> run(String target, String only) {
        var request =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectPackage(TESTS + "v5"), selectPackage(TESTS + "v311"))
                        .filters(ClassNameFilter.includeClassNamePatterns(only))
                        .configurationParameter(ConformanceExtension.TARGET, target)
                        .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                        .configurationParameter(
                                "junit.jupiter.execution.parallel.config.executor-service",
                                "WORKER_THREAD_POOL")
                        .configurationParameter(
                                "junit.jupiter.execution.parallel.mode.default", "concurrent")
                        .configurationParameter(
                                "junit.jupiter.execution.parallel.config.strategy", "fixed")
                        .configurationParameter(
                                "junit.jupiter.execution.parallel.config.fixed.parallelism", "16")
                        .configurationParameter(
                                "junit.jupiter.execution.parallel.config.fixed.max-pool-size", "16")
                        .build();
        var results = new Results();
        LauncherFactory.create().execute(request, results);
        return results.sorted();
    }

    private static final class Results implements TestExecutionListener {
        private final Map<String, Outcome> byName = new ConcurrentHashMap<>();

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            add(test, new AssertionError("skipped: " + reason));
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            add(
                    test,
                    result.getStatus() == Status.SUCCESSFUL
                            ? null
                            : result.getThrowable().orElseGet(() -> new AssertionError("aborted")));
        }

        private void add(TestIdentifier test, @Nullable Throwable failure) {
            if (test.getSource().orElse(null) instanceof MethodSource method) {
                String name =
                        method.getClassName().substring(TESTS.length())
                                + "."
                                + method.getMethodName();
                var statements = ConformanceExtension.statements(method.getJavaMethod());
                byName.put(name, new Outcome(name, statements, failure));
            } else if (failure != null) {
                byName.put(
                        test.getDisplayName(),
                        new Outcome(test.getDisplayName(), List.of(), failure));
            }
        }

        private List<Outcome> sorted() {
            return byName.values().stream().sorted(Comparator.comparing(Outcome::name)).toList();
        }
    }
}
