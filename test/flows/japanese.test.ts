/**
 * What a Japanese owner reads, from a machine without projects to a session that was ended by force: the sentences that
 * are fixed for Japanese come as they are fixed, from the built daemon with the demo agent.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, controlsOf, press } from "./asked.ts";
import { descriptionOf, withButton } from "./workshop.ts";
import { openWorld, type World } from "./world.ts";

interface Told {
  content: string;
  embeds: { description?: string; fields?: { name: string; value: string }[] }[];
}

const wordsOf = ({ content, embeds }: Told): string => content || (embeds[0]?.description ?? "");
const root = join(import.meta.dirname, "..", "..");
const demo = [process.execPath, join(root, "dist", "demo-agent.js")];
const scripted = [process.execPath, join(root, "test", "fakes", "agents", "acp.mjs")];

async function opened(): Promise<World> {
  const world = await openWorld({ agent: "none", unlimited: true });
  const config = {
    version: 1,
    owner_id: world.sandbox.owner.id,
    projects: {},
    commands: { acp: demo },
    acp_agents: { scripted: { command: scripted } },
    limits: { acp_silence_sec: 3 },
  };
  writeFileSync(join(world.stateDir, "config.json"), JSON.stringify(config), { mode: 0o600 });
  await world.daemon({ env: { BELLHOP_LOCALE: "ja" } }).ready;
  await world.sandbox.until(({ commands }) => commands().some(({ name }) => name === "agent"));
  return world;
}

test("every sentence that is fixed for Japanese is said as it is fixed", async () => {
  const world = await opened();
  const { channelId } = world.sandbox;
  const slash = async (name: string, options: Record<string, string | number> = {}, place = channelId): Promise<Told> =>
    (await (await world.owner(place).slash(name, options, "ja")).answer()) as Told;
  const first = async (
    name: string,
    options: Record<string, string | number> = {},
    place = channelId,
  ): Promise<string> =>
    wordsOf(await slash(name, options, place))
      .replace(/ `E_\w+`/, "")
      .split(/。|\n/)[0] ?? "";
  const fields = async (name: string, place: string): Promise<string[][]> =>
    ((await slash(name, {}, place)).embeds[0]?.fields ?? []).map(({ name: field, value }) => [field, value]);

  expect(await first("projects")).toBe("登録されているプロジェクトはありません");
  expect(await first("project add", { path: join(world.home, "none") })).toBe("指定されたパスが存在しません");
  expect(await first("project add", { path: world.project })).toBe(
    `プロジェクト #1 を登録しました（\`${world.project}\`）`,
  );
  expect(JSON.stringify((await slash("projects")).embeds)).toContain(world.project);
  expect(await first("agent start", { project_id: 9 })).toBe("プロジェクト #9 が見つかりません");
  for (const [verb, options] of [
    ["stop"],
    ["kill"],
    ["status"],
    ["usage"],
    ["model", { model_id: "demo-large" }],
  ] as const) {
    expect(await first(`agent ${verb}`, options)).toBe("アクティブなセッションはありません");
  }

  const started = async (options = {}): Promise<string> =>
    /\d{17,20}/.exec((await slash("agent start", { project_id: 1, ...options })).content)?.[0] ?? "";
  const thread = await started();
  const asked = { world, thread, id: "", daemon: null as never };
  expect(await fields("agent status", thread)).toEqual([
    ["セッションID", `\`${thread}\``],
    ["プロジェクトID", "#1 app"],
    ["モデルID", "`demo-small`"],
    ["状態", "待機中"],
    ["最終応答からの経過時間", expect.stringMatching(/^<t:\d+:R>$/)],
  ]);
  expect(await first("agent model", { model_id: "demo-huge" }, thread)).toBe("指定されたモデルIDは利用できません");
  expect(await first("agent model", { model_id: "demo-large" }, thread)).toBe("モデルを `demo-large` に変更しました");

  const { id } = await world.owner(thread).send("write a.txt hello");
  await press(asked, "今回だけ許可");
  await world.marked(id, "✅");
  expect((await fields("agent usage", thread)).map(([name]) => name)).toEqual(["コンテキスト使用量", "累積コスト"]);

  expect(await first("agent stop", {}, thread)).toBe("セッションを終了しました");
  const silent = await started({ tool: "scripted" });
  await world.owner(silent).send("work");
  await world.saying(silent, (said) =>
    said.some((message) => descriptionOf(message).includes("🔧 execute を実行中... `npm test`")),
  );
  expect((await fields("agent status", silent))[3]).toEqual(["状態", "応答中"]);
  await world.saying(silent, (said) =>
    said.some((message) =>
      descriptionOf(message).includes("エージェントが応答しないため、セッションを強制終了しました。"),
    ),
  );
  expect((await fields("agent status", silent))[3]).toEqual(["状態", "終了"]);
  await world.owner(silent).send("echo また");
  const refusal = await world.saying(silent, (said) => withButton(said, "s-reopen"));
  expect(controlsOf(refusal)).toContain("開き直して送信");
  await (await world.owner(silent).clickButton(refusal.id, "開き直して送信")).acknowledged();
  await answer({ ...asked, thread: silent }, "また");
  expect(await first("agent kill", {}, silent)).toBe("セッションを強制終了しました");
}, 60_000);
