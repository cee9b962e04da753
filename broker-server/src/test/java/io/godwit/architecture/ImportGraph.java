package io.godwit.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The dependencies between packages or between the classes of one package: nested classes count for
 * the one that they stand in.
 */
final class ImportGraph {
    private final Map<String, Set<String>> arrows = new TreeMap<>();

    private ImportGraph() {}

    /** Between the packages below this one, named without it. */
    static ImportGraph ofPackages(JavaClasses classes, String root) {
        return of(
                classes,
                each -> each.getPackageName().startsWith(root + "."),
                each -> each.getPackageName().substring(root.length() + 1));
    }

    /** Between the classes of this package. */
    static ImportGraph within(JavaClasses classes, String packageName) {
        return of(
                classes,
                each -> each.getPackageName().equals(packageName),
                each -> outermost(each).getSimpleName());
    }

    private static ImportGraph of(
            JavaClasses classes, Predicate<JavaClass> isIn, Function<JavaClass, String> name) {
        ImportGraph graph = new ImportGraph();
        for (JavaClass from : classes) {
            if (!isIn.test(from) || from.getSimpleName().equals("package-info")) {
                continue;
            }
            Set<String> to = graph.arrows.computeIfAbsent(name.apply(from), any -> new TreeSet<>());
            from.getDirectDependenciesFromSelf().stream()
                    .map(each -> each.getTargetClass().getBaseComponentType())
                    .filter(isIn)
                    .map(name)
                    .filter(each -> !each.equals(name.apply(from)))
                    .forEach(to::add);
        }
        return graph;
    }

    private static JavaClass outermost(JavaClass nested) {
        JavaClass at = nested;
        while (at.getEnclosingClass().isPresent()) {
            at = at.getEnclosingClass().get();
        }
        return at;
    }

    Set<String> names() {
        return arrows.keySet();
    }

    Set<String> from(String name) {
        return arrows.getOrDefault(name, Set.of());
    }

    /** Everything that can be reached from here, itself only over a cycle. */
    Set<String> reachable(String name) {
        Set<String> seen = new TreeSet<>();
        Deque<String> next = new ArrayDeque<>(from(name));
        while (!next.isEmpty()) {
            String each = next.remove();
            if (seen.add(each)) {
                next.addAll(from(each));
            }
        }
        return seen;
    }

    /** The largest set in which each depends on each, over others; empty without a cycle. */
    Set<String> largestCycle() {
        Set<String> largest = Set.of();
        for (String name : names()) {
            Set<String> cycle = new TreeSet<>();
            for (String each : reachable(name)) {
                if (reachable(each).contains(name)) {
                    cycle.add(each);
                }
            }
            if (cycle.size() > largest.size()) {
                largest = cycle;
            }
        }
        return largest;
    }

    /** Arrows that no way over others stands for, as a Mermaid flowchart. */
    String picture() {
        StringBuilder text = new StringBuilder("```mermaid\nflowchart TD\n");
        for (String name : names()) {
            for (String to : from(name)) {
                boolean implied =
                        from(name).stream()
                                .anyMatch(via -> !via.equals(to) && reachable(via).contains(to));
                if (!implied) {
                    text.append("    ").append(name).append(" --> ").append(to).append('\n');
                }
            }
        }
        return text.append("```\n").toString();
    }
}
