/**
 * Which of a project's `default_args` are refused for an agent whose options nobody knows: those that by their name let it
 * act without asking. What an agent's other options do to its mode is found when its session is open.
 */

const UNGUARDED = /^(?:--yolo\b|-y$|--(?:allow-)?dangerously)/i;

/** The first refused argument, or null. */
export function refusedArgument(args: readonly string[]): string | null {
  return args.find((argument) => argument.includes("\0") || UNGUARDED.test(argument)) ?? null;
}
