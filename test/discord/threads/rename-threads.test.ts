/** A session's thread is named once, by the first words of its first message. */
import { expect, test } from "vitest";
import type { RestCall } from "../../../src/discord/api/rest.ts";
import { RestFailure } from "../../../src/discord/api/transport.ts";
import { nameFrom, openThreadNames } from "../../../src/discord/threads/thread-upkeep.ts";
import { botContext } from "../../fakes/bot-context.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryJournal, type MemoryJournal } from "../../fakes/memory-journal.ts";

const THREAD = "200000000000000010";
const FIRST = "app · 2026-03-01 12:00";

interface Told {
  /** What the thread is called in Discord. */
  name?: string;
  fail?: RestFailure;
}

function opened({ name = FIRST, fail }: Told = {}, before?: MemoryJournal) {
  const clock = createFakeClock();
  const journal = before ?? createMemoryJournal(clock);
  const { engine } = journal.open();
  const seen: string[] = [];
  const call = async <T>({ method, body }: RestCall): Promise<T> => {
    seen.push(body ? `${method} ${JSON.stringify(body)}` : method);
    if (fail && method === "PATCH") throw fail;
    return { name } as T;
  };
  const names = openThreadNames(botContext({ engine, clock, rest: { call }, botId: "4" }));
  const hear = (prompt: string, id: string): Promise<unknown> =>
    engine.submit({
      type: "hear",
      thread_id: THREAD,
      discord_message_id: id,
      prompt,
      files: [],
      refused_files: [],
      reply_to: null,
    });
  const begin = async (): Promise<void> => {
    await engine.submit({
      type: "create_project",
      project: {
        name: "app",
        path: "/srv/app",
        enabled_tools: ["claude"],
        default_tool: "claude",
        default_args: { claude: [] },
      },
    });
    await engine.submit({
      type: "start_session",
      request_id: "r",
      project_name: "app",
      channel_id: "2",
      guild_id: "3",
      bot_id: "4",
    });
    await engine.submit({ type: "open_session", request_id: "r", thread_id: THREAD });
  };
  return { journal, engine, seen, names, hear, begin, settle: () => clock.settle() };
}

test("by its first message, before Discord hears of it, and by none after it, in no later run", async () => {
  const scene = opened();
  await scene.begin();
  await scene.hear("Mend the **front** door,\nplease", "300000000000000001");
  await scene.hear("Now the window", "300000000000000002");
  await scene.settle();
  expect(scene.seen).toEqual(['PATCH {"name":"Mend the front door, please"}']);
  expect(scene.engine.state.threads[THREAD]?.name).toBe("Mend the front door, please");
  scene.names.close();
  const next = opened({}, scene.journal);
  await next.hear("And the roof", "300000000000000003");
  await next.settle();
  expect(next.seen).toEqual([]);
});

test.each([
  [FIRST, ["GET", 'PATCH {"name":"Mend the door"}']],
  ["Mine", ["GET"]],
])(
  "after a crash in between, the name of a thread called %j is read first, and a name its owner chose stays",
  async (name, seen) => {
    const scene = opened();
    scene.names.close();
    await scene.begin();
    await scene.hear("Mend the door", "300000000000000001");
    await scene.engine.submit({ type: "name_session", thread_id: THREAD, name: "Mend the door" });
    const next = opened({ name }, scene.journal);
    await next.settle();
    expect(next.seen).toEqual(seen);
  },
);

test("that Discord refuses is not tried again; one that did not get through is, at the next start", async () => {
  for (const [kind, again] of [
    ["no_access", 0],
    ["unavailable", 2],
  ] as const) {
    const scene = opened({ fail: new RestFailure(kind, { route: "PATCH /channels/1" }) });
    await scene.begin();
    await scene.hear("Mend the door", "300000000000000001");
    await scene.settle();
    scene.names.close();
    const next = opened({}, scene.journal);
    await next.settle();
    expect([kind, next.seen.length]).toEqual([kind, again]);
  }
});

test.each([
  ["Mend the door", "Mend the door"],
  ["  # Mend\n\n- the `door`  ", "Mend - the door"],
  ["<@300000000000000001> mend <#300000000000000001> it", "mend it"],
  ["\u202emend\u0007 it", "mend it"],
  ["", ""],
  ["** `", ""],
  [`${"word ".repeat(40)}`, `${"word ".repeat(11).trim()}…`],
  ["x".repeat(500), `${"x".repeat(59)}…`],
  ["👩‍👩‍👧‍👦".repeat(20), expect.stringMatching(/^(?:👩‍👩‍👧‍👦)+…$/u)],
])("%j is %j", (words, name) => {
  expect(nameFrom(words)).toEqual(name);
  expect(nameFrom(words).length).toBeLessThanOrEqual(60);
});
