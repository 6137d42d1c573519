/**
 * The raw record of one job: what its agent wrote, byte for byte after redaction, in `LOG_DIR/job/<job_id>.log`.
 * It is for people who look for the cause of a failure; nothing in the house reads it back, and a log that
 * cannot be written never stops a job.
 */
export interface JobLog {
  /** Output of the agent, as it came. */
  stdout(chunk: Uint8Array): void;
  stderr(chunk: Uint8Array): void;
  /** A line of ours: what was started, what could not be read. */
  note(text: string): void;
  /** Writes what is held back and closes the file. Nothing may be written afterwards. */
  close(): Promise<void>;
}
