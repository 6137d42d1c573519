/**
 * What the scripted agents have in common: the prompt's first directive says what one does, and its voice says it in
 * the lines of its kind. Every start is written to $CLAUDE_CODE_FAKE_LOG or the like first of all, and what was written
 * there before is all an agent knows of earlier turns.
 *
 * send:NAME (a file of this name from its folder, and two that are not to be had)  sendbig:MIB (a file of that size)
 * sendkey:TEXT (a file with that text)  sendhang:NAME (a file, and never ends)  echo:TEXT  spell:TEXT (in pieces)
 * slow:COUNT:MS  steps:NAME:COUNT[:CHARS] (each of so many characters, and each but the first when the gate NAME-2,
 * NAME-3 … is opened)  hist: (the earlier prompts of this conversation)  count:TEXT (a line in done.txt)  tool:NAME
 * deny:NAME  hang:  die:CODE  mute: (ends well, without a result)  orphan: (leaves a grandchild that holds its pipes)
 * noise:TEXT (words among the lines)  fail:STATUS  forget: (knows no such conversation, if it is to go on with one;
 * with the argument --forgetful it never does). Only the first time the same prompt is given, and `recovered` after
 * that: limit:SECONDS (the account's usage limit, lifting then)  late:SECONDS (the same after a tool has run)
 * flaky:TEXT (an error of the vendor's server before anything was done; then TEXT) work:NAME (its tool writes NAME.txt
 * when the test opens the gate NAME, a file beside the notes of its starts, and it is done when NAME-end is opened)
 * spend:DOLLARS (its turn costs so much; Claude only) burn:TOKENS:NAME (tells so many, uses a tool, and is done when
 * the gate NAME is opened; Claude only)
 * until:NAME (says nothing until the test opens the gate NAME) stall:NAME (the same, and then it never ends) Of the
 * owner, by an agent that can ask him: may:COMMAND (a tool; what it is then told to run is a line in ran.txt)
 * bait:COMMAND (the same, with a question of its own below) later:NAME:DIRECTIVE (answers, and does the directive by
 * itself when the gate NAME is opened; Claude only) leaves:COMMAND (a subagent of it asks like may, and it is done
 * meanwhile; Claude only) crew:COUNT (so many subagents ask at once; Claude only) look:COMMAND (says what it is about to do, asks like may, and says more) ask: (one of two
 * colours)  askm: (several)  asks: (two questions)  elicit:NAME (what forms.mjs has under it; Claude only)
 * elicits:NAME (the same, and it is done meanwhile)  plan:TEXT plan+:{the whole input of a plan, as JSON} Out of hand:
 * flood:MB (an answer of so many blocks of a megabyte)  giant:MB (one line of so many, between two that are well)
 * nest:DEPTH (one that nests so deep)  swell:MB (its result is a line of so many, and it ends) bulk:CHARACTERS (asks
 * like may, for a command of so many that nobody can see)  rewrite:CHARACTERS (the same for an edit of a file of so
 * many)
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { forms } from "./forms.mjs";

const SENDING = /^\[Note from Bellhop, which runs you, not from the user: to send [^\n]*\n\n/;
const DIRECTIVE =
  /(echo|sendbig|sendkey|sendhang|send|spell|slow|steps|hist|count|tool|deny|hang|die|mute|orphan|noise|fail|forget|limit|later|late|flaky|work|until|spend|burn|stall|leaves|crew|elicits|elicit|look|may|bait|askm|asks|ask|plan\+?|flood|giant|nest|swell|bulk|rewrite):([^\n]*)/;

/**
 * Notes this start, and says what came before it.
 * @param {{ tool: string, key: string, prompt: string, argv: string[], resumed?: string }} start
 */
export function begin(given) {
  // What every conversation begins with is of no interest to a test.
  const start = { ...given, prompt: given.prompt.replace(SENDING, "") };
  const log = notes();
  const before =
    log && existsSync(log)
      ? readFileSync(log, "utf8")
          .trim()
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line))
      : [];
  if (log)
    appendFileSync(
      log,
      `${JSON.stringify({ at: Date.now(), pid: process.pid, ...start, env: Object.keys(process.env) })}\n`,
    );
  const earlier = before
    .filter(({ tool, key }) => tool === start.tool && key === start.key)
    .map(({ prompt }) => prompt);
  return { ...start, earlier, again: before.some(({ prompt }) => prompt === start.prompt) };
}

/** What a message points at is no directive. */
const QUOTED = /^(quoted_\w+)\n[^]*?\n\1$/gm;

/** `%hex:…%` is that text, `%NAME%` this variable of the agent's environment: what the daemon would not let through. */
function meant(prompt) {
  return prompt
    .replace(QUOTED, "")
    .replace(/%hex:([0-9a-f]+)%/g, (_, hex) => Buffer.from(hex, "hex").toString())
    .replace(/%([A-Z_]+)%/g, (_, name) => process.env[name] ?? "");
}

/**
 * Does what the prompt says. `voice` has `begin`, `forgotten`, `text(chunks, ms)`, `tool(name, denied, meanwhile)`,
 * `asked(tool, input)`, `noise(words)`, `done(last)`, `fail(status)`, `fails({status, words})`, `broken` and
 * `limit(seconds)`; the last five end the turn.
 */
export async function perform({ tool, prompt: written, earlier, again, resumed, argv = [] }, voice) {
  const prompt = meant(written);
  const [, directive, rest = ""] = DIRECTIVE.exec(prompt) ?? [null, "echo", "ok"];
  if ((directive === "forget" || argv.includes("--forgetful")) && resumed !== undefined) return voice.forgotten();
  voice.begin();
  // Whatever is asked, as long as this lies in its project.
  if (existsSync("fails.json")) {
    const how = JSON.parse(readFileSync("fails.json", "utf8"));
    if (how.tool) await voice.tool("Bash", false);
    if (how.only === undefined || how.only === tool) return voice.fails(how);
  }
  switch (directive) {
    case "sendhang":
      writeFileSync(join(process.env.BELLHOP_OUTPUTS, rest), `${rest} as it was`);
      await voice.text([`I am sending [DISCORD_ATTACH: ${rest}]`]);
      setInterval(() => {}, 60_000);
      return;
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
    case "spend":
      return voice.done(await voice.text([`spent ${rest}`]), Number(rest));
    case "burn": {
      const [tokens, name] = rest.split(":");
      voice.exchange(Number(tokens));
      await voice.tool("Bash", false);
      await gate(name);
      return voice.done(await voice.text([`burnt ${tokens}`]));
    }
    case "tool":
    case "deny":
      return voice.done(await voice.tool(rest || "Bash", directive === "deny"));
    case "look":
      await voice.text(["I have read the project.\n\n", "One command is left to run."]);
      await voice.text([ran(await voice.asked("Bash", { command: rest })), "\n\n", ...REPORT.match(/\S+ ?/g)], 40);
      return voice.done("All is done now.");
    case "bulk":
    case "rewrite":
    case "may":
    case "bait":
      return voice.done(await mayRun(directive, rest, voice));
    case "ask":
    case "askm":
    case "asks":
      return voice.done(
        await voice.text([answered(await voice.asked("AskUserQuestion", { questions: questionsOf(directive) }))]),
      );
    case "crew": {
      const crew = Array.from({ length: Number(rest) }, (_, at) =>
        voice.subagent({ command: `echo ${at + 1}` }, `s${at + 1}`, `part ${at + 1}`),
      );
      return voice.done(await voice.text((await Promise.all(crew)).map(ran)));
    }
    case "elicit":
      return voice.done(await voice.text([JSON.stringify(await voice.elicited(forms[rest]))]));
    case "plan+": {
      const { behavior, updatedInput } = await voice.asked("ExitPlanMode", JSON.parse(rest));
      return voice.done(
        await voice.text([behavior === "allow" ? `Approved with ${JSON.stringify(updatedInput)}` : "Not this plan."]),
      );
    }
    case "plan":
      return voice.done(
        await voice.text([
          planned(await voice.asked("ExitPlanMode", { plan: rest, planFilePath: "/nowhere/plan.md" })),
        ]),
      );
    case "flood":
    case "giant":
    case "nest":
    case "swell":
      return outOfHand(directive, Number(rest), voice);
    case "noise":
      voice.noise(rest);
      return voice.done(await voice.text(["heard through ", "the noise"], 1, () => voice.noise(rest)));
    default:
      return voice.done(await speak(directive, rest, earlier, voice));
  }
}

async function mayRun(directive, rest, voice) {
  const asked = voice.asked(...wantedBy(directive, rest));
  if (directive === "bait") await voice.text(["Shall I also tidy up the README? (yes / no)\n\n"]);
  return voice.text([ran(await asked)]);
}

/** Claude only: something in the background, which ends when the gate is opened; then it does the rest by itself. */
async function later([name, ...then], voice) {
  voice.background(gate(name), then.join(":"));
  await voice.text(["I started it."]);
  return "";
}

async function stall(name, voice) {
  await gate(name);
  await voice.text([`${name} is nearly over`]);
  await new Promise(() => void setInterval(() => {}, 60_000));
}

async function steps([name, count, chars = "0"], voice) {
  for (let step = 1; step <= Number(count); step += 1) {
    if (step > 1) await gate(`${name}-${step}`);
    await voice.text([`chunk${step}.`.padEnd(Number(chars), ` more of ${step}`)]);
  }
  return "";
}

async function outOfHand(directive, count, voice) {
  if (directive === "flood") {
    for (let number = 1; number <= count; number += 1)
      await voice.text([`block ${number} `.padEnd(MEGABYTE, "words ")]);
    return voice.done("");
  }
  if (directive === "swell") {
    voice.done("x".repeat(count * MEGABYTE));
    return void process.stdout.write("", () => process.exit(0));
  }
  await voice.text(["It goes on,"]);
  voice.noise(
    directive === "giant"
      ? `{"type":"user","message":"${"x".repeat(count * MEGABYTE)}"}`
      : `{"type":"user","message":${"[".repeat(count)}${"]".repeat(count)}}`,
  );
  return voice.done(await voice.text(["and it ends."]));
}

const MEGABYTE = 1_000_000;

function speak(directive, rest, earlier, voice) {
  switch (directive) {
    case "later":
      return later(rest.split(":"), voice);
    case "leaves":
      void voice.subagent({ command: rest }).then(ran);
      return voice.text(["A subagent is at it."]);
    case "elicits":
      void voice.elicited(forms[rest]).then(({ content }) => ran({ behavior: "allow", updatedInput: content }));
      return voice.text(["A subagent is at it."]);
    case "steps":
      return steps(rest.split(":"), voice);
    case "stall":
      return stall(rest, voice);
    case "slow": {
      const [count, ms] = rest.split(":").map(Number);
      const chunks = Array.from({ length: count }, (_, index) => `chunk${index + 1} `);
      return voice.text(chunks, ms);
    }
    case "send": {
      writeFileSync(join(process.env.BELLHOP_OUTPUTS, rest), `${rest} as it was`);
      return voice.text([
        "Here: [DISCORD",
        `_ATTACH: ${rest}]`,
        " and [DISCORD_ATTACH: ../secret.txt][DISCORD_ATTACH: none.txt] it was.",
      ]);
    }
    case "sendbig":
      writeFileSync(join(process.env.BELLHOP_OUTPUTS, "big.bin"), Buffer.alloc(Number(rest) * 1024 * 1024, "x"));
      return voice.text(["Large: [DISCORD_ATTACH: big.bin]"]);
    case "sendkey":
      writeFileSync(join(process.env.BELLHOP_OUTPUTS, "key.txt"), `the key is ${rest}.`);
      return voice.text(["Keys: [DISCORD_ATTACH: key.txt]"]);
    case "spell":
      return voice.text(["Here it comes: ", ...(rest.match(/.{1,9}/g) ?? []), " was it"], 150);
    case "hist":
      return voice.text([`HISTORY ${JSON.stringify(earlier)}`]);
    case "orphan":
      spawn("sleep", ["600"], { stdio: ["ignore", "inherit", "inherit"], detached: true }).unref();
      return voice.text(["left a child behind"]);
    case "count":
      return voice.text([count(rest)]);
    default:
      return voice.text([rest]);
  }
}

/** What a person would call "done": a line in a file, to see whether anything was done twice. */
export function count(words) {
  appendFileSync(`${process.cwd()}/done.txt`, `${words}\n`);
  return `did ${words}`;
}

const REPORT =
  "The new prices are live in the shop, and the old ones are kept beside them for a day. Nothing else was changed. All is done now.";

const COLOURS = [
  { label: "Red", description: "the warm one" },
  { label: "Blue", description: "the cold one" },
];

function questionsOf(directive) {
  const one = { question: "Which colour?", header: "Colour", multiSelect: false, options: COLOURS };
  const many = {
    question: "Which others?",
    header: "More",
    multiSelect: true,
    options: [...COLOURS, { label: "Green", description: "" }],
  };
  return { ask: [one], askm: [many], asks: [one, many] }[directive];
}

/** The tool, and what it is to be told. */
function wantedBy(directive, rest) {
  const unseen = (count) => "\x7f".repeat(count);
  if (directive === "rewrite")
    return ["Edit", { file_path: "/x/a.bin", old_string: unseen(Number(rest)), new_string: unseen(Number(rest) - 1) }];
  return ["Bash", { command: directive === "bulk" ? unseen(Number(rest)) : rest }];
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
