package io.godwit.cluster.broker;

import io.godwit.cluster.question.Questions;
import io.godwit.cluster.transport.MessageType;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.store.Store;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Notes in which step of a run each step of the first hand-over at one node is done. */
final class HandOverSteps implements FailoverWatch {
    /** A step of the way of one message from a group's queue to the end of its handshake. */
    enum Step {
        /** The group's queue marks the entry with the session, or the node. */
        MARKED,
        /** The session's queue appends it, and remembers its id. */
        APPENDED,
        /** The group's queue removes the entry: the append is kept. */
        REMOVED,
        /** The client has PUBLISH. */
        PUBLISH,
        /** The session's queue forgets the id: the removal is kept. */
        FORGOTTEN,
        /** PUBREC has come to the session. */
        PUBREC,
        /** The client has PUBREL. */
        PUBREL,
        /** PUBCOMP has come to the session. */
        PUBCOMP,
        /** The new leader of the group's queue asks the new leader of the session. */
        QUESTION,
        /** The question is there. */
        ASKED,
        /** The answer leaves. */
        ANSWER,
        /** The answer is there. */
        ANSWERED
    }

    /** The node that leads the group's queue and the session at first. */
    static final int LEADER = 1;

    private final Map<Step, Long> seen = new EnumMap<>(Step.class);
    private LongSupplier now = () -> 0;
    private boolean isOn;
    private @Nullable QueuedMessage ofGroup;
    private @Nullable QueuedMessage ofSession;
    private @Nullable QueuedMessage last;

    /**
     * Begins to note steps.
     *
     * @param steps counts the steps of the run
     */
    void begin(LongSupplier steps) {
        now = steps;
        isOn = true;
    }

    /** Notes that a step is done in the step of the run that is under way. */
    void note(Step step) {
        if (isOn) {
            seen.putIfAbsent(step, now.getAsLong() + 1);
        }
    }

    boolean has(Step step) {
        return seen.containsKey(step);
    }

    /** Returns after how many steps of the run a step was done. */
    long at(Step step) {
        Long at = seen.get(step);
        if (at == null) {
            throw new IllegalStateException(step + " was not seen, but " + seen);
        }
        return at;
    }

    @Override
    public void onSent(int from, int to, MessageType type) {
        if (Questions.handles(type)) {
            note(isQuestion(type) ? Step.QUESTION : Step.ANSWER);
        }
    }

    @Override
    public void onReceived(int from, int to, MessageType type) {
        if (Questions.handles(type)) {
            note(isQuestion(type) ? Step.ASKED : Step.ANSWERED);
        }
    }

    private static boolean isQuestion(MessageType type) {
        return type.equals(Questions.messages()[0]);
    }

    @Override
    public Store onStore(int server, Store store) {
        return server == LEADER ? SeenStore.of(store, this::onTold) : store;
    }

    private void onTold(String operation, Object[] of) {
        switch (operation) {
            case "append" -> last = (QueuedMessage) of[0];
            case "inFlightTo" -> {
                if (isOn && ofGroup == null) {
                    ofGroup = (QueuedMessage) of[0];
                    note(Step.MARKED);
                }
            }
            case "remember" -> {
                if (isOn && ofSession == null && ((Remembered) of[0]).ingressCounter < 0) {
                    ofSession = last;
                    note(Step.APPENDED);
                }
            }
            case "forget" -> {
                if (((Remembered) of[0]).ingressCounter < 0) {
                    note(Step.FORGOTTEN);
                }
            }
            case "released" -> {
                if (isSession(of[0])) {
                    note(Step.PUBREC);
                }
            }
            case "remove" -> {
                if (ofGroup != null && of[0] == ofGroup) {
                    note(Step.REMOVED);
                } else if (isSession(of[0])) {
                    note(Step.PUBCOMP);
                }
            }
            default -> {}
        }
    }

    private boolean isSession(Object entry) {
        return ofSession != null && entry == ofSession;
    }
}
