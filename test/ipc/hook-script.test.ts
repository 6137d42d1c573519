/**
 * The command of a hook, by the table of what it does without a daemon: it never lets a tool run that its owner would
 * have been asked about, it keeps the end of a turn, and it is silent for a Claude that is not ours.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { readOrigin } from "../../src/protocol/hooks.ts";
import type { HookRequest } from "../../src/engine/hook-channel.ts";
import { fixture, openHooksScene, THREAD, verdict, type HooksScene, type RunMore, type Whose } from "./hooks-scene.ts";

const asks = fixture("PreToolUse-Bash");
const stop = fixture("Stop");
const kept = ({ folder }: HooksScene): string[] => readdirSync(join(folder.path, "spool")).toSorted();
const ALLOW = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };

/** What may be in the daemon's place. */
const places: Record<string, (scene: HooksScene) => Promise<unknown>> = {
  absent: async () => undefined,
  "killed, with its socket left": async (scene) => {
    const server = await scene.instead(() => undefined);
    const connection = readFileSync(join(scene.folder.path, "connection"));
    await new Promise((resolve) => server.close(resolve));
    writeFileSync(join(scene.folder.path, "connection"), connection);
  },
  hung: (scene) => scene.instead(() => undefined),
  "killed in the middle of it": async (scene) => {
    const server = await scene.instead(
      (socket: Socket) =>
        void socket.on("error", () => undefined).once("data", () => (server.close(), socket.destroy())),
    );
  },
  garbage: (scene) =>
    scene.instead((socket: Socket) => void socket.on("error", () => undefined).end("\u0000\u0001 not HTTP")),
  "an answer without a verdict": (scene) => scene.instead(saying("<html>allow</html>")),
  "half an answer": (scene) => scene.instead(saying(JSON.stringify(ALLOW).slice(0, -1), 1000)),
  "a refusal": (scene) => scene.instead(saying(JSON.stringify(ALLOW), undefined, 403)),
};

function saying(body: string, length = body.length, status = 200): (socket: Socket) => void {
  return (socket) =>
    void socket
      .on("error", () => undefined)
      .once("data", () => socket.end(`HTTP/1.1 ${status} OK\r\ncontent-length: ${length}\r\n\r\n${body}`));
}

/**
 * What each hook does where nobody answers; the end of a turn is kept, a permission of our window, or of an adopted
 * Claude, waits.
 */
const rows: [hook: string, mode: string, whose: Whose, expected: string][] = [
  ["PreToolUse", "default", "own", "ask"],
  ["PreToolUse", "plan", "own", "ask"],
  ["PreToolUse", "acceptEdits", "own", "ask"],
  ["PreToolUse", "bypassPermissions", "own", "deny"],
  ["PreToolUse", "auto", "own", "deny"],
  ["PreToolUse", "default", "adopted", "ask"],
  ["PreToolUse", "default", "other", "silent"],
  ["PermissionRequest", "default", "other", "silent"],
  ["Stop", "default", "other", "silent"],
  ["StopFailure", "default", "other", "silent"],
  ["SessionEnd", "default", "other", "silent"],
];
const ENDS = ["Stop", "StopFailure", "SessionEnd"];

/** Runs each row at once, because most of it is waiting, and then those that are kept. */
async function runAll(scene: HooksScene, more: RunMore = {}): Promise<void> {
  // For as long as Claude lets it, it tries again, and then says nothing: its dialog stands.
  const waits = (["own", "adopted"] as const).map((whose) =>
    scene.run("PermissionRequest", fixture("PermissionRequest-Bash"), whose, more),
  );
  let waited = true;
  for (const { done } of waits) void done.then(() => (waited = false));
  const asked = await Promise.all(
    rows.map(async ([hook, mode, whose]) =>
      verdict(
        await scene.run(hook, { ...asks, session_id: `${whose}-${mode}`, permission_mode: mode }, whose, more).done,
      ),
    ),
  );
  expect(asked).toEqual(rows.map(([, , , expected]) => expected));
  const ends = await Promise.all(
    ENDS.flatMap((hook) => [
      scene.run(hook, stop, "own", more).done,
      scene.run(hook, { ...stop, session_id: "mine" }, "adopted", more).done,
    ]),
  );
  expect(ends.map(verdict)).toEqual(Array(6).fill("silent"));
  expect(waited).toBe(true);
  for (const { kill } of waits) kill("SIGTERM");
  for (const { done } of waits) expect(await done).toMatchObject({ stdout: "" });
}

test.for(Object.keys(places))("with a daemon that is %s, nothing is let through", async (place) => {
  const scene = await openHooksScene();
  await places[place]?.(scene);
  await runAll(scene);
  expect(
    kept(scene)
      .map((name) => readFileSync(join(scene.folder.path, "spool", name), "utf8").split(" ")[0])
      .toSorted(),
  ).toEqual([...ENDS, ...ENDS].toSorted());
});

/** Nothing more can be written in the hooks' folder. */
const full: Record<string, (scene: HooksScene) => RunMore | null> = {
  "is full": ({ folder }) => {
    const spool = join(folder.path, "spool");
    if (spawnSync("/bin/mount", ["-t", "tmpfs", "-o", "size=16k,mode=700", "tmpfs", spool]).status !== 0) return null;
    onTestFinished(() => void spawnSync("/bin/umount", ["-l", spool]));
    writeFileSync(join(spool, ".full"), Buffer.alloc(16 * 1024));
    return {};
  },
  "takes no longer file": () => ({ first: "trap '' XFSZ; ulimit -f 0; " }),
  "has no folder for what is kept": ({ folder }) => (rmSync(join(folder.path, "spool"), { recursive: true }), {}),
};

test.for(Object.keys(full))(
  "where the disk %s, nothing is let through, with and without a daemon",
  async (what, { skip, annotate }) => {
    const scene = await openHooksScene();
    const more = full[what]?.(scene);
    if (more == null) return void (annotate("Nothing can be mounted here."), skip());
    await runAll(scene, more);
    const spool = join(scene.folder.path, "spool");
    expect(existsSync(spool) ? readdirSync(spool).filter((name) => name !== ".full") : []).toEqual([]);
    rmSync(join(spool, ".full"), { force: true });
    mkdirSync(spool, { recursive: true });
    await scene.serve(async () => ALLOW);
    const answers = ["own", "adopted"].map(
      (whose) => scene.run("PreToolUse", { ...asks, session_id: whose }, whose as Whose, more).done,
    );
    expect((await Promise.all(answers)).map(verdict)).toEqual(["allow", "allow"]);
    for (const hook of ENDS) expect(verdict(await scene.run(hook, fixture(hook), "own", more).done)).toBe("silent");
    expect(scene.heard.map(({ payload }) => payload.hook_event_name)).toEqual(["PreToolUse", "PreToolUse", ...ENDS]);
  },
);

test("a payload that names two modes, or none, is not trusted to name the right one", async () => {
  const scene = await openHooksScene();
  const bypassing = { ...asks, permission_mode: "bypassPermissions", tool_input: { permission_mode: "default" } };
  const { permission_mode: _none, ...modeless } = asks;
  for (const payload of [bypassing, modeless])
    expect(verdict(await scene.run("PreToolUse", payload, "own").done)).toBe("deny");
});

test.each(["own", "adopted"] as const)(
  "a permission of a Claude that is %s waits for the daemon, and is answered by the next one",
  async (whose) => {
    const scene = await openHooksScene();
    const running = scene.run("PermissionRequest", fixture("PermissionRequest-Bash"), whose);
    await scene.paused(3);
    const said = {
      hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny", message: "no" } },
    };
    const waited: number[] = [];
    await scene.serve(async ({ origin }) => (waited.push(origin.waited), said));
    expect(verdict(await running.done)).toBe("deny");
    expect(waited[0]).toBeGreaterThanOrEqual(3);
  },
);

test("a permission of an adopted Claude that its owner has taken back waits for nobody", async () => {
  const scene = await openHooksScene();
  const asked = fixture("PermissionRequest-Bash");
  const running = scene.run("PermissionRequest", asked, "adopted");
  await scene.paused(2);
  rmSync(join(scene.folder.path, "adopted", asked.session_id));
  expect(verdict(await running.done)).toBe("silent");
});

test("that a Claude of its owner's has begun is kept for the next daemon, in half of the room, and nothing else of it", async () => {
  const scene = await openHooksScene();
  const began = fixture("SessionStart-startup");
  for (const hook of ["SessionStart", "UserPromptSubmit", "Stop"])
    expect(verdict(await scene.run(hook, hook === "SessionStart" ? began : stop, "other").done)).toBe("silent");
  const [name = "", ...more] = kept(scene);
  expect(more).toEqual([]);
  const spool = join(scene.folder.path, "spool");
  expect(readFileSync(join(spool, name), "utf8")).toMatch(/^SessionStart /);
  for (let file = 1; file < 100; file += 1) writeFileSync(join(spool, `2026-${file}`), "");
  await scene.run("SessionStart", began, "other").done;
  expect(readdirSync(spool)).toHaveLength(100);
});

test("killed while it waits, a tool is not let through", async () => {
  const scene = await openHooksScene();
  const asked = Promise.withResolvers<void>();
  await scene.serve(
    ({ gone }) => (asked.resolve(), new Promise((resolve) => gone.addEventListener("abort", () => resolve(null)))),
  );
  const running = scene.run("PreToolUse", asks, "own");
  await asked.promise;
  running.kill("SIGTERM");
  expect(verdict(await running.done)).toBe("ask");
});

test("what it is told reaches Claude to the byte, and a daemon that dies meanwhile is waited for", async () => {
  const scene = await openHooksScene();
  const asked = Promise.withResolvers<void>();
  const first = await scene.serve(() => (asked.resolve(), new Promise(() => undefined)));
  const running = scene.run("PreToolUse", asks, "own");
  await asked.promise;
  await first.close();
  await scene.paused(1);
  const reason = `'"\\ $(x) \`y\` 한국어 %s ${"z".repeat(100_000)}`;
  const said = { hookSpecificOutput: { ...ALLOW.hookSpecificOutput, permissionDecisionReason: reason } };
  await scene.serve(async () => said);
  expect(JSON.parse((await running.done).stdout)).toEqual(said);
});

test("what waits long for its owner is asked once: the daemon is heard all the while", async () => {
  const scene = await openHooksScene();
  const asked: string[] = [];
  const enough = Promise.withResolvers<typeof ALLOW>();
  await scene.serve(({ payload: { session_id } }) => (asked.push(session_id), enough.promise));
  const connection = join(scene.folder.path, "connection");
  const text = readFileSync(connection, "utf8");
  // As long as it says, only shorter.
  writeFileSync(connection, text.replace("speed-time = 10", "speed-time = 1"));
  const running = ["own", "adopted"].map((whose) =>
    scene.run("PreToolUse", { ...asks, session_id: whose }, whose as Whose),
  );
  await signsOfLife(scene, /Bearer \w+/.exec(text)?.[0] ?? "", 4);
  enough.resolve(ALLOW);
  expect((await Promise.all(running.map(({ done }) => done))).map(verdict)).toEqual(["allow", "allow"]);
  expect(asked.toSorted()).toEqual(["adopted", "own", "watch"]);
});

/** Resolves when one that waits as well has heard so often that the daemon is alive. */
async function signsOfLife({ folder }: HooksScene, authorization: string, count: number): Promise<void> {
  const headers = {
    authorization,
    "content-type": "application/json",
    "bellhop-hook": `PreToolUse ${process.pid} ${process.pid} 0 - ${THREAD}`,
  };
  const sent = request({ socketPath: join(folder.path, "hook.sock"), path: "/hook", method: "POST", headers });
  sent.end(JSON.stringify({ ...asks, session_id: "watch", hook_event_name: "PreToolUse" }));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  for (let heard = 0; heard < count; heard += 1) await once(response, "data");
}

test("after a night of empty lines the answer is still found at once", async () => {
  const scene = await openHooksScene();
  const body = `${"\n".repeat(500_000)}${JSON.stringify(ALLOW)}`;
  await scene.instead(saying(body));
  expect(JSON.parse((await scene.run("PreToolUse", asks, "own").done).stdout)).toEqual(ALLOW);
});

test("where it cannot print, the tool is blocked", async () => {
  const scene = await openHooksScene();
  expect(verdict(await scene.run("PreToolUse", asks, "own", { stdout: "/dev/full" }).done)).toBe("blocked");
  await scene.serve(async () => ALLOW);
  expect(verdict(await scene.run("PreToolUse", asks, "own", { stdout: "/dev/full" }).done)).toBe("blocked");
});

test("without the folder a Claude of ours is blocked, and everyone else is left alone", async () => {
  const scene = await openHooksScene();
  rmSync(join(scene.folder.path, "hook.sh"));
  for (const [hook, whose, expected] of [
    ["PreToolUse", "own", "blocked"],
    ["PreToolUse", "other", "silent"],
    ["Stop", "own", "silent"],
  ] as const) {
    expect([hook, whose, verdict(await scene.run(hook, asks, whose).done)]).toEqual([hook, whose, expected]);
  }
});

test("in the window of another daemon nothing is said, kept or blocked: that one's own hooks ask there", async () => {
  const scene = await openHooksScene();
  const stateDir = dirname(scene.folder.path);
  const elsewhere: RunMore = { env: { BELLHOP_OUTPUTS: join(stateDir, "sandbox", "outputs", THREAD) } };
  const here: RunMore = { env: { BELLHOP_OUTPUTS: join(stateDir, "outputs", THREAD) } };
  const quiet = async (): Promise<void> => {
    for (const hook of ["PreToolUse", "PermissionRequest", "UserPromptSubmit", "Stop"]) {
      const ran = await scene.run(
        hook,
        { ...asks, permission_mode: "auto", prompt: "x".repeat(100_000) },
        "own",
        elsewhere,
      ).done;
      expect([hook, verdict(ran), ran.isDeaf]).toEqual([hook, "silent", false]);
    }
    expect(kept(scene)).toEqual([]);
  };
  await quiet();
  expect(verdict(await scene.run("PreToolUse", asks, "own", here).done)).toBe("ask");
  await scene.serve(async () => ALLOW);
  await quiet();
  expect(scene.heard).toEqual([]);
  expect(verdict(await scene.run("PreToolUse", asks, "own", here).done)).toBe("allow");
  rmSync(scene.folder.path, { recursive: true });
  expect(verdict(await scene.run("PreToolUse", asks, "own", elsewhere).done)).toBe("silent");
  expect(verdict(await scene.run("PreToolUse", asks, "own", here).done)).toBe("blocked");
});

test("another user's Claude is not heard and told nothing, also where the folders above have been opened to all", async ({
  annotate,
}) => {
  if (process.getuid?.() !== 0) return void annotate("Only root can become another user.");
  const scene = await openHooksScene();
  await scene.serve(async () => ALLOW);
  const nobody = { uid: 65_534 };
  expect(verdict(await scene.run("PreToolUse", asks, "own", nobody).done)).toBe("blocked");
  for (const path of [dirname(scene.folder.path), scene.folder.path]) chmodSync(path, 0o755);
  for (const name of ["hook.sh", "program.sh"]) chmodSync(join(scene.folder.path, name), 0o755);
  expect(verdict(await scene.run("PreToolUse", asks, "own", nobody).done)).toBe("ask");
  for (const hook of ["Stop", "UserPromptSubmit", "SessionStart"])
    expect(verdict(await scene.run(hook, stop, "own", nobody).done)).toBe("silent");
  expect(scene.heard).toEqual([]);
  expect(kept(scene)).toEqual([]);
  expect(JSON.parse((await scene.run("PreToolUse", asks, "own").done).stdout)).toEqual(ALLOW);
});

test("in another shell than Claude's a tool is let through no more than in that", async () => {
  const scene = await openHooksScene();
  expect(verdict(await scene.run("PreToolUse", asks, "own", { shell: "/bin/bash" }).done)).toBe("ask");
});

test("what has nobody to tell is heard to its end all the same", async () => {
  const scene = await openHooksScene();
  const long = { ...fixture("PostToolUse-Bash"), tool_response: "x".repeat(1_000_000) };
  const ran = await Promise.all([
    scene.run("PostToolUse", long, "own").done,
    scene.run("PostToolUse", long, "other").done,
    scene.run("PostToolUse", long, "own", { env: { BELLHOP_JOB: "job_20260101_0001" } }).done,
  ]);
  expect(ran).toMatchObject(ran.map(() => ({ code: 0, stdout: "", stderr: "", isDeaf: false })));
});

test("an agent that the daemon runs asks in another way, so its hooks do nothing", async () => {
  const scene = await openHooksScene();
  await scene.serve();
  expect(verdict(await scene.run("PreToolUse", asks, "own", { env: { BELLHOP_JOB: "job_20260101_0001" } }).done)).toBe(
    "silent",
  );
  expect(scene.heard).toEqual([]);
});

test("the daemon hears who speaks, from where, and all of what is said; Claude hears nothing", async () => {
  const scene = await openHooksScene();
  await scene.serve();
  const text = `é 한국어 ${"x".repeat(8_000_000)}`;
  const env = { TMUX: "/tmp/tmux-1000/a,b é,1234,0", TMUX_PANE: "%7" };
  const ran = await scene.run("Stop", { ...stop, last_assistant_message: text }, "own", { env }).done;
  expect(ran).toMatchObject({ code: 0, stdout: "", stderr: "" });
  expect(scene.heard).toMatchObject([
    {
      payload: { last_assistant_message: text },
      claude: { pid: process.pid },
      pane: { socket: "/tmp/tmux-1000/a,b é", id: "%7" },
      session: THREAD,
      late: false,
    },
  ]);
  expect(kept(scene)).toEqual([]);
});

test("what its model is to know reaches Claude at its beginning and with a prompt, to the byte, and by no other hook", async () => {
  const scene = await openHooksScene();
  const note = {
    hookSpecificOutput: {
      hookEventName: "SessionStart",
      additionalContext: 'the folder is /a/b, "quoted"\n$HOME `x` 日本',
    },
  };
  await scene.serve(undefined, note);
  for (const [hook, name] of [
    ["SessionStart", "SessionStart-startup"],
    ["UserPromptSubmit", "UserPromptSubmit"],
  ] as const)
    expect((await scene.run(hook, fixture(name), "adopted").done).stdout).toBe(`${JSON.stringify(note)}\n`);
  expect(await scene.run("Stop", fixture("Stop"), "adopted").done).toMatchObject({ code: 0, stdout: "" });
  expect(readdirSync(join(scene.folder.path, "spool"))).toEqual([]);
});

test("a hook that is killed while it speaks is no failure of the daemon", async () => {
  const scene = await openHooksScene();
  await scene.serve();
  const { folder } = scene;
  const [, key = ""] = /Bearer ([0-9a-f]{64})/.exec(readFileSync(join(folder.path, "connection"), "utf8")) ?? [];
  const headers = {
    authorization: `Bearer ${key}`,
    "bellhop-hook": `Stop 1 ${process.pid} 0 - ${THREAD}`,
    "content-length": 1000,
    expect: "100-continue",
  };
  const sent = request({ socketPath: join(folder.path, "hook.sock"), method: "POST", headers }).on(
    "error",
    () => undefined,
  );
  sent.flushHeaders();
  await once(sent, "continue");
  sent.write("{", () => sent.destroy());
  await new Promise((resolve) => sent.once("close", resolve));
  await scene.run("Stop", stop, "own").done;
  expect([scene.heard.length, scene.failures]).toEqual([1, []]);
});

test("of a Claude that is nobody's the daemon hears only that it begins and is prompted", async () => {
  const scene = await openHooksScene();
  await scene.serve();
  for (const hook of ["SessionStart", "MessageDisplay", "PostToolUse", "Stop", "SessionEnd"])
    await scene.run(hook, hook === "SessionStart" ? fixture("SessionStart-startup") : stop, "other").done;
  expect(scene.heard.map(({ payload }) => payload.hook_event_name)).toEqual(["SessionStart"]);
});

test("the next daemon takes what was kept, in order, once, and forgets what cannot be read", async () => {
  const scene = await openHooksScene();
  for (const prompt_id of ["first", "second", "third"]) await scene.run("Stop", { ...stop, prompt_id }, "own").done;
  const [name = ""] = kept(scene);
  expect(statSync(join(scene.folder.path, "spool", name)).mode & 0o777).toBe(0o600);
  expect(
    readOrigin(readFileSync(join(scene.folder.path, "spool", name), "utf8").split("\n")[0] ?? "", ""),
  ).toMatchObject({ hook: "Stop", claudePid: process.pid, session: THREAD });
  for (const [odd, content] of [
    ["20260101000000-1", "no origin"],
    ["20260101000000-2", "Stop 1 1 0 - -\n\n{"],
    ["other", "x"],
  ] as const)
    writeFileSync(join(scene.folder.path, "spool", odd), content);
  await (await scene.serve()).close();
  expect(scene.heard.map(({ payload, late }) => [payload, late])).toMatchObject(
    ["first", "second", "third"].map((prompt_id) => [{ prompt_id }, true]),
  );
  expect(kept(scene)).toEqual([]);
});

test.each([
  ["Stop", "last_assistant_message"],
  ["UserPromptSubmit", "prompt"],
])("%s that is too long is kept, and told, without its text, and says so", async (hook, field) => {
  const scene = await openHooksScene();
  const [small, large] = [1, 17].map((mib) => ({
    ...fixture(hook),
    [field]: 'é"\n'.repeat((mib * 1024 * 1024) / 4),
    after: 1,
  }));
  await scene.run(hook, small ?? {}, "own").done;
  await scene.serve();
  await scene.run(hook, large ?? {}, "own").done;
  const bytes = [small, large].map((one) => Buffer.byteLength(JSON.stringify({ ...one, hook_event_name: hook })));
  expect(scene.heard.map(({ payload }) => payload)).toMatchObject(
    bytes.map((left_out) => ({ hook_event_name: hook, session_id: fixture(hook).session_id, [field]: "", left_out })),
  );
});

test.each([3, 17])(
  "of a request of %i MiB only what it is about is read, before a tool and in a dialog, and how long it was",
  async (mib) => {
    const scene = await openHooksScene();
    const asked: HookRequest[] = [];
    await scene.serve(async (request) => (asked.push(request), null));
    const long = { ...asks, tool_input: { command: "x".repeat(mib * 1024 * 1024) } };
    for (const hook of ["PreToolUse", "PermissionRequest"]) await scene.run(hook, long, "own").done;
    expect(
      asked.map(({ payload, cut = 0 }) => [
        payload.tool_name,
        payload.session_id,
        cut > mib * 1024 * 1024,
        JSON.stringify(payload.tool_input).length < 500,
      ]),
    ).toEqual([1, 2].map(() => [asks.tool_name, asks.session_id, true, true]));
  },
);

test("garbage of any size is dropped at once", async () => {
  const scene = await openHooksScene();
  for (const hook of ["Stop", "UserPromptSubmit", "PermissionRequest"])
    expect(verdict(await scene.run(hook, "g".repeat(4_000_000), "other").done)).toBe("silent");
  expect(verdict(await scene.run("PreToolUse", "g".repeat(4_000_000), "own").done)).toBe("deny");
});

test("no more than two hundred are kept, and none that is too long", async () => {
  const scene = await openHooksScene();
  await scene.run("Stop", { ...stop, last_assistant_message: undefined, more: "x".repeat(1_100_000) }, "own").done;
  expect(kept(scene)).toEqual([]);
  for (let at = 0; at < 200; at += 1) writeFileSync(join(scene.folder.path, "spool", `20260101000000-${at}`), "");
  await scene.run("Stop", stop, "own").done;
  expect(kept(scene)).toHaveLength(200);
});
