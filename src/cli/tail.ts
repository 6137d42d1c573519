/**
 * `bellhop tail`: shows a job in the terminal while it runs. It only listens; it survives a restart of the daemon, and
 * then shows the same job to its end, never another one.
 */
import { BellhopError, errors } from "../base/errors.ts";
import { jsonForTerminal, terminalLine, forTerminal } from "../base/terminal-text.ts";
import { say, sayState, type Locale } from "../base/words/say.ts";
import type { Caller } from "../client/call.ts";
import type { DaemonStatus } from "../ipc/status.ts";
import type { TailEnd, TailPart, TailBegin } from "../ipc/tail.ts";
import { callDaemon } from "./start/daemons.ts";
import { asTyped, localeOf, type Io } from "./io.ts";
import { readOptions, WrongCall } from "./options.ts";
import { withoutSequences } from "../base/text.ts";

/** How long to wait for a daemon that restarts. */
const RETURN_MS = 10 * 60_000;
const NOT_A_SUCCESS = 1;
const NOTHING_RUNS = 66;

/**
 * @param argv `[job|thread] [--sandbox] [--json]`
 * @throws E_NO_DAEMON, E_JOB_NOT_FOUND, E_SESSION_NOT_FOUND
 */
export async function tail(argv: readonly string[], io: Io): Promise<number> {
  const { values, words } = readOptions(argv, { sandbox: { type: "boolean" }, json: { type: "boolean" } }, 1);
  const locale = localeOf(io.env);
  const note = (key: "cli.tail.lost" | "cli.tail.back"): unknown => io.stderr.write(`${say(locale, key)}\n`);
  const wait = {
    forMs: RETURN_MS,
    onConnectionLost: () => note("cli.tail.lost"),
    onReconnected: () => note("cli.tail.back"),
  };
  const caller = await callDaemon(io, values.sandbox ?? false, { wait });
  try {
    const target = words[0] ?? (await onlyRunning(caller));
    if (target === null) {
      io.stderr.write(`${asTyped(io, say(locale, "cli.tail.nothing"))}\n`);
      return NOTHING_RUNS;
    }
    const end = values.json ? await asJson(caller, target, io) : await asText(caller, target, io);
    return end.state === "success" ? 0 : NOT_A_SUCCESS;
  } finally {
    caller.close();
  }
}

/** Null if nothing runs. @throws WrongCall if more than one job runs */
async function onlyRunning(caller: Caller): Promise<string | null> {
  const { sessions } = (await caller.call("status", {})) as DaemonStatus;
  const jobs = sessions.flatMap(({ running_job_id }) => running_job_id ?? []);
  if (jobs.length > 1) throw new WrongCall("cli.tail.several", { jobs: jobs.join(", ") });
  return jobs[0] ?? null;
}

async function asText(caller: Caller, target: string, io: Io): Promise<TailEnd> {
  const view = new TailView(localeOf(io.env), (text) => io.stdout.write(text));
  const end = await follow(caller, target, (part) => view.show(part));
  view.showEnd(end);
  return end;
}

/** One JSON object per line: the parts as they come, the end last. */
async function asJson(caller: Caller, target: string, io: Io): Promise<TailEnd> {
  const line = (value: object): unknown => io.stdout.write(`${jsonForTerminal(value)}\n`);
  const end = await follow(caller, target, line);
  line({ kind: "end", ...end });
  return end;
}

function follow(caller: Caller, target: string, show: (part: TailPart) => void): Promise<TailEnd> {
  // Read again on each reconnect: a thread's next job is not the one being watched.
  const params = { target: terminalLine(target, 80) };
  const part = (value: unknown): void => {
    const said = value as TailPart;
    if (said.kind === "job") params.target = said.job_id;
    show(said);
  };
  return caller.call("tail", params, { part }).then((end) => {
    if (typeof end !== "object" || end === null)
      throw new BellhopError("E_LINK_REFUSED", { why: "a job without an end" });
    return end as TailEnd;
  });
}

/*
 * Formats a job's parts for a terminal: text as it comes, tool uses on separate lines. Everything an agent wrote is
 * filtered of terminal control sequences.
 */

const WIDTH = 80;
const SIGNS = { pending: "☐", active: "▶", done: "☑" };
/** An unfinished sequence longer than this does not hide what follows: its beginning is removed, the rest is text. */
const LONGEST_SEQUENCE = 1_000;
/** An end that may be the start of a sequence (or the CR of a CRLF, or half a character). */
const OPEN_END =
  /(?:(?:\x1b\[|\x9b)[0-?]*[ -/]*|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d]*\x1b?|\x1b[PX^_][^\x1b]*\x1b?|\x1b[ -/]*|\r|[\ud800-\udbff])$/;
/** An end that may be the first part of an emoji. */
const OPEN_EMOJI = /(?:\p{Extended_Pictographic}\p{Emoji_Modifier}?[\ufe0e\ufe0f]?\u200d?){1,16}$/u;

export class TailView {
  readonly #locale: Locale;
  readonly #write: (text: string) => unknown;
  readonly #titles = new Map<string, string>();
  #text = new TerminalText();
  #atStart = true;
  #blank = true;
  #said = false;
  #begun = false;

  constructor(locale: Locale, write: (text: string) => unknown) {
    this.#locale = locale;
    this.#write = write;
  }

  show(part: TailPart): void {
    if (part.kind === "job") return this.#begin(part);
    if (part.kind === "text") {
      this.#said = true;
      return this.#put(this.#text.write(part.delta));
    }
    if (part.kind === "tool_started") {
      const title = toolTitle(part);
      this.#titles.set(part.id, title);
      return this.#line(`▸ ${title}`);
    }
    if (part.kind === "tool_ended") return this.#line(`${part.ok ? "✓" : "✗"} ${this.#titles.get(part.id) ?? part.id}`);
    if (part.kind === "denied")
      return this.#line(
        `✗ ${say(this.#locale, "cli.tail.denied", { tool: part.tool, reason: part.reason === "" ? "-" : say(this.#locale, "quoted", { words: part.reason }) })}`,
      );
    if (part.kind === "plan") return part.entries.forEach(({ state, text }) => this.#line(`${SIGNS[state]} ${text}`));
    if (part.kind === "thought" || part.kind === "written") return;
    return this.#line(`· ${part.text || part.code}`);
  }

  showEnd({ job_id: job, state, error_code: code, result_excerpt }: TailEnd): void {
    if (!this.#said && result_excerpt !== null) this.#put(this.#text.write(result_excerpt));
    const key = code === null ? "cli.tail.ended" : "cli.tail.ended_error";
    const says = code === null || !Object.hasOwn(errors, code) ? "" : say(this.#locale, code);
    this.#blankLine();
    const line = say(this.#locale, key, {
      job,
      state: sayState(this.#locale, state),
      code: code ?? "",
      says: /\{\w+\}/.test(says) ? "" : says,
    });
    this.#line(line.replace(/[:：]\s*$/, ""), 1_000);
  }

  /** Sent again by a restarted daemon; what it said before is already printed above. */
  #begin({ job_id: job, tool, thread_id: thread, state, tools }: TailBegin): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#line(say(this.#locale, "cli.tail.job", { job, tool, thread, state: sayState(this.#locale, state) }));
    if (state === "queued") this.#line(say(this.#locale, "cli.tail.waits"));
    for (const { ok, ...done } of tools) this.#line(`${ok ? "✓" : "✗"} ${toolTitle(done)}`);
    this.#blankLine();
  }

  #blankLine(): void {
    if (!this.#blank) this.#line("");
  }

  /** Prints on a separate line, whatever the text before it ended with. */
  #line(text: string, width = WIDTH): void {
    this.#put(this.#text.flush());
    this.#text = new TerminalText();
    this.#put(`${this.#atStart ? "" : "\n"}${terminalLine(text, width)}\n`);
  }

  #put(text: string): void {
    if (text === "") return;
    this.#atStart = text.endsWith("\n");
    this.#blank = text === "\n" || text.endsWith("\n\n");
    this.#write(text);
  }
}

function toolTitle({ name, title }: { name: string; title: string }): string {
  return terminalLine(title === "" || title === name ? name : `${name}: ${title}`, WIDTH - 2);
}

/**
 * Filters an agent's text for a terminal, chunk by chunk: removes all control sequences, also those split across
 * chunks, and shows other hidden characters.
 */
export class TerminalText {
  #held = "";
  /** Without sequences. */
  #emoji = "";

  /** Returns what can be written now. */
  write(piece: string): string {
    const text = this.#held + piece;
    const open = openFrom(text, OPEN_END);
    this.#held = text.slice(open);
    const clean = this.#emoji + withoutSequences(text.slice(0, open));
    const last = openFrom(clean, OPEN_EMOJI);
    this.#emoji = clean.slice(last);
    return forTerminal(clean.slice(0, last));
  }

  /** Returns what was held back, at the end of the input. */
  flush(): string {
    const text = this.#emoji + withoutSequences(this.#held);
    this.#held = "";
    this.#emoji = "";
    return forTerminal(text);
  }
}

/** Where the end begins that may go on in the next piece. */
function openFrom(text: string, ends: RegExp): number {
  const from = Math.max(0, text.length - LONGEST_SEQUENCE);
  const open = ends.exec(text.slice(from));
  return open === null ? text.length : from + open.index;
}
