/** The tags `waiting` and `done` of a forum's posts follow their sessions: late enough, seldom enough, and once. */
import { expect, test } from "vitest";
import type { RestCall } from "../../../src/discord/api/rest.ts";
import { RestFailure } from "../../../src/discord/api/transport.ts";
import { openPostTags } from "../../../src/discord/threads/post-tags.ts";
import { silentLog } from "../../../src/base/log.ts";
import { botContext } from "../../fakes/bot-context.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryJournal } from "../../fakes/memory-journal.ts";

const FORUM = "200000000000000002";
const POST = "200000000000000010";
const OTHER = "200000000000000011";
const PLACE = { guild_id: "3", bot_id: "4" };
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** A forum as Discord shows it, and the requests that change it. */
class Forum {
  tags: [id: string, name: string][] = [
    ["1", " Waiting"],
    ["2", "DONE"],
    ["3", "bug"],
  ];
  flags = 0;
  applied: string[] = ["3"];
  archived = false;
  refusal: RestFailure | null = null;
  /** Each change as the tags that it left. */
  readonly changes: string[][] = [];
  requests = 0;
  readonly warnings: string[] = [];
  readonly clock = createFakeClock();
  readonly journal = createMemoryJournal(this.clock);
  engine = this.journal.open().engine;
  #tags: { close(): void } | null = null;
  #ids = 300_000_000_000_000_000n;

  async call<T>({ method, path, body }: RestCall): Promise<T> {
    this.requests += 1;
    if (method === "PATCH") {
      if (this.refusal) throw this.refusal;
      this.applied = (body as { applied_tags: string[] }).applied_tags;
      this.changes.push(this.applied);
    }
    const available_tags = this.tags.map(([id, name]) => ({ id, name }));
    return (
      path === `/channels/${FORUM}`
        ? { available_tags, flags: this.flags }
        : { applied_tags: this.applied, thread_metadata: { archived: this.archived, locked: false } }
    ) as T;
  }

  /** Begins, or begins again as after a restart. */
  async begin(): Promise<this> {
    this.#tags?.close();
    this.engine = this.journal.open().engine;
    const log = { ...silentLog, warn: (text: string) => void this.warnings.push(text) };
    const rest = { call: <T>(request: RestCall) => this.call<T>(request) };
    this.#tags = openPostTags(botContext({ engine: this.engine, clock: this.clock, rest, log, botId: "4" }));
    await this.clock.settle();
    return this;
  }

  async post(thread_id = POST): Promise<this> {
    const project = { name: "app", path: "/srv/app", enabled_tools: ["claude"], default_tool: "claude" };
    if (!this.engine.state.projects["app"])
      await this.engine.submit({ type: "create_project", project: { ...project, default_args: { claude: [] } } });
    const place = { channel_id: FORUM, ...PLACE };
    await this.engine.submit({ type: "open_channel", kind: "project", ...place, since: "1", forum: true });
    await this.engine.submit({
      type: "take_place",
      kind: "found",
      ...place,
      thread_id,
      project_name: "app",
      since: String(BigInt(thread_id) - 1n),
    });
    return this;
  }

  async hear(thread_id = POST): Promise<string> {
    const discord_message_id = String(this.#ids++);
    const message = { prompt: "Mend the door", files: [], refused_files: [], reply_to: null };
    await this.engine.submit({ type: "hear", thread_id, discord_message_id, ...message });
    await this.clock.settle();
    return this.engine.state.sessions[thread_id]?.running_job_id ?? "";
  }

  async complete(job_id: string): Promise<void> {
    const said = { result_excerpt: "said", result_sha256: "0".repeat(64), model: null, usage: null };
    await this.engine.submit({ type: "complete", job_id, ...said });
    await this.engine.submit({ type: "progress", job_id, progress: { kind: "gone" } });
    await this.clock.settle();
  }

  async ask(job_id: string, decision_id: string): Promise<void> {
    await this.engine.submit({
      type: "ask",
      decision_id,
      kind: "question",
      thread_id: POST,
      asker: { by: "job", job_id, request_id: decision_id },
      context: "",
      questions: [{ question: "Red?", header: "", options: [], many: false, words: true }],
      subject: null,
      lapses_at: null,
    });
    await this.clock.settle();
  }

  async answer(decision_id: string): Promise<void> {
    const answer = { places: [], words: "yes" };
    await this.engine.submit({ type: "answer", decision_id, question: 0, answer, sha256: null });
    await this.clock.settle();
  }
}

const open = async (): Promise<Forum> => (await new Forum().begin()).post();

test("a post is waiting a minute after its agent has asked, neither once it works again, and done a minute after that", async () => {
  const forum = await open();
  const job = await forum.hear();
  await forum.clock.advance(10 * MINUTE);
  expect(forum.requests).toBe(0);
  await forum.ask(job, "d1");
  await forum.clock.advance(MINUTE - SECOND);
  expect(forum.changes).toEqual([]);
  await forum.clock.advance(SECOND);
  expect(forum.changes).toEqual([["3", "1"]]);
  await forum.clock.advance(10 * MINUTE);
  await forum.answer("d1");
  expect(forum.changes.slice(1)).toEqual([["3"]]);
  await forum.clock.advance(10 * MINUTE);
  await forum.complete(job);
  await forum.clock.advance(MINUTE);
  expect(forum.changes.slice(2)).toEqual([["3", "2"]]);
  expect(forum.applied).toEqual(["3", "2"]);
});

test("what passes within a minute changes nothing, and there is one change in five minutes", async () => {
  const forum = await open();
  const job = await forum.hear();
  await forum.ask(job, "d1");
  await forum.clock.advance(MINUTE - SECOND);
  await forum.answer("d1");
  await forum.clock.advance(MINUTE);
  expect(forum.changes).toEqual([]);
  await forum.ask(job, "d2");
  await forum.clock.advance(MINUTE);
  expect(forum.changes).toEqual([["3", "1"]]);
  await forum.answer("d2");
  await forum.complete(job);
  await forum.clock.advance(5 * MINUTE - SECOND);
  expect(forum.changes).toHaveLength(1);
  await forum.clock.advance(SECOND);
  expect(forum.changes.slice(1)).toEqual([["3", "2"]]);
});

test("a restart sets nothing again, and neither forgets what was set nor when", async () => {
  const forum = await open();
  await forum.complete(await forum.hear());
  await forum.clock.advance(MINUTE);
  const { requests } = forum;
  expect(forum.changes).toEqual([["3", "2"]]);
  await forum.begin();
  await forum.clock.advance(MINUTE);
  expect(forum.requests).toBe(requests);
  await forum.hear();
  await forum.clock.advance(4 * MINUTE - SECOND);
  expect(forum.changes).toHaveLength(1);
  await forum.clock.advance(SECOND);
  expect(forum.changes.slice(1)).toEqual([["3"]]);
});

test("a queue that a crash holds waits for its owner", async () => {
  const forum = await open();
  await forum.hear();
  await forum.begin();
  await forum.engine.submit({ type: "restart" });
  await forum.clock.advance(MINUTE);
  expect(forum.changes).toEqual([["3", "1"]]);
});

test.each<[what: string, change: (forum: Forum) => void, left: string[][]]>([
  ["without such tags", (forum) => (forum.tags = [["3", "bug"]]), []],
  ["with the other one only", (forum) => (forum.tags = [["1", "waiting"]]), []],
  ["that is archived", (forum) => (forum.archived = true), []],
  ["that has it", (forum) => (forum.applied = ["2", "3"]), []],
  ["with five other tags", (forum) => (forum.applied = ["3", "4", "5", "6", "7"]), []],
  [
    "with four other tags and the wrong one",
    (forum) => (forum.applied = ["1", "4", "5", "6", "7"]),
    [["4", "5", "6", "7", "2"]],
  ],
])("a post %s is left as it is, or gets what fits", async (_what, change, left) => {
  const forum = await open();
  change(forum);
  await forum.complete(await forum.hear());
  await forum.clock.advance(10 * MINUTE);
  expect(forum.changes).toEqual(left);
});

test("the only tag of a post stays where the forum requires one", async () => {
  const forum = await open();
  [forum.flags, forum.applied] = [16, []];
  await forum.complete(await forum.hear());
  await forum.clock.advance(10 * MINUTE);
  await forum.hear();
  await forum.clock.advance(10 * MINUTE);
  expect(forum.changes).toEqual([["2"]]);
});

test("without the right it is said once, and the forum is left alone for an hour", async () => {
  const forum = await open();
  await forum.post(OTHER);
  forum.refusal = new RestFailure("no_access", { route: "PATCH /channels/1" });
  await forum.complete(await forum.hear());
  await forum.clock.advance(MINUTE);
  const { requests } = forum;
  await forum.complete(await forum.hear(OTHER));
  await forum.clock.advance(30 * MINUTE);
  expect([forum.requests, forum.warnings.length]).toEqual([requests, 1]);
  forum.refusal = null;
  await forum.clock.advance(30 * MINUTE);
  expect(forum.changes).toHaveLength(1);
});
