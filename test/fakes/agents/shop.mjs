/**
 * Claude Code as the README's picture shows it: it reads a small shop, asks for the change, really makes it, runs the
 * tests, and says what it found. Only what it says is written down beforehand; its lines are those of the real one.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const argv = process.argv.slice(2);
if (argv[0] === "auth") process.exit(0);
if (argv[0] === "--version") {
  process.stdout.write("2.1.329 (Claude Code)\n");
  process.exit(0);
}

const WRONG = `  const gifts = items.filter(isGift);
  return RATE + gifts.length * RATE;`;
const RIGHT = "  return items.length > 0 ? RATE : 0;";

const session_id = "6d3040e7-7186-4cfc-b5f1-36b24e8e3400";
const say = (line) => process.stdout.write(`${JSON.stringify({ session_id, ...line })}\n`);
let messages = 0;
let answered;

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "control_response") answered(message.response.response.behavior);
    if (message.type === "user") void work();
  })
  .on("close", () => process.exit());

async function work() {
  say({
    type: "system",
    subtype: "init",
    cwd: process.cwd(),
    model: "claude-opus-5-5",
    tools: ["Read", "Edit", "Bash"],
    permissionMode: "default",
  });
  const cart = readFileSync("cart.mjs", "utf8");
  finished(began("Read", { file_path: "cart.mjs" }), cart);
  speak("Found it: shipping is charged for the order and **once more for every gift** in it.");
  const change = { file_path: "cart.mjs", old_string: WRONG, new_string: RIGHT };
  const edit = began("Edit", change);
  if ((await asked(edit, "Edit", change)) !== "allow") return end("Nothing was changed.");
  writeFileSync("cart.mjs", cart.replace(WRONG, RIGHT));
  finished(edit, "The file has been updated.");
  const run = began("Bash", { command: "node --test", description: "Run the tests" });
  // It throws where a test fails, and then there is no picture.
  const passed = / pass (\d+)/.exec(execFileSync(process.execPath, ["--test"], { encoding: "utf8" }))?.[1];
  finished(run, `${passed} passed`);
  end(`Fixed: shipping is charged once an order, however many gifts are in it. All ${passed} tests pass.`);
}

function end(words) {
  speak(words);
  const usage = { input_tokens: 5336, output_tokens: 224, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  say({
    type: "result",
    subtype: "success",
    is_error: false,
    result: words,
    num_turns: 4,
    duration_ms: 7,
    total_cost_usd: 0.0243,
    usage,
    permission_denials: [],
  });
}

function speak(words) {
  const message = { id: `msg_${(messages += 1)}`, role: "assistant", content: [] };
  say({ type: "stream_event", event: { type: "message_start", message } });
  say({
    type: "stream_event",
    event: { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  });
  say({
    type: "stream_event",
    event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: words } },
  });
  say({ type: "assistant", message: { ...message, content: [{ type: "text", text: words }] } });
  say({ type: "stream_event", event: { type: "content_block_stop", index: 0 } });
  say({ type: "stream_event", event: { type: "message_stop" } });
}

function began(name, input) {
  const id = `toolu_${(messages += 1)}`;
  say({ type: "assistant", message: { id, role: "assistant", content: [{ type: "tool_use", id, name, input }] } });
  return id;
}

function finished(tool_use_id, content) {
  say({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id, content, is_error: false }] },
  });
}

function asked(tool_use_id, tool_name, input) {
  const request = {
    subtype: "can_use_tool",
    tool_name,
    display_name: tool_name,
    input,
    tool_use_id,
    permission_suggestions: [],
  };
  process.stdout.write(`${JSON.stringify({ type: "control_request", request_id: tool_use_id, request })}\n`);
  return new Promise((resolve) => (answered = resolve));
}
