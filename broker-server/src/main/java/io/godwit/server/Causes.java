package io.godwit.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.security.cert.CertificateException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Says in plain English why a file or an address can't be used, without the name of a class. */
public final class Causes {
    private Causes() {}

    /**
     * The cause, to follow "can't be read: ". It names a file only when the exception is about
     * another one than the caller would think of.
     */
    public static String of(Throwable cause) {
        return switch (cause) {
            case NoSuchFileException e -> "it does not exist";
            case FileNotFoundException e -> "it does not exist, or may not be opened";
            case AccessDeniedException e -> "permission denied";
            case FileAlreadyExistsException e -> "a file of this name exists already";
            case NotDirectoryException e -> "it is not a folder";
            case DirectoryNotEmptyException e -> "the folder is not empty";
            case FileSystemException e -> e.getReason() == null ? unknown(e) : lower(e.getReason());
            case UnknownHostException e -> "the host name is unknown";
            case NoRouteToHostException e -> "there is no route to the host";
            case PortUnreachableException e -> "the port is unreachable";
            case BindException e -> text(e, "the address is in use");
            case ConnectException e -> text(e, "connection refused");
            case SocketTimeoutException e -> "no answer in time";
            case JsonProcessingException e ->
                    "it is not valid JSON: " + lower(firstLine(e.getOriginalMessage()));
            case EOFException e -> "the connection was closed";
            case SSLException e -> ofTls(e);
            default -> unknown(cause);
        };
    }

    /** The cause for which an address can't be listened on. */
    public static String ofBind(IOException cause) {
        String lower = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
        if (lower.contains("in use")) return "the address is in use; is another broker running?";
        if (lower.contains("permission denied")) {
            return "not permitted; ports below 1024 require privileges";
        }
        if (lower.contains("assign requested address")) return "this machine has no such address";
        return of(cause);
    }

    /** A failure's cause with the file that it is about, where it names one. */
    public static String withFile(Throwable cause) {
        String file = cause instanceof FileSystemException e ? e.getFile() : null;
        return file == null ? of(cause) : file + ": " + of(cause);
    }

    /** The reason of a failed TLS handshake stands at its innermost cause. */
    private static String ofTls(SSLException e) {
        Throwable inner = e;
        for (Throwable each = e; each != null; each = each.getCause()) {
            if (each instanceof CertificateException || each instanceof SSLException) inner = each;
        }
        String text = String.valueOf(inner.getMessage());
        if (text.contains("unable to find valid certification path")) {
            return "its certificate is not signed by a certificate authority that is trusted here";
        }
        if (text.contains("Unsupported or unrecognized SSL message")) {
            return "it does not speak TLS";
        }
        return text(inner, "the TLS handshake failed");
    }

    private static String unknown(Throwable cause) {
        return text(cause, "the system does not say why");
    }

    private static String text(Throwable cause, String otherwise) {
        String text = cause.getMessage();
        return text == null || text.isBlank() ? otherwise : lower(firstLine(text));
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse(text);
    }

    /** "No space left on device" goes on a sentence; "TLS ..." stays. */
    private static String lower(@Nullable String text) {
        if (text == null || text.length() < 2 || Character.isUpperCase(text.charAt(1))) {
            return String.valueOf(text);
        }
        return text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
    }
}
