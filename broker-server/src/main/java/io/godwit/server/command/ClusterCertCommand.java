package io.godwit.server.command;

import io.godwit.cluster.tls.CertificateMaker;
import io.godwit.cluster.tls.TlsFiles;
import io.godwit.server.Causes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Makes what nodes need for TLS among each other. Exit codes: 0 done, 1 not done, 2 wrong
 * arguments.
 */
@Command(
        name = "godwit cluster-cert",
        description = {
            "Creates a node's certificate and key for TLS between nodes, and the cluster's CA if"
                    + " the folder has none. Give each node ca.pem and its own two files; keep"
                    + " ca.p12.",
        })
public final class ClusterCertCommand implements Callable<Integer> {
    @Mixin HelpOption help = new HelpOption();

    @Parameters(
            index = "0",
            paramLabel = "FOLDER",
            description = "the folder of the CA, which is created if it is missing")
    private Path folder = Path.of(".");

    @Parameters(index = "1", paramLabel = "NODE", description = "the node's name")
    private String node = "";

    @Option(
            names = "--address",
            paramLabel = "HOST",
            description = "a host name or IP address of the node; may be given several times")
    private List<String> addresses = List.of();

    @Option(names = "--days", description = "validity in days (${DEFAULT-VALUE})")
    private int days = 3_650;

    @Override
    public Integer call() {
        try {
            TlsFiles made = new CertificateMaker(folder, days).make(node, addresses);
            System.out.println("for node " + node + ":");
            System.out.println("  cluster.tls.ca: " + made.ca());
            System.out.println("  cluster.tls.certificate: " + made.certificate());
            System.out.println("  cluster.tls.key: " + made.key());
            return 0;
        } catch (IOException e) {
            System.err.println("godwit cluster-cert: " + Causes.withFile(e));
            return 1;
        }
    }
}
