/** What the Claude in a window is told of its world when it is opened or taken up, and whom it tells what of itself. */
import type { Clock } from "../../base/clock.ts";
import type { Window } from "../../core/sessions/windows.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import type { ProcessTable } from "../../host/processes/process-table.ts";
import type { Tmux } from "../../host/terminal/tmux.ts";
import type { PayloadOf } from "../../protocol/hooks.ts";
import type { StatusLine } from "../../protocol/status-line.ts";

export interface WindowAgentOptions {
  clock: Clock;
  table: ProcessTable;
  tmux: Tmux;
  window: Window;
  log: JobLog;
  /** The window was there before this daemon. */
  stood: boolean;
  /** Whether a turn with this name of Claude's is on record. */
  isKnown(promptId: string): boolean;
  /** Whether the conversation that it is to resume is recorded nowhere. */
  isLost(): boolean;
  /** Whether Claude has written down that the turn with this name was interrupted. */
  wasInterrupted(promptId: string): Promise<boolean>;
  /** Whether what is typed reaches this Claude, and not the shell from which its owner started it. */
  isReached(): boolean;
  /**
   * What may be erased in its box: prompts that may have been typed without being sent, and what its owner had cleared.
   */
  left(): readonly string[];
  /** The permission mode that its thread was told last. */
  mode: string;
  /** Resolves when what its hooks kept while no daemon ran has been heard. */
  caughtUp: Promise<void>;
  /** What it has last said for its status line; null: nothing. */
  says(): StatusLine | null;
  /** Called when something may be typed again. */
  freed(): void;
  /** Called when what its dialogs asked was answered in them. */
  answered(asked: PayloadOf<"PermissionRequest"> | null): void;
  /** Called with the text of a dialog that no hook told of, for as long as it stands; null: none stands. */
  stands(dialog: string | null): void;
  /** Called when it is gone: it ended by itself, or was ended by us. */
  closed(why: "exit" | "stopped", exitCode: number | null): Promise<void>;
}
