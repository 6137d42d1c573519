/** A sandbox is for trying out: what programs read under the real home stays as it is. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openNewcomer } from "../newcomer.ts";
import { inFolder } from "../world.ts";
import { openClient } from "./clients.ts";

test("nothing of the other Discord's stays in the environ of a sandbox's daemon", async () => {
  const newcomer = openNewcomer(onTestFinished, {
    env: { DISCORD_CHANNEL_ID: "123456789012345678", DISCORD_OWNER_ID: "123456789012345679" },
  });
  await newcomer.start();
  const address = readFileSync(join(newcomer.home, ".local", "state", "bellhop", "sandbox", "link.json"), "utf8");
  const { pid } = JSON.parse(address) as { pid: number };
  expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toContain("DISCORD_");
});

test("a question asked in a sandbox is mirrored in its own folder, never in ~/.claude", async () => {
  const newcomer = openNewcomer(onTestFinished);
  const { home } = newcomer;
  const { link } = await newcomer.start();
  const url = new URL(link);
  const authorization = new URLSearchParams(url.hash.slice(1)).get("token") ?? "";
  const get = async (path: string): Promise<{ id: string; type: number }[]> =>
    (await fetch(`${url.origin}/api/v10${path}`, { headers: { authorization } })).json() as Promise<
      { id: string; type: number }[]
    >;
  const [guild] = await get("/users/@me/guilds");
  const channel = (await get(`/guilds/${guild?.id}/channels`)).find(({ type }) => type === 0);
  const client = await openClient(
    "2.x",
    { PATH: "/usr/bin:/bin", HOME: home, LANG: "C.UTF-8", DISCORD_CHANNEL_ID: channel?.id ?? "" },
    home,
  );
  void client.call("discord_ask_decision", { question: "Deploy?", context: "", options: [] }).catch(() => undefined);
  const sandbox = join(home, ".local", "state", "bellhop", "sandbox");
  await inFolder(sandbox, () => existsSync(join(sandbox, "pending_decisions")));
  await inFolder(join(sandbox, "pending_decisions"), () =>
    readdirSync(join(sandbox, "pending_decisions")).some((name) => name.endsWith(".json")),
  );
  expect(existsSync(join(home, ".claude"))).toBe(false);
});
