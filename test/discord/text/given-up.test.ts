/** What cannot be rendered is given up and says so: it stops neither its own thread nor the others. */
import { describe, expect, test } from "vitest";
import { type Attempt, openRendering, type Markdown } from "../../../src/discord/text/markdown.ts";
import { openWithin } from "../../../src/host/time-limit.ts";
import { job, message, type Scene, T1 } from "../../core/scene.ts";
import { content, description, markdown, names, of, running, view } from "../seen.ts";

const within = openWithin();
/** Two messages, so that it has to be cut, which reads its Markdown. */
const LONG = Array.from({ length: 5 }, (_, n) => `${n} ${"word ".repeat(150)}`).join("\n\n");

const hangs: Markdown = {
  ...markdown,
  breakPoints: () => {
    for (;;);
  },
};
const searches: Markdown = {
  ...markdown,
  breakPoints: () => new Map([[/^(a+)+$/.test(`${"a".repeat(64)}b`) ? 1 : 0, "line"]]),
};
const throws: Markdown = {
  ...markdown,
  breakPoints: () => {
    throw new RangeError("Maximum call stack size exceeded");
  },
};

describe("work that may take only so long", () => {
  test("gives what it makes, or throws what it throws", () => {
    expect(within(1000, () => 7)).toBe(7);
    expect(() =>
      within(1000, () => {
        throw new TypeError("x");
      }),
    ).toThrow(TypeError);
  });

  test("is broken off in a loop and in a search, and the next is not", () => {
    for (const markdown of [hangs, searches])
      expect(() => within(50, () => markdown.breakPoints(""))).toThrow("longer than 50 ms");
    expect(within(1000, () => 8)).toBe(8);
  });

  test("within other work leaves that as it was, and has its limit", () => {
    expect(within(1000, () => within(1000, () => 1) + within(1000, () => 2))).toBe(3);
    for (let again = 0; again < 2; again += 1)
      expect(() => within(50, () => within(60_000, () => hangs.breakPoints("")))).toThrow("longer than 50 ms");
    expect(() => within(50, () => hangs.breakPoints(""))).toThrow("longer than 50 ms");
  });

  test("is all that is longer than a message; what is shorter needs no limit", () => {
    const limits: number[] = [];
    const noted: typeof within = (ms, work) => (limits.push(ms), work());
    const attempt = openRendering({ within: noted, givenUp: () => undefined });
    expect(
      [2000, 2001].map((chars) =>
        attempt(
          "a",
          chars,
          () => chars,
          () => 0,
        ),
      ),
    ).toEqual([2000, 2001]);
    expect(limits).toEqual([3000]);
  });
});

describe.each([
  ["hangs", hangs],
  ["searches for ever", searches],
  ["throws", throws],
])("a rendering that %s", (_how, broken) => {
  test("is given up once: the answer's post says so and holds the whole of it", () => {
    const { attempt, told } = giving();
    const scene = done();
    for (let look = 0; look < 3; look += 1) {
      const desired = view(scene, { result: () => LONG, markdown: broken, attempt });
      expect(names(desired)).toEqual(["welcome", "0001 card", "0001 answer:0"]);
      expect(content(of(desired, "answer:0"))).toContain(
        `could not be shown as messages. It is attached in full, and it is in \`results/${job(1)}.md\``,
      );
      const { want } = of(desired, "answer:0");
      expect(
        want.kind === "show" && want.body.files?.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]),
      ).toEqual([[`${job(1)}.md`, LONG]]);
    }
    expect(told).toEqual([job(1)]);
  });

  test.each(["whole", "growing"])(
    "is attached below what is posted of it already (%s), and then its job is closed",
    (is) => {
      const { attempt } = giving();
      const scene = done();
      const look = (): ReturnType<typeof view> => view(scene, { result: () => LONG, markdown: broken, attempt });
      scene.do({
        type: "record_post",
        subject: job(1),
        part: "answer:0",
        channel_id: T1,
        message_id: "1500000000000000001",
        hash: "a",
        is,
      });
      const notice = of(look(), "answer:1");
      expect(names(look())).toEqual(["welcome", "0001 card", "0001 answer:1"]);
      expect(
        notice.want.kind === "show" && notice.want.body.files?.map(({ bytes }) => Buffer.from(bytes).toString()),
      ).toEqual([LONG]);
      scene.do({
        type: "record_post",
        subject: job(1),
        part: "answer:1",
        channel_id: T1,
        message_id: "1500000000000000002",
        hash: "b",
        is: notice.is,
      });
      expect(names(look())).toEqual(["welcome", "0001 card", "0001 end"]);
    },
  );

  test("of what is still being said takes nothing away, and counts what is not shown", () => {
    const { attempt, told } = giving();
    const scene = running();
    scene.do({
      type: "record_post",
      subject: job(1),
      part: "answer:0",
      channel_id: T1,
      message_id: "1500000000000000001",
      hash: "live:a",
      is: "said",
    });
    for (let look = 0; look < 3; look += 1) {
      const desired = view(scene, { liveText: () => ({ text: LONG, tools: [] }), markdown: broken, attempt });
      expect(names(desired)).toEqual(["welcome", "0001 card"]);
      expect(description(of(desired, "card"))).toContain(LONG.length.toLocaleString("en-US"));
    }
    expect(told).toEqual([job(1)]);
  });

  test("leaves the other jobs of its thread as they are", () => {
    const { attempt } = giving();
    const scene = done();
    scene.hear(T1, message(2), "and again");
    scene.finish(job(2));
    const desired = view(scene, { result: (id) => (id === job(1) ? LONG : "short"), markdown: broken, attempt });
    expect(
      content(
        of(
          desired.filter(({ subject }) => subject === job(2)),
          "end",
        ),
      ),
    ).toMatch(/^short\n-# ✅ /);
  });
});

test("an answer too large to attach is pointed to on the disk", () => {
  const config = { long_answers: "file", max_file_bytes: 100 } as const;
  const desired = view(done(), { result: () => LONG, markdown: throws, attempt: giving().attempt, config });
  expect(content(of(desired, "answer:0"))).toContain(`too large to attach. It is in \`results/${job(1)}.md\``);
});

function done(): Scene {
  const scene = running();
  scene.finish(job(1));
  return scene;
}

/** As Bellhop does it, only sooner. */
function giving(): { attempt: Attempt; told: string[] } {
  const told: string[] = [];
  const sooner: typeof within = (_ms, work) => within(200, work);
  return { attempt: openRendering({ within: sooner, givenUp: (subject) => told.push(subject) }), told };
}
