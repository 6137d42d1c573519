/**
 * The command of the status line: the owner's own line is shown as without it, byte for byte and as early; the daemon
 * hears what Claude says of its model and its limits, and nothing of a Claude that is not ours.
 */
import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fixture, openHooksScene, THREAD, type HooksScene, type Whose } from "./hooks-scene.ts";

const said = `${JSON.stringify({ ...fixture("statusLine"), rate_limits: { five_hour: { used_percentage: 45, resets_at: 1_800_000_000 } } })}\n`;
const known = {
  model: "Opus 5.5",
  context: 0,
  tokens: { used: 1334, size: 1_000_000 },
  cost: 0.024304000000000003,
  session: { percent: 45, resetsAt: 1_800_000_000_000 },
  weekly: null,
};

/** Resolves when the daemon has heard it: the command does not wait for that. */
function heard({ channel }: HooksScene): Promise<void> {
  const tell = channel.setStatusLine;
  return new Promise((resolve) => (channel.setStatusLine = (...said) => (tell(...said), resolve())));
}

test.each(["own", "adopted"] satisfies Whose[])(
  "the daemon hears it from a Claude that is %s, and the owner's line gets the same",
  async (whose) => {
    const scene = await openHooksScene();
    await scene.serve();
    const told = heard(scene);
    const ran = await scene.show("cat; printf 'two\\n\\nlines'; echo oh >&2; exit 3", said, whose).done;
    expect(ran).toMatchObject({ code: 3, stdout: `${said}two\n\nlines`, stderr: "oh\n" });
    await told;
    expect(scene.channel.statusLine(THREAD, process.pid)).toEqual(known);
    expect(scene.channel.statusLine(THREAD, 1)).toBeNull();
  },
);

test.each([
  ["quotes, a variable and a comment", `a='it'\\''s'; printf '%s' "$a $p $b \${1-}" # '`],
  ["several lines with a text in it", "cat <<'END'\n'$x'\nEND\n"],
  ["a wrong word of the shell", "if then"],
  ["nothing", ""],
  ["a line that reads nothing", "echo hi"],
  ["a program that is not there", "exec /nowhere/line"],
])("a line with %s is the same as by itself", async (_what, own) => {
  const scene = await openHooksScene();
  const env = { p: "the owner's", b: "own" };
  const {
    status: code,
    stdout,
    stderr,
  } = spawnSync("/bin/sh", ["-c", own], { input: said, env: { ...process.env, ...env }, encoding: "utf8" });
  expect(await scene.show(own, said, "own", { env }).done).toMatchObject({ code, stdout, stderr });
  // Bellhop is gone, and its command still in the settings.
  rmSync(scene.folder.path, { recursive: true });
  expect(await scene.show(own, said, "own", { env }).done).toMatchObject({ code, stdout, stderr });
  expect(await scene.show(null, said, "own").done).toMatchObject({ code: 0, stdout: "", stderr: "" });
});

test("input without an end of line, and a long one, arrive whole", async () => {
  const scene = await openHooksScene();
  for (const body of ["{}", "", "\n\n", `{"session_id":"a","x":"${"é%s\\\\".repeat(100_000)}"}`]) {
    const { code, stdout } = await scene.show("cat", body, "other").done;
    expect([code, stdout.length, stdout === body]).toEqual([0, body.length, true]);
  }
});

test("a daemon that is absent, hung or dead delays the line by nothing", async () => {
  const scene = await openHooksScene();
  const shown = async (): Promise<unknown> => (await scene.show("echo mine", said, "own").done).stdout;
  expect(await shown()).toBe("mine\n");
  const left = Promise.withResolvers<string>();
  const server = await scene.instead((socket) => void socket.on("close", () => left.resolve("the call")).resume());
  expect(await Promise.race([shown(), left.promise])).toBe("mine\n");
  expect(await left.promise).toBe("the call");
  await new Promise((resolve) => server.close(resolve));
  expect(await shown()).toBe("mine\n");
});

test("a Claude that is not ours, and one that the daemon runs itself, say nothing", async () => {
  const scene = await openHooksScene();
  let calls = 0;
  await scene.instead(() => (calls += 1));
  const marks = join(scene.folder.path, "called");
  writeFileSync(join(scene.folder.path, "..", "bin", "curl"), `#!/bin/sh\necho "$@" >>'${marks}'\n`, { mode: 0o755 });
  await scene.show("cat", said, "other").done;
  await scene.show("cat", said.replace(/"session_id":"[^"]*"/, '"session_id":"../adopted"'), "other").done;
  await scene.show("cat", said, "own", { env: { BELLHOP_JOB: "job" } }).done;
  expect([calls, existsSync(marks)]).toEqual([0, false]);
});
