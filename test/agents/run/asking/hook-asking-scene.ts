/** A Claude in a terminal that asks through its hooks, and its owner, who answers in Discord or in the terminal. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openHookAsking } from "../../../../src/agents/run/asking/hook-asking.ts";
import { defaultConfig } from "../../../../src/config/config-file.ts";
import { nodeDisk } from "../../../../src/base/disk.ts";
import { Redactor } from "../../../../src/base/redact.ts";
import { silentLog } from "../../../../src/base/log.ts";
import type { Answer, Decision } from "../../../../src/core/decisions/decision.ts";
import { discordTime } from "../../../fakes/discord-time.ts";
import { openExpiry } from "../../../../src/engine/decision-expiry.ts";
import { createHookChannel, type HookAsking, type HookOwner } from "../../../../src/engine/hook-channel.ts";
import { openDecisionFiles } from "../../../../src/host/files/kept-files.ts";
import { sessionFolders } from "../../../../src/host/files/session-folders.ts";
import { readHookPayload, type AskingPayload, type HookPayload } from "../../../../src/protocol/hooks.ts";
import { createApp } from "../../../core/scene.ts";
import { createFakeClock } from "../../../fakes/fake-clock.ts";
import { createMemoryJournal } from "../../../fakes/memory-journal.ts";
import { part } from "../../../fakes/part.ts";
import type { RunContext } from "../../../../src/agents/run/run-context.ts";

export const THREAD = "200000000000000020";
const OWNER: HookOwner = { thread_id: THREAD, work: null };
const FIXTURES = join(import.meta.dirname, "..", "..", "..", "fixtures", "claude-hooks");

export function payload<T extends HookPayload = AskingPayload>(name: string, more: object = {}): T {
  const read = readHookPayload(
    JSON.stringify({ ...(JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), "utf8")) as object), ...more }),
  );
  if (read === undefined) throw new Error(`${name} is no payload`);
  return read as T;
}

export const bash = payload("PermissionRequest-Bash");
export const RAN = { session_id: bash.session_id, prompt_id: bash.prompt_id, tool_input: bash.tool_input };

interface Calling {
  pid?: number;
  waited?: number;
  owner?: HookOwner;
}

export async function open() {
  const dir = mkdtempSync(join(tmpdir(), "bellhop-hooks-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const clock = createFakeClock();
  const journal = createMemoryJournal(clock);
  const files = await openDecisionFiles(nodeDisk, dir);
  const hooks = createHookChannel();
  let alive = true;
  const over = new Set<number>();
  let isAnswered = false;
  hooks.register({ ownerOf: () => null, onHook: async () => undefined, isAnswered: async () => isAnswered });
  const start = (): {
    asking: ReturnType<typeof openHookAsking>;
    engine: ReturnType<typeof journal.open>["engine"];
    stop(): Promise<void>;
  } => {
    const { engine, kill } = journal.open();
    const expiry = openExpiry({ engine, clock, time: discordTime(clock), log: silentLog, hasHeard: async () => true });
    const asking = openHookAsking({
      ...part<RunContext>({}),
      engine,
      clock,
      time: discordTime(clock),
      log: silentLog,
      locale: "en",
      decisionFiles: files,
      redactor: new Redactor([]),
      config: defaultConfig,
      isAlive: (pid) => alive && !over.has(pid),
      ruleFacts: async ({ thread_id, subject }) => ({
        ...{ thread_id, project: "app", root: "/srv/app", cwd: subject?.cwd ?? null },
        ...{ real: new Map(), files: new Set<string>(), definition: null },
      }),
      hooks,
      folders: sessionFolders(dir),
    });
    return { asking, engine, stop: async () => (kill(), await asking.close(), expiry.close()) };
  };
  let now = start();
  await now.engine.submit(createApp);
  await now.engine.submit({
    type: "start_session",
    request_id: "r",
    project_name: "app",
    channel_id: "2",
    guild_id: "3",
    bot_id: "4",
  });
  await now.engine.submit({ type: "open_session", request_id: "r", thread_id: THREAD });
  const call = (
    asked: AskingPayload,
    { pid = 7, waited = 0, owner = OWNER }: Calling = {},
    gone = new AbortController().signal,
  ): ReturnType<HookAsking["ask"]> => {
    const origin = { hook: asked.hook_event_name, pid, claudePid: 5, waited, pane: null, session: THREAD };
    return now.asking.ask({ payload: asked, owner, origin, gone });
  };
  const decisions = (): Decision[] => Object.values(now.engine.state.decisions);
  return {
    clock,
    decisions,
    bytes: (one: Decision) => files.read(one.decision_id),
    /** Calls as a hook's process with this pid does. */
    ask(asked: AskingPayload, more: Calling = {}) {
      const gone = new AbortController();
      return {
        told: call(asked, more, gone.signal).then(({ told, delivered }) => (delivered(), told)),
        hangUp: () => gone.abort(),
      };
    },
    /** The same, and Claude has not been told yet. */
    untold: (asked: AskingPayload) => call(asked),
    hold: () => journal.hold(),
    engine: () => now.engine,
    answered: (...denied: HookPayload[]) => hooks.onDialogAnswered(THREAD, denied),
    hear: (heard: HookPayload) => now.asking.settleFromHook(heard, OWNER),
    async asked(count = 1): Promise<Decision> {
      await now.engine.until(({ decisions: all }) => (Object.keys(all).length >= count ? true : null));
      const last = decisions().at(-1);
      if (last === undefined) throw new Error("nothing was asked");
      return last;
    },
    until: (fact: () => boolean) => now.engine.until(() => (fact() ? true : null)),
    async press({ decision_id, subject }: Decision, ...answers: Answer[]): Promise<void> {
      for (const [question, answer] of answers.entries())
        await now.engine.submit({ type: "answer", decision_id, question, answer, sha256: subject?.sha256 ?? null });
    },
    async restart(standing = true): Promise<void> {
      await now.stop();
      now = start();
      await now.engine.submit({ type: "restart", ...(standing && { alive: [THREAD] }) });
    },
    die: () => void (alive = false),
    /** The hook's process with this pid has ended; its Claude lives. */
    end: (pid: number) => void over.add(pid),
    /** From now on no dialog stands in the terminal. */
    noDialog: () => void (isAnswered = true),
    grants: () => now.engine.state.grants[THREAD] ?? [],
    types: () => journal.events.map(({ type }) => type),
  };
}

export const pressed = (place: number, words: string | null = null): Answer => ({ places: [place], words });
export const decision = (told: object | null): Record<string, unknown> =>
  (told as { hookSpecificOutput: { decision: Record<string, unknown> } }).hookSpecificOutput.decision;
