package io.godwit.server.tls;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One block of a PEM file (RFC 7468).
 *
 * @param label such as {@code CERTIFICATE}
 * @param der the decoded bytes
 */
record PemBlock(String label, byte[] der) {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");

    /**
     * The blocks in their order; what stands between them is ignored.
     *
     * @throws IllegalArgumentException when a block is no Base64, or has header lines (an old
     *     encrypted key)
     */
    static List<PemBlock> parse(String text) {
        List<PemBlock> blocks = new ArrayList<>();
        Matcher matcher = BLOCK.matcher(text);
        while (matcher.find()) {
            String base64 = matcher.group(2).replaceAll("\\s", "");
            blocks.add(new PemBlock(matcher.group(1), Base64.getDecoder().decode(base64)));
        }
        return blocks;
    }
}
