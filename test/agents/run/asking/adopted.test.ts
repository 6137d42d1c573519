/**
 * A Claude that its owner has put into a thread: what it may read without a question, and when it is told of its
 * folders.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AdoptedNotes, isGrantedRead } from "../../../../src/agents/run/asking/adopted.ts";
import type { Engine } from "../../../../src/engine/engine.ts";
import type { HookRequest } from "../../../../src/engine/hook-channel.ts";
import { sessionFolders, type SessionFolders } from "../../../../src/host/files/session-folders.ts";
import type { HookPayload } from "../../../../src/protocol/hooks.ts";
import { THREAD } from "./hook-asking-scene.ts";
import { part } from "../../../fakes/part.ts";
import type { RunContext } from "../../../../src/agents/run/run-context.ts";
import type { State } from "../../../../src/core/state.ts";

function folders(): { dir: string; made: SessionFolders; uploads: string } {
  const dir = mkdtempSync(join(tmpdir(), "bellhop-adopted-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const made = sessionFolders(dir);
  const [, uploads = ""] = made.granted(THREAD);
  return { dir, made, uploads };
}

test("only a file in the session's own folders is read without a question, and no link leads out of them", async () => {
  const { dir, made, uploads } = folders();
  mkdirSync(join(uploads, "1"));
  mkdirSync(join(dir, "uploads", `${THREAD}0`));
  for (const path of [
    join(uploads, "1", "notes.txt"),
    join(dir, "secret"),
    join(dir, "uploads", `${THREAD}0`, "other.txt"),
  ])
    writeFileSync(path, "words");
  symlinkSync(join(dir, "secret"), join(uploads, "link"));
  const asks = (
    file_path: unknown,
    change: Partial<HookRequest["payload"]> = {},
    more: Partial<HookRequest> = {},
  ): Promise<boolean> =>
    isGrantedRead(made, {
      payload: {
        hook_event_name: "PermissionRequest",
        session_id: "s",
        cwd: dir,
        tool_name: "Read",
        tool_input: { file_path },
        ...change,
      },
      owner: { thread_id: THREAD, work: null },
      ...more,
    } as HookRequest);
  const file = join(uploads, "1", "notes.txt");
  expect(await asks(file)).toBe(true);
  for (const path of [
    join(uploads, "link"),
    join(dir, "secret"),
    join(uploads, "..", "..", "secret"),
    join(dir, "uploads", `${THREAD}0`, "other.txt"),
    join(uploads, "missing"),
    uploads,
    1,
  ])
    expect([path, await asks(path)]).toEqual([path, false]);
  expect(await asks(file, { tool_name: "Write" })).toBe(false);
  // Whoever wants to be asked before each use of the tool is.
  expect(await asks(file, { hook_event_name: "PreToolUse" })).toBe(false);
  expect(await asks(file, {}, { cut: 9 })).toBe(false);
});

test("it is told once in a conversation, again when that begins anew, and only one that was adopted", () => {
  const { made } = folders();
  const windows = { [THREAD]: { adopted: true } };
  const notes = new AdoptedNotes(
    part<RunContext>({
      engine: part<Engine>({ state: part<State>({ windows: windows as never }) }),
      folders: made,
    }),
  );
  const at = (hook_event_name: string, session_id: string): boolean => {
    const note = notes.noteFor({ hook_event_name, session_id } as HookPayload, THREAD);
    note?.onDelivered();
    return note !== null;
  };
  const unheard = notes.noteFor({ hook_event_name: "UserPromptSubmit", session_id: "one" } as HookPayload, THREAD);
  expect(unheard?.answer).toMatchObject({
    hookSpecificOutput: {
      hookEventName: "UserPromptSubmit",
      additionalContext: expect.stringContaining(made.outputs(THREAD)) as string,
    },
  });
  expect([
    at("UserPromptSubmit", "one"),
    at("UserPromptSubmit", "one"),
    at("Stop", "one"),
    at("SessionStart", "one"),
    at("UserPromptSubmit", "one"),
    at("UserPromptSubmit", "two"),
  ]).toEqual([true, false, false, true, false, true]);
  windows[THREAD] = { adopted: false };
  expect([at("SessionStart", "three"), at("UserPromptSubmit", "three")]).toEqual([false, false]);
});
