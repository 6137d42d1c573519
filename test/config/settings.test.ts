import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BellhopError } from "../../src/base/errors.ts";
import { say } from "../../src/base/words/say.ts";
import { readEnvFiles } from "../../src/config/env-files.ts";
import { loadSettings, type Environment, type Settings } from "../../src/config/settings.ts";
import { tokenMissing } from "../../src/config/token.ts";

const OWNER = "123456789012345678";
const OTHER = "223456789012345678";
/** Of the right form, and nobody's. */
const TOKEN = `${Buffer.from(OWNER).toString("base64url")}.Gabcde.${"x".repeat(38)}`;

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "bellhop-settings-"));
});

afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** With `.env` here, which the owner named. */
function load(env: Environment = {}): Settings {
  const all = { HOME: "/home/me", ...env };
  return loadSettings(
    all,
    cwd,
    existsSync(join(cwd, ".env")) ? readEnvFiles({ env: all, cwd, checkout: "/nowhere", named: ".env" }) : [],
  );
}

/** The refusal as the owner reads it. */
function refusal(env: Environment): string {
  try {
    load(env);
  } catch (error) {
    if (error instanceof BellhopError && error.code === "E_CONFIG_INVALID") {
      const sentence = say("en", error.code, error.details);
      expect(sentence).not.toMatch(/\{\w+\}|\n/);
      return sentence;
    }
    throw error;
  }
  return "accepted";
}

function file(name: string, text: string, mode = 0o600): string {
  const path = join(cwd, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe("settings", () => {
  test("have a default for everything, and need nothing", () => {
    const platform =
      process.platform === "darwin" ? "/home/me/Library/Application Support/bellhop" : "/home/me/.local/state/bellhop";
    expect(load()).toMatchObject({
      token: undefined,
      ownerId: undefined,
      guildId: undefined,
      stateDir: platform,
      logDir: join(platform, "logs"),
      pendingDir: "/home/me/.claude/pending_decisions",
      inboxFile: "/home/me/.claude/discord_inbox.json",
      pollIntervalMs: 5000,
      projects: [],
      locale: "en",
      discordApi: "https://discord.com/api",
      realDiscord: true,
      warnings: [],
    });
  });

  test.runIf(process.platform === "linux")("follow XDG_STATE_HOME, unless it is relative", () => {
    expect(load({ XDG_STATE_HOME: "/data/state" }).stateDir).toBe("/data/state/bellhop");
    expect(load({ XDG_STATE_HOME: "state" }).stateDir).toBe("/home/me/.local/state/bellhop");
  });

  test("take .env where the environment says nothing, and put none of it into the process's environment", () => {
    file(".env", `DISCORD_TOKEN=${TOKEN}\nSTATE_DIR=state\nBELLHOP_LOCALE=ko\nDISCORD_OWNER_ID=${OWNER}\n`);
    const before = { ...process.env };
    const settings = load({ BELLHOP_LOCALE: "ja", DISCORD_OWNER_ID: "" });
    expect(settings).toMatchObject({
      token: { value: TOKEN, from: "DISCORD_TOKEN" },
      stateDir: join(cwd, "state"),
      locale: "ja",
      ownerId: OWNER,
    });
    expect(process.env).toEqual(before);
  });

  test("warn about a name in .env that is nearly one of ours, and about a line of no form", () => {
    file(".env", "DISCORD_OWNR_ID=1\nBELLHOP_COLOUR=red\nEDITOR=vi\n???\n");
    expect(load().warnings).toEqual([
      `${cwd}/.env line 4 is not in the form NAME=value and was ignored.`,
      `${cwd}/.env DISCORD_OWNR_ID is not a setting Bellhop knows. It is kept but has no effect. Did you mean DISCORD_OWNER_ID?`,
      `${cwd}/.env BELLHOP_COLOUR is not a setting Bellhop knows. It is kept but has no effect.`,
    ]);
  });

  test("refuse a .env that is there and cannot be read", () => {
    mkdirSync(join(cwd, ".env"));
    expect(refusal({})).toContain("EISDIR");
  });

  test("speak the system's language where none is named", () => {
    expect(load({ LANG: "ko_KR.UTF-8" }).locale).toBe("ko");
    expect(load({ LANG: "C", BELLHOP_LOCALE: "zh-tw" }).locale).toBe("zh-TW");
  });

  test("refuse in the owner's language", () => {
    const error = (() => {
      try {
        return load({ BELLHOP_LOCALE: "ko", DISCORD_GUILD_ID: "x" });
      } catch (thrown) {
        return thrown as BellhopError;
      }
    })() as BellhopError;
    expect(error.details["expected"]).toBe(say("ko", "config.want.snowflake"));
  });
});

describe("one malformed setting stops the start with a sentence that says how to mend it", () => {
  const wrong: [Environment, string][] = [
    [
      { DISCORD_OWNER_ID: "me" },
      'DISCORD_OWNER_ID: found "me", expected your own Discord user id, 17 to 20 digits. Turn on Developer Mode',
    ],
    [{ DISCORD_ALLOWED_USER_ID: `${OWNER}0000` }, "DISCORD_ALLOWED_USER_ID: found"],
    [
      { DISCORD_OWNER_ID: OWNER, DISCORD_ALLOWED_USER_ID: OTHER },
      `DISCORD_ALLOWED_USER_ID: found "${OTHER}", expected the same owner as DISCORD_OWNER_ID, which is ${OWNER}.`,
    ],
    [{ DISCORD_GUILD_ID: "12" }, 'DISCORD_GUILD_ID: found "12", expected a Discord id'],
    [{ DISCORD_CHANNEL_ID: "#general" }, 'DISCORD_CHANNEL_ID: found "#general"'],
    [{ DISCORD_APP_ID: "0123456789012345678" }, "DISCORD_APP_ID: found"],
    [{ POLL_INTERVAL_SECONDS: "often" }, 'POLL_INTERVAL_SECONDS: found "often", expected a number of seconds above 0'],
    [{ POLL_INTERVAL_SECONDS: "0" }, 'POLL_INTERVAL_SECONDS: found "0"'],
    [{ POLL_INTERVAL_SECONDS: "1e9" }, 'POLL_INTERVAL_SECONDS: found "1e9"'],
    [
      { AGENT_COMMAND: "claude-agent-acp" },
      'AGENT_COMMAND: found "claude-agent-acp", expected a JSON array of strings, such as ["claude-agent-acp"]. Correct AGENT_COMMAND in the environment or in .env',
    ],
    [{ AGENT_COMMAND: "[]" }, "AGENT_COMMAND: found"],
    [{ PROJECTS: "/home/me/app" }, "PROJECTS: found"],
    [{ PROJECT_ROOTS: '{"a":1}' }, "PROJECT_ROOTS: found"],
    [{ BELLHOP_LOCALE: "de" }, 'BELLHOP_LOCALE: found "de", expected one of en, ko, ja, zh-TW'],
    [{ BELLHOP_DISCORD_API: "discord" }, 'BELLHOP_DISCORD_API: found "discord", expected an https address'],
    [{ BELLHOP_DISCORD_API: "http://example.com/api" }, "BELLHOP_DISCORD_API: found"],
    [{ BELLHOP_DISCORD_API: "http://127.0.0.1.example.com/api" }, "BELLHOP_DISCORD_API: found"],
    [{ BELLHOP_DISCORD_API: "https://a:b@example.com/api" }, "BELLHOP_DISCORD_API: found"],
  ];

  test.each(wrong.map(([env, sentence]) => ({ set: JSON.stringify(env), env, sentence })))(
    "$set",
    ({ env, sentence }) => {
      expect(refusal(env)).toContain(sentence);
    },
  );

  test("while http on this machine and https anywhere are taken", () => {
    for (const api of [
      "http://127.0.0.1:4000/api/",
      "http://localhost:1/api",
      "http://[::1]:1/api",
      "https://example.com/api",
    ]) {
      expect(load({ BELLHOP_DISCORD_API: api })).toMatchObject({
        discordApi: api.replace(/\/$/, ""),
        realDiscord: false,
      });
    }
  });
});

describe("where the token is sent", () => {
  const given = (api: string): string => {
    file(".env", `BELLHOP_DISCORD_API=${api}\n`);
    return refusal({ DISCORD_TOKEN: TOKEN });
  };

  test("a file may name Discord's own host and this machine, and nobody else", () => {
    for (const api of [
      "https://discord.com/api",
      "https://canary.discord.com/api",
      "http://127.0.0.1:4000/api",
      "http://[::1]:1/api",
    ])
      expect(given(api)).toBe("accepted");
    for (const api of [
      "https://example.com/api",
      "https://discord.com.example.com/api",
      "https://notdiscord.com/api",
      "https://127.0.0.1.example.com/api",
      "https://discord.com@example.com/api",
    ]) {
      expect(given(api)).toContain("BELLHOP_DISCORD_API: found");
    }
    expect(given("https://example.com/api")).toContain("set BELLHOP_DISCORD_API in the environment and start again.");
  });

  test("the environment may name any, and wins over the file", () => {
    file(".env", "BELLHOP_DISCORD_API=https://example.com/api\n");
    expect(load({ BELLHOP_DISCORD_API: "https://example.org/api" }).discordApi).toBe("https://example.org/api");
  });
});

describe("paths", () => {
  test("begin at home with ~, and a file's relative ones where the file is", () => {
    file(".env", "STATE_DIR=~/state\nPENDING_DIR=pending\nLOG_DIR='~me/logs'\n");
    expect(load()).toMatchObject({
      stateDir: "/home/me/state",
      pendingDir: join(cwd, "pending"),
      logDir: join(cwd, "~me/logs"),
    });
    expect(load({ STATE_DIR: "~", PROJECTS: '["~/app"]' })).toMatchObject({
      stateDir: "/home/me",
      projects: ["/home/me/app"],
    });
  });
});

describe("the token", () => {
  test("in the environment wins over every name of it in a file", () => {
    file(".env", `DISCORD_BOT_TOKEN=${TOKEN}y\n`);
    expect(load({ DISCORD_TOKEN: TOKEN })).toMatchObject({
      token: { value: TOKEN, from: "DISCORD_TOKEN" },
      warnings: [],
    });
    const path = file("token", TOKEN);
    expect(load({ DISCORD_TOKEN_FILE: path }).token).toEqual({ value: TOKEN, from: "DISCORD_TOKEN_FILE" });
  });

  test("may carry `Bot ` before it", () => {
    expect(load({ DISCORD_BOT_TOKEN: ` Bot ${TOKEN} ` }).token).toEqual({ value: TOKEN, from: "DISCORD_BOT_TOKEN" });
  });

  test("is the first of the three that is set, with a word about a second that differs", () => {
    const settings = load({ DISCORD_BOT_TOKEN: TOKEN, DISCORD_TOKEN: `${TOKEN}y` });
    expect(settings.token?.from).toBe("DISCORD_BOT_TOKEN");
    expect(settings.warnings).toEqual([
      "DISCORD_BOT_TOKEN and DISCORD_TOKEN hold different tokens. DISCORD_BOT_TOKEN is used.",
    ]);
  });

  test.each(["hunter2hunter2", `${TOKEN}.more`, OWNER, `${TOKEN} x`])(
    "of another form is refused, and the error shows nothing of it: %s",
    (wrong) => {
      const sentence = refusal({ DISCORD_TOKEN: wrong });
      expect(sentence).toContain(`DISCORD_TOKEN: found ${wrong.length} characters in another form`);
      expect(sentence).not.toContain(wrong);
      expect(sentence).not.toContain(wrong.slice(0, 8));
    },
  );

  test("of any form is taken for a Discord of one's own", () => {
    expect(load({ DISCORD_TOKEN: "sandbox", BELLHOP_DISCORD_API: "http://127.0.0.1:1/api" }).token?.value).toBe(
      "sandbox",
    );
  });

  test("missing is said with the three ways to set it", () => {
    const error = tokenMissing("en") as BellhopError;
    expect(say("en", error.code, error.details)).toMatch(
      /^DISCORD_BOT_TOKEN: found nothing, .*DISCORD_TOKEN_FILE .*bellhop sandbox/,
    );
  });

  test("is read from a file of one's own with mode 0600 or less", () => {
    for (const mode of [0o600, 0o400]) {
      const path = file("token", `${TOKEN}\n`, mode);
      expect(load({ DISCORD_TOKEN_FILE: path }).token).toEqual({ value: TOKEN, from: "DISCORD_TOKEN_FILE" });
      rmSync(path);
    }
  });

  test("in a file that others may read is refused with the command that mends it", () => {
    const path = file("token", TOKEN, 0o640);
    expect(refusal({ DISCORD_TOKEN_FILE: path })).toContain(
      `(mode 0640)", expected a regular file that you own and nobody else can read (mode 0600). Name your token's file, run \`chmod 600 ${path}\``,
    );
  });

  test("is not looked for in a directory, a pipe, a huge file or nowhere", () => {
    execFileSync("mkfifo", ["-m", "600", join(cwd, "pipe")]);
    file("huge", "x".repeat(5000));
    for (const name of [".", "pipe", "huge", "missing"]) {
      expect(refusal({ DISCORD_TOKEN_FILE: join(cwd, name) })).toContain("DISCORD_TOKEN_FILE: found");
    }
  });

  test("in a file that does not exist is refused with the path that was looked at", () => {
    const path = join(cwd, ".bellhop-token");
    expect(refusal({ DISCORD_TOKEN_FILE: path })).toContain(`There is no file ${path}. Write its full path`);
  });

  test.runIf(process.getuid?.() === 0)("in a file of somebody else is refused", () => {
    const path = file("token", TOKEN);
    execFileSync("chown", ["12345", path]);
    expect(refusal({ DISCORD_TOKEN_FILE: path })).toContain("uid 12345");
  });
});
