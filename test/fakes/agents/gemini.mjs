/**
 * A scripted stand-in for Gemini CLI in headless mode, for flows. It speaks the same lines in the same order in either
 * of its forms, with its oddities: words on stdout before its lines, an exit code that is the API's status modulo 256,
 * a failed command called a success. `script.mjs` says what it does when.
 */
import { randomUUID } from "node:crypto";
import { begin, perform, sleep } from "./script.mjs";

const argv = process.argv.slice(2);
if (argv[0] === "--version") {
  console.log("0.61.0");
  process.exit(0);
}
const valueOf = (name) => (argv.includes(name) ? argv[argv.indexOf(name) + 1] : undefined);
const resumed = valueOf("--resume");
const session_id = resumed ?? randomUUID();
const whole = valueOf("--output-format") === "json";
const usage = { total_tokens: 46, input_tokens: 12, output_tokens: 34, cached: 0, input: 12 };
const stats = { ...usage, duration_ms: 7, tool_calls: 0, models: { "fake-model": usage } };
const say = (line) =>
  whole || process.stdout.write(`${JSON.stringify({ ...line, timestamp: new Date().toISOString() })}\n`);
let answer = "";

let prompt = "";
for await (const chunk of process.stdin.setEncoding("utf8")) prompt += chunk;

const voice = {
  begin() {
    process.stdout.write("Loaded cached credentials.\n");
    process.stderr.write("Warning: True color (24-bit) support not detected.\n");
    say({ type: "init", session_id, model: "fake-model" });
    say({ type: "message", role: "user", content: prompt });
  },
  forgotten() {
    process.stderr.write(
      `Error resuming session: Invalid session identifier "${resumed}".\n  Use --list-sessions to see available sessions.\n`,
    );
    process.exit(42);
  },
  async text(chunks, ms = 0, between = () => {}) {
    for (const content of chunks) {
      answer += content;
      say({ type: "message", role: "assistant", content, delta: true });
      between();
      if (ms > 0) await sleep(ms);
    }
  },
  async tool(_name, denied, meanwhile = () => {}) {
    const tool_id = `run_shell_command_${randomUUID().slice(0, 8)}`;
    say({ type: "tool_use", tool_name: "run_shell_command", tool_id, parameters: { command: "ls" } });
    await meanwhile();
    const error = { type: "policy_violation", message: "Tool execution denied by policy." };
    say({
      type: "tool_result",
      tool_id,
      ...(denied ? { status: "error", error } : { status: "success", output: "a.txt" }),
    });
    await voice.text([denied ? "I may not." : "The tool has run."]);
  },
  noise: (words) => process.stdout.write(`${words}\n`),
  done() {
    if (whole)
      process.stdout.write(
        `${JSON.stringify({ session_id, response: answer, stats: { models: { "fake-model": { tokens: { input: 12, candidates: 34, cached: 0 } } } } }, null, 2)}\n`,
      );
    say({ type: "result", status: "success", stats });
  },
  fail: (status) => broken(status, `[API Error: {"error":{"code":${status},"message":"mock error ${status}"}}]`),
  fails: ({ status, words }) => broken(status, `[API Error: ${words}]`),
  broken() {
    process.stderr.write("Attempt 1 failed with status 503. Retrying with backoff... _ApiError: mock error 503\n");
    broken(
      503,
      '[API Error: {"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}]',
    );
  },
  limit: (seconds) =>
    broken(
      429,
      `[API Error: You have exhausted your capacity on this model. Your quota will reset after ${seconds}s.]`,
    ),
};

function broken(status, message) {
  if (whole)
    process.stderr.write(
      `${JSON.stringify({ session_id, error: { type: "Error", message, code: status } }, null, 2)}\n`,
    );
  say({ type: "result", status: "error", error: { type: "unknown", message }, stats });
  process.exitCode = status % 256;
}

await perform(begin({ tool: "gemini", key: session_id, prompt, argv, resumed }), voice);
