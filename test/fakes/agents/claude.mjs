/**
 * A scripted stand-in for Claude Code in headless mode, for flows where the real binary's half second and quarter
 * gigabyte would only be in the way. It speaks the same lines in the same order; the prompt's first directive says
 * what it does: `echo:TEXT`, `slow:COUNT:MS`, `tool:NAME`, `deny:NAME`, `hang:`, `fail:STATUS`, `die:CODE`,
 * `orphan:` (leaves a grandchild that holds its pipes), `count:`, `spell:TEXT` (in pieces), `limit:SECONDS` (its account
 * is at its limit for so long, and at the second start no more), `flaky:TEXT` (overloaded at the first start), `work:NAME`
 * (see below). Every start is written to $CLAUDE_CODE_FAKE_LOG first of all.
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const argv = process.argv.slice(2);
if (argv[0] === "--version") {
  console.log("2.1.329 (Claude Code)");
  process.exit(0);
}
const log = process.env.CLAUDE_CODE_FAKE_LOG;
const resumed = argv.includes("-r") ? argv[argv.indexOf("-r") + 1] : undefined;
const session_id = resumed ?? randomUUID();
const say = (line) => process.stdout.write(`${JSON.stringify({ session_id, ...line })}\n`);

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type !== "user") return;
  const { content } = message.message;
  const prompt = typeof content === "string" ? content : content.map((block) => block.text).join("");
  if (log) {
    const started = { at: Date.now(), pid: process.pid, prompt, argv, resumed, env: Object.keys(process.env) };
    appendFileSync(log, `${JSON.stringify(started)}\n`);
  }
  void answer(prompt);
});
lines.on("close", () => process.exit(0));

async function answer(prompt) {
  const found = /(echo|slow|tool|deny|hang|fail|die|orphan|count|spell|limit|flaky|work):([^\n]*)/.exec(prompt);
  const [, directive, rest = ""] = found ?? [null, "echo", "ok"];
  say({ type: "system", subtype: "init", cwd: process.cwd(), model: "fake-model", tools: ["Bash"], permissionMode: "default" });
  switch (directive) {
    case "hang":
      await text(["I am thinking"]);
      return;
    case "die":
      process.exit(Number(rest) || 1);
    case "fail":
      say({ type: "result", subtype: "success", is_error: true, api_error_status: Number(rest), result: `API Error: ${rest}`, duration_ms: 5 });
      process.exitCode = 1;
      return;
    case "slow": {
      const [count, ms] = rest.split(":").map(Number);
      const chunks = Array.from({ length: count }, (_, index) => `chunk${index + 1} `);
      return end(await text(chunks, ms));
    }
    case "tool":
    case "deny":
      return end(await tool(rest || "Bash", directive === "deny"));
    case "spell":
      return end(await text(["Here it comes: ", ...(rest.match(/.{1,9}/g) ?? []), " was it"], 150));
    case "orphan":
      spawn("sleep", ["600"], { stdio: ["ignore", "inherit", "inherit"], detached: true }).unref();
      return end(await text(["left a child behind"]));
    case "limit": {
      if (startsWith(prompt) > 1) return end(await text(["within the limit again"]));
      const rate_limit_info = { status: "rejected", resetsAt: Math.ceil(Date.now() / 1000) + Number(rest), rateLimitType: "five_hour" };
      say({ type: "rate_limit_event", rate_limit_info });
      return failed(429, "You've hit your limit", "rate_limit");
    }
    case "flaky":
      if (startsWith(prompt) > 1) return end(await text([rest]));
      return failed(529, 'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', "overloaded");
    case "work":
      return work(rest);
    case "count": {
      // What a person would call "done": a line in a file, to see whether anything was done twice.
      const file = `${process.cwd()}/done.txt`;
      const before = existsSync(file) ? readFileSync(file, "utf8") : "";
      writeFileSync(file, `${before}${rest}\n`);
      return end(await text([`did ${rest}`]));
    }
    default:
      return end(await text([rest]));
  }
}

/** As the real one ends when the model fails: said by nobody, and a success by its subtype. */
function failed(status, result, error) {
  const content = [{ type: "text", text: result }];
  say({ type: "assistant", error, message: { id: "failed", model: "<synthetic>", role: "assistant", content } });
  say({ type: "result", subtype: "success", is_error: true, api_error_status: status, terminal_reason: "api_error", result, duration_ms: 5 });
  process.exitCode = 1;
}

/** How often an agent was started for this prompt, this time counted. */
function startsWith(prompt) {
  const starts = readFileSync(log, "utf8").split("\n").filter((line) => line !== "");
  return starts.filter((line) => JSON.parse(line).prompt === prompt).length;
}

/** Writes NAME.txt when the test opens the gate NAME, and answers when it opens NAME-end: files beside the log of starts. */
async function work(name) {
  const id = "toolu_work";
  say({ type: "assistant", message: { role: "assistant", content: [{ type: "tool_use", id, name: "Write", input: { file_path: join(process.cwd(), `${name}.txt`) } }] } });
  await gate(name);
  writeFileSync(join(process.cwd(), `${name}.txt`), `${name}\n`);
  say({ type: "user", message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "written", is_error: false }] } });
  await gate(`${name}-end`);
  end(await text([`worked on ${name}`]));
}

function gate(name) {
  const folder = dirname(log);
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

async function tool(name, denied) {
  const id = `toolu_${randomUUID().slice(0, 8)}`;
  say({ type: "assistant", message: { role: "assistant", content: [{ type: "tool_use", id, name, input: { command: "ls" } }] } });
  if (denied) say({ type: "system", subtype: "permission_denied", tool_name: name, tool_use_id: id, message: "not allowed here" });
  const content = [{ type: "tool_result", tool_use_id: id, content: denied ? "not allowed here" : "a.txt", is_error: denied }];
  say({ type: "user", message: { role: "user", content } });
  return text([denied ? "I may not." : "The tool has run."]);
}

async function text(chunks, ms = 0) {
  say({ type: "stream_event", event: { type: "message_start", message: { id: "msg", role: "assistant", content: [] } } });
  say({ type: "stream_event", event: { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } });
  for (const chunk of chunks) {
    say({ type: "stream_event", event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: chunk } } });
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  }
  const whole = chunks.join("");
  say({ type: "assistant", message: { id: "msg", role: "assistant", content: [{ type: "text", text: whole }] } });
  say({ type: "stream_event", event: { type: "content_block_stop", index: 0 } });
  say({ type: "stream_event", event: { type: "message_stop" } });
  return whole;
}

function end(result) {
  const usage = { input_tokens: 12, output_tokens: 34, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  say({ type: "result", subtype: "success", is_error: false, result, num_turns: 1, duration_ms: 7, total_cost_usd: 0.001, usage, permission_denials: [] });
}
