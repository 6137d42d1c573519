/**
 * What Claude Code's hooks send, read strictly and only as far as it is used: a field that nobody reads here, such as
 * what a tool returned, is dropped before it can cost memory. Pure: a text in, a payload out.
 */
import * as z from "zod";
import { isModest } from "../base/json-size.ts";
import { once } from "../base/once.ts";
import { STATUS_LINE } from "./status-line.ts";

/** The hooks that are installed, by Claude Code's names. */
export const hookNames = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
  "MessageDisplay",
  "Notification",
  "Stop",
  "StopFailure",
  "SessionEnd",
] as const;

export type HookName = (typeof hookNames)[number];

/** The hooks whose answer decides whether a tool may run. */
export const askingHooks = ["PreToolUse", "PermissionRequest"] as const satisfies readonly HookName[];

const MOST_TEXT = 1_000_000;

const payload = once(() => {
  const short = z.string().max(200);
  const text = z.string().max(MOST_TEXT);
  /** It names a marker file, so nothing else may be in it. */
  const sessionId = z.string().regex(/^[0-9A-Za-z][0-9A-Za-z-]{0,63}$/);
  const input = z.record(z.string(), z.unknown());

  const common = { session_id: sessionId, cwd: z.string().max(4096), transcript_path: z.string().max(4096).optional() };
  /** The turn it belongs to; not every hook of every version has one. */
  const turn = {
    ...common,
    prompt_id: short.optional(),
    permission_mode: short.optional(),
    agent_id: short.optional(),
  };
  const tool = { tool_name: short.min(1), tool_input: input };
  /** Has the tool's input, and an id of its use. */
  const use = { ...tool, tool_use_id: short.optional() };
  /** What Claude says or is told; it may be of any length. */
  const said = z.string();
  /** The bytes of a hook that was too long; it came without its text. */
  const left_out = z.int().min(1).optional();
  /** `last_assistant_message`: the last message of the turn, not all of them. However long it is, the turn is over. */
  const last = { last_assistant_message: said.nullish(), left_out };
  const hook = <Name extends HookName, Fields extends z.ZodRawShape>(name: Name, fields: Fields) =>
    z.object({ ...turn, ...fields, hook_event_name: z.literal(name) });

  return z.discriminatedUnion("hook_event_name", [
    /** `source`: `startup`, `resume`, `clear` or `compact`. */
    hook("SessionStart", { source: short, model: short.optional() }),
    hook("UserPromptSubmit", { prompt: said, left_out }),
    hook("PreToolUse", use),
    /** Has no `tool_use_id`. */
    hook("PermissionRequest", tool),
    hook("PermissionDenied", { ...use, reason: text.optional() }),
    hook("PostToolUse", use),
    hook("PostToolUseFailure", { ...use, error: text.optional() }),
    /**
     * A piece of what is displayed: `index` counts the pieces of a message, `final` marks the last one. It may follow
     * Stop.
     */
    hook("MessageDisplay", {
      turn_id: short,
      message_id: short,
      index: z.int().min(0),
      final: z.boolean(),
      delta: said,
    }),
    hook("Notification", { message: text, notification_type: short.optional() }),
    hook("Stop", { ...last, stop_hook_active: z.boolean().optional() }),
    hook("StopFailure", { ...last, error: text.optional() }),
    hook("SessionEnd", { reason: short.optional() }),
  ]);
});

export type HookPayload = z.output<ReturnType<typeof payload>>;
/** The payload of one hook. */
export type PayloadOf<Name extends HookName> = Extract<HookPayload, { hook_event_name: Name }>;
/** A hook that waits for an answer. */
export type AskingPayload = PayloadOf<(typeof askingHooks)[number]>;

/** Undefined for anything else, also for a payload that is too long or nested too deeply. */
export function readHookPayload(body: string): HookPayload | undefined {
  try {
    return isModest(body) ? payload().safeParse(JSON.parse(body)).data : undefined;
  } catch {
    return undefined;
  }
}

export function isAsking(one: HookPayload): one is AskingPayload {
  return isAskingHook(one.hook_event_name);
}

export function isAskingHook(name: string): boolean {
  return (askingHooks as readonly string[]).includes(name);
}

/** The fields before the tool's input that say who asks for what, as Claude Code writes them. */
const BEGUN = [
  "session_id",
  "transcript_path",
  "cwd",
  "prompt_id",
  "permission_mode",
  "agent_id",
  "hook_event_name",
  "tool_name",
];

/** A payload that asks, made from the beginning of one that is too long to be read: all of it but the input. */
export function hookBegun(beginning: string): string {
  const [before = ""] = beginning.split('"tool_input":');
  const fields = BEGUN.flatMap((name) => {
    const [, value] = new RegExp(`[{,]"${name}":("(?:[^"\\\\]|\\\\.){0,4096}")`).exec(before) ?? [];
    return value === undefined ? [] : [`"${name}":${value}`];
  });
  return `{${[...fields, '"tool_input":{}'].join()}}`;
}

/** Where a call of a hook comes from, as its command says it. */
export interface HookOrigin {
  hook: HookName | typeof STATUS_LINE;
  /** Of the hook's own process. */
  pid: number;
  /** Of the Claude that runs it: of nested ones, the innermost. */
  claudePid: number;
  /** Seconds for which it has already waited for an answer. */
  waited: number;
  /** The tmux server's socket, and the pane (`%3`); null outside of tmux. */
  pane: { socket: string; id: string } | null;
  /** `BELLHOP_SESSION`. */
  session: string | null;
}

const ORIGIN = /^([A-Za-z]{1,40}) ([1-9][0-9]{0,9}) ([1-9][0-9]{0,9}) ([0-9]{1,9}) (%[0-9]{1,9}|-) ([0-9]{1,20}|-)$/;

/**
 * @param line `<hook> <pid> <Claude's pid> <seconds waited> <pane, or -> <session, or ->`
 * @param tmux the variable `TMUX`: `<socket>,<pid>,<session>`; empty outside of tmux
 */
export function readOrigin(line: string, tmux: string): HookOrigin | undefined {
  const [, name, pid, claudePid, waited, pane = "-", session = "-"] = ORIGIN.exec(line) ?? [];
  const hook = [...hookNames, STATUS_LINE].find((one) => one === name);
  if (hook === undefined) return undefined;
  const socket = /^(\/[^\0\n]{1,4000}),\d+,\d+$/.exec(tmux)?.[1];
  return {
    hook,
    pid: Number(pid),
    claudePid: Number(claudePid),
    waited: Number(waited),
    pane: pane === "-" || socket === undefined ? null : { socket, id: pane },
    session: session === "-" ? null : session,
  };
}

/** The answer to a hook at which Claude's model can be told something. */
export function contextFor(hookEventName: "SessionStart" | "UserPromptSubmit", additionalContext: string): object {
  return { hookSpecificOutput: { hookEventName, additionalContext } };
}

const REFUSED =
  "Not allowed (E_QUESTIONS_TOO_LONG): this request cannot be shown to the owner, because it is too long or cannot " +
  "be read.";

/**
 * The answer to a hook that asks and cannot be shown to anybody; null: it decides nothing, or the terminal asks.
 * Without an answer, a dialog that the owner in Discord does not know of would stay open for ever.
 * @param body null: it is longer than any that is read
 */
export function refusal(hook: HookOrigin["hook"], body: string | null): object | null {
  if (hook === "PreToolUse")
    return {
      hookSpecificOutput: { hookEventName: hook, permissionDecision: "deny", permissionDecisionReason: REFUSED },
    };
  if (hook !== "PermissionRequest" || (body !== null && isModest(body))) return null;
  return { hookSpecificOutput: { hookEventName: hook, decision: { behavior: "deny", message: REFUSED } } };
}
