/**
 * The title of the tmux pane we run in, changed temporarily. Whatever ends us, `kill -9` included, it is restored: a
 * shell in its own session holds the old title and sets it again when our end of its pipe is closed. A title that
 * something else has set meanwhile is left alone.
 */
import { spawn, type ChildProcess } from "node:child_process";
import type { Writable } from "node:stream";
import { runProgram } from "../processes/program.ts";
import { which } from "../processes/which.ts";
import { literal } from "./tmux.ts";

export interface PaneTitle {
  /** Shows the mark followed by this text. Never rejects. */
  showText(text: string): Promise<void>;
  /** Restores the title, if it is still ours. Never rejects. */
  giveBack(): Promise<void>;
}

/** Reads old titles until we are gone, then sets the last one, unless the current title is no longer ours. */
const RESTORER = `
while IFS= read -r line; do old=$line; done
case "$("$1" -u display-message -p -t "$2" '#{pane_title}')" in
  "$3"*) "$1" select-pane -t "$2" -T "$old" ;;
esac`;

const WITHIN_MS = 5_000;

/**
 * Null outside of tmux.
 * @param mark prefix of each of our titles; no other program's title has it
 */
export function openPane(env: Readonly<Record<string, string | undefined>>, mark: string): PaneTitle | null {
  const { TMUX, TMUX_PANE: pane = "", PATH, LANG = "C.UTF-8" } = env;
  const tmux = which("tmux", PATH);
  if (!TMUX || !/^%\d+$/.test(pane) || tmux === null) return null;
  return new BorrowedPane({ tmux, pane, mark, env: { TMUX, PATH, LANG } });
}

interface Setting {
  tmux: string;
  pane: string;
  mark: string;
  env: Record<string, string | undefined>;
}

class BorrowedPane implements PaneTitle {
  readonly #setting: Setting;
  #restorer: { child: ChildProcess; stdin: Writable } | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  showText(text: string): Promise<void> {
    return this.#then(async () => {
      const { pane, mark } = this.#setting;
      // The shell first: from here on the title is restored, whatever happens.
      const restorer = (this.#restorer ??= this.#startRestorer());
      const title = await this.#tmux(["-u", "display-message", "-p", "-t", pane, "#{pane_title}"]);
      if (title === null) return;
      if (!title.startsWith(mark)) restorer.stdin.write(`${literal(title)}\n`);
      await this.#tmux(["select-pane", "-t", pane, "-T", literal(`${mark}${text}`)]);
    });
  }

  giveBack(): Promise<void> {
    return this.#then(async () => {
      const restorer = this.#restorer;
      this.#restorer = null;
      if (restorer === null) return;
      const gone = new Promise<void>((resolve) => {
        restorer.child.once("exit", () => resolve());
        restorer.child.once("error", () => resolve());
      });
      restorer.stdin.end();
      if (restorer.child.exitCode === null && restorer.child.pid !== undefined) await gone;
    });
  }

  /** One at a time: two that overlapped could leave the older title. */
  #then(act: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(act).catch(() => undefined);
    return this.#last;
  }

  #startRestorer(): { child: ChildProcess; stdin: Writable } {
    const { tmux, pane, mark, env } = this.#setting;
    const child = spawn("/bin/sh", ["-c", RESTORER, "bellhop-title", tmux, pane, mark], {
      env,
      detached: true,
      shell: false,
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.on("error", () => undefined);
    child.stdin.on("error", () => undefined);
    child.unref();
    return { child, stdin: child.stdin };
  }

  /** Its output on one line; null if it failed. */
  async #tmux(args: string[]): Promise<string | null> {
    const { tmux: file, env } = this.#setting;
    const { code, stdout } = await runProgram({ file, args, env, withinMs: WITHIN_MS });
    return code === 0 ? stdout.replace(/\n$/, "").replace(/[\r\n]/g, " ") : null;
  }
}
