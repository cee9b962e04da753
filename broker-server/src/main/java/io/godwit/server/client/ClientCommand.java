package io.godwit.server.client;

import io.godwit.core.codec.NoMemoryForPacket;
import io.godwit.core.codec.TopicCheck;
import io.godwit.server.Causes;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command that connects to a broker as a client. Exit codes: 0 done, 1 not done (a sentence on
 * standard error says why), 2 wrong arguments.
 */
public abstract class ClientCommand {
    private static final int FAILED = 1;
    private static final int WRONG_ARGUMENTS = 2;

    private final Streams streams;
    private final BrokerChoice broker = new BrokerChoice();
    private boolean isHelpAsked;

    private volatile boolean isStopping;
    private volatile @Nullable MqttConnection connection;

    ClientCommand(Streams streams) {
        this.streams = streams;
    }

    /** Keeps Netty from starting the broker's log, which takes longer than such a command. */
    private static void logLittle() {
        if (System.getProperty("godwit.launcher") != null) {
            InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
        }
    }

    final Streams streams() {
        return streams;
    }

    /**
     * Does the command's work.
     *
     * @return the exit code
     */
    abstract int run() throws ClientFailed, WrongOption, IOException;

    /** The command's name, for what it prints to standard error. */
    abstract String name();

    /** Sentences of the help text that say what the command does. */
    abstract String meaning();

    /** Adds the command's own options. */
    abstract void addTo(OptionTable table);

    /** The command's options with those that every client command has. */
    final OptionTable options() {
        OptionTable table = new OptionTable();
        addTo(table);
        broker.addTo(table);
        return table.addFlag("", "--help", "shows this text", () -> isHelpAsked = true);
    }

    /**
     * Does the command's work.
     *
     * @return the exit code
     */
    public final int execute(List<String> arguments) {
        logLittle();
        Thread goodbye = new Thread(this::stop, "goodbye");
        Runtime.getRuntime().addShutdownHook(goodbye);
        try {
            OptionTable options = options();
            options.parse(arguments);
            if (isHelpAsked) {
                streams.out().write(help(options).getBytes(StandardCharsets.UTF_8));
                streams.out().flush();
                return 0;
            }
            return run();
        } catch (WrongOption e) {
            say(e.getMessage() + "; see godwit " + name() + " --help");
            return WRONG_ARGUMENTS;
        } catch (ClientFailed e) {
            if (!isStopping) say(e.getMessage());
            return FAILED;
        } catch (IOException e) {
            say("standard input or output failed: " + Causes.of(e));
            return FAILED;
        } catch (OutOfMemoryError | NoMemoryForPacket e) {
            say("a message is too large for the memory of this command");
            return FAILED;
        } finally {
            MqttConnection last = connection;
            if (last != null) last.close();
            forget(goodbye);
        }
    }

    private String help(OptionTable options) {
        return "Usage: godwit " + name() + " OPTIONS\n" + meaning() + "\n\n" + options.usage();
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // It is running: the process has got a signal.
        }
    }

    /** Says goodbye to the broker, because the process has got a signal. */
    private void stop() {
        isStopping = true;
        MqttConnection last = connection;
        if (last != null) last.disconnect();
    }

    boolean isStopping() {
        return isStopping;
    }

    /**
     * Connects.
     *
     * @param isDurable whether the session outlives the connection
     */
    final MqttConnection connect(boolean isDurable) throws ClientFailed, WrongOption {
        MqttConnection opened = MqttConnection.open(broker.address(), broker.connect(isDurable));
        connection = opened;
        return opened;
    }

    /** Prints a sentence to standard error. */
    final void say(@Nullable String sentence) {
        streams.err().println("godwit " + name() + ": " + sentence);
    }

    /** Checks a topic name. */
    static byte[] topicName(String topic) throws WrongOption {
        byte[] bytes = BrokerChoice.utf8("-t", topic);
        if (!TopicCheck.isTopicName(bytes)) {
            throw new WrongOption("-t: a topic is not empty and has no + and no #");
        }
        return bytes;
    }

    /** Checks a topic filter. */
    static byte[] topicFilter(String filter) throws WrongOption {
        byte[] bytes = BrokerChoice.utf8("-t", filter);
        if (!TopicCheck.isTopicFilter(bytes)) {
            throw new WrongOption(
                    "-t: '"
                            + filter
                            + "' is not a topic filter: + stands for a whole level, # for all that"
                            + " follow, at the end");
        }
        return bytes;
    }

    /** Checks a QoS. */
    static int qos(int qos) throws WrongOption {
        if (qos < 0 || qos > 2) throw new WrongOption("-q: allowed are 0, 1 and 2");
        return qos;
    }
}
