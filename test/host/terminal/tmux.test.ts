/**
 * Windows in a real tmux server, of the tmux in PATH: what is written to a window arrives as it is, whatever it is, and
 * no part of it, of a name or of a path is ever a command of tmux or of a shell.
 */
import fc from "fast-check";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { asPastes } from "../../../src/host/terminal/tmux.ts";
import { isAlive, systemProcessTable } from "../../../src/host/processes/process-table.ts";
import { openRecorder } from "./recorder.ts";

const LIMIT = { chars: 700, lines: 2, end: /\.(?=p)/g };
const PASTE = new RegExp(String.raw`\u001b\[200~([\s\S]*?)\u001b\[201~`, "g");

/** Printable text of all kinds, newlines, and what has a meaning for tmux, a shell, a terminal or Claude. */
const piece = fc.oneof(
  fc.constantFrom(
    "#(touch ran)",
    "#{pane_id}",
    "##",
    ";",
    "\\;",
    "$(touch ran)",
    "`id`",
    "'",
    '"',
    "\\",
    "!",
    "/exit",
    "@a",
    "-t",
    "--",
    "\n",
    "\t",
    "%0",
    "~",
    "[201~",
    "C-c",
    "Enter",
    "한국어",
    "日本語",
    "👩🏽‍💻",
    "e\u0301",
    "\u202e",
    "\u200b",
  ),
  fc.string({ unit: "binary" }),
);
/** What cleaning leaves: no control characters but these two. */
const prompt = fc.array(piece, { minLength: 1, maxLength: 12 }).map(
  (parts) =>
    parts
      .join("")
      .replace(/[^\P{Cc}\n\t]/gu, "")
      .toWellFormed() || "x",
);

test("500 hostile prompts and one of 30 kB arrive byte for byte, each in pastes of its own", async (context) => {
  const { tmux, folder, open, recorded } = openRecorder(context);
  const { pane_id } = await open("bytes");
  const prompts = [...fc.sample(prompt, { numRuns: 500, seed: 14 }), "한 줄 더 日本語 👩🏽‍💻\n".repeat(900)];
  let expected = Buffer.alloc(0);
  for (const text of prompts) {
    const pastes = asPastes(text, LIMIT);
    expect([...pastes.matchAll(PASTE)].map(([, inner]) => inner).join("")).toBe(text);
    expected = Buffer.concat([expected, Buffer.from(pastes)]);
    expect(await tmux.write(pane_id, pastes)).toBe(true);
  }
  expect((await recorded("bytes", expected.length)).equals(expected)).toBe(true);
  expect(existsSync(join(folder, "ran"))).toBe(false);
});

test("no piece of a paste is longer than asked for, and none cuts a character in two", () => {
  fc.assert(
    fc.property(fc.array(prompt, { maxLength: 30 }), fc.integer({ min: 40, max: 80 }), (parts, chars) => {
      const pieces = [...asPastes(parts.join(""), { chars, lines: 2, end: /\.(?=p)/g }).matchAll(PASTE)].map(
        ([, inner = ""]) => inner,
      );
      expect(pieces.join("")).toBe(parts.join(""));
      for (const one of pieces) {
        expect(one.length).toBeLessThanOrEqual(chars);
        expect(one.split("\n").length - 1).toBeLessThanOrEqual(2);
        expect(one.isWellFormed()).toBe(true);
      }
    }),
    { numRuns: 100 },
  );
});

test("a window stands in its directory with its variables, whatever they are called", async (context) => {
  const { tmux, folder, open, recorded } = openRecorder(context);
  const cwd = join(folder, "a #(touch ran) #{pane_id} b;");
  mkdirSync(cwd);
  await open("place", {
    cwd,
    argv: ["/bin/sh", "-c", 'printf "%s|%s" "$PWD" "$TRICK" > "$FILE"; exec cat'],
    env: { FILE: join(folder, "records", "place"), TRICK: "x #(id) ;" },
  });
  const expected = `${cwd}|x #(id) ;`;
  expect((await recorded("place", Buffer.byteLength(expected))).toString()).toBe(expected);
  expect(existsSync(join(cwd, "ran")) || existsSync(join(folder, "ran"))).toBe(false);
  expect(await tmux.panes()).toHaveLength(1);
});

test("a window is as large as the terminal of who attaches, who sees all of it; the next one is as large as ever", async (context) => {
  const { tmux, folder, open } = openRecorder(context);
  const { pane_id, window_id } = await open("one");
  const rows = async (): Promise<number | undefined> => (await tmux.screen(pane_id))?.lines.length;
  expect(await rows()).toBe(50);
  const at = (socket: string, ...args: string[]): string =>
    spawnSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], TERM: "xterm-256color", LANG: "C.UTF-8" },
    }).stdout;
  const desk = join(folder, "desk");
  onTestFinished(() => void at(desk, "kill-server"));
  at(
    desk,
    "new-session",
    "-d",
    "-x",
    "90",
    "-y",
    "30",
    `env -u TMUX tmux -S '${tmux.socket}' attach -t '${window_id}'`,
  );
  // One row is tmux's own status line.
  while ((await rows()) !== 29);
  at(desk, "kill-server");
  while (at(tmux.socket, "list-clients") !== "");
  const next = await open("two");
  expect((await tmux.screen(next.pane_id))?.lines).toHaveLength(50);
});

test("two windows opened at once stand in one session; what a program showed stands after its end", async (context) => {
  const { tmux, open } = openRecorder(context);
  const [one, two] = await Promise.all([open("one"), open("two")]);
  expect((await tmux.panes()).map(({ pane_id }) => pane_id).sort()).toEqual([one.pane_id, two.pane_id].sort());
  expect(await tmux.screen(one.pane_id)).toMatchObject({
    pid: one.pid,
    dead: false,
    inMode: false,
    cursor: { x: 5, y: 0 },
  });
  const argv: [string, string, string] = ["/bin/sh", "-c", ': > "$FILE"; echo; echo last words; echo; read go; exit 3'];
  const ended = await open("ended", { argv });
  let screen = await tmux.screen(ended.pane_id);
  const shown = (): boolean => screen === null || screen.lines.includes("last words");
  // Its end waits for this: tmux 3.3a loses what a program writes in the moment of its end.
  while (!shown()) screen = await tmux.screen(ended.pane_id);
  await tmux.write(ended.pane_id, "\n");
  while (screen?.dead === false) screen = await tmux.screen(ended.pane_id);
  // tmux 3.3a now and then does not notice that its child has ended, and then knows no code.
  expect([null, 3]).toContain(screen?.exit_code);
  expect(screen?.lines).toContain("last words");
  await tmux.close({ ...one, pid: one.pid + 1 });
  expect(await tmux.screen(one.pane_id)).toMatchObject({ pid: one.pid });
  await tmux.close(ended);
  expect(await tmux.screen(ended.pane_id)).toBe(null);
  expect(await tmux.write(ended.pane_id, "x")).toBe(false);
});

test("of windows that are opened at once, each by itself, none is refused because another has made their session", async (context) => {
  const { tmux, open, again } = openRecorder(context);
  const panes = await Promise.all(["one", "two", "three", "four", "five"].map((name) => open(name, {}, again())));
  expect((await tmux.panes()).map(({ pane_id }) => pane_id).sort()).toEqual(panes.map(({ pane_id }) => pane_id).sort());
});

test("copy mode is told, and a window that is closed ends its program", async (context) => {
  const { tmux, open } = openRecorder(context);
  const pane = await open("mode");
  const table = systemProcessTable();
  const identity = { pid: pane.pid, startTime: table.read(pane.pid)?.startTime ?? "" };
  expect(isAlive(table, identity)).toBe(true);
  execFileSync("tmux", ["-S", tmux.socket, "copy-mode", "-t", pane.pane_id]);
  expect(await tmux.screen(pane.pane_id)).toMatchObject({ inMode: true });
  await tmux.close(pane);
  while (isAlive(table, identity)) await tmux.panes();
  expect(await tmux.panes()).toEqual([]);
});

test("without a server there are no windows, and nothing is written", async (context) => {
  const { tmux } = openRecorder(context);
  expect(await tmux.panes()).toEqual([]);
  expect(await tmux.screen("%0")).toBe(null);
  expect(await tmux.write("%0", "x")).toBe(false);
  expect(await tmux.write("x; kill-server", "x")).toBe(false);
});
