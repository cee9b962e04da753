package io.godwit.core.failure;

import java.io.FileNotFoundException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Says in plain English why a file can't be used, without the name of a Java class. */
public final class FileCauses {
    /**
     * The JDK puts the names of its own exceptions into messages: {@code java.io.IOException: }.
     */
    private static final Pattern CLASS_NAME =
            Pattern.compile("\\b(?:[a-z]\\w*\\.)+[A-Z][\\w$]*(?:Exception|Error)\\b(?:: )?");

    private FileCauses() {}

    /**
     * Returns the cause, to follow "can't be read: ". The caller names the file; see {@link
     * #withFile}.
     */
    public static String of(Throwable cause) {
        return switch (cause) {
            case NoSuchFileException e -> "it does not exist";
            case FileNotFoundException e -> "it does not exist, or may not be opened";
            case AccessDeniedException e -> "permission denied";
            case FileAlreadyExistsException e -> "a file of this name exists already";
            case NotDirectoryException e -> "it is not a folder";
            case NotLinkException e -> "it is not a symbolic link";
            case DirectoryNotEmptyException e -> "the folder is not empty";
            case FileSystemLoopException e -> "its symbolic links form a circle";
            case FileSystemException e -> text(e.getReason(), "the system does not say why");
            case OverlappingFileLockException e -> "it is locked already";
            case ClosedChannelException e -> "it was closed meanwhile";
            case CharacterCodingException e -> "it is not UTF-8 text";
            case UncheckedIOException e when e.getCause() != null -> of(e.getCause());
            default -> text(cause.getMessage(), "the system does not say why");
        };
    }

    /** Returns the cause, behind the file that the exception names, if it names one. */
    public static String withFile(Throwable cause) {
        if (cause instanceof UncheckedIOException e && e.getCause() != null) {
            return withFile(e.getCause());
        }
        String file = cause instanceof FileSystemException e ? e.getFile() : null;
        return file == null ? of(cause) : file + ": " + of(cause);
    }

    /**
     * Returns the first line of a message as the end of a sentence, without the names of classes.
     */
    public static String text(@Nullable String message, String otherwise) {
        if (message == null) {
            return otherwise;
        }
        String line =
                CLASS_NAME.matcher(message.lines().findFirst().orElse("")).replaceAll("").strip();
        return line.isEmpty() ? otherwise : lower(line);
    }

    /** "No space left on device" goes on a sentence; "TLS ..." stays. */
    private static String lower(String text) {
        if (text.length() < 2 || Character.isUpperCase(text.charAt(1))) {
            return text;
        }
        return text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
    }
}
