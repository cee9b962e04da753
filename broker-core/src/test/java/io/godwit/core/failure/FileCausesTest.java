package io.godwit.core.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.security.cert.CertificateException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FileCausesTest {
    private static final String FILE = "/data/store/owner";

    static List<Arguments> sentences() {
        return List.of(
                Arguments.of(new NoSuchFileException(FILE), "it does not exist"),
                Arguments.of(new AccessDeniedException(FILE), "permission denied"),
                Arguments.of(
                        new FileAlreadyExistsException(FILE), "a file of this name exists already"),
                Arguments.of(new NotDirectoryException(FILE), "it is not a folder"),
                Arguments.of(new NotLinkException(FILE), "it is not a symbolic link"),
                Arguments.of(new DirectoryNotEmptyException(FILE), "the folder is not empty"),
                Arguments.of(new FileSystemLoopException(FILE), "its symbolic links form a circle"),
                Arguments.of(
                        new FileSystemException(FILE, null, "No space left on device"),
                        "no space left on device"),
                Arguments.of(
                        new FileSystemException(FILE, null, "Read-only file system"),
                        "read-only file system"),
                Arguments.of(
                        new AtomicMoveNotSupportedException(
                                FILE, FILE, "Invalid cross-device link"),
                        "invalid cross-device link"),
                Arguments.of(new FileSystemException(FILE), "the system does not say why"),
                Arguments.of(new IOException("No space left on device"), "no space left on device"),
                Arguments.of(new IOException(), "the system does not say why"),
                Arguments.of(new OverlappingFileLockException(), "it is locked already"),
                Arguments.of(new ClosedChannelException(), "it was closed meanwhile"),
                Arguments.of(new MalformedInputException(1), "it is not UTF-8 text"),
                Arguments.of(
                        new UncheckedIOException(new AccessDeniedException(FILE)),
                        "permission denied"),
                Arguments.of(
                        new CertificateException(
                                "Could not parse certificate: java.io.IOException: Empty input"),
                        "could not parse certificate: Empty input"),
                Arguments.of(
                        new IOException("java.nio.channels.ClosedChannelException"),
                        "the system does not say why"),
                Arguments.of(new IOException("TLS is off\n\tat line 2"), "TLS is off"));
    }

    @ParameterizedTest
    @MethodSource("sentences")
    void failure_of_a_file_has_words_without_the_name_of_a_class(Throwable cause, String words) {
        assertThat(FileCauses.of(cause)).isEqualTo(words);
    }

    @Test
    void failure_names_its_file_first() {
        assertThat(FileCauses.withFile(new AccessDeniedException(FILE)))
                .isEqualTo("/data/store/owner: permission denied");
        assertThat(FileCauses.withFile(new UncheckedIOException(new NoSuchFileException(FILE))))
                .isEqualTo("/data/store/owner: it does not exist");
        assertThat(FileCauses.withFile(new IOException("Input/output error")))
                .isEqualTo("input/output error");
    }
}
