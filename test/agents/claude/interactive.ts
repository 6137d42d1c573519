/**
 * The interactive Claude Code as its owner has it open in tmux, with our `.mcp.json` in its project: a terminal of its
 * own, a HOME of its own, and a model on loopback, by which is seen what it was told.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, type TestContext } from "vitest";
import { type FakeModel, openModel } from "../../fakes/model/model.ts";
import { clientEnvironment } from "../../flows/mcp/clients.ts";
import { openWorld, type World } from "../../flows/world.ts";
import { programOf } from "../bench.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const SERVER = "discord-decision";
const KEY = "test-key";

export interface Interactive {
  world: World;
  model: FakeModel;
}

/** A daemon, and a Claude in tmux that is given this prompt. `settings`: the `env` of its own settings. */
export async function openInteractive(
  { skip }: TestContext,
  prompt: string,
  settings: Record<string, string>,
): Promise<Interactive> {
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const model = await openModel();
  onTestFinished(() => model.close());
  furnish(world, settings);
  const PATH = "/usr/bin:/bin:/usr/local/bin";
  const env = {
    PATH,
    HOME: world.home,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
  const tmux = (...args: string[]): string =>
    execFileSync("tmux", ["-u", "-S", join(world.home, "tmux"), "-f", "/dev/null", ...args], {
      cwd: world.project,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  try {
    tmux("-V");
  } catch {
    skip("tmux is missing");
  }
  tmux("new-session", "-d", "-x", "120", "-y", "40", programOf("claude"), prompt);
  onTestFinished(() => void tmux("kill-server"));
  return { world, model };
}

/** What its owner has set up before: no dialog asks him anything, and our server is in the project. */
function furnish(world: World, env: Record<string, string>): void {
  const write = (path: string, value: object): void => writeFileSync(path, JSON.stringify(value), { mode: 0o600 });
  const seen = {
    hasCompletedOnboarding: true,
    theme: "dark",
    hasSeenAutoDefaultNotice: true,
    hasSeenAutoDefaultNudge: true,
    customApiKeyResponses: { approved: [KEY], rejected: [] },
  };
  mkdirSync(join(world.home, ".claude"));
  write(join(world.home, ".claude.json"), {
    ...seen,
    projects: { [world.project]: { hasTrustDialogAccepted: true, enabledMcpjsonServers: [SERVER] } },
  });
  write(join(world.home, ".claude", "settings.json"), {
    env,
    permissions: { defaultMode: "default", allow: [`mcp__${SERVER}`] },
    enabledMcpjsonServers: [SERVER],
  });
  const server = {
    type: "stdio",
    command: process.execPath,
    args: [join(root, "bin", "discord-mcp.cjs")],
    env: clientEnvironment(world),
  };
  write(join(world.project, ".mcp.json"), { mcpServers: { [SERVER]: server } });
}
