/**
 * What the scripted agents have in common: the prompt's first directive says what one does, and its voice says it in
 * the lines of its kind. Every start is written to $CLAUDE_CODE_FAKE_LOG or the like first of all, and what was
 * written there before is all an agent knows of earlier turns.
 *
 * echo:TEXT  spell:TEXT (in pieces)  slow:COUNT:MS  hist: (the earlier prompts of this conversation)  count:TEXT (a
 * line in done.txt)  tool:NAME  deny:NAME  hang:  die:CODE  mute: (ends well, without a result)  orphan: (leaves a
 * grandchild that holds its pipes)  noise:TEXT (words among the lines)  fail:STATUS  forget: (knows no such
 * conversation, if it is to go on with one). Only the first time the same prompt is given, and `recovered` after
 * that: limit:SECONDS (the account's usage limit, lifting then)  late:SECONDS (the same after a tool has run)
 * flaky:TEXT (an error of the vendor's server before anything was done; then TEXT)
 * work:NAME (its tool writes NAME.txt when the test opens the gate NAME, a file beside the notes of its starts, and it
 * is done when NAME-end is opened)  until:NAME (says nothing until the test opens the gate NAME)
 * Of the owner, by an agent that can ask him: may:COMMAND (a tool; what it is then told to run is a line in ran.txt)
 * ask: (one of two colours)  askm: (several)  asks: (two questions)  plan:TEXT
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const DIRECTIVE = /(echo|spell|slow|hist|count|tool|deny|hang|die|mute|orphan|noise|fail|forget|limit|late|flaky|work|until|may|askm|asks|ask|plan):([^\n]*)/;

/**
 * Notes this start, and says what came before it.
 * @param {{ tool: string, key: string, prompt: string, argv: string[], resumed?: string }} start
 */
export function begin(start) {
  const log = notes();
  const before = log && existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").filter(Boolean).map((line) => JSON.parse(line)) : [];
  if (log) appendFileSync(log, `${JSON.stringify({ at: Date.now(), pid: process.pid, ...start, env: Object.keys(process.env) })}\n`);
  const earlier = before.filter(({ tool, key }) => tool === start.tool && key === start.key).map(({ prompt }) => prompt);
  return { ...start, earlier, again: before.some(({ prompt }) => prompt === start.prompt) };
}

/**
 * Does what the prompt says. `voice` has `begin`, `forgotten`, `text(chunks, ms)`, `tool(name, denied, meanwhile)`, `asked(tool, input)`, `noise(words)`,
 * `done(last)`, `fail(status)`, `broken` and `limit(seconds)`; the last four end the turn.
 */
export async function perform({ prompt, earlier, again, resumed }, voice) {
  const [, directive, rest = ""] = DIRECTIVE.exec(prompt) ?? [null, "echo", "ok"];
  if (directive === "forget" && resumed !== undefined) return voice.forgotten();
  voice.begin();
  switch (directive) {
    case "hang":
      await voice.text(["I am thinking"]);
      setInterval(() => {}, 60_000);
      return;
    case "die":
      process.exit(Number(rest) || 1);
    // falls through: it never does
    case "mute":
      await voice.text(["I have nothing more to"]);
      process.exit(0);
    // falls through: it never does
    case "fail":
      return voice.fail(Number(rest));
    case "limit":
      return again ? voice.done(await voice.text(["recovered"])) : voice.limit(Number.parseInt(rest));
    case "late":
      await voice.tool("Bash", false);
      return again ? voice.done("") : voice.limit(Number.parseInt(rest));
    case "flaky":
      return again ? voice.done(await voice.text([rest || "recovered"])) : voice.broken();
    case "work":
      await voice.tool("Write", false, () => work(rest));
      await gate(`${rest}-end`);
      return voice.done("");
    case "until":
      await gate(rest);
      return voice.done(await voice.text([`${rest} is over`]));
    case "tool":
    case "deny":
      return voice.done(await voice.tool(rest || "Bash", directive === "deny"));
    case "may":
      return voice.done(await voice.text([ran(await voice.asked("Bash", { command: rest }))]));
    case "ask":
    case "askm":
    case "asks":
      return voice.done(await voice.text([answered(await voice.asked("AskUserQuestion", { questions: questionsOf(directive) }))]));
    case "plan":
      return voice.done(await voice.text([planned(await voice.asked("ExitPlanMode", { plan: rest, planFilePath: "/nowhere/plan.md" }))]));
    case "noise":
      voice.noise(rest);
      return voice.done(await voice.text(["heard through ", "the noise"], 1, () => voice.noise(rest)));
    default:
      return voice.done(await speak(directive, rest, earlier, voice));
  }
}

function speak(directive, rest, earlier, voice) {
  switch (directive) {
    case "slow": {
      const [count, ms] = rest.split(":").map(Number);
      const chunks = Array.from({ length: count }, (_, index) => `chunk${index + 1} `);
      return voice.text(chunks, ms);
    }
    case "spell":
      return voice.text(["Here it comes: ", ...(rest.match(/.{1,9}/g) ?? []), " was it"], 150);
    case "hist":
      return voice.text([`HISTORY ${JSON.stringify(earlier)}`]);
    case "orphan":
      spawn("sleep", ["600"], { stdio: ["ignore", "inherit", "inherit"], detached: true }).unref();
      return voice.text(["left a child behind"]);
    case "count": {
      // What a person would call "done": a line in a file, to see whether anything was done twice.
      const file = `${process.cwd()}/done.txt`;
      const before = existsSync(file) ? readFileSync(file, "utf8") : "";
      writeFileSync(file, `${before}${rest}\n`);
      return voice.text([`did ${rest}`]);
    }
    default:
      return voice.text([rest]);
  }
}

const COLOURS = [
  { label: "Red", description: "the warm one" },
  { label: "Blue", description: "the cold one" },
];

function questionsOf(directive) {
  const one = { question: "Which colour?", header: "Colour", multiSelect: false, options: COLOURS };
  const many = { question: "Which others?", header: "More", multiSelect: true, options: [...COLOURS, { label: "Green", description: "" }] };
  return { ask: [one], askm: [many], asks: [one, many] }[directive];
}

function ran({ behavior, updatedInput, message }) {
  if (behavior !== "allow") return `I may not: ${message}`;
  appendFileSync(`${process.cwd()}/ran.txt`, `${JSON.stringify(updatedInput)}\n`);
  return "It has run.";
}

function answered({ behavior, updatedInput, message }) {
  return behavior === "allow" ? `You said ${JSON.stringify(updatedInput.answers)}` : `No answer: ${message}`;
}

/** Claude takes a yes to its plan only with its own input given back. */
function planned({ behavior, updatedInput, message }) {
  if (behavior !== "allow") return `Not this plan: ${message}`;
  return updatedInput?.planFilePath ? "I do as planned." : "The plan came back without its file.";
}

async function work(name) {
  await gate(name);
  writeFileSync(join(process.cwd(), `${name}.txt`), `${name}\n`);
}

function gate(name) {
  const folder = dirname(notes());
  return new Promise((resolve) => {
    const watcher = watch(folder, look);
    look();
    function look() {
      if (!existsSync(join(folder, name))) return;
      watcher.close();
      resolve();
    }
  });
}

function notes() {
  return process.env.CLAUDE_CODE_FAKE_LOG ?? process.env.CODEX_FAKE_LOG ?? process.env.GEMINI_FAKE_LOG;
}

export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
