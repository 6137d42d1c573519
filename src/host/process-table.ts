/**
 * The machine's processes as they are now. A process is its pid together with its start time, because a pid
 * alone is given to somebody else sooner or later.
 */
export interface ProcessIdentity {
  pid: number;
  /** Field 22 of /proc/PID/stat: ticks since boot. 0 where the machine does not tell (no /proc). */
  startTime: number;
}
