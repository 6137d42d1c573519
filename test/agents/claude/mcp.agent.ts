/**
 * The real Claude Code with the `.mcp.json` of the repository: it starts the built client itself, and the model calls
 * each of the six tools; the owner answers in Discord.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openModel } from "../../fakes/model/model.ts";
import { events } from "../../flows/mcp/asked.ts";
import { clientEnvironment } from "../../flows/mcp/clients.ts";
import { recorded } from "../../flows/workshop.ts";
import { openWorld, type World } from "../../flows/world.ts";
import { programOf } from "../bench.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const SERVER = "discord-decision";

interface Claude {
  world: World;
  /** One prompt; resolves with what the model said last: the tool's result, or its beginning. */
  ask(tool: string, input: object): Promise<string>;
}

/** A world with a daemon, and a Claude whose only servers are those of `mcp.json.example`, filled in. */
async function openClaude(): Promise<Claude> {
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const model = await openModel();
  const client = clientEnvironment(world);
  const example = JSON.parse(readFileSync(join(root, "mcp.json.example"), "utf8")) as {
    mcpServers: Record<string, { env: Record<string, string> }>;
  };
  const server = example.mcpServers[SERVER];
  if (server === undefined) throw new Error(`mcp.json.example has no ${SERVER}`);
  server.env = { ...client, ...Object.fromEntries(Object.keys(server.env).map((name) => [name, client[name] ?? ""])) };
  const command = join(world.home, "bin", "discord-mcp");
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${join(root, "bin", "discord-mcp.cjs")}' "$@"\n`);
  chmodSync(command, 0o755);
  server.env["PATH"] = `${join(world.home, "bin")}:/usr/bin:/bin`;
  const config = join(world.home, "mcp.json");
  writeFileSync(config, JSON.stringify(example), { mode: 0o600 });
  const env = {
    PATH: server.env["PATH"],
    HOME: world.home,
    LANG: "C.UTF-8",
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "test-key",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
  return {
    world,
    async ask(tool, input) {
      const prompt = `call:mcp__${SERVER}__${tool}:${JSON.stringify(input)}`;
      const args = [
        "-p",
        "--output-format",
        "json",
        "--mcp-config",
        config,
        "--strict-mcp-config",
        "--allowedTools",
        `mcp__${SERVER}`,
      ];
      const claude = spawn(programOf("claude"), args, { cwd: world.project, env, stdio: ["pipe", "pipe", "inherit"] });
      claude.stdin.end(prompt);
      let out = "";
      claude.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
      await once(claude, "close");
      const { result, is_error } = JSON.parse(out) as { result: string; is_error: boolean };
      expect(is_error, result).toBe(false);
      return result;
    },
  };
}

describe("claude with our .mcp.json", () => {
  it("asks the owner and is told his answer", async () => {
    const { world, ask } = await openClaude();
    const asked = ask("discord_ask_decision", {
      question: "Run the migration?",
      context: "v1 to v2",
      options: ["A) Run it now", "B) Staging first"],
    });
    await recorded(world, ({ type }) => type === "DecisionPlaced");
    const thread = String(events(world, "DecisionPlaced")[0]?.["thread_id"]);
    await world.saying(thread, (said) => said.length > 0);
    await world.owner(thread).send("B로 해줘");
    expect(await asked).toContain('"answer":"B) Staging first","selected_option":"B) Staging first"');
    await recorded(world, ({ type }) => type === "AnswerDelivered");
  });

  it("notifies, reports, and looks at what is open", async () => {
    const { world, ask } = await openClaude();
    expect(await ask("discord_notify", { message: "half of it is done", level: "success" })).toMatch(
      /"success":true,"message_id":"\d+"/,
    );
    expect(
      await ask("discord_report_progress", { title: "Finished", summary: "all of it", details: ["12 tables"] }),
    ).toMatch(/"success":true,"message_id":"\d+"/);
    expect(JSON.stringify(world.said(world.sandbox.channelId).map(({ embeds }) => embeds))).toMatch(
      /half of it is done.*Finished/,
    );
    expect(await ask("discord_check_pending", {})).toContain(
      '"has_pending":false,"pending_questions":[],"resolved_questions":[]',
    );
  });

  it("reads the inbox and clears it", async () => {
    const { world, ask } = await openClaude();
    expect(await ask("discord_read_inbox", {})).toContain('"messages":[]');
    await world.owner(world.sandbox.channelId).send("use tabs, please");
    await recorded(world, ({ type }) => type === "InboxReceived");
    expect(await ask("discord_read_inbox", { mark_read: true })).toContain("use tabs, please");
    expect(await ask("discord_clear_inbox", {})).toContain('"cleared_count":1');
  });

  it("is told what to send instead of what is wrong", async () => {
    const { ask } = await openClaude();
    expect(await ask("discord_notify", { message: "m", level: "warn" })).toContain("level must be one of");
  });
});
