/**
 * A scripted stand-in for `codex exec --json`, for flows. It speaks the same lines in the same order, with its
 * oddities: a warning that looks like an error, usage counted from the conversation's beginning, an unknown
 * conversation told on stderr alone. `script.mjs` says what it does when.
 */
import { existsSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { begin, perform, sleep } from "./script.mjs";

const argv = process.argv.slice(2);
// Whether it is logged in: as long as nobody puts a file there that says otherwise.
if (argv[0] === "login") process.exit(existsSync(`${process.env.HOME}/logged-out`) ? 1 : 0);
if (argv[0] === "--version") {
  console.log("codex-cli 0.169.0");
  process.exit(0);
}
const resumed = argv.includes("resume") ? argv[argv.indexOf("resume") + 1] : undefined;
const thread_id = resumed ?? randomUUID();
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
let made = 0;
const item = (event, more, id = `item_${made++}`) => say({ type: `item.${event}`, item: { id, ...more } });

let prompt = "";
for await (const chunk of process.stdin.setEncoding("utf8")) prompt += chunk;
const start = begin({ tool: "codex", key: thread_id, prompt, argv, resumed });

const voice = {
  begin() {
    say({ type: "thread.started", thread_id });
    item("completed", {
      type: "error",
      message:
        "Model metadata for `fake-model` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.",
    });
    say({ type: "turn.started" });
  },
  forgotten() {
    process.stderr.write(
      `Error: thread/resume: thread/resume failed: no rollout found for thread id ${resumed} (code -32600)\n`,
    );
    process.exit(1);
  },
  async text(chunks, ms = 0, between = () => {}) {
    for (const _chunk of ms > 0 ? chunks : []) {
      await sleep(ms);
      between();
    }
    item("completed", { type: "agent_message", text: chunks.join("") });
  },
  async tool(_name, denied, meanwhile = () => {}) {
    const id = `item_${made++}`;
    const run = { type: "command_execution", command: "/bin/bash -lc 'ls'" };
    item("started", { ...run, aggregated_output: "", exit_code: null, status: "in_progress" }, id);
    await meanwhile();
    item(
      "completed",
      {
        ...run,
        aggregated_output: denied ? "" : "a.txt\n",
        exit_code: denied ? null : 0,
        status: denied ? "declined" : "completed",
      },
      id,
    );
    await voice.text([denied ? "I may not." : "The tool has run."]);
  },
  noise: (words) => process.stdout.write(`${words}\n`),
  done() {
    const turns = start.earlier.length + 1;
    say({
      type: "turn.completed",
      usage: {
        input_tokens: 12 * turns,
        cached_input_tokens: 0,
        output_tokens: 34 * turns,
        reasoning_output_tokens: 0,
      },
    });
  },
  fail: (status) => broken(`unexpected status ${status} Mock, url: http://127.0.0.1/v1/responses`),
  fails: ({ words }) => broken(words),
  broken: () => broken("We’re currently experiencing high demand, which may cause temporary errors."),
  limit: (seconds) =>
    broken(
      `You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at ${when(new Date(Date.now() + seconds * 1000))}.`,
    ),
};

function broken(message) {
  say({ type: "error", message });
  say({ type: "turn.failed", error: { message } });
  process.exitCode = 1;
}

/** Local time, with the date where that is another than today's. */
function when(at) {
  const time = at.toLocaleTimeString("en-US", { hour: "numeric", minute: "2-digit" }).replace(/\s/g, " ");
  if (at.toDateString() === new Date().toDateString()) return time;
  const suffix = { 1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st" }[at.getDate()] ?? "th";
  return `${at.toLocaleDateString("en-US", { month: "short" })} ${at.getDate()}${suffix}, ${at.getFullYear()} ${time}`;
}

await perform(start, voice);
