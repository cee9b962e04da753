package io.godwit.cluster.leadership;

/** Is told on the thread of the links when leaders have changed, or claims may be granted. */
public interface LeadershipListener {
    /** Something is different from what this listener saw last. */
    void onLeaders(SlotLeaders now);
}
