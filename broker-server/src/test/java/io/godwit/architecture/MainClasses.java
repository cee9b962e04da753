package io.godwit.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/** What the program is made of: no class of a test, also of those that came in a module's jar. */
final class MainClasses {
    private MainClasses() {}

    static JavaClasses below(String packageName) {
        return new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages(packageName);
    }
}
