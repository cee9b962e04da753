package io.godwit.server.command;

import io.godwit.server.Causes;
import io.godwit.server.StartFailed;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/**
 * A command that prints its answer to standard output and everything else to standard error. Exit
 * codes: 0 done, 1 not done or a problem was found (a sentence says why), 2 wrong arguments.
 */
public abstract class AnsweringCommand implements Callable<Integer> {
    @Mixin HelpOption help = new HelpOption();

    /**
     * @return the exit code
     * @throws StartFailed with a sentence for the operator
     */
    protected abstract int answer(PrintStream out)
            throws StartFailed, IOException, InterruptedException;

    @Override
    public final Integer call() throws InterruptedException {
        PrintStream out = System.out;
        // What is logged is not part of the answer.
        System.setOut(System.err);
        try {
            int exitCode = answer(out);
            out.flush();
            return exitCode;
        } catch (StartFailed e) {
            System.err.println(e.getMessage());
            return 1;
        } catch (UncheckedIOException e) {
            Throwable cause = e.getCause();
            System.err.println(Causes.withFile(cause == null ? e : cause));
            return 1;
        } catch (IOException e) {
            System.err.println(Causes.withFile(e));
            return 1;
        } finally {
            System.setOut(out);
        }
    }
}
