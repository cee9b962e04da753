package io.godwit.chaos;

import io.godwit.server.BrokerProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks a broker's process and its admin port how it is doing. */
final class Jvm {
    private static final String LOADER = "io.godwit.server.extension.ExtensionLoader";

    private final BrokerProcess broker;

    Jvm(BrokerProcess broker) {
        this.broker = broker;
    }

    String ask(String method, String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + broker.port("admin") + path);
        HttpResponse<String> answer =
                HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(uri)
                                        .method(method, HttpRequest.BodyPublishers.noBody())
                                        .header("Godwit-Command", "change-extension")
                                        .build(),
                                HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException(method + " " + path + ": " + answer.body());
        }
        return answer.body();
    }

    /** Sums a metric up, over all of its labels. */
    double metric(String name) throws IOException, InterruptedException {
        Matcher lines =
                Pattern.compile("(?m)^" + name + "(?:\\{[^}]*})? (\\S+)$")
                        .matcher(ask("GET", "/metrics"));
        double sum = 0;
        while (lines.find()) {
            sum += Double.parseDouble(lines.group(1));
        }
        return sum;
    }

    private String jcmd(String... command) throws IOException, InterruptedException {
        String[] all = new String[command.length + 2];
        all[0] = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        all[1] = String.valueOf(broker.process().pid());
        System.arraycopy(command, 0, all, 2, command.length);
        Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    /** Counts class loaders of extensions that are still there after garbage collections. */
    long loaders() throws IOException, InterruptedException {
        jcmd("GC.run");
        Matcher line =
                Pattern.compile("\\s(\\d+)\\s+\\d+\\s+" + Pattern.quote(LOADER) + "(?:\\s|$)")
                        .matcher(jcmd("GC.class_histogram"));
        return line.find() ? Long.parseLong(line.group(1)) : 0;
    }

    /** KiB of metaspace in use; -1: the process has not said. */
    long metaspaceKib() throws IOException, InterruptedException {
        Matcher line =
                Pattern.compile("Both:\\s+([0-9.]+) ([KM])B used")
                        .matcher(jcmd("VM.metaspace", "basic"));
        if (!line.find()) {
            return -1;
        }
        double number = Double.parseDouble(line.group(1));
        return Math.round(line.group(2).equals("M") ? number * 1_024 : number);
    }
}
