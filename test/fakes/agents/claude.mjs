/**
 * A scripted stand-in for Claude Code in headless mode, for flows where the real binary's half second and quarter
 * gigabyte would only be in the way. It speaks the same lines in the same order; `script.mjs` says what it does when.
 */
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { begin, perform, sleep } from "./script.mjs";

const argv = process.argv.slice(2);
// Whether it is logged in: as long as nobody puts a file there that says otherwise.
if (argv[0] === "auth") process.exit(existsSync(`${process.env.HOME}/logged-out`) ? 1 : 0);
if (argv[0] === "--version") {
  console.log("2.1.329 (Claude Code)");
  process.exit(0);
}
const resumed = argv.includes("-r") ? argv[argv.indexOf("-r") + 1] : undefined;
const session_id = resumed ?? randomUUID();
/** The prompt it is at; what an earlier one has still to say is not said any more. */
let current = null;
const write = (line) => process.stdout.write(`${JSON.stringify({ session_id, ...line })}\n`);

/** In its record of the conversation, where it is looked for after its end. */
function keep(line) {
  const folder = join(process.env.HOME, ".claude", "projects", "app");
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${session_id}.jsonl`), `${JSON.stringify(line)}\n`);
}

/** Requests that wait for the owner's word. */
const waiting = new Map();

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "control_response") waiting.get(message.response.request_id)?.(message.response.response);
  if (message.request?.subtype === "interrupt" && !argv.includes("--deaf")) interrupt(message.request_id);
  if (message.request?.subtype === "cancel_async_message") drop(message.request_id, message.request.message_uuid);
  if (message.request?.subtype === "set_permission_mode") setMode(message.request_id, message.request.mode);
  if (message.request?.subtype in settings) set(message.request_id, message.request);
  if (message.type !== "user") return;
  // `vanish:` dies before it has said anything, the first time.
  const vanished = `${process.env.HOME}/vanished`;
  if (line.includes("vanish:") && !existsSync(vanished)) {
    writeFileSync(vanished, "");
    process.exit(7);
  }
  queued.push(message);
  // For a test that waits until it has been told something in mid-turn.
  if (current !== null) appendFileSync(join(dirname(process.env.CLAUDE_CODE_FAKE_LOG), "heard"), `${message.uuid}\n`);
  if (message.uuid) write({ type: "command_lifecycle", command_uuid: message.uuid, state: "queued" });
  goOn();
});

/** One prompt after the other. */
const queued = [];
function goOn() {
  if (current !== null || queued.length === 0) return;
  const { message, uuid, byItself } = queued.shift();
  const own = (current = {});
  // Nobody prompted it: what it had left in the background has ended.
  if (byItself !== undefined)
    return void perform({ prompt: byItself, earlier: [], again: false, resumed }, voiceOf(own));
  keep({ type: "user", message, uuid });
  if (uuid) write({ type: "command_lifecycle", command_uuid: uuid, state: "started" });
  const prompt =
    typeof message.content === "string" ? message.content : message.content.map((block) => block.text).join("");
  const start = begin({ tool: "claude", key: session_id, prompt, argv, mode, resumed });
  if (/^\/compact(?: |$)/.test(prompt)) return compact(prompt.slice(9), uuid);
  void perform(start, voiceOf(own, uuid));
}

/**
 * `--loose MODE`: whatever it was told, it is in this mode when it begins its first turn; `--stubborn`: and stays
 * there.
 */
let mode = argv[argv.indexOf("--permission-mode") + 1];
let loose = argv.includes("--loose") ? argv[argv.indexOf("--loose") + 1] : undefined;
function setMode(request_id, wanted) {
  const isChanged = !argv.includes("--stubborn") && wanted !== mode;
  if (isChanged) mode = wanted;
  const response = argv.includes("--stubborn")
    ? { subtype: "error", error: "not here", request_id }
    : { subtype: "success", request_id, response: { mode } };
  // As the real one, which says both within a millisecond.
  const status = { type: "system", subtype: "status", status: null, permissionMode: mode, session_id };
  const lines = [{ type: "control_response", response }, ...(isChanged ? [status] : [])];
  process.stdout.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** What it says of itself, and what it may be set to: as the real one, it takes any model and any effort. */
let effort = argv.find((one) => one.startsWith("--effort="))?.slice(9) ?? "medium";
let model = argv.findLast((one) => one.startsWith("--model="))?.slice(8) ?? "claude-opus-5-5";
const LEVELS = ["low", "medium", "high"];
const settings = {
  initialize: () => ({
    commands: [
      { name: "compact", description: "Free up context", argumentHint: "[words]", builtin: true },
      { name: "review", description: "Review a pull request", argumentHint: "" },
    ],
    models: ["opus", "haiku"].map((value) => ({
      value,
      resolvedModel: `claude-${value}-5-5`,
      displayName: value,
      supportedEffortLevels: LEVELS,
    })),
  }),
  set_model: (request) => ({ model: (model = `claude-${request.model}-5-5`) }),
  apply_flag_settings: (request) => {
    if (LEVELS.includes(request.settings.effortLevel)) effort = request.settings.effortLevel;
  },
  get_settings: () => ({ applied: { model, effort } }),
};
function set(request_id, request) {
  const log = process.env.CLAUDE_CODE_FAKE_LOG;
  if (log !== undefined) appendFileSync(join(dirname(log), "settings"), `${JSON.stringify(request)}\n`);
  const response = { subtype: "success", request_id, response: settings[request.subtype](request) };
  process.stdout.write(`${JSON.stringify({ type: "control_response", response })}\n`);
}

/** Its own command, which no model is asked about: the words after it say why it fails, if they do. */
function compact(words, uuid) {
  const fails = words.startsWith("fails:") ? words.slice(6) : null;
  write({ type: "system", subtype: "status", status: "compacting" });
  write({
    type: "system",
    subtype: "status",
    status: null,
    ...(fails === null ? { compact_result: "success" } : { compact_result: "failed", compact_error: fails }),
  });
  write({ type: "system", subtype: "init", model, permissionMode: mode });
  if (fails === null) {
    const compact_metadata = { trigger: "manual", pre_tokens: 180_234, post_tokens: 11_900, duration_ms: 9 };
    write({ type: "system", subtype: "compact_boundary", compact_metadata });
  }
  write({ type: "result", subtype: "success", is_error: false, num_turns: 0, result: "" });
  write({ type: "command_lifecycle", command_uuid: uuid, state: "completed" });
  current = null;
  goOn();
}

/** What was written in mid-turn is read beside a tool's result, and ends with the turn. */
function fold() {
  const taken = queued.filter(({ byItself }) => byItself === undefined);
  for (const one of taken) queued.splice(queued.indexOf(one), 1);
  return taken.map(({ message, uuid }) => {
    // Noted before it is told: a test may look there at once.
    const { prompt } = begin({
      tool: "claude",
      key: session_id,
      prompt: message.content.map((block) => block.text).join(""),
      argv,
      resumed,
    });
    keep({ type: "queue-operation", operation: "remove", reason: "absorbed_mid_turn", commandUuid: uuid });
    write({ type: "user", message, uuid, isReplay: true });
    write({ type: "command_lifecycle", command_uuid: uuid, state: "started" });
    return prompt;
  });
}

/** A line that it has not begun with; with `--keeping` it says that it has. */
function drop(request_id, message_uuid) {
  const at = argv.includes("--keeping") ? -1 : queued.findIndex(({ uuid }) => uuid === message_uuid);
  process.stdout.write(
    `${JSON.stringify({ type: "control_response", response: { subtype: "success", request_id, response: { cancelled: at >= 0 } } })}\n`,
  );
  if (at < 0) return;
  queued.splice(at, 1);
  write({ type: "command_lifecycle", command_uuid: message_uuid, state: "cancelled" });
}

function interrupt(request_id) {
  process.stdout.write(
    `${JSON.stringify({ type: "control_response", response: { subtype: "success", request_id, response: { still_queued: [] } } })}\n`,
  );
  if (current === null) return;
  for (const id of waiting.keys())
    process.stdout.write(`${JSON.stringify({ type: "control_cancel_request", request_id: id })}\n`);
  waiting.clear();
  write({
    type: "user",
    message: { role: "user", content: [{ type: "text", text: "[Request interrupted by user]" }] },
  });
  current.done({
    type: "result",
    subtype: "error_during_execution",
    is_error: true,
    terminal_reason: "aborted_streaming",
    errors: ["interrupted"],
  });
}
// `--stoic`: SIGINT, which ends a Claude, is to this one what the interrupt is to others.
if (argv.includes("--stoic")) process.on("SIGINT", () => interrupt("signal"));
lines.on("close", () => process.exit());

/** Nobody prompts what comes then. */
async function background(over, then) {
  const changed = (tasks) => write({ type: "system", subtype: "background_tasks_changed", tasks });
  changed([{ task_id: "b1", run_id: "r1", task_type: "local_bash", description: then }]);
  await over;
  changed([]);
  queued.push({ byItself: then });
  goOn();
}

/** It asks, and goes on when the turn is over. */
function subagent(input, task_id = "s1", description = "look around") {
  const [id, request_id] = [`toolu_${randomUUID().slice(0, 8)}`, randomUUID()];
  write({
    type: "system",
    subtype: "task_started",
    task_id,
    subagent_type: "general-purpose",
    description,
  });
  const response = new Promise((resolve) => void waiting.set(request_id, resolve));
  const request = {
    subtype: "can_use_tool",
    tool_name: "Bash",
    display_name: "Bash",
    input,
    tool_use_id: id,
    agent_id: task_id,
  };
  process.stdout.write(`${JSON.stringify({ type: "control_request", request_id, request })}\n`);
  return response;
}

function voiceOf(own, uuid) {
  const say = (line) => current === own && write(line);
  /** Its last line; the next prompt may begin. */
  const end = (own.done = (line) => {
    if (current !== own) return;
    write(line);
    current = null;
    if (uuid) write({ type: "command_lifecycle", command_uuid: uuid, state: "completed" });
    goOn();
  });
  const voice = {
    begin() {
      if (loose !== undefined) [mode, loose] = [loose, undefined];
      say({
        type: "system",
        subtype: "init",
        cwd: process.cwd(),
        model: "fake-model",
        tools: ["Bash"],
        permissionMode: mode,
      });
    },
    forgotten() {
      end({
        type: "result",
        subtype: "error_during_execution",
        is_error: true,
        errors: [`No conversation found with session ID: ${resumed}`],
      });
      process.exit(1);
    },
    async text(chunks, ms = 0, between = () => {}) {
      say({
        type: "stream_event",
        event: { type: "message_start", message: { id: "msg", role: "assistant", content: [] } },
      });
      say({
        type: "stream_event",
        event: { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      });
      for (const chunk of chunks) {
        say({
          type: "stream_event",
          event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: chunk } },
        });
        between();
        if (ms > 0) await sleep(ms);
      }
      const whole = chunks.join("");
      say({ type: "assistant", message: { id: "msg", role: "assistant", content: [{ type: "text", text: whole }] } });
      say({ type: "stream_event", event: { type: "content_block_stop", index: 0 } });
      say({ type: "stream_event", event: { type: "message_stop" } });
      return whole;
    },
    async tool(name, denied, meanwhile = () => {}) {
      const id = `toolu_${randomUUID().slice(0, 8)}`;
      say({
        type: "assistant",
        message: { role: "assistant", content: [{ type: "tool_use", id, name, input: { command: "ls" } }] },
      });
      await meanwhile();
      if (denied)
        say({
          type: "system",
          subtype: "permission_denied",
          tool_name: name,
          tool_use_id: id,
          message: "not allowed here",
        });
      const content = [
        { type: "tool_result", tool_use_id: id, content: denied ? "not allowed here" : "a.txt", is_error: denied },
      ];
      say({ type: "user", message: { role: "user", content } });
      return voice.text([
        denied ? "I may not." : "The tool has run.",
        ...fold().map((prompt) => ` You also said: ${prompt}`),
      ]);
    },
    async asked(tool_name, input) {
      const [id, request_id] = [`toolu_${randomUUID().slice(0, 8)}`, randomUUID()];
      say({
        type: "assistant",
        message: { role: "assistant", content: [{ type: "tool_use", id, name: tool_name, input }] },
      });
      const response = await new Promise((resolve) => {
        waiting.set(request_id, resolve);
        const request = {
          subtype: "can_use_tool",
          tool_name,
          display_name: tool_name,
          input,
          tool_use_id: id,
          permission_suggestions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
        };
        process.stdout.write(`${JSON.stringify({ type: "control_request", request_id, request })}\n`);
      });
      const denied = response.behavior !== "allow";
      say({
        type: "user",
        message: {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: id, content: denied ? response.message : "done", is_error: denied },
          ],
        },
      });
      return response;
    },
    /** A server of its tools elicits something. */
    elicited({ mode = "form", message, requestedSchema, url, elicitationId }) {
      const request_id = randomUUID();
      const about =
        mode === "url"
          ? { url, elicitation_id: elicitationId }
          : { requested_schema: requestedSchema, property_order: Object.keys(requestedSchema.properties) };
      const request = { subtype: "elicitation", mcp_server_name: "shop", message, mode, ...about };
      process.stdout.write(`${JSON.stringify({ type: "control_request", request_id, request })}\n`);
      return new Promise((resolve) => void waiting.set(request_id, resolve));
    },
    background,
    subagent,
    noise: (words) => process.stdout.write(`${words}\n`),
    exchange(tokens) {
      const usage = { input_tokens: tokens, output_tokens: 0 };
      say({ type: "stream_event", event: { type: "message_start", message: { id: "msg", role: "assistant", usage } } });
      say({ type: "stream_event", event: { type: "message_delta", delta: {}, usage: { output_tokens: 0 } } });
    },
    done(result, dollars) {
      const usage = { input_tokens: 12, output_tokens: 34, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
      end({
        type: "result",
        subtype: "success",
        is_error: false,
        result,
        num_turns: 1,
        duration_ms: 7,
        total_cost_usd: 0.001,
        usage,
        ...(dollars !== undefined && {
          model_usage_since_last_result: { "fake-model": { inputTokens: 12, outputTokens: 34, costUSD: dollars } },
        }),
        permission_denials: [],
      });
    },
    fail: (status) => broken({ say, end }, status, `API Error: ${status}`),
    fails: ({ status, words }) => broken({ say, end }, status, words),
    broken: () => broken({ say, end }, 529, "API Error: Repeated 529 Overloaded errors"),
    limit(seconds) {
      const resetsAt = Math.round(Date.now() / 1000) + seconds;
      say({
        type: "rate_limit_event",
        rate_limit_info: { status: "rejected", resetsAt, rateLimitType: "five_hour", isUsingOverage: false },
      });
      broken({ say, end }, 429, `You've hit your 5-hour limit · resets ${clockTime(resetsAt)} (UTC)`, {
        api_error: "usage_limit_reached",
      });
    },
  };
  return voice;
}

function broken({ say, end }, status, words, more = {}) {
  const message = { model: "<synthetic>", role: "assistant", content: [{ type: "text", text: words }] };
  say({ type: "assistant", message, is_api_error_message: true, api_error_status: status, ...more });
  end({
    type: "result",
    subtype: "success",
    is_error: true,
    terminal_reason: "api_error",
    api_error_status: status,
    result: words,
    duration_ms: 5,
    ...more,
  });
}

function clockTime(seconds) {
  return new Date(seconds * 1000)
    .toLocaleTimeString("en-US", { hour: "numeric", minute: "2-digit", timeZone: "UTC" })
    .replace(/\s([AP])M/, (_, half) => `${half.toLowerCase()}m`);
}
