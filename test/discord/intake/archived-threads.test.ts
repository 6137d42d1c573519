/** Who archived a thread, as the audit log tells: also late, also among other entries, and never by guessing. */
import { expect, test } from "vitest";
import { RestFailure } from "../../../src/discord/api/transport.ts";
import { whoArchived, type Archiver } from "../../../src/discord/intake/channels.ts";
import { botContext } from "../../fakes/bot-context.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";

const THREAD = "200000000000000010";
const OWNER = "100000000000000001";
const OTHER = "100000000000000002";
const clock = createFakeClock();
const AT = clock.now();

const idAt = (ms: number): string => String(BigInt(ms - 1_420_070_400_000) << 22n);
const entry = (more: object = {}, ms = AT): object => ({
  id: idAt(ms),
  action_type: 111,
  user_id: OWNER,
  target_id: THREAD,
  changes: [{ key: "archived", new_value: true, old_value: false }],
  ...more,
});

/** @param answers one a request; the last for all that follow */
async function asked(
  answers: readonly (readonly unknown[] | RestFailure | string)[],
  at = AT,
): Promise<{ who: Archiver; paths: string[] }> {
  const mine = createFakeClock();
  const paths: string[] = [];
  const rest = {
    async call<T>({ path }: { path: string }): Promise<T> {
      const answer = answers[Math.min(paths.length, answers.length - 1)];
      paths.push(path);
      if (answer instanceof RestFailure) throw answer;
      return { audit_log_entries: answer } as T;
    },
  };
  const who = whoArchived(botContext({ rest, clock: mine, guildId: "3" }), THREAD, at);
  const over = who.then(
    () => true,
    () => true,
  );
  let isOver = false;
  void over.then(() => (isOver = true));
  await mine.until(() => isOver);
  return { who: await who, paths };
}

const failure = (kind: "no_access" | "unavailable" | "closed"): RestFailure =>
  new RestFailure(kind, { route: "GET audit-logs" });

test.each<[string, Parameters<typeof asked>[0], Archiver]>([
  ["the owner's entry", [[entry()]], { by: OWNER }],
  ["somebody else's", [[entry({ user_id: OTHER })]], { by: OTHER }],
  ["one that comes late", [[], [], [entry()]], { by: OWNER }],
  ["one after a failure", [failure("unavailable"), [entry()]], { by: OWNER }],
  [
    "the last of several, in whichever order",
    [
      [
        entry({ user_id: OTHER }, AT + 2),
        entry({}, AT - 1),
        entry({ changes: [{ key: "archived", new_value: false }] }, AT + 1),
      ],
    ],
    { by: OTHER },
  ],
  [
    "that it was opened last is no archiving",
    [[entry({}, AT - 2), entry({ changes: [{ key: "archived", new_value: false }] }, AT - 1)]],
    "nobody",
  ],
  [
    "another thread's, another kind's, one that is too old, one about its name",
    [
      [
        entry({ target_id: "1".repeat(18) }),
        entry({ action_type: 110 }),
        entry({}, AT - 60_000),
        entry({ changes: [{ key: "name", new_value: "archived" }] }),
      ],
    ],
    "nobody",
  ],
  [
    "nonsense",
    [["x", null, {}, entry({ user_id: null }), entry({ changes: "archived" }), entry({ id: "../1" })]],
    "nobody",
  ],
  ["no list", ["nothing"], "nobody"],
  ["a log that may not be read", [failure("no_access")], "unreadable"],
  ["a log that never answers", [failure("unavailable")], "nobody"],
])("%s", async (_name, answers, who) => {
  expect((await asked(answers)).who).toEqual(who);
});

test("it is asked from the archiving on, about this thread; and for an archiving of long ago once", async () => {
  const { paths } = await asked([[]], AT - 120_000);
  expect(paths).toEqual([
    `/guilds/3/audit-logs?action_type=111&target_id=${THREAD}&after=${idAt(AT - 125_000)}&limit=100`,
  ]);
  expect((await asked([[]])).paths).toHaveLength(5);
});

test("where nothing more is sent it is not answered", async () => {
  await expect(asked([failure("closed")])).rejects.toThrow("closed");
});
