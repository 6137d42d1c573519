/** The title of a tmux pane, borrowed in a real tmux of the test's own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openPane } from "../../../src/host/terminal/pane.ts";
import { tmuxOr } from "../../fakes/tmux.ts";

const MARK = "⏳ Discord";

test("a title is shown behind the mark, and the old one is given back", async (context) => {
  const tmux = tmuxOr(context, "✳ Claude Code");
  const pane = openPane(tmux.env, MARK);
  await pane?.showText(" · 5 s");
  expect(tmux.title()).toBe("⏳ Discord · 5 s");
  await pane?.showText(" · 2 min");
  expect(tmux.title()).toBe("⏳ Discord · 2 min");
  await pane?.giveBack();
  expect(tmux.title()).toBe("✳ Claude Code");
});

test("a title that somebody else set while it was borrowed is the one that is given back, or left", async (context) => {
  const tmux = tmuxOr(context, "one");
  const pane = openPane(tmux.env, MARK);
  await pane?.showText("");
  tmux.run("select-pane", "-T", "two");
  await pane?.showText("");
  expect(tmux.title()).toBe(MARK);
  await pane?.giveBack();
  expect(tmux.title()).toBe("two");
  await pane?.showText("");
  tmux.run("select-pane", "-T", "three");
  await pane?.giveBack();
  expect(tmux.title()).toBe("three");
});

test("a title is only text: nothing in it is carried out when it is given back", async (context) => {
  const tmux = tmuxOr(context, "plain");
  const hostile = `#(touch ${tmux.env["TMUX"]?.split(",")[0]}.ran) #{pane_id} ##x #[fg=red] ##[x] '"$(id)\``;
  // As a program in the pane would set it.
  tmux.run("respawn-pane", "-k", "-e", `NAME=${hostile}`, `printf '\\033]2;%s\\033\\\\' "$NAME"; exec cat`);
  await tmux.titled(hostile);
  const pane = openPane(tmux.env, MARK);
  await pane?.showText(" #(id)");
  expect(tmux.title()).toBe("⏳ Discord #(id)");
  await pane?.giveBack();
  expect(tmux.title()).toBe(hostile);
  expect(existsSync(`${tmux.env["TMUX"]?.split(",")[0]}.ran`)).toBe(false);
});

test.for(["SIGKILL", "SIGHUP"] as const)(
  "whoever borrowed it and is ended by %s leaves the old title",
  async (signal, context) => {
    const tmux = tmuxOr(context, "before");
    const file = join(import.meta.dirname, "..", "..", "..", "src", "host", "terminal", "pane.ts");
    const script = `import { openPane } from ${JSON.stringify(file)}; await openPane(process.env, ${JSON.stringify(MARK)}).showText(""); setInterval(() => {}, 1e6);`;
    const borrower = spawn(process.execPath, ["--input-type=module", "-e", script], { env: tmux.env, stdio: "ignore" });
    await tmux.titled(MARK);
    borrower.kill(signal);
    await once(borrower, "exit");
    await tmux.titled("before");
  },
);

test("without tmux there is no pane, and with a strange one neither", () => {
  const env = { PATH: "/usr/bin:/bin", TMUX: "/nowhere,1,0", TMUX_PANE: "%1" };
  expect(openPane({ ...env, TMUX: undefined }, MARK)).toBe(null);
  expect(openPane({ ...env, TMUX_PANE: undefined }, MARK)).toBe(null);
  expect(openPane({ ...env, TMUX_PANE: "%1;kill-server" }, MARK)).toBe(null);
  expect(openPane({ ...env, PATH: "/nonexistent" }, MARK)).toBe(null);
});

test("a tmux that is gone costs nothing but its title", async () => {
  const pane = openPane({ PATH: "/usr/bin:/bin", TMUX: join(tmpdir(), "nowhere", "sock,1,0"), TMUX_PANE: "%1" }, MARK);
  await pane?.showText("");
  await pane?.giveBack();
});
