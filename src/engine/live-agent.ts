/** An agent that is open, as people are told of it: read from this machine at the moment, and never in the journal. */
export interface LiveAgent {
  thread_id: string;
  tool: string;
  pid: number;
  /** ISO 8601: since its process runs. */
  since: string;
  state: "working" | "idle";
  /** How many things it still does in the background. */
  background: number;
  /** Its memory; null if the machine does not tell. */
  bytes: number | null;
}
