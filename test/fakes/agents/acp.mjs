#!/usr/bin/env node
/**
 * An ACP agent that misbehaves, without the protocol's library, so that it can send anything. Its first argument says
 * what goes wrong before the session is open; the prompt's first word says what goes wrong in the turn. It notes every
 * message it got in the file $ACP_FAKE_LOG.
 *
 * At the start: exit · hang · banner-exit · banner (words before the protocol; then all is well) · version · no-id ·
 * refuse-new · refuse-key (names its key) · login (and offers two ways) · logged-out (says so only when it is prompted)
 * · auto (starts in a mode that does not ask) · stuck (the same, and cannot be set to another) · mute (asks, and cannot
 * be set to another) · mum (asks, and never says whether it was set to another mode or model) · steers (can be spoken
 * to in a turn) · stranger (a name nobody knows, with modes, that says it can be spoken to too) · no-resume · load
 * (replays before and after its answer) · lost (knows no session) · lost-later (the same, and says so when it is
 * prompted) · refuse-resume (answers so with its second argument) · models (offers some) · many (offers sixty, and one
 * with a long id) · folders (is granted some) · early (asks before its session is open) · fine In the turn: echo ·
 * garbage · half · long · deep · vast (asks for more than can be read) · bulk (asks for a command of 7.8 million
 * characters that nobody can see) · utf8 · flood · batch · twice · late · late-told (the same, and says what it is
 * answered) · other · no-options · always-only · stubborn (does nothing until it gets SIGINT, which ends no more than
 * its turn) · unended (says all and does not end its turn before it is cancelled, and then as if it were done) · parting (the same, and exits a moment later) · termed (the same at SIGTERM, which ends no more either) ·
 * patient (answers after a second) · listen (until it is spoken to) · ignore (the same, and does not say that it was) ·
 * model (says which it is, and its usage) · quiet (does nothing until it is cancelled) · report (goes on by itself and
 * marks the end) · report-idle (the same, as Codex does) · leave (a tool goes on, until the next prompt) · work (a tool
 * goes on, and nothing else comes) · asides (what is no answer, around one) · folders (says those that it was granted)
 * · permit · die-asking · withdraw · deaf · die · refusal · max_tokens · max_turn_requests · tired_of_it (each of them
 * ends the turn so) · loosen · plan (changes to that mode) · edits (the same to acceptEdits) · flit (changes its mode a
 * thousand times after its end) · api-error (says the failure of its model twice) · api-words (says the same, and means
 * it) · no-reason (does not say why it ends) · whole (says its whole prompt) · noise (writes what is no update when it
 * idles) · form-elsewhere (the form of another session) · mode (says which it is) · linger (until its mode is set) ·
 * think (and nothing else until it is cancelled) · fs · unversioned · error · cancel-itself · form · rules (a form with
 * rules for its answers) · euros (tells a cost in euros, and shows a picture) · described (a form whose one field has a
 * description) · count:TEXT (a line in done.txt, and noted as a start of the other agents is). As long as fails.json
 * lies in its project, its prompts fail so: with an `error`, or with `words` and an ordinary end, as Codex's adapter
 * does.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { forms } from "./forms.mjs";
import { begin, count as countDone } from "./script.mjs";

const [, , start = "fine", refusal = "{}"] = process.argv;
const SESSION = "session-1";
const names = {
  mum: "@agentclientprotocol/claude-agent-acp",
  mute: "@agentclientprotocol/claude-agent-acp",
  stranger: "nobody-knows-me",
  auto: "@agentclientprotocol/claude-agent-acp",
  stuck: "@agentclientprotocol/claude-agent-acp",
  steers: "@agentclientprotocol/claude-agent-acp",
  load: "gemini-cli",
};
const waiting = new Map();
let count = 0;
let mode = start === "auto" || start === "stuck" ? "auto" : "default";
let prompt = null;
let model = "small";
let folders = [];
let euros = 0;
let whole = "";
const many = [
  ...Array.from({ length: 60 }, (_, at) => ({ modelId: `vendor/model-${at + 1}`, name: `Model ${at + 1}` })),
  { modelId: `vendor:${"long/".repeat(18)}end`, name: "Long" },
];
const models = () =>
  start === "many"
    ? { models: { currentModelId: many[0].modelId, availableModels: many } }
    : start === "models" || start === "mum"
      ? {
          models: {
            currentModelId: model,
            availableModels: [
              { modelId: "small", name: "Small" },
              { modelId: "large", name: "Large" },
              { modelId: "gone", name: "Gone" },
            ],
          },
        }
      : {};

const write = (text) => process.stdout.write(`${text}\n`);
const send = (message) => write(JSON.stringify({ jsonrpc: "2.0", ...message }));
const update = (body, sessionId = SESSION) => send({ method: "session/update", params: { sessionId, update: body } });
const say = (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const end = (stopReason = "end_turn") => send({ id: prompt, result: { stopReason } });

function ask(method, params, sessionId = SESSION) {
  const id = `ask-${(count += 1)}`;
  send({ id, method, params: { sessionId, ...params } });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const call = {
  toolCallId: "call-1",
  title: "rm -rf build",
  kind: "execute",
  status: "pending",
  rawInput: { command: "rm -rf build" },
};
const once = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
const always = [{ optionId: "ever", name: "Always", kind: "allow_always" }];
const no = [{ optionId: "no", name: "No", kind: "reject_once" }];
const permit = (options, more) => ask("session/request_permission", { toolCall: call, options, ...more });

if (start === "exit") process.exit(3);
if (start.startsWith("banner")) write("Welcome to the agent!\n\n{ not json");
if (start === "banner-exit") process.exit(0);
if (start !== "hang")
  createInterface({ input: process.stdin })
    .on("line", (line) => void take(JSON.parse(line)))
    .on("close", () => process.exit(0));
else setInterval(() => {}, 60_000);

async function take(message) {
  if (process.env.ACP_FAKE_LOG) appendFileSync(process.env.ACP_FAKE_LOG, `${JSON.stringify(message)}\n`);
  const { id, method, params } = message;
  if (method === undefined) return waiting.get(id)?.(message.result ?? message.error);
  const reply = (result) => send({ id, result });
  const refuse = (code, text) => send({ id, error: { code, message: text } });
  const modes = () =>
    start in names && start !== "load"
      ? {
          modes: {
            currentModeId: mode,
            availableModes: ["default", "auto", "plan", "acceptEdits", ...(start === "stranger" ? ["yolo"] : [])].map(
              (id) => ({ id, name: id }),
            ),
          },
        }
      : {};
  switch (method) {
    case "initialize":
      return reply({
        protocolVersion: start === "version" ? 2 : 1,
        ...((start === "steers" || start === "stranger") && { _meta: { steering: { supported: true } } }),
        ...(start === "login" && { authMethods: [{ id: "browser", name: "Log in with a browser" }, { id: "key" }] }),
        agentInfo: { name: names[start] ?? "acp-demo-agent", version: "0" },
        agentCapabilities: {
          loadSession: start === "load",
          promptCapabilities: { image: start === "fine" },
          sessionCapabilities: {
            close: {},
            ...(start === "folders" && { additionalDirectories: {} }),
            ...(start !== "no-resume" && start !== "load" && { resume: {} }),
          },
        },
      });
    case "session/new":
      if (start === "early")
        say(JSON.stringify(await ask("session/request_permission", { toolCall: call, options: [...once, ...no] })));
      folders = params.additionalDirectories ?? [];
      if (start === "refuse-new") return refuse(-32603, "no room");
      if (start === "refuse-key") return refuse(-32603, `no room for ${process.env.ANTHROPIC_API_KEY}`);
      if (start === "login") return refuse(-32000, "Authentication required");
      return reply({ ...(start !== "no-id" && { sessionId: SESSION }), ...modes(), ...models() });
    case "session/resume":
      if (start === "refuse-resume") return send({ id, error: JSON.parse(refusal) });
      return start === "lost" ? refuse(-32002, "Resource not found") : reply({ ...modes(), ...models() });
    case "session/load":
      say("an old answer");
      reply({});
      return say("another old answer");
    case "session/set_mode":
      if (start === "mum") return;
      if (start === "stuck" || start === "mute") return refuse(-32603, "no");
      mode = params.modeId;
      reply({});
      if (turn !== "linger") return;
      say(`${mode}, so I stop`);
      return end();
    case "session/set_model":
      if (start === "mum") return;
      if (params.modelId === "gone") return refuse(-32602, "no such model");
      model = params.modelId;
      return reply({});
    case "session/close":
      return reply({});
    case "session/cancel":
      return prompt !== null && !DEAF.has(turn) ? end(turn === "unended" ? "end_turn" : "cancelled") : undefined;
    case "_session/steering":
      if (turn === "ignore") return end();
      if (turn !== "listen") return reply({ outcome: "promptRequired", reason: "noRunningTurn" });
      turn = "";
      say(
        `You also said: ${params.prompt[0].text.split("\n").at(-1)}${params.prompt
          .slice(1)
          .map(({ type }) => ` and a ${type}`)
          .join("")}`,
      );
      reply({ outcome: "injected" });
      return end();
    case "session/prompt":
      if (start === "lost-later")
        return send({
          id,
          error: { code: -32603, message: "Internal error", data: { message: `thread not found: ${SESSION}` } },
        });
      if (start === "logged-out") return refuse(-32000, "Authentication required");
      prompt = id;
      whole = params.prompt[0].text;
      if (/^count:/m.test(whole)) return counted(whole.split("\n").at(-1));
      return act(params.prompt[0].text.split("\n").at(-1));
    default:
      return refuse(-32601, "Method not found");
  }
}

let turn = "";
const DEAF = new Set(["deaf", "stubborn", "parting", "termed"]);

const turns = {
  async garbage() {
    write("Segmentation fault (not really)\n\u0007\u001b[31m[1,2,3]\nnull\n42");
    send({});
    send({ id: "nobody-asked", result: {} });
    say("fine");
    return end();
  },
  async half() {
    process.stdout.write('{"jsonrpc":"2.0","method":"session/upd\n');
    say("fine");
    process.stdout.write(`{"jsonrpc":"2.0","id":${prompt},"result":{"stopRea`);
    return process.exit(0);
  },
  async long() {
    process.stdout.write(`{"jsonrpc":"2.0","method":"session/update","params":{"x":"`);
    for (let mb = 0; mb < 100; mb += 1)
      if (!process.stdout.write("x".repeat(1024 * 1024)))
        await new Promise((next) => process.stdout.once("drain", next));
    write('"}}');
    say("fine");
    return end();
  },
  async bulk() {
    const rawInput = { command: "\x7f".repeat(7_800_000) };
    update({ sessionUpdate: "tool_call", ...call, title: "a long command", rawInput });
    say(
      JSON.stringify(
        await ask("session/request_permission", {
          toolCall: { ...call, title: "a long command", rawInput },
          options: [...once, ...no],
        }),
      ),
    );
    return end();
  },
  async vast() {
    say(JSON.stringify(await permit([...once, ...no], { x: "x".repeat(9 * 1024 * 1024) })));
    say(JSON.stringify(await permit([...once, ...no], { x: JSON.parse(`${"[".repeat(300)}${"]".repeat(300)}`) })));
    return end();
  },
  async deep() {
    write(`{"jsonrpc":"2.0","method":"session/update","params":${"[".repeat(5_000)}${"]".repeat(5_000)}}`);
    say("fine");
    return end();
  },
  async utf8() {
    process.stdout.write(
      Buffer.concat([
        Buffer.from(
          `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${SESSION}","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a`,
        ),
        Buffer.from([0xff, 0xc3]),
        Buffer.from('z"}}}}\n'),
      ]),
    );
    return end();
  },
  async flood() {
    for (let line = 0; line < 50_000; line += 1) {
      if (
        !process.stdout.write(
          `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: SESSION, update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "0123456789" } } } })}\n`,
        )
      )
        await new Promise((next) => process.stdout.once("drain", next));
    }
    return end();
  },
  async batch() {
    write(JSON.stringify([{ jsonrpc: "2.0", id: 1, method: "fs/read_text_file" }]));
    say("fine");
    return end();
  },
  async twice() {
    say("fine");
    end();
    return end("refusal");
  },
  async late() {
    say("fine");
    end();
    say(" and late");
    return void permit([...once, ...no]);
  },
  async "late-told"() {
    end();
    return say(JSON.stringify(await permit([...once, ...no])));
  },
  async report() {
    end();
    say("the build is done");
    return update({
      sessionUpdate: "usage_update",
      used: 1,
      size: 2,
      _meta: { "_claude/origin": { kind: "task-notification" } },
    });
  },
  async "report-idle"() {
    end();
    say("the build is done");
    return update({ sessionUpdate: "session_info_update", _meta: { codex: { threadStatus: { type: "idle" } } } });
  },
  async model() {
    update({ sessionUpdate: "usage_update", used: 30_000, size: 200_000, cost: { amount: 0.5, currency: "USD" } });
    say(`I am ${model}`);
    return end();
  },
  async euros() {
    euros += 1.5;
    update({ sessionUpdate: "usage_update", used: 30_000, size: 200_000, cost: { amount: euros, currency: "EUR" } });
    update({
      sessionUpdate: "agent_message_chunk",
      content: { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
    });
    return end();
  },
  async quiet() {
    return;
  },
  async unended() {
    return say("That is all.");
  },
  async listen() {
    return;
  },
  async ignore() {
    return;
  },
  async leave() {
    update({
      sessionUpdate: "tool_call",
      toolCallId: "left-1",
      title: "npm run build",
      kind: "execute",
      status: "in_progress",
      rawInput: {},
    });
    return end();
  },
  async asides() {
    for (const text of [
      "Warning: Model metadata for `x` not found.",
      "**Warning:** We're changing auto mode.",
      "[MODE_UPDATE] default",
    ])
      say(text);
    const message = (messageId, text) =>
      update({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } });
    message("m1", "one");
    message("m2", "two");
    update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hmm" } });
    message("m2", "three");
    update({ sessionUpdate: "of_tomorrow", words: "not yours" });
    end();
    update({ sessionUpdate: "session_info_update", title: "A title" });
    return send({ method: "_auth/status_update", params: { sessionId: SESSION, status: "ok" } });
  },
  async folders() {
    say(folders.join("\n"));
    return end();
  },
  async work() {
    return update({
      sessionUpdate: "tool_call",
      toolCallId: "work-1",
      title: "npm test",
      kind: "execute",
      status: "in_progress",
      rawInput: { command: "npm test" },
    });
  },
  async left() {
    update({ sessionUpdate: "tool_call_update", toolCallId: "left-1", status: "completed" });
    say("ended");
    return end();
  },
  async other() {
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "not yours" } }, "session-2");
    update({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 3, currency: "USD" } }, "session-2");
    update(
      { sessionUpdate: "available_commands_update", availableCommands: [{ name: "theirs", description: "not yours" }] },
      "session-2",
    );
    say(
      `fine ${JSON.stringify(await ask("session/request_permission", { toolCall: call, options: [...once, ...no] }, "session-2"))}`,
    );
    return end();
  },
  async "no-options"() {
    say(JSON.stringify(await permit([])));
    return end();
  },
  async "always-only"() {
    say(JSON.stringify(await permit([...always, ...no])));
    return end();
  },
  async permit() {
    say(JSON.stringify(await permit([...always, ...once, ...no])));
    return end();
  },
  async "die-asking"() {
    void permit([...once, ...no]);
    return setTimeout(() => process.exit(9), 50);
  },
  async withdraw() {
    void permit([...once, ...no]);
    send({ method: "$/cancel_request", params: { requestId: `ask-${count}` } });
    return;
  },
  async withdrawn() {
    say("went on");
    return end();
  },
  async deaf() {
    say("working");
    return process.on("SIGINT", () => {});
  },
  async stubborn() {
    process.once("SIGINT", () => end()).on("SIGINT", () => {});
    return say("working");
  },
  async parting() {
    process.once("SIGINT", () => {
      end();
      setTimeout(() => process.exit(0), 200);
    });
    return say("working");
  },
  async termed() {
    process
      .on("SIGINT", () => {})
      .on("SIGTERM", () => {})
      .once("SIGTERM", () => end());
    return say("working");
  },
  async patient() {
    return setTimeout(() => {
      say("in time");
      end();
    }, 1_000);
  },
  async die() {
    say("half an ans");
    return setTimeout(() => process.kill(process.pid, "SIGKILL"), 20);
  },
  async refusal() {
    say("I would rather not.");
    return end("refusal");
  },
  async max_tokens() {
    say("The first half,");
    return end("max_tokens");
  },
  async max_turn_requests() {
    return end("max_turn_requests");
  },
  async tired_of_it() {
    return end("tired_of_it");
  },
  async loosen() {
    update({ sessionUpdate: "current_mode_update", currentModeId: "auto" });
    return setTimeout(() => (say(mode), end()), 100);
  },
  async think() {
    for (const text of ["Let me ", "see first."])
      update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } });
    return;
  },
  async plan() {
    mode = "plan";
    update({ sessionUpdate: "current_mode_update", currentModeId: mode });
    return setTimeout(() => (say(mode), end()), 100);
  },
  async mode() {
    say(mode);
    return end();
  },
  async linger() {
    say("still here\n\n");
  },
  async edits() {
    update({ sessionUpdate: "current_mode_update", currentModeId: "acceptEdits" });
    return setTimeout(end, 100);
  },
  async flit() {
    end();
    for (let turn = 0; turn < 1_000; turn += 1)
      update({ sessionUpdate: "current_mode_update", currentModeId: turn % 2 === 0 ? "plan" : "default" });
  },
  async fs() {
    say(JSON.stringify(await ask("fs/read_text_file", { path: "/etc/passwd" })));
    return end();
  },
  async unversioned() {
    write(
      JSON.stringify({
        method: "session/update",
        params: {
          sessionId: SESSION,
          update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "no" } },
        },
      }),
    );
    say("fine");
    return end();
  },
  async error() {
    say("before ");
    return send({ id: prompt, error: { code: 429, message: "mock error 429" } });
  },
  async "api-error"() {
    say("API Error: 400 mock error 400");
    return send({ id: prompt, error: { code: -32603, message: "Internal error: API Error: 400 mock error 400" } });
  },
  async "api-words"() {
    say("API Error: 400 ");
    say("is what you asked about.");
    return end();
  },
  async "no-reason"() {
    say("fine");
    return send({ id: prompt, result: {} });
  },
  async whole() {
    say(whole);
    return end();
  },
  async noise() {
    say("fine");
    end();
    process.stderr.write("Still here.\n");
    send({ method: "_auth/status_update", params: { sessionId: SESSION, status: "ok" } });
    return update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "not yours" } }, "session-2");
  },
  async "form-elsewhere"() {
    say(
      JSON.stringify(
        await ask(
          "elicitation/create",
          {
            mode: "form",
            message: "Which?",
            requestedSchema: { type: "object", properties: { a: { type: "string" } } },
          },
          "session-2",
        ),
      ),
    );
    return end();
  },
  async "cancel-itself"() {
    return end("cancelled");
  },
};

function counted(text) {
  begin({ tool: "acp", key: SESSION, prompt: text, argv: [] });
  const how = existsSync("fails.json") ? JSON.parse(readFileSync("fails.json", "utf8")) : null;
  if (how === null) {
    say(countDone(text.slice("count:".length)));
    return end();
  }
  if (how.error) return send({ id: prompt, error: how.error });
  update({ sessionUpdate: "session_info_update", _meta: { codex: { threadStatus: { type: "systemError" } } } });
  say(how.words);
  return end();
}

async function act(text) {
  turn = text.split(" ")[0];
  const play = turns[turn];
  if (play) return play();
  const shown = forms[turn];
  say(shown ? JSON.stringify(await ask("elicitation/create", { mode: "form", ...shown })) : text.replace(/^echo /, ""));
  return end();
}
