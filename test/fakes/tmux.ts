/** A tmux of a test's own, with one pane whose title can be waited for. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished, type TestContext } from "vitest";

export interface Tmux {
  env: Record<string, string>;
  run(...args: string[]): string;
  title(): string;
  /** Resolves when the pane has this title, or one like this. */
  titled(like: string | RegExp): Promise<void>;
}

/** A pane whose title is `before`; null where there is no tmux. */
function openTmux(before: string): Tmux | null {
  const home = mkdtempSync(join(tmpdir(), "bellhop-tmux-"));
  const socket = join(home, "sock");
  const PATH = "/usr/bin:/bin:/usr/local/bin";
  const run = (...args: string[]): string =>
    execFileSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], {
      env: { PATH, HOME: home, LANG: "C.UTF-8" },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  try {
    run("new-session", "-d", "-x", "80", "-y", "24", "cat");
  } catch {
    rmSync(home, { recursive: true, force: true });
    return null;
  }
  onTestFinished(() => {
    run("kill-server");
    rmSync(home, { recursive: true, force: true });
  });
  const pane = run("display-message", "-p", "#{pane_id}").trim();
  run("select-pane", "-t", pane, "-T", before.replaceAll("#", "##"));
  const title = (): string => run("display-message", "-p", "-t", pane, "#{pane_title}").replace(/\n$/, "");
  return {
    env: { PATH, TMUX: `${socket},1,0`, TMUX_PANE: pane, LANG: "C.UTF-8" },
    run,
    title,
    async titled(like) {
      const is = (text: string): boolean => (typeof like === "string" ? text === like : like.test(text));
      // Asked again and again: tmux drops the event of a change that comes while one of its hooks is run.
      while (!is(title())) await promisify(setImmediate)();
    },
  };
}

/** Skips the test where there is no tmux. */
export function tmuxOr({ skip }: TestContext, before: string): Tmux {
  const tmux = openTmux(before);
  return tmux ?? skip("tmux is missing");
}
