/**
 * A failure that the next message would meet too: the first message goes back to the head of its queue, the others wait
 * behind it, and nothing more is tried before somebody has seen to the cause. Then all run, once and in order.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { descriptionOf, recorded, withButton } from "./workshop.ts";
import { openSession, type Daemon, type World, type WorldOptions } from "./world.ts";

const prompts = (world: World): string[] => world.agentStarts().map(({ prompt }) => prompt);

/** As long as it lasts, whatever the agent is asked fails so. */
interface Failure {
  status?: number;
  words?: string;
  /** Of an agent that speaks ACP: what its prompt is answered with; else it ends like any, as Codex's adapter does. */
  error?: { code: number; message: string; data?: object };
  /** After it has done something. */
  tool?: true;
  /** Of this tool alone. */
  only?: string;
}

function breakIt(world: World, failure: Failure): void {
  writeFileSync(join(world.project, "fails.json"), JSON.stringify(failure));
}

function mend(world: World): void {
  rmSync(join(world.project, "fails.json"));
}

const script = join(import.meta.dirname, "..", "fakes", "agents", "acp.mjs");

/** The tools of its project; `start`: what the one that speaks ACP does at its start. */
function installed(tools: [string, ...string[]], start = "fine"): WorldOptions {
  return tools[0] === "acp"
    ? { agent: "none", unlimited: true, tools, config: { commands: { acp: [process.execPath, script, start] } } }
    : { unlimited: true, tools };
}

interface Stuck {
  world: World;
  daemon: Daemon;
  thread: string;
  ids: string[];
  notice: APIMessage;
  tried: number;
}

/** A queue of five, whose first message has met the failure. */
async function openStuck(options: WorldOptions, failure?: Failure): Promise<Stuck> {
  const { world, daemon, thread } = await openSession(options);
  if (failure) breakIt(world, failure);
  const ids: string[] = [];
  for (const number of [1, 2, 3, 4, 5]) ids.push((await world.owner(thread).send(`count:${number}`)).id);
  const notice = await world.saying(thread, (said) => withButton(said, "drop"));
  for (const id of ids) await world.marked(id, "⏳");
  return { world, daemon, thread, ids, notice, tried: prompts(world).length };
}

/** Resolves when these stand, in this order; what tells of the wait stands between them. */
async function answeredIn(world: World, thread: string, numbers: number[]): Promise<void> {
  await world.saying(thread, (said) => {
    const answers = said.flatMap(({ content }) => (content.startsWith("did ") ? [content] : []));
    return answers.join() === numbers.map((number) => `did ${number}`).join();
  });
}

/** The next notice, which is a message of its own. */
function another(world: World, thread: string, before: APIMessage): Promise<APIMessage> {
  return world.saying(thread, (said) =>
    withButton(
      said.filter(({ id }) => id !== before.id),
      "drop",
    ),
  );
}

async function press(world: World, thread: string, { id }: APIMessage, button: string): Promise<void> {
  await (await world.owner(thread).clickButton(id, button)).acknowledged();
}

/** A daemon whose process sees the clock so many hours on. */
async function later(world: World, hours: number): Promise<Daemon> {
  const file = join(world.home, "later.mjs");
  writeFileSync(file, `const { now } = Date; Date.now = () => now() + ${hours} * 3_600_000;\n`);
  const daemon = world.daemon({ env: { NODE_OPTIONS: `--import=${file}` } });
  await daemon.ready;
  return daemon;
}

/** What only the presser sees; of a select that it shows, this is chosen. */
async function whispered({ world, thread, notice }: Stuck, button: string, value?: string): Promise<string> {
  const owner = world.owner(thread);
  const [own] = await (await owner.clickButton(notice.id, button)).followUps(1);
  if (value === undefined) return own?.content ?? "";
  const [, id = ""] = /"custom_id":"([^"]+)"/.exec(JSON.stringify(own?.components)) ?? [];
  await owner.select(own?.id ?? "", id, [value]);
  return world.sandbox.until(({ message }) => {
    const shown = message(own?.id ?? "");
    return shown?.components?.length === 0 ? shown.content : undefined;
  });
}

/** Once, and in order. */
async function allRun({ world, thread, ids, tried }: Stuck): Promise<void> {
  await answeredIn(world, thread, [1, 2, 3, 4, 5]);
  for (const id of ids) await world.marked(id, "✅");
  expect(prompts(world).slice(tried)).toEqual([1, 2, 3, 4, 5].map((number) => `count:${number}`));
  expect(readFileSync(join(world.project, "done.txt"), "utf8")).toBe("1\n2\n3\n4\n5\n");
}

const says = (status: number, words: string): Failure => ({ status, words });
const refuses = (message: string, errorKind?: string): Failure => ({
  error: { code: -32_603, message: `Internal error: ${message}`, ...(errorKind && { data: { errorKind } }) },
});
const MODEL = "There's an issue with the selected model (claude-9).";

test.each<[string, Failure, string, string]>([
  ["claude", says(401, "Failed to authenticate. API Error: 401 expired"), "E_AGENT_LOGIN", "Try again"],
  ["claude", says(403, "API Error: 403 forbidden"), "E_AGENT_LOGIN", "Try again"],
  ["claude", says(400, "Prompt is too long"), "E_CONVERSATION_FULL", "New conversation"],
  ["claude", says(400, "Credit balance is too low"), "E_OUT_OF_CREDITS", "Try again"],
  ["claude", says(404, MODEL), "E_MODEL_UNAVAILABLE", "Try again"],
  ["claude", says(529, "API Error: Repeated 529 Overloaded errors"), "E_SERVICE_BUSY", "Try now"],
  ["codex", says(0, "unexpected status 401 Unauthorized: expired"), "E_AGENT_LOGIN", "Try again"],
  ["codex", says(0, "Codex ran out of room in the model's context window."), "E_CONVERSATION_FULL", "New conversation"],
  ["codex", says(0, "Your workspace is out of credits."), "E_OUT_OF_CREDITS", "Try again"],
  ["codex", says(0, "The model `gpt-9` does not exist."), "E_MODEL_UNAVAILABLE", "Try again"],
  ["codex", says(0, "Selected model is at capacity."), "E_SERVICE_BUSY", "Try now"],
  ["gemini", says(400, "API key not valid. Please pass a valid API key."), "E_AGENT_LOGIN", "Try again"],
  ["gemini", says(400, "The input exceeds the maximum number of tokens"), "E_CONVERSATION_FULL", "New conversation"],
  ["gemini", says(429, '{"code":429} You exceeded your current quota.'), "E_OUT_OF_CREDITS", "Try again"],
  ["gemini", says(404, '{"code":404} models/gemini-9 is not found'), "E_MODEL_UNAVAILABLE", "Try again"],
  ["gemini", says(503, '{"code":503} The model is overloaded.'), "E_SERVICE_BUSY", "Try now"],
  ["acp", { error: { code: -32_000, message: "Authentication required" } }, "E_AGENT_LOGIN", "Try again"],
  ["acp", refuses("Prompt is too long", "invalid_request"), "E_CONVERSATION_FULL", "New conversation"],
  ["acp", refuses("Credit balance is too low", "billing_error"), "E_OUT_OF_CREDITS", "Try again"],
  ["acp", refuses(MODEL, "model_not_found"), "E_MODEL_UNAVAILABLE", "Try again"],
  ["acp", refuses("API Error: 529 Overloaded", "overloaded"), "E_SERVICE_BUSY", "Try now"],
  ["acp", { words: "Codex ran out of room in the model's context window." }, "E_CONVERSATION_FULL", "New conversation"],
])("%s, %j: five messages wait, and run after that state's own button", async (tool, failure, code, button) => {
  const stuck = await openStuck(installed([tool]), failure);
  const { world, thread, notice } = stuck;
  expect(descriptionOf(notice)).toContain(`\`${code}\``);
  expect(new Set(prompts(world))).toEqual(new Set(["count:1"]));
  mend(world);
  await press(world, thread, notice, button);
  await allRun(stuck);
  expect(withButton(world.said(thread), "drop")).toBeUndefined();
});

test("a model that its agent does not have: five messages wait, and run with the one that is chosen", async () => {
  const stuck = await openStuck({ ...installed(["acp"], "models"), app: { model: "gone" } });
  expect(descriptionOf(stuck.notice)).toContain("does not offer the model gone.");
  expect(descriptionOf(stuck.notice)).toContain("config.json sets this model.");
  expect(stuck.tried).toBe(0);
  // It is asked at once, and refuses this one.
  expect(await whispered(stuck, "Choose a model", "large")).toContain("The model was changed to `large`");
  await allRun(stuck);
  await expect(whispered(stuck, "Choose a model")).rejects.toThrow();
});

test.each<["codex" | "gemini", Failure]>([
  ["codex", says(0, "The model `gpt-9` does not exist.")],
  ["gemini", says(404, '{"code":404} models/gemini-9 is not found')],
])(
  "%s, %j: nobody knows which models there are, and five messages run with the one that is named",
  async (tool, failure) => {
    const stuck = await openStuck(installed([tool]), failure);
    const { world, thread, notice } = stuck;
    mend(world);
    const owner = world.owner(thread);
    const opened = await owner.clickButton(notice.id, "Choose a model");
    await (await owner.submitModal(opened, { words: "model-5" })).acknowledged();
    await allRun(stuck);
    expect(world.agentStarts().at(-1)?.argv).toContain("--model=model-5");
  },
);

test("headless Claude is told the model that is chosen of those it offers, and five messages run with it", async () => {
  const stuck = await openStuck(installed(["claude"]), says(404, MODEL));
  mend(stuck.world);
  expect(await whispered(stuck, "Choose a model", "haiku")).toContain("The model was changed to");
  await allRun(stuck);
});

test("a conversation with a picture that is too large is made shorter, and what waits runs after that", async () => {
  const { world, thread } = await openSession(installed(["claude"]));
  const { id: first } = await world.owner(thread).send("count:0");
  await world.marked(first, "✅");
  breakIt(world, says(400, "At least one of the images exceeds the limit for many-image requests: 2000 pixels"));
  const { id } = await world.owner(thread).send("count:1");
  const notice = await world.saying(thread, (said) => withButton(said, "compact"));
  mend(world);
  await press(world, thread, notice, "Compact");
  await world.marked(id, "✅");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("180k")));
  await answeredIn(world, thread, [0, 1]);
});

test.each<[string, Failure]>([
  ["E_AGENT_LOGIN", says(401, "Not logged in · Please run /login")],
  ["E_AGENT_LOGIN", says(403, "Your organization has disabled Claude subscription access")],
  ["E_OUT_OF_CREDITS", says(429, "You're out of extra usage")],
])("%s, %j: five messages wait, and run with the other tool that is chosen", async (code, failure) => {
  const stuck = await openStuck(installed(["claude", "codex"]), { ...failure, only: "claude" });
  expect(descriptionOf(stuck.notice)).toContain(`\`${code}\``);
  expect(await whispered(stuck, "Other tool", "codex")).toContain("This session uses **codex** from its next job on.");
  await allRun(stuck);
  const tools = stuck.world.agentStarts().map(({ tool }) => tool);
  expect(tools).toEqual(["claude", "codex", "codex", "codex", "codex", "codex"]);
});

test("what waits in a full conversation can be dropped whole; the next message is tried by itself", async () => {
  const stuck = await openStuck(installed(["claude"]), says(400, "Prompt is too long"));
  const { world, thread, ids, notice, tried } = stuck;
  expect(await whispered(stuck, "Drop the waiting ones")).toBe("Dropped 5 waiting messages.");
  for (const id of ids) await world.marked(id, "🚫");
  await world.saying(thread, (said) => withButton(said, "drop-all") === undefined);
  mend(world);
  const { id } = await world.owner(thread).send("count:6");
  await world.marked(id, "✅");
  expect(prompts(world).slice(tried)).toEqual(["count:6"]);
  await expect(world.owner(thread).clickButton(notice.id, "Drop the waiting ones")).rejects.toThrow();
});

test("of two presses at once one counts, and the other says that it is over", async () => {
  const stuck = await openStuck(installed(["claude"]), says(400, "Prompt is too long"));
  const told = await Promise.all([1, 2].map(() => whispered(stuck, "Drop the waiting ones")));
  expect(told.sort()).toEqual(["Dropped 5 waiting messages.", expect.stringContaining("`E_DECISION_CLOSED`")]);
});

test("a cause that is another at the next try is told in a message of its own, with its own buttons", async () => {
  const stuck = await openStuck(installed(["claude"]), says(529, "API Error: Repeated 529 Overloaded errors"));
  const { world, thread, notice } = stuck;
  breakIt(world, says(401, "OAuth session expired · Please run /login"));
  await press(world, thread, notice, "Try now");
  const next = await another(world, thread, notice);
  expect(descriptionOf(next)).toContain("Type `claude auth login` in a terminal there");
  await world.saying(thread, (said) => !JSON.stringify(said.find(({ id }) => id === notice.id)).includes('"drop:'));
  mend(world);
  const before = prompts(world).length;
  await press(world, thread, next, "Try again");
  await allRun({ ...stuck, tried: before });
});

test("what its owner writes while it waits for a login waits too, and the post still offers to try again", async () => {
  const stuck = await openStuck(installed(["claude"]), says(401, "Not logged in · Please run /login"));
  const { world, thread, notice, tried } = stuck;
  mend(world);
  const { id } = await world.owner(thread).send("count:6");
  await world.marked(id, "⏳");
  expect(prompts(world)).toHaveLength(tried);
  await press(world, thread, notice, "Try again");
  await answeredIn(world, thread, [1, 2, 3, 4, 5, 6]);
  await world.marked(id, "✅");
});

test("what is stuck stays so over a kill of the daemon, and a press before the cause is gone burns nothing", async () => {
  const stuck = await openStuck(installed(["claude"]), says(401, "Not logged in · Please run /login"));
  const { world, daemon, thread, ids } = stuck;
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  const asks = await world.saying(thread, (said) => withButton(said, "drop"));
  const before = prompts(world).length;
  await press(world, thread, asks, "Try again");
  await world.agents(before + 1);
  const again = await another(world, thread, asks);
  for (const id of ids) await world.marked(id, "⏳");
  mend(world);
  await press(world, thread, again, "Try again");
  await allRun({ ...stuck, tried: before + 1 });
});

test("a message that is dropped lets the next one try, and a service that does not answer is tried again by itself", async () => {
  const { world, daemon, thread, ids, notice } = await openStuck(
    installed(["claude"]),
    says(529, "API Error: Repeated 529 Overloaded errors"),
  );
  expect(descriptionOf(notice)).toContain("It is tried again <t:");
  await press(world, thread, notice, "Drop it");
  await world.marked(ids[0] ?? "", "🚫");
  await another(world, thread, notice);
  await daemon.kill("SIGTERM");
  mend(world);
  await later(world, 1);
  await answeredIn(world, thread, [2, 3, 4, 5]);
});

test("a service that does not answer is tried three times by itself, and then its owner is asked", async () => {
  const stuck = await openStuck(installed(["claude"]), says(529, "API Error: Repeated 529 Overloaded errors"));
  const { world, thread, notice } = stuck;
  let { daemon } = stuck;
  for (const hours of [1, 2, 3]) {
    const before = prompts(world).length;
    await daemon.kill("SIGTERM");
    daemon = await later(world, hours);
    // Each is tried once more at once.
    await world.agents(before + 2);
    await recorded(
      world,
      ({ type, ts }) => type === "SessionParked" && Date.parse(ts) > Date.now() + (hours - 0.5) * 3_600_000,
    );
  }
  const asks = await another(world, thread, notice);
  expect(descriptionOf(asks)).not.toContain("It is tried again");
  const tried = prompts(world).length;
  mend(world);
  await press(world, thread, asks, "Continue now");
  await allRun({ ...stuck, tried });
});

test("a job that has done something is not run again by itself, and what waits behind it is not burnt", async () => {
  const { world, daemon, thread } = await openSession({ unlimited: true });
  await daemon.kill("SIGTERM");
  breakIt(world, { ...says(401, "OAuth session expired · Please run /login"), tool: true });
  const first = await world.owner(thread).send("count:1");
  const second = await world.owner(thread).send("count:2");
  await world.daemon().ready;
  const notice = await world.saying(thread, (said) => withButton(said, "unpark"));
  expect(descriptionOf(notice)).toContain("may have done something");
  await world.marked(first.id, "❌");
  await world.marked(second.id, "⏳");
  mend(world);
  await press(world, thread, notice, "Try again");
  await answeredIn(world, thread, [2]);
  expect(prompts(world)).toEqual(["count:1", "count:2"]);
});
