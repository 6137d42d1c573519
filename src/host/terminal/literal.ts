/**
 * Text for tmux that it must not expand: what follows a `#` would otherwise be replaced, even by the output of a command.
 * Doubled it is a literal `#`; those before a `[` are left alone by tmux.
 */
export function literal(text: string): string {
  return text.replace(/#+(\[?)/g, (signs, bracket) => (bracket === "" ? signs + signs : signs));
}
