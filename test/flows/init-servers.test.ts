/** `bellhop init` and `bellhop doctor` where the bot is in several servers: which one is asked, named and kept. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { openFreshMachine, type FreshMachine } from "./fresh-machine.ts";
import { hasTerminal, keys } from "./terminal.ts";

const OTHER = "123456789012345678";

/** The local Discord, which has one server, in front of which stands one more that the bot is in. */
async function withAnotherServer({ sandbox }: FreshMachine): Promise<string> {
  const server = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk as Buffer);
    const headers = {
      authorization: request.headers.authorization ?? "",
      "user-agent": request.headers["user-agent"] ?? "",
      ...(body.length > 0 && { "content-type": request.headers["content-type"] ?? "" }),
    };
    const answer = await fetch(`${sandbox.url}${request.url ?? ""}`, {
      method: request.method ?? "GET",
      headers,
      ...(body.length > 0 && { body: Buffer.concat(body) }),
    });
    const text = await answer.text();
    const more =
      request.url === "/api/v10/users/@me/guilds"
        ? JSON.stringify([{ id: OTHER, name: "Another server" }, ...(JSON.parse(text) as object[])])
        : text;
    response
      .writeHead(answer.status, {
        "content-type": answer.headers.get("content-type") ?? "application/json",
        date: answer.headers.get("date") ?? "",
      })
      .end(more);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
}

test.skipIf(!hasTerminal)("in a terminal the server is asked for by name, and the chosen one is kept", async () => {
  const machine = await openFreshMachine();
  const { sandbox, paths } = machine;
  const api = await withAnotherServer(machine);
  const env = { DISCORD_BOT_TOKEN: sandbox.botToken, BELLHOP_DISCORD_API: api };
  const terminal = machine.terminal(["init", "--run", "later"], env);
  await terminal.sees(/In which server should Bellhop work\?[\s\S]*Another server[\s\S]*Sandbox/);
  terminal.type(`${keys.down}${keys.enter}`);
  await terminal.sees(/Server: Sandbox[\s\S]*Channel: #general[\s\S]*In which directories/);
  terminal.type(keys.enter);
  expect(await terminal.done).toBe(0);
  expect(readFileSync(paths.env, "utf8")).toContain(`DISCORD_GUILD_ID='${sandbox.guildId}'`);
  expect(machine.posted()).toHaveLength(1);
  const again = await machine.run(["init", "--yes", "--run", "later"], { env });
  expect(again).toMatchObject({ code: 0, err: "" });
  expect(again.out).toContain("Server: Sandbox");
});

test("without a terminal the server has no default: it is named by its id, and doctor says that none is chosen", async () => {
  const machine = await openFreshMachine();
  const { sandbox, paths } = machine;
  const env = { DISCORD_BOT_TOKEN: sandbox.botToken, BELLHOP_DISCORD_API: await withAnotherServer(machine) };
  const none = await machine.run(["init", "--yes", "--run", "later"], { env });
  expect(none.code).toBe(64);
  expect(none.err).toMatch(/^--server has no default\. Give it\./);
  const { out } = await machine.run(["doctor"], { env });
  expect(out).toMatch(/✗ The bot is in 2 servers, and none is chosen\.\n {4}→ Choose one: bellhop init/);
  expect(await machine.run(["init", "--yes", "--run", "later", "--server", sandbox.guildId], { env })).toMatchObject({
    code: 0,
    err: "",
  });
  expect(readFileSync(paths.env, "utf8")).toContain(`DISCORD_GUILD_ID='${sandbox.guildId}'`);
  expect((await machine.run(["doctor"], { env })).out).toContain("✓ Server: Sandbox");
});
