#!/usr/bin/env node
/**
 * Claude Code at a terminal, scripted: its prompt box, its hooks and its dialog, as far as Bellhop relies on them. The
 * last directive of a prompt says what it does. What it did is in `done.txt` of its directory, a line each time.
 *
 * count:WORD (does it, and says so) · until:GATE:WORD (the same, when there is a file GATE in HOME) · queued:GATE:WORD
 * (the same, told by the name of the turn before, as what was entered in that may be) · may:WORD (the same, if it may;
 * with GATE:WORD when there is a file GATE in HOME) · heavy:MIB:WORD (the same, with so much beside the command in what
 * it asks) · deaf:GATE (works until it is interrupted; before there is a file GATE in HOME it loses Escape, and does
 * not show that it works) · long:CHARS:kept|unkept[:GATE] (an answer of so many characters, which is not displayed, and
 * is written down before its end or not; when there is a file GATE in HOME) · show:N:MS (N pieces of text, one each MS
 * milliseconds) · hist (the prompts of its conversation) · /clear · !COMMAND (run in its shell, which it answers
 * without telling of a prompt, and writes down a moment later) · /compact (until there is a file `compacted` in HOME) ·
 * /exit. Shift and Tab change its permission mode. When it ends, also because its terminal is gone, it says so first;
 * where there is a file `lingers` in HOME, it is gone only when there is one `left`, and takes no prompt any more.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";

const { HOME = "", CLAUDE_CODE_BENCH_LOG: log } = process.env;
const now = () => performance.timeOrigin + performance.now();
/** For measurements: when it was, in seconds. */
const note = (what) => log && appendFileSync(log, `${what} ${now() / 1000}\n`);
const valueOf = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined);
const { hooks, statusLine } = JSON.parse(readFileSync(valueOf("--settings") ?? "", "utf8"));
const conversations = join(HOME, "conversations");
const LINE = "─".repeat(100);
let session = valueOf("-r") ?? randomUUID();
let said = [];
let draft = "";
/** The turn: its id, and what ends it early. */
let turn = null;
/** The id of the turn before. */
let before = "";
/** Settles the dialog that stands. */
let dialog = null;
let mode = "default";
let isLeaving = false;

mkdirSync(conversations, { recursive: true });
if (valueOf("-r") !== undefined && !existsSync(join(conversations, session))) {
  process.stdout.write(`No conversation found with session ID: ${session}\n`);
  process.exit(1);
}

function draw() {
  const box = dialog
    ? [" Do you want to proceed?", " ❯ 1. Yes", "   2. No"]
    : [
        `❯ ${draft.replaceAll("\n", "\r\n  ")}`,
        LINE,
        turn && !turn.deaf ? "  esc to interrupt" : "  ? for shortcuts",
        status,
      ];
  process.stdout.write(`\u001b[2J\u001b[H${[...said.slice(-8), LINE, ...box].join("\r\n")}`);
}

/** Resolves with what the hook prints. */
async function hook(name, more = {}) {
  const payload = {
    session_id: session,
    cwd: process.cwd(),
    permission_mode: mode,
    ...(turn && { prompt_id: turn.id }),
    hook_event_name: name,
    ...more,
  };
  const told = await Promise.all(
    (hooks[name] ?? []).flatMap((entry) => entry.hooks).map(({ command }) => run(command, JSON.stringify(payload))),
  );
  return told.join("");
}

function run(command, text) {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", command], { stdio: ["pipe", "pipe", "ignore"] });
    let out = "";
    child.stdout.on("data", (data) => (out += data));
    child.stdin.on("error", () => undefined);
    child.stdin.end(text);
    child.on("close", () => resolve(out));
  });
}

/** The line below the prompt box. */
let status = "";
async function showStatus() {
  const rate_limits = {
    five_hour: { used_percentage: 45, resets_at: Math.floor(Date.now() / 1000) + 9_000 },
    seven_day: { used_percentage: 12, resets_at: null },
  };
  status = await run(
    statusLine.command,
    JSON.stringify({
      session_id: session,
      cwd: process.cwd(),
      model: { display_name: "Opus *4.6*" },
      context_window: { used_percentage: 50, total_input_tokens: 100_000, context_window_size: 200_000 },
      rate_limits,
    }),
  );
  draw();
}

async function submit(prompt) {
  if (prompt === "/clear") {
    await hook("SessionEnd", { reason: "clear" });
    session = randomUUID();
    said = [];
    await hook("SessionStart", { source: "clear" });
    return draw();
  }
  if (prompt === "/compact") {
    turn = { id: randomUUID(), stop: () => undefined };
    draw();
    await isThere("compacted");
    await hook("SessionStart", { source: "compact" });
    turn = null;
    return draw();
  }
  if (prompt === "/exit") return leave("prompt_input_exit");
  if (prompt.startsWith("!")) {
    const [, command = ""] = /^!\s*(.*)/.exec(prompt);
    turn = { id: randomUUID(), stop: () => undefined };
    const entered = [
      {
        isSidechain: false,
        promptId: turn.id,
        type: "user",
        message: {
          role: "user",
          content: `<bash-input>${command.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")}</bash-input>`,
        },
      },
    ];
    setTimeout(() => write(entered), 500);
    await hook("MessageDisplay", {
      turn_id: turn.id,
      message_id: randomUUID(),
      index: 0,
      final: true,
      delta: `I saw ${command}`,
    });
    await hook("Stop", { stop_hook_active: false, last_assistant_message: `I saw ${command}` });
    turn = null;
    return draw();
  }
  note("read");
  const mine = (turn = { id: randomUUID(), stop: () => undefined });
  mine.deaf = /deaf:\S+$/.test(prompt);
  // It can be interrupted at any time, also before its work begins.
  const stopped = new Promise((resolve) => (mine.stop = () => resolve("stopped")));
  said.push(`> ${prompt.split("\n").at(-1)}`);
  draw();
  const asked = existsSync(join(conversations, session))
    ? readFileSync(join(conversations, session), "utf8").trim().split("\n")
    : [];
  const [, directive, rest = ""] =
    /(count|until|queued|may|ask|heavy|deaf|hist|show|long):?(\S*)\s*$/.exec(prompt) ?? [];
  // Before anybody is told, who may kill it at once.
  appendFileSync(join(conversations, session), `${directive}:${rest}\n`);
  if (directive === "queued")
    write([{ isSidechain: false, promptId: mine.id, type: "user", message: { role: "user", content: prompt } }]);
  await hook("UserPromptSubmit", { prompt, ...(directive === "queued" && { prompt_id: before }) });
  before = mine.id;
  if (directive === "queued") said.push("(told)");
  await showStatus();
  const answer = await Promise.race([stopped, work(directive, rest, asked)]);
  if (answer === "stopped") {
    said.push(
      mine.declines ? "● Declined to answer Claude's questions:" : "  ⎿  Interrupted · What should Claude do instead?",
    );
    turn = null;
    return draw();
  }
  said.push(`● ${answer.slice(0, 60)}`);
  if (directive !== "long")
    await hook("MessageDisplay", { turn_id: mine.id, message_id: randomUUID(), index: 0, final: true, delta: answer });
  else if (rest.includes(":kept")) keep(prompt, answer);
  note("last");
  await hook("Stop", { stop_hook_active: false, last_assistant_message: answer });
  turn = null;
  draw();
}

async function leave(reason) {
  isLeaving = true;
  await hook("SessionEnd", { reason });
  said.push("Goodbye!");
  draw();
  if (existsSync(join(HOME, "lingers"))) await isThere("left");
  process.exit(0);
}

async function work(directive, rest, asked) {
  if (directive === "hist") return `I was asked ${asked.join(" ")}`;
  if (directive === "heavy")
    return (await mayDo({ command: rest.split(":")[1], more: "x".repeat(Number(rest.split(":")[0]) * 1024 * 1024) }))
      ? work("count", rest.split(":")[1])
      : `I may not ${rest}`;
  if (directive === "ask")
    return `You said ${await mayDo(
      {
        questions: [
          {
            question: rest,
            header: rest,
            multiSelect: false,
            options: [
              { label: "Red", description: "" },
              { label: "Blue", description: "" },
            ],
          },
        ],
      },
      "AskUserQuestion",
    )}`;
  if (directive === "may" && !(await mayDo({ command: rest }))) return `I may not ${rest}`;
  const [gate, word = gate, last] = rest.split(":");
  if (directive === "long" && last !== undefined) await isThere(last);
  if (directive === "long")
    return "words and 한국어\n"
      .repeat(Math.ceil(Number(gate) / 14))
      .slice(0, Number(gate))
      .trimEnd();
  if (directive === "show") return show(Number(gate), Number(word));
  if (["until", "queued", "deaf"].includes(directive) || (directive === "may" && word !== gate)) await isThere(gate);
  if (directive === "deaf") {
    turn.deaf = false;
    draw();
    await new Promise(() => undefined);
  }
  appendFileSync("done.txt", `${word}\n`);
  if (directive === "may") await hook("PostToolUse", { tool_name: "Bash", tool_input: { command: rest } });
  return `did ${word}`;
}

/** Writes it down as Claude Code does. */
function keep(prompt, answer) {
  write([
    { isSidechain: false, promptId: turn.id, type: "user", message: { role: "user", content: prompt } },
    {
      isSidechain: false,
      message: { id: "msg_1", type: "message", role: "assistant", content: [{ type: "text", text: answer }] },
      type: "assistant",
    },
  ]);
}

function keepRefused(name, input) {
  write([
    { isSidechain: false, promptId: turn.id, type: "user", message: { role: "user", content: "x" } },
    {
      isSidechain: false,
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_1", name, input }],
      },
      type: "assistant",
    },
    {
      isSidechain: false,
      promptId: turn.id,
      type: "user",
      message: {
        role: "user",
        content: [{ type: "tool_result", content: "rejected", is_error: true, tool_use_id: "toolu_1" }],
      },
      toolDenialKind: "user-rejected",
      toolDenialBeforeRun: true,
    },
    {
      isSidechain: false,
      promptId: turn.id,
      type: "user",
      message: { role: "user", content: [{ type: "text", text: "[Request interrupted by user for tool use]" }] },
    },
  ]);
}

function write(lines) {
  const folder = join(HOME, ".claude", "projects", "scripted");
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${session}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

async function show(count, everyMs) {
  const message = { turn_id: turn.id, message_id: randomUUID() };
  // The real one draws a few characters nine times a second while it works.
  const drawing = setInterval(() => process.stdout.write("\u001b7\u001b[49;1H✻ Thinking…\u001b8"), 110);
  for (let index = 0; index < count; index += 1) {
    const from = now();
    await hook("MessageDisplay", { ...message, index, final: index === count - 1, delta: `piece ${index} ` });
    if (log) appendFileSync(log, `hook ${now() - from}\n`);
    said.push(`● piece ${index}`);
    draw();
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  clearInterval(drawing);
  return "shown";
}

/** Whoever answers first has answered. */
async function mayDo(tool_input, tool_name = "Bash") {
  turn.declines = tool_name === "AskUserQuestion";
  const byKey = new Promise((resolve) => (dialog = resolve)).then(
    (isYes) => (isYes || keepRefused(tool_name, tool_input), isYes),
  );
  draw();
  const byHook = hook("PermissionRequest", { tool_name, tool_input }).then((told) =>
    told.trim() === "" ? byKey : told.includes('"allow"'),
  );
  const isYes = await Promise.race([byKey, byHook]);
  dialog = null;
  draw();
  return isYes;
}

function isThere(name) {
  return new Promise((resolve) => {
    const look = () => existsSync(join(HOME, name)) && (watcher.close(), resolve());
    const watcher = watch(HOME, look);
    look();
  });
}

function key(sign) {
  if (sign === "\u001b[Z") mode = mode === "default" ? "acceptEdits" : "default";
  else character(sign);
  draw();
}

function character(sign) {
  if (sign === "\u001b" && turn?.deaf) return void appendFileSync("done.txt", "lost a key\n");
  if (sign === "\u001b") return void (dialog?.(false), turn?.stop());
  if (dialog) return void (sign === "\r" && dialog(true));
  if (sign === "\u0015") draft = "";
  else if (sign === "\u007f") draft = draft.slice(0, -1);
  else if (sign !== "\r") draft += sign;
  else if (!turn && !isLeaving && draft.trim() !== "") {
    const prompt = draft.trim();
    draft = "";
    void submit(prompt);
  }
}

process.on("SIGHUP", () => leave("other"));
for (const stream of [process.stdin, process.stdout]) stream.on("error", () => undefined);
process.stdin.setRawMode(true);
process.stdin.setEncoding("utf8").on("data", (data) => {
  for (const [whole, pasted] of data.matchAll(/\u001b\[200~([\s\S]*?)\u001b\[201~|\u001b\[Z|[\s\S]/gu)) {
    if (pasted === undefined) key(whole);
    else draft += pasted;
  }
  draw();
});
await hook("SessionStart", { source: valueOf("-r") === undefined ? "startup" : "resume" });
await showStatus();
