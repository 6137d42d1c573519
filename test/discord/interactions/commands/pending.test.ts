import { checkMessage } from "discord-sandbox";
import { describe, expect, test } from "vitest";
import type { AskCommand } from "../../../../src/core/decisions/decision.ts";
import { BOT, CHANNEL, CommandScene, GUILD, inThread, T1, today } from "../scene.ts";

const hidden = { ...inThread, message: { id: "200000000000000990", channel_id: T1, flags: 64 } };
const until = "2030-01-01T00:00:00.000Z";

type Shown = {
  content: string;
  embeds: { title: string; description: string }[];
  components: { components: { custom_id: string; label?: string; options?: { label: string; value: string }[] }[] }[];
};

function shown(scene: CommandScene): Shown {
  const body = scene.sent.findLast(({ path }) => path.startsWith("/webhooks/"))?.body as Shown;
  checkMessage({ content: body.content, embeds: body.embeds, components: body.components });
  return body;
}

async function ask(scene: CommandScene, decision_id: string, change: Partial<AskCommand> = {}): Promise<void> {
  const options = ["Allow once", "Allow for this session", "Deny"].map((label) => ({ label, description: "" }));
  await scene.engine.submit({
    type: "ask",
    decision_id,
    kind: "permission",
    thread_id: T1,
    asker: { by: "job", job_id: today(1), request_id: decision_id },
    context: "",
    lapses_at: null,
    questions: [{ question: "", header: "", options, many: false, words: false }],
    subject: {
      tool: "Bash",
      title: `run ${decision_id}`,
      sha256: decision_id.padEnd(64, "0"),
      pages: 1,
      grant_until: until,
    },
    ...change,
  });
}

async function grant(scene: CommandScene, decision_id: string, title = `run ${decision_id}`): Promise<void> {
  await ask(scene, decision_id, {
    subject: { tool: "Bash", title, sha256: decision_id.padEnd(64, "0"), pages: 1, grant_until: until },
  });
  await scene.engine.submit({
    type: "answer",
    decision_id,
    question: 0,
    answer: { places: [1], words: null },
    sha256: decision_id.padEnd(64, "0"),
  });
}

const mcp = {
  by: "mcp",
  project: "shop",
  pending_dir: "/p",
  timeout_seconds: null,
  wanted_thread: null,
  channel_id: CHANNEL,
  bot_id: BOT,
} as const;

describe("/pending", () => {
  test("says when nothing waits, to the owner alone", async () => {
    const scene = await new CommandScene().withSession(1);
    expect(await scene.slash("pending", {}, inThread)).toBe("Nothing is waiting for your answer.");
    expect(scene.sent[0]?.body).toEqual({ type: 5, data: { flags: 64 } });
  });

  test("lists what is open, who asks since when, and where", async () => {
    const scene = await new CommandScene().withSession(1);
    await ask(scene, "dec_a");
    await scene.engine.submit({
      type: "record_post",
      subject: "dec_a",
      part: "prompt",
      channel_id: T1,
      message_id: "200000000000000777",
      hash: "h",
      is: "said",
    });
    await ask(scene, "q_b", {
      kind: "question",
      thread_id: null,
      asker: mcp,
      subject: null,
      questions: [{ question: "Which *db*?", header: "", options: [], many: false, words: true }],
    });
    await scene.engine.submit({ type: "disconnect", decision_id: "q_b" });
    await scene.slash("pending", {}, inThread);
    const [embed] = shown(scene).embeds;
    expect(embed?.title).toBe("Waiting for your answer: 2");
    expect(embed?.description.split("\n")).toEqual([
      "🔐 Permission: **Bash** `run dec_a`",
      expect.stringMatching(
        new RegExp(
          `^-# \\[open it\\]\\(https://discord\\.com/channels/${GUILD}/${T1}/200000000000000777\\) · claude · asked <t:\\d+:R>$`,
        ),
      ),
      "❓ Question: Which \\*db\\*?",
      expect.stringMatching(/^-# not in Discord yet · shop · asked <t:\d+:R> · 🔌 not connected$/),
    ]);
  });

  test("of many has pages, which turn in place", async () => {
    const scene = await new CommandScene().withSession(1);
    for (let at = 0; at < 23; at += 1) await ask(scene, `dec_${at}`);
    await scene.slash("pending", {}, inThread);
    expect(shown(scene).embeds[0]?.title).toBe("Waiting for your answer: 23 · Page 1 of 3");
    await scene.press("p-page:3", hidden);
    expect(shown(scene).embeds[0]?.description.match(/Permission/g)).toHaveLength(3);
    expect(shown(scene).components[0]?.components.map(({ custom_id }) => custom_id)).toEqual(["p-page:2"]);
    await scene.press("p-page:9999", hidden);
    expect(shown(scene).embeds[0]?.title).toContain("Page 3 of 3");
  });

  test("of long ones has as many pages as Discord's limits take, and each is on one of them", async () => {
    const scene = await new CommandScene().withSession(1);
    for (let at = 0; at < 14; at += 1) {
      const words = `${at}: ${"which_of *these* [two] -- ".repeat(20)}`;
      await ask(scene, `q_${at}`, {
        kind: "question",
        subject: null,
        questions: [{ question: words, header: "", options: [], many: false, words: true }],
      });
      await scene.engine.submit({
        type: "record_post",
        subject: `q_${at}`,
        part: "prompt",
        channel_id: T1,
        message_id: `2000000000000008${10 + at}`,
        hash: "h",
        is: "said",
      });
      await grant(scene, `dec_${at}x`, `command ${at}: ${"echo all of it; ".repeat(20)}`);
    }
    await scene.slash("pending", {}, inThread);
    const pages = Number(/of (\d+)$/.exec(shown(scene).embeds[0]?.title ?? "")?.[1]);
    const all: string[] = [];
    for (let page = 1; page <= pages; page += 1) {
      await scene.press(`p-page:${page}`, hidden);
      all.push(shown(scene).embeds[0]?.description ?? "");
    }
    for (let at = 0; at < 14; at += 1) {
      expect(all.filter((one) => one.includes(`Question: ${at}\\: `))).toHaveLength(1);
      expect(all.filter((one) => one.includes(`command ${at}: `))).toHaveLength(1);
    }
  });

  test("does not show another bot's", async () => {
    const scene = await new CommandScene().withSession(1);
    await ask(scene, "q_b", {
      kind: "question",
      thread_id: null,
      asker: { ...mcp, bot_id: "999" },
      subject: null,
      questions: [{ question: "?", header: "", options: [], many: false, words: true }],
    });
    expect(await scene.slash("pending", {}, inThread)).toBe("Nothing is waiting for your answer.");
  });
});

describe("what is allowed for a session", () => {
  test("is listed, and can be taken back once", async () => {
    const scene = await new CommandScene().withSession(1);
    await grant(scene, "dec_a");
    await grant(scene, "dec_b");
    await scene.slash("pending", {}, inThread);
    const { embeds, components } = shown(scene);
    expect(embeds[0]?.description).toContain("**Allowed without asking: 2**");
    const [select] = components[0]?.components ?? [];
    expect(select?.options?.map(({ label }) => label)).toEqual(["Bash run dec_a", "Bash run dec_b"]);
    const data = { custom_id: select?.custom_id, component_type: 3, values: [select?.options?.[0]?.value] };
    await scene.press("", { ...hidden, data });
    expect(shown(scene).content).toBe("Revoked: **Bash** `run dec_a`. You will be asked again.");
    expect(scene.engine.state.grants[T1]?.map(({ decision_id }) => decision_id)).toEqual(["dec_b"]);
    await scene.press("", { ...hidden, data });
    expect(shown(scene).content).toContain("`E_DECISION_CLOSED`");
    expect(scene.engine.state.grants[T1]).toHaveLength(1);
  });
});
