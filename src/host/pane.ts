/**
 * The title of the tmux pane we run in, borrowed for a while. Whatever ends us, `kill -9` included, it is given back:
 * a shell of its own session holds the old title and sets it again when our end of its pipe is closed. A title that
 * somebody else has set meanwhile is left as it is.
 */
import { spawn, type ChildProcess } from "node:child_process";
import type { Writable } from "node:stream";
import { runProgram } from "./program.ts";
import { which } from "./which.ts";

export interface Pane {
  /** Shows the mark and this text behind it. Never rejects. */
  show(text: string): Promise<void>;
  /** Gives the title back, if it is still ours. Never rejects. */
  giveBack(): Promise<void>;
}

/** Reads old titles until we are gone, then sets the last one, unless the title is no longer one of ours. */
const KEEPER = `
while IFS= read -r line; do old=$line; done
case "$("$1" -u display-message -p -t "$2" '#{pane_title}')" in
  "$3"*) "$1" select-pane -t "$2" -T "$old" ;;
esac`;

const WITHIN_MS = 5_000;

/**
 * Null where we do not run in tmux.
 * @param mark what each of our titles begins with; no title of another program does
 */
export function openPane(env: Readonly<Record<string, string | undefined>>, mark: string): Pane | null {
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

class BorrowedPane implements Pane {
  readonly #setting: Setting;
  #keeper: { child: ChildProcess; stdin: Writable } | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  show(text: string): Promise<void> {
    return this.#then(async () => {
      const { pane, mark } = this.#setting;
      // The keeper first: from here on the title is given back, whatever happens.
      const keeper = (this.#keeper ??= this.#startKeeper());
      const title = await this.#tmux(["-u", "display-message", "-p", "-t", pane, "#{pane_title}"]);
      if (title === null) return;
      if (!title.startsWith(mark)) keeper.stdin.write(`${literal(title)}\n`);
      await this.#tmux(["select-pane", "-t", pane, "-T", literal(`${mark}${text}`)]);
    });
  }

  giveBack(): Promise<void> {
    return this.#then(async () => {
      const keeper = this.#keeper;
      this.#keeper = null;
      if (keeper === null) return;
      const gone = new Promise<void>((resolve) => {
        keeper.child.once("exit", () => resolve());
        keeper.child.once("error", () => resolve());
      });
      keeper.stdin.end();
      if (keeper.child.exitCode === null && keeper.child.pid !== undefined) await gone;
    });
  }

  /** One after the other: two that overlapped could leave the older title. */
  #then(act: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(act).catch(() => undefined);
    return this.#last;
  }

  #startKeeper(): { child: ChildProcess; stdin: Writable } {
    const { tmux, pane, mark, env } = this.#setting;
    const child = spawn("/bin/sh", ["-c", KEEPER, "bellhop-title", tmux, pane, mark], { env, detached: true, shell: false, stdio: ["pipe", "ignore", "ignore"] });
    child.on("error", () => undefined);
    child.stdin.on("error", () => undefined);
    child.unref();
    return { child, stdin: child.stdin };
  }

  /** What it printed, on one line; null where it failed. */
  async #tmux(args: string[]): Promise<string | null> {
    const { tmux: file, env } = this.#setting;
    const { code, stdout } = await runProgram({ file, args, env, withinMs: WITHIN_MS });
    return code === 0 ? stdout.replace(/\n$/, "").replace(/[\r\n]/g, " ") : null;
  }
}

/** tmux expands what stands after a `#`, even to the output of a command; doubled it is only itself. Those before a `[` it leaves alone. */
function literal(title: string): string {
  return title.replace(/#+(\[?)/g, (signs, bracket) => (bracket === "" ? signs + signs : signs));
}
