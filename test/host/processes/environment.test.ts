import { describe, expect, it } from "vitest";
import {
  agentEnvironment,
  refusedPassEnv,
  scrubbedEnvironment,
  secretValues,
} from "../../../src/host/processes/environment.ts";

const request = {
  passEnv: [] as string[],
  secrets: [] as string[],
  outputs: "/s/outputs/1",
  session: "1",
  job: "job_1",
};
const ours = {
  BELLHOP_OUTPUTS: "/s/outputs/1",
  BELLHOP_SESSION: "1",
  BELLHOP_JOB: "job_1",
  CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS: "0",
};

function from(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `the ${name}`]));
}

describe("an agent's environment", () => {
  it.each([
    ..."PATH HOME USER LOGNAME SHELL LANG LC_ALL LC_CTYPE TZ TERM TMPDIR XDG_RUNTIME_DIR SSH_AUTH_SOCK".split(" "),
    ..."ANTHROPIC_API_KEY ANTHROPIC_BASE_URL CLAUDE_CONFIG_DIR CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_MAX_RETRIES".split(
      " ",
    ),
    ..."OPENAI_API_KEY CODEX_HOME GEMINI_API_KEY GOOGLE_CLOUD_PROJECT".split(" "),
  ])("has %s", (name) => {
    expect(agentEnvironment({ ...request, from: from([name]) })).toEqual({ ...from([name]), ...ours });
  });

  it.each([
    ..."DISCORD_BOT_TOKEN DISCORD_TOKEN DISCORD_TOKEN_FILE DISCORD_OWNER_ID discord_token BOT_TOKEN".split(" "),
    ..."CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID CLAUDE_CODE_SESSION CLAUDE_CODE_MESSAGING_TOKEN".split(
      " ",
    ),
    ..."BELLHOP_JOB BELLHOP_LOCALE NODE_OPTIONS LD_PRELOAD AWS_SECRET_ACCESS_KEY GITHUB_TOKEN STATE_DIR PATHS LC XHOME".split(
      " ",
    ),
    ..."CLAUDE_FOO MCP_TOOL_TIMEOUT npm_config_registry SUDO_USER TMUX".split(" "),
  ])("does not have the daemon's %s", (name) => {
    expect(agentEnvironment({ ...request, from: from([name]) })).toEqual(ours);
  });

  it("has what pass_env names, whole or by a prefix", () => {
    const passEnv = ["GITHUB_TOKEN", "AWS_*"];
    const env = from(["GITHUB_TOKEN", "GITHUB_TOKENS", "AWS_REGION", "AWS", "OTHER"]);
    expect(agentEnvironment({ ...request, passEnv, from: env })).toEqual({
      ...from(["GITHUB_TOKEN", "AWS_REGION"]),
      ...ours,
    });
  });

  it.each(["DISCORD_BOT_TOKEN", "DISCORD_*", "D*", "discord_*", "*"])(
    "has nothing of Discord's even where pass_env says %s",
    (entry) => {
      const env = from(["DISCORD_BOT_TOKEN", "DISCORD_TOKEN_FILE", "discord_x"]);
      expect(agentEnvironment({ ...request, passEnv: [entry], from: env })).toEqual(ours);
    },
  );

  it("has no variable with the token in its value, under whatever name it goes", () => {
    const env = { HOME: "/h", MY_BOT: "Bot s3cret-token", ANTHROPIC_HEADERS: "a: s3cret-token" };
    expect(agentEnvironment({ ...request, passEnv: ["MY_BOT"], secrets: ["s3cret-token", ""], from: env })).toEqual({
      HOME: "/h",
      ...ours,
    });
  });

  it("takes what another Claude set for its children only where pass_env names exactly that", () => {
    const env = from(["CLAUDE_CODE_SESSION_ID", "CLAUDECODE"]);
    expect(scrubbedEnvironment({ ...request, passEnv: ["CLAUDE*"], from: env })).toEqual({});
    expect(scrubbedEnvironment({ ...request, passEnv: ["CLAUDECODE"], from: env })).toEqual(from(["CLAUDECODE"]));
  });

  it("cannot be given another job's marks", () => {
    const env = { BELLHOP_JOB: "job_9", BELLHOP_OUTPUTS: "/else" };
    expect(agentEnvironment({ ...request, passEnv: ["BELLHOP_*", "BELLHOP_JOB"], from: env })).toEqual(ours);
  });

  it("says which entries of pass_env are refused, and why", () => {
    expect(refusedPassEnv(["GOOD", "GOOD_*", "DISCORD_TOKEN", "BELLHOP_JOB", "A=B", "", "*", "A*B"])).toEqual([
      { entry: "DISCORD_TOKEN", reason: "discord" },
      { entry: "BELLHOP_JOB", reason: "ours" },
      ...["A=B", "", "*", "A*B"].map((entry) => ({ entry, reason: "not_a_name" })),
    ]);
  });
});

describe("a value that is a secret by the name of its variable", () => {
  const LONG = "sk-ant-0123456789";
  const of = (from: Record<string, string>, more: object = {}): string[] =>
    secretValues({ from, passEnv: ["MY_*", "DB_PASSWORD"], secrets: [], ...more }, (path) => path === "/home");

  it.each([
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "GOOGLE_CLIENT_SECRET",
    "DB_PASSWORD",
    "MY_CREDENTIALS",
    "MY_api_key",
    "OPENAI_KEY",
  ])("%s", (name) => {
    expect(of({ [name]: LONG })).toEqual([LONG]);
    expect(of({ [name]: ` ${LONG}\n` })).toEqual([LONG]);
    expect(of({ [name]: LONG.slice(0, 15) })).toEqual([]);
  });

  it.each(["ANTHROPIC_BASE_URL", "GITHUB_TOKEN", "DISCORD_TOKEN", "MY_NAME", "PATH", "CLAUDE_CODE_SESSION_TOKEN"])(
    "not %s, which is not passed or says nothing of the kind",
    (name) => {
      expect(of({ [name]: LONG })).toEqual([]);
    },
  );

  it.each([
    "/home/me/secrets/key.json",
    "~/secrets/key.json",
    "./secrets/key.json",
    "../secrets/key.json",
    "C:\\secrets\\key.json",
    "https://me:pw@keys.example.com/x",
    "vault://keys/one/two",
    "keys.internal.example.com",
    "keys.example.com:8443/v1",
    "me@keys.example.com",
    "localhost-of-keys:8443",
  ])("not %s, a path or an address", (value) => {
    expect(of({ MY_KEY: value })).toEqual([]);
  });

  it.each([
    "/9j4AAQSkZJRgABAQAAAQABAAD/2wBD",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K",
    "a+b/c==0123456789abcd",
    "correct horse battery staple",
  ])("%s, which only looks like one at its beginning", (value) => {
    expect(of({ MY_KEY: value })).toEqual([value]);
  });
});
