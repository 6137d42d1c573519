/** A conversation that an agent's own program has kept on this machine, whoever began it. */
export interface StoredConversation {
  /** With which it is resumed. */
  key: string;
  /** When it was last written to, in milliseconds since the epoch. */
  at: number;
  /** Its title, else the beginning of its first prompt; empty if neither could be read. */
  about: string;
  /** What the agent said last; empty if nothing could be read. */
  said: string;
  /** The branch on which it was, as far as its record tells. */
  branch?: string;
}

/** One that a project's session can go on with. */
export interface Resumable extends StoredConversation {
  /** The tool of the project that goes on with it, and what that tool calls its key. */
  tool: string;
  key_name: string;
  /** Where it was: the project's directory, absolute and real. */
  cwd: string;
}
