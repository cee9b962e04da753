package io.godwit.server.admin;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * Answers {@code GET /} of a browser with a page that shows the node's state. Its script asks the
 * other pages of the admin port every two seconds; no other script runs in it.
 */
final class StatusPage {
    static final String PATH = "/";
    static final String CONTENT_TYPE = "text/html; charset=utf-8";

    /** The header Content-Security-Policy of the page. */
    static final String POLICY;

    private static final HttpAnswer ANSWER;

    static {
        byte[] page = read();
        String text = new String(page, StandardCharsets.UTF_8);
        POLICY =
                "default-src 'none'; connect-src 'self'; img-src data:; script-src "
                        + hash(text, "script")
                        + "; style-src "
                        + hash(text, "style")
                        + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
        ANSWER = new HttpAnswer(HttpResponseStatus.OK, CONTENT_TYPE, page);
    }

    private StatusPage() {}

    /**
     * Answers with the page, or, to programs that do not ask for HTML, with the list of paths.
     *
     * @param accept the header of the request; empty when it has none
     */
    static HttpAnswer answer(String accept) {
        return accept.contains("text/html") ? ANSWER : AdminRoutes.NOT_FOUND;
    }

    private static byte[] read() {
        try (InputStream in = StatusPage.class.getResourceAsStream("status.html")) {
            if (in == null) {
                throw new IllegalStateException("status.html is missing");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The source that allows the page's only element of this name, and no other. */
    private static String hash(String page, String element) {
        String begin = "<" + element + ">";
        int from = page.indexOf(begin) + begin.length();
        byte[] content =
                page.substring(from, page.indexOf("</" + element + ">", from))
                        .getBytes(StandardCharsets.UTF_8);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
            return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
