package io.godwit.badinput;

/**
 * An attack as a process of its own: attackers have machines of their own, so this one is to yield
 * the processors to the broker, and to the pair that is measured.
 */
final class AttackMain {
    private AttackMain() {}

    /** Arguments: the attack's name, port, admin port, size (0..1) and milliseconds. */
    public static void main(String[] arguments) throws Exception {
        try (Attacker attacker =
                new Attacker(
                        Integer.parseInt(arguments[1]),
                        Integer.parseInt(arguments[2]),
                        Double.parseDouble(arguments[3]),
                        Long.parseLong(arguments[4]))) {
            Attack.valueOf(arguments[0]).run(attacker);
        }
        System.exit(0); // Threads that still wait for the broker end with it.
    }
}
