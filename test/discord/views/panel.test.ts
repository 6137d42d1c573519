/** What the control panel shows, and which buttons it has. */
import { expect, test } from "vitest";
import { emptyState, type State } from "../../../src/core/state.ts";
import type { Locale } from "../../../src/base/words/say.ts";
import { locales } from "../../../src/base/words/say.ts";
import { panelPost } from "../../../src/discord/views/panel.ts";
import { CommandScene, CHANNEL, T1, app } from "../interactions/scene.ts";

const OPTIONS = { channelId: CHANNEL, locale: "en" as Locale, since: 0 };
const window = {
  thread_id: T1,
  server: "own" as const,
  socket: "/s",
  window_id: "@1",
  pane_id: "%1",
  pid: 1,
  start_time: "1",
  cwd: "/srv/app",
  adopted: false,
};

async function scene(): Promise<CommandScene> {
  const one = new CommandScene({ panelId: CHANNEL }, ["tmux", "claude"]);
  await one.slash("project create", { ...app, tools_csv: "claude,tmux" });
  return one.withSession();
}

function shown(
  state: State,
  botId: string,
  locale: Locale = "en",
): {
  text: string;
  rows: { components: { custom_id: string; label?: string; options?: { label: string; value: string }[] }[] }[];
  is: string;
} {
  const { want, is } = panelPost(state, { ...OPTIONS, locale, botId });
  if (want.kind !== "show") throw new Error("it is always shown");
  return { text: want.body.embeds[0]?.description ?? "", rows: want.body.components as never, is };
}

test("a project is running where this bot's window of it stands; another bot's panel does not show it", async () => {
  const { engine, context } = await scene();
  expect(shown(engine.state, context.botId).rows[0]?.components).toMatchObject([
    { custom_id: "w-start:app", label: "▶ Start app" },
  ]);
  const before = shown(engine.state, context.botId).is;
  await engine.submit({ type: "open_window", ...window });
  const running = shown(engine.state, context.botId);
  expect(running.text).toBe(`🟢 **app** running <#${T1}>`);
  expect(running.rows[0]?.components).toMatchObject([{ custom_id: "w-stop:app", label: "🛑 Stop app" }]);
  expect(running.is).not.toBe(before);
  expect(shown(engine.state, "400000000000000009").text).toBe("⭕ **app** stopped");
  expect(shown(engine.state, context.botId, "ja").text).toBe(`🟢 **app** 実行中 <#${T1}>`);
  expect(shown(engine.state, "400000000000000009", "ja").text).toBe("⭕ **app** 停止中");
});

test("a window that its owner opened himself has no button", async () => {
  const { engine, context } = await scene();
  await engine.submit({ type: "open_window", ...window, server: "owner", adopted: true });
  const { text, rows } = shown(engine.state, context.botId);
  expect(rows).toEqual([]);
  expect(text).toContain("yours");
});

test("worktrees that stand are listed", async () => {
  const { engine, context } = await scene();
  await engine.submit({
    type: "made_worktree",
    thread_id: T1,
    path: "/srv/app/.claude/worktrees/one",
    branch: "worktree-one",
  });
  expect(shown(engine.state, context.botId).text).toContain(`**Worktrees**\n🌿 app \`worktree-one\` <#${T1}>`);
});

test("up to 25 projects have a button each, more of them selects; nothing is longer than Discord takes, in any language", async () => {
  const state = emptyState();
  const one = (await scene()).engine.state.projects["app"];
  if (!one) throw new Error("no project");
  for (let number = 1; number <= 140; number += 1) {
    const name = `${"p".repeat(36)}-${number}`.slice(-40);
    state.projects[name] = { ...one, name, number };
    const { text, rows } = shown(state, "4", locales[number % locales.length]);
    expect([text.length <= 4096, rows.length <= 5]).toEqual([true, true]);
    const controls = rows.flatMap(({ components }) => components);
    const offered = controls.flatMap(({ label, options }) =>
      options ? options.map((option) => option.label) : [label ?? ""],
    );
    expect(offered).toHaveLength(Math.min(number, 125));
    expect(offered.every((label) => label.length <= 80)).toBe(true);
    expect(controls.every(({ options = [] }) => options.length <= 25)).toBe(true);
    expect(new Set(controls.map(({ custom_id }) => custom_id)).size).toBe(controls.length);
  }
});

test("a button works in the panel's own channel only, also on a panel that is being moved or not yet recorded", async () => {
  const one = await scene();
  const post = {
    type: "record_post",
    subject: `panel:${CHANNEL}`,
    part: "panel",
    channel_id: CHANNEL,
    hash: "h",
    is: "x",
  } as const;
  for (const message_id of [null, "200000000000000901", "200000000000000900"]) {
    if (message_id !== null) await one.engine.submit({ ...post, message_id });
    await one.press("w-start:app");
    expect(one.answered()).toContain("<#200000000000000099>");
  }
  const other = new CommandScene({ engine: one.engine, panelId: "200000000000000007" });
  await other.press("w-start:app");
  expect(other.answered()).toContain("E_DECISION_CLOSED");
});
