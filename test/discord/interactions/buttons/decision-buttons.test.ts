import { describe, expect, test } from "vitest";
import type { AskCommand, Decision } from "../../../../src/core/decisions/decision.ts";
import { bytesOf, reviewText } from "../../../../src/core/decisions/review-text.ts";
import { handleInteraction, refuseStranger } from "../../../../src/discord/interactions/interaction.ts";
import {
  meantBy,
  packPlaces,
  pressId,
  readPress,
  unpackPlaces,
  type DecisionVerb,
} from "../../../../src/discord/views/custom-id.ts";
import { digestOf } from "../../../../src/host/files/kept-files.ts";
import { CommandScene, inThread, T1, today } from "../scene.ts";

const PERMISSION = ["Allow once", "Allow for this session", "Deny"];
const DEC = "dec_20260226_00000000000000000000000000000001";

type Whispered = {
  content?: string;
  flags?: number;
  embeds?: { title?: string; description?: string }[];
  components?: {
    components: { custom_id: string; disabled?: boolean; options?: { value: string; default?: boolean }[] }[];
  }[];
};

class Asking {
  readonly scene: CommandScene;
  constructor(scene: CommandScene) {
    this.scene = scene;
  }

  get decision(): Decision {
    const found = this.scene.engine.state.decisions[DEC];
    if (!found) throw new Error("nothing is asked");
    return found;
  }

  id(verb: DecisionVerb, detail: string | number = ""): string {
    return pressId(this.decision, verb, detail);
  }

  async press(custom_id: string, values?: string[], alone = false): Promise<void> {
    const message = { id: "200000000000000910", channel_id: T1, flags: alone ? 64 : 0 };
    const data = values === undefined ? { custom_id, component_type: 2 } : { custom_id, component_type: 3, values };
    await this.scene.press("", { ...inThread, data, message });
  }

  async submit(custom_id: string, value: string): Promise<void> {
    const data = { custom_id, components: [{ type: 18, component: { type: 4, custom_id: "words", value } }] };
    await handleInteraction(
      this.scene.interaction({
        ...inThread,
        type: 5,
        data,
        message: { id: "200000000000000910", channel_id: T1, flags: 0 },
      }),
      this.scene.context,
    );
  }

  /** What was told to the presser alone, beside the message he pressed. */
  get whispers(): Whispered[] {
    return this.scene.sent
      .filter(({ method, path }) => method === "POST" && path.startsWith("/webhooks/"))
      .map(({ body }) => body as Whispered);
  }

  get answers(): unknown[] {
    return this.scene.events.flatMap(({ type, payload }) => (type === "DecisionAnswered" ? [payload.answers] : []));
  }
}

async function begin(command: Partial<AskCommand>): Promise<Asking> {
  const scene = await new CommandScene().withSession(1);
  scene.answer = ({ path }) => (path.includes("/webhooks/") ? { id: "200000000000000990", channel_id: T1 } : undefined);
  await scene.engine.submit({
    type: "ask",
    decision_id: DEC,
    kind: "question",
    thread_id: T1,
    asker: { by: "job", job_id: today(1), request_id: "r" },
    context: "",
    lapses_at: null,
    subject: null,
    questions: [],
    ...command,
  });
  return new Asking(scene);
}

async function permission(command = "ls", kept = true): Promise<Asking> {
  const bytes = bytesOf({ tool: "Bash", input: { command } });
  const { pages } = reviewText(bytes);
  const asking = await begin({
    kind: "permission",
    questions: [
      {
        question: "",
        header: "",
        many: false,
        words: false,
        options: PERMISSION.map((label) => ({ label, description: "" })),
      },
    ],
    subject: {
      tool: "Bash",
      title: command.slice(0, 50),
      sha256: digestOf(bytes),
      pages: pages.length,
      grant_until: "2027-01-01T00:00:00.000Z",
    },
  });
  if (kept) asking.scene.decisionFiles.set(DEC, bytes);
  return asking;
}

function question(count: number, change: { many?: boolean; words?: boolean; times?: number } = {}): Promise<Asking> {
  const { many = false, words = true, times = 1 } = change;
  const options = Array.from({ length: count }, (_, place) => ({ label: `Option ${place + 1}`, description: "" }));
  return begin({
    questions: Array.from({ length: times }, (_, at) => ({
      question: `Which ${at}?`,
      header: "",
      many,
      words,
      options,
    })),
  });
}

describe("a press that takes an answer back", () => {
  const unheard = async (): Promise<Asking> => {
    const asker = {
      by: "mcp",
      project: "app",
      pending_dir: "/p",
      timeout_seconds: null,
      wanted_thread: null,
      channel_id: "200000000000000002",
      bot_id: "4",
    } as const;
    const options = ["A", "B"].map((label) => ({ label, description: "" }));
    const asking = await begin({
      asker,
      questions: [{ question: "Which?", header: "", many: false, words: true, options }],
    });
    await asking.scene.engine.submit({ type: "disconnect", decision_id: DEC });
    await asking.press(asking.id("option", 0));
    return asking;
  };

  test("opens it again, with nothing said beside it", async () => {
    const asking = await unheard();
    await asking.press(asking.id("back"));
    expect([asking.decision.state, asking.decision.answers, asking.whispers]).toEqual(["disconnected", [null], []]);
    await asking.press(asking.id("option", 1));
    expect(asking.answers).toEqual([[{ places: [0], words: null }], [{ places: [1], words: null }]]);
  });

  test("that comes too late, or means nothing that is there, changes nothing and says why", async () => {
    const asking = await unheard();
    const id = asking.id("back");
    await asking.scene.engine.submit({ type: "answer_stands", decision_id: DEC });
    for (const pressed of [id, id.replace(DEC, "app_20260226_nobody")]) await asking.press(pressed);
    expect(asking.whispers.map(({ content }) => content)).toEqual(
      Array(2).fill("This answer can no longer be taken back: it was handed to the agent, or 10 seconds have passed."),
    );
    expect(asking.decision).toMatchObject({ state: "answered", answers: [{ places: [0], words: null }] });
    const waited = await question(2);
    await waited.press(waited.id("option", 0));
    await waited.press(waited.id("back"));
    expect([waited.decision.state, waited.whispers.length]).toEqual(["answered", 1]);
  });
});

describe("a press under a decision", () => {
  test("is acknowledged first, and then is the answer, with nothing said beside it", async () => {
    const asking = await permission();
    await asking.press(asking.id("option", 0));
    expect(asking.scene.sent.map(({ body }) => body)).toEqual([{ type: 6 }]);
    expect(asking.answers).toEqual([[{ places: [0], words: null }]]);
  });

  test("that Discord does not take settles nothing", async () => {
    const asking = await permission();
    asking.scene.answer = () => {
      throw new Error("unknown interaction");
    };
    await asking.press(asking.id("option", 0));
    expect(asking.answers).toEqual([]);
  });

  test("twice settles once, and the second is told that it is settled", async () => {
    const asking = await permission();
    const [yes, no] = [asking.id("option", 0), asking.id("option", 2)];
    await Promise.all([asking.press(yes), asking.press(no), asking.press(yes)]);
    expect(asking.answers).toHaveLength(1);
    expect(asking.whispers).toMatchObject(
      [1, 2].map(() => ({ content: expect.stringContaining("`E_DECISION_CLOSED`"), flags: 64 })),
    );
  });

  test("lets nothing be done whose bytes are not on the disk to the byte; refusing needs none", async () => {
    for (const bytes of [undefined, bytesOf({ tool: "Bash", input: { command: "rm -rf /" } })]) {
      const asking = await permission("ls", false);
      if (bytes !== undefined) asking.scene.decisionFiles.set(DEC, bytes);
      await asking.press(asking.id("option", 0));
      await asking.press(asking.id("option", 1));
      expect(asking.answers).toEqual([]);
      expect(asking.whispers).toHaveLength(2);
      await asking.press(asking.id("option", 2));
      expect(asking.answers).toEqual([[{ places: [2], words: null }]]);
    }
  });

  test("of a prompt for other bytes, another question or another decision changes nothing", async () => {
    const asking = await permission();
    const id = asking.id("option", 0);
    for (const stale of [
      id.replace(/:[0-9a-f]{8}:/, ":00000000:"),
      id.replace("do:0", "do:1"),
      id.replace(/1$/, "2"),
      "do:0:0:-:__proto__",
    ])
      await asking.press(stale);
    expect(asking.answers).toEqual([]);
    expect(asking.whispers).toHaveLength(4);
  });

  test("of a stranger is refused to him alone", async () => {
    const asking = await permission();
    await refuseStranger(
      asking.scene.interaction({
        type: 3,
        data: { custom_id: asking.id("option", 0), component_type: 2 },
        message: { id: "1" },
      }),
      asking.scene.context,
    );
    expect(asking.scene.sent).toMatchObject([{ body: { type: 4, data: { flags: 64 } } }]);
    expect(asking.answers).toEqual([]);
  });

  test("a yes to what was not wholly shown changes nothing", async () => {
    const asking = await permission("echo line\n".repeat(700));
    await asking.press(asking.id("option", 0));
    expect(asking.answers).toEqual([]);
    expect(asking.whispers[0]?.content).toContain("`E_DECISION_CLOSED`");
  });
});

describe("the pages of what would be done", () => {
  test("are shown one after the other to the presser alone, and then it can be allowed", async () => {
    const asking = await permission("echo line\n".repeat(700));
    await asking.press(asking.id("page", 2));
    expect(asking.whispers[0]?.embeds?.[0]?.title).toContain("Page 2 of 3");
    expect(asking.decision.shown.pages).toBe(2);
    await asking.press(asking.id("page", 3), undefined, true);
    expect(asking.scene.sent.at(-1)).toMatchObject({ method: "PATCH", path: expect.stringContaining("@original") });
    expect(asking.decision.shown.pages).toBe(3);
    const shown = asking.scene.sent.at(-1)?.body as Whispered;
    expect(shown.components?.[0]?.components.map(({ disabled = false }) => disabled)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    await asking.press(asking.id("option", 0), undefined, true);
    expect(asking.answers).toHaveLength(1);
    expect(asking.scene.sent.at(-1)?.body).toMatchObject({
      components: [],
      embeds: [{ description: expect.stringContaining("Allowed once") }],
    });
  });

  test("a page that did not get through was not seen", async () => {
    const asking = await permission("echo line\n".repeat(700));
    asking.scene.answer = ({ body }) => {
      if ((body as { type?: number }).type !== 6) throw new Error("lost");
    };
    await asking.press(asking.id("page", 2));
    expect(asking.decision.shown.pages).toBe(1);
  });

  test("one that is pressed out of turn is shown, and does not count", async () => {
    const asking = await permission("echo line\n".repeat(700));
    await asking.press(asking.id("page", 3));
    expect(asking.whispers[0]?.embeds?.[0]?.title).toContain("Page 3 of 3");
    expect(asking.decision.shown.pages).toBe(1);
  });
});

describe("words", () => {
  test("are asked for at once in a window, and settle when they come", async () => {
    const asking = await permission();
    await asking.press(asking.id("words", 2));
    expect(asking.scene.sent).toMatchObject([
      { body: { type: 9, data: { custom_id: asking.id("words", 2), title: "Deny" } } },
    ]);
    await asking.submit(asking.id("words", 2), " not on a Friday ");
    expect(asking.answers).toEqual([[{ places: [2], words: "not on a Friday" }]]);
    await asking.submit(asking.id("words", 2), "again");
    expect(asking.answers).toHaveLength(1);
    expect(asking.whispers.at(-1)?.content).toContain("`E_DECISION_CLOSED`");
  });

  test("a no without a reason is a no", async () => {
    const asking = await permission();
    await asking.submit(asking.id("words", 2), "  ");
    expect(asking.answers).toEqual([[{ places: [2], words: null }]]);
  });

  test("a window is not shown for what is settled", async () => {
    const asking = await permission();
    const id = asking.id("words", 2);
    await asking.press(asking.id("option", 0));
    await asking.press(id);
    expect(asking.scene.sent.at(-1)).toMatchObject({
      body: { type: 4, data: { flags: 64, content: expect.stringContaining("`E_DECISION_CLOSED`") } },
    });
  });

  test("can never allow", async () => {
    const asking = await permission();
    await asking.submit(asking.id("words", 0), "sure");
    expect(asking.answers).toEqual([]);
  });

  test("answer a question that takes them", async () => {
    const asking = await question(2);
    await asking.submit(asking.id("words"), "neither");
    expect(asking.answers).toEqual([[{ places: [], words: "neither" }]]);
  });
});

describe("choosing", () => {
  test("one of a select is the answer", async () => {
    const asking = await question(8);
    await asking.press(asking.id("select", "0."), ["5"]);
    expect(asking.answers).toEqual([[{ places: [5], words: null }]]);
  });

  test("several is the answer only when that is said, and can be changed before", async () => {
    const asking = await question(8, { many: true });
    await asking.press(asking.id("select", "0."), ["5", "1"]);
    expect(asking.answers).toEqual([]);
    expect(
      asking.whispers[0]?.components?.[0]?.components[0]?.options?.flatMap(({ value, default: chosen }) =>
        chosen ? [value] : [],
      ),
    ).toEqual(["1", "5"]);
    const done = asking.whispers[0]?.components?.[1]?.components[0]?.custom_id ?? "";
    await asking.press(done, undefined, true);
    expect(asking.answers).toEqual([[{ places: [1, 5], words: null }]]);
  });

  test("several from several pages keeps what was chosen on the others, with nothing but the message to remember it", async () => {
    const asking = await question(60, { many: true });
    await asking.press(asking.id("select", "0."), ["3", "7"]);
    await asking.press(asking.id("pick", `2.${packPlaces([3, 7])}`), undefined, true);
    await asking.press(asking.id("select", `2.${packPlaces([3, 7])}`), ["59"], true);
    await asking.press(asking.id("select", `0.${packPlaces([3, 7, 59])}`), ["4"], true);
    const last = asking.scene.sent.at(-1)?.body as Whispered;
    const done = last.components?.[1]?.components.at(-1)?.custom_id ?? "";
    expect(unpackPlaces(readPress(done)?.detail ?? "")).toEqual([4, 59]);
    await asking.press(done, undefined, true);
    expect(asking.answers).toEqual([[{ places: [4, 59], words: null }]]);
  });

  test("one question after the other: a press on the first cannot answer the second", async () => {
    const asking = await question(2, { times: 2 });
    const first = asking.id("option", 1);
    await asking.press(first);
    await asking.press(first);
    expect(asking.decision.answers).toEqual([{ places: [1], words: null }, null]);
    expect(asking.whispers).toHaveLength(1);
    await asking.press(asking.id("option", 0));
    expect(asking.answers).toEqual([
      [
        { places: [1], words: null },
        { places: [0], words: null },
      ],
    ]);
  });

  test.each([["99"], ["-1"], ["x"]])("an option that there is not (%j) changes nothing", async (value) => {
    const asking = await question(8);
    await asking.press(asking.id("select", "0."), [value]);
    expect(asking.answers).toEqual([]);
    expect(asking.whispers).toHaveLength(1);
  });
});

test("an id names its decision however long that one's own id is, within Discord's limit", async () => {
  const asking = await question(2);
  const state = asking.scene.engine.state;
  const long = { ...asking.decision, decision_id: `${"p".repeat(180)}_1` };
  const decisions = { ...state.decisions, [long.decision_id]: long };
  for (const verb of ["option", "select", "done"] as const) {
    const id = pressId(long, verb, packPlaces([119]));
    expect(id.length).toBeLessThanOrEqual(100);
    const pressed = readPress(id);
    expect(pressed && meantBy(pressed, { ...state, decisions })).toBe(long);
  }
});
