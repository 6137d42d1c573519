import type { APIEmbed } from "discord-api-types/v10";
import { describe, expect, test } from "vitest";
import { codeOf } from "../../../src/base/errors.ts";
import { silentLog } from "../../../src/base/log.ts";
import { handleInteraction, refuseStranger } from "../../../src/discord/interactions/interaction.ts";
import { RestFailure } from "../../../src/discord/api/transport.ts";
import { app, BOT, CHANNEL, CommandScene, GUILD, inThread, T1, today } from "./scene.ts";

describe("every interaction", () => {
  test("is acknowledged before anything is looked at or written, and answered by editing that", async () => {
    const scene = new CommandScene();
    scene.answer = ({ path }) => {
      if (path.endsWith("/callback")) expect(scene.checked).toEqual([]);
    };
    await scene.slash("project create", app);
    expect(
      scene.sent.map(({ by, method, path, recorded }) => [by, method, path.replace(/\d{18}/g, "ID"), recorded]),
    ).toEqual([
      ["respond", "POST", "/interactions/ID/token-ID/callback", 0],
      ["respond", "PATCH", "/webhooks/ID/token-ID/messages/@original", 1],
    ]);
    expect(scene.sent[0]?.body).toEqual({ type: 5, data: {} });
    expect(scene.checked).toEqual(["/srv/app"]);
  });

  test("that Discord does not take any more has no effect: its person was told that it failed", async () => {
    const scene = new CommandScene();
    scene.answer = () => {
      throw new RestFailure("rejected", { route: "POST /interactions", code: 10062 });
    };
    await scene.slash("project create", app);
    expect(scene.events).toEqual([]);
    expect(scene.sent).toHaveLength(1);
  });

  test("is answered in the channel, once, when its token is over", async () => {
    const scene = new CommandScene();
    scene.context.checkDirectory = async () => {
      await scene.clock.advance(16 * 60_000);
      return { is: "directory", path: "/srv/app", wide: false };
    };
    await scene.slash("project create", app);
    expect(scene.sent.map(({ by, path }) => [by, path.replace(/\d{18}/g, "ID")])).toEqual([
      ["respond", "/interactions/ID/token-ID/callback"],
      ["call", `/channels/ID/messages`],
    ]);
    expect(scene.sent[1]?.body).toMatchObject({
      nonce: expect.stringMatching(/^i\d{18}$/),
      enforce_nonce: true,
      allowed_mentions: { parse: [] },
    });
  });

  test("is answered in the channel when Discord refuses the edit", async () => {
    const scene = new CommandScene();
    scene.answer = ({ method }) => {
      if (method === "PATCH") throw new RestFailure("rejected", { route: "PATCH", code: 10015 });
    };
    await scene.slash("project list");
    expect(scene.sent.at(-1)).toMatchObject({ by: "call", path: `/channels/${CHANNEL}/messages` });
  });

  test("is answered in the daemon's language where all can read it, else in its person's; an error with its code", async () => {
    const scene = new CommandScene();
    const typed = async (name: string): Promise<string> => {
      await handleInteraction(scene.command(name, {}, { locale: "ko" }), { ...scene.context, locale: "ja" });
      return scene.answered();
    };
    expect(await typed("project list")).toBe("登録されているプロジェクトはありません");
    expect(await typed("status")).toBe(
      "여기는 세션 스레드가 아닙니다. 세션 스레드로 가거나 `/start`로 새로 여세요. `E_NOT_IN_MANAGED_THREAD`",
    );
  });

  test.each([
    ["start", { project_name: "gone" }, "info E_PROJECT_NOT_FOUND"],
    ["agent stop", {}, "warn E_NO_ACTIVE_SESSION"],
    ["nonsense", {}, "error E_INTERNAL"],
  ])("of a command that is refused is logged as what it is: %s", async (name, options, line) => {
    const logged: string[] = [];
    const note =
      (level: string) =>
      (_text: string, fields: { error_code?: string } = {}) =>
        void logged.push(`${level} ${fields.error_code}`);
    const log = {
      ...silentLog,
      info: note("info"),
      warn: note("warn"),
      failure: (_text: string, error: unknown) => void logged.push(`error ${codeOf(error)}`),
    };
    await new CommandScene({ log }).slash(name, options);
    expect(logged).toEqual([line]);
  });

  test("of a command nobody knows says that something went wrong, and is logged", async () => {
    const scene = new CommandScene();
    expect(await scene.slash("nonsense")).toContain("`E_INTERNAL`");
    expect(scene.failures).toHaveLength(1);
  });
});

describe("a stranger", () => {
  test("is told alone that only the owner may, and nothing happens", async () => {
    const scene = new CommandScene();
    for (const interaction of [
      scene.command("project create", app),
      scene.interaction({ type: 3, data: { custom_id: "retry:x" } }),
    ]) {
      await refuseStranger(interaction, scene.context);
      expect(scene.sent.at(-1)?.body).toMatchObject({
        type: 4,
        data: { flags: 64, content: expect.stringContaining("`E_OWNER_ONLY`") },
      });
    }
    expect(scene.events).toEqual([]);
    expect(scene.checked).toEqual([]);
  });

  test("gets no suggestions", async () => {
    const scene = await new CommandScene().withSession();
    await refuseStranger(scene.interaction({ type: 4, data: { name: "start", type: 1, options: [] } }), scene.context);
    expect(scene.sent.at(-1)?.body).toEqual({ type: 8, data: { choices: [] } });
  });
});

describe("/project create", () => {
  test("registers what was typed, and says so", async () => {
    const scene = new CommandScene();
    const answer = await scene.slash("project create", {
      ...app,
      path: "/srv//app/",
      tools_csv: " claude , codex ",
      args_json: '{"claude":["--model","opus"]}',
    });
    expect(answer).toContain("**app** is registered");
    expect(scene.engine.state.projects["app"]).toMatchObject({
      path: "/srv/app",
      enabled_tools: ["claude", "codex"],
      default_tool: "claude",
      default_args: { claude: ["--model", "opus"], codex: [] },
    });
  });

  test("takes ~ for the home of the user who runs Bellhop, as /project add does", async () => {
    const scene = new CommandScene();
    await scene.slash("project create", { ...app, path: "~/app" });
    await scene.slash("project add", { path: " ~/other/ " });
    expect(scene.checked).toEqual(expect.arrayContaining(["/home/me/app", "/home/me/other"]));
  });

  test.each([
    ["a name with capitals", { name: "App" }, "E_INVALID_NAME"],
    ["a name of an object's own", { name: "__proto__" }, "E_INVALID_NAME"],
    ["a name that is too long", { name: "a".repeat(41) }, "E_INVALID_NAME"],
    ["no name", { name: "" }, "E_INVALID_NAME"],
    ["a relative path", { path: "srv/app" }, "E_INVALID_PATH"],
    ["somebody else's home", { path: "~me/app" }, "E_INVALID_PATH"],
    ["a path with a NUL", { path: "/srv/\0app" }, "E_INVALID_PATH"],
    ["a path of ten thousand characters", { path: `/${"a".repeat(10_000)}` }, "E_INVALID_PATH"],
    ["a path that is absent", { path: "/absent" }, "E_INVALID_PATH"],
    ["a path that is a file", { path: "/file" }, "E_INVALID_PATH"],
    ["an unknown tool", { tools_csv: "claude,vim" }, "E_INVALID_TOOLSET"],
    ["no tools", { tools_csv: " , " }, "E_INVALID_TOOLSET"],
    ["a tool twice", { tools_csv: "claude,claude" }, "E_INVALID_TOOLSET"],
    ["a default tool that is not among them", { default_tool: "gemini" }, "E_INVALID_TOOLSET"],
    ["arguments that are no JSON", { args_json: "--model opus" }, "E_CONFIG_INVALID"],
    ["arguments that are no lists", { args_json: '{"claude":"--model"}' }, "E_CONFIG_INVALID"],
    ["arguments that are no texts", { args_json: '{"claude":[1]}' }, "E_CONFIG_INVALID"],
    ["arguments for a tool that is not enabled", { args_json: '{"gemini":[]}' }, "E_CONFIG_INVALID"],
    ["arguments for an object's prototype", { args_json: '{"__proto__":["x"]}' }, "E_CONFIG_INVALID"],
    [
      "an argument that the agent's driver keeps for itself",
      { args_json: '{"claude":["--resume","x"]}' },
      "E_ARGUMENT_REFUSED",
    ],
    ["an argument with a NUL", { args_json: '{"claude":["a\\u0000b"]}' }, "E_CONFIG_INVALID"],
    ["arguments beyond the limit", { args_json: `{"claude":["${"a".repeat(5000)}"]}` }, "E_CONFIG_INVALID"],
  ])("%s is refused in one sentence", async (_what, change, code) => {
    const scene = new CommandScene();
    scene.directories = new Map([
      ["/absent", { is: "absent" }],
      ["/file", { is: "file" }],
    ]);
    const answer = await scene.slash("project create", { ...app, ...change });
    expect(answer).toContain(`\`${code}\``);
    expect(answer).not.toMatch(/\{\w+\}(?!:)|undefined/);
    expect(answer.length).toBeLessThan(1000);
    expect(scene.events).toEqual([]);
  });

  test("a name that is taken is refused", async () => {
    const scene = new CommandScene();
    await scene.slash("project create", app);
    expect(await scene.slash("project create", app)).toContain("`E_PROJECT_EXISTS`");
  });
});

describe("/project list", () => {
  test("shows number, name, default tool, path and tools, and which directory is gone", async () => {
    const scene = new CommandScene();
    await scene.slash("project create", app);
    await scene.slash("project create", {
      ...app,
      name: "b_b",
      path: "/gone",
      tools_csv: "codex",
      default_tool: "codex",
    });
    scene.directories = new Map([["/gone", { is: "absent" }]]);
    expect(await scene.slash("project list")).toBe(
      "**#1 app** · claude\npath: `/srv/app`\ntools: claude, codex\n\n**#2 b\\_b** · codex ⚠️ its directory is missing\npath: `/gone`\ntools: codex",
    );
  });

  test("stays within Discord's limit and counts what it leaves out", async () => {
    const scene = new CommandScene();
    for (let number = 0; number < 60; number += 1)
      await scene.slash("project create", { ...app, name: `p${number}`, path: `/srv/${"x".repeat(200)}${number}` });
    const answer = await scene.slash("project list");
    expect(answer.length).toBeLessThanOrEqual(4096);
    expect(answer).toMatch(/\d+ more are not shown\.$/);
  });
});

describe("/start", () => {
  test("asks for a session once it is on disk, and answers with its thread", async () => {
    const scene = new CommandScene();
    await scene.slash("project create", app);
    const answer = await scene.slash("start", { project_name: "app" });
    expect(scene.events.at(-1)).toMatchObject({
      type: "SessionRequested",
      payload: { project_name: "app", channel_id: CHANNEL, guild_id: GUILD, bot_id: BOT },
    });
    expect(answer).toContain("<#200000000000000099>");
    expect(answer).toContain("`200000000000000099`");
  });

  test("needs no name where there is one project, and asks which where there are more", async () => {
    const scene = new CommandScene();
    expect(await scene.slash("start")).toContain("`E_PROJECT_NOT_FOUND`");
    await scene.slash("project create", app);
    expect(await scene.slash("start")).toContain("<#200000000000000099>");
    await scene.slash("project create", { ...app, name: "other" });
    expect(await scene.slash("start")).toBe("There are several projects. Choose one: app, other `E_PROJECT_NOT_FOUND`");
    expect(await scene.slash("start", { project_name: "none" })).toContain("`E_PROJECT_NOT_FOUND`");
  });

  test("is not for the inside of a thread, and says where to go", async () => {
    const scene = await new CommandScene().withSession();
    const before = scene.events.length;
    expect(await scene.slash("start", { project_name: "app" }, inThread)).toContain(`<#${CHANNEL}>`);
    expect(await scene.slash("start", { project_name: "app" }, { channel: { id: T1, type: 2 } })).toMatch(
      /text channel.*`E_NOT_IN_TEXT_CHANNEL`$/,
    );
    expect(scene.events.length).toBe(before);
  });

  test("suggests projects as their name is typed, those that begin with it first, at most twenty-five", async () => {
    const scene = new CommandScene();
    for (const name of ["web", "my-app", "app"]) await scene.slash("project create", { ...app, name });
    expect(await scene.suggestions("start", "project_name", " APP")).toEqual(["app", "my-app", "web"]);
    for (let number = 0; number < 40; number += 1) await scene.slash("project create", { ...app, name: `p${number}` });
    expect(await scene.suggestions("start", "project_name", "")).toHaveLength(25);
    expect(await scene.suggestions("start", "other", "")).toEqual([]);
  });
});

describe("/status", () => {
  test("says B's nine lines, never translated, for the owner's eyes", async () => {
    const scene = await new CommandScene().withSession(3);
    await scene.engine.submit({
      type: "progress",
      job_id: today(1),
      progress: { kind: "session_key", adapter_state: { session_id: "s-1" } },
    });
    expect(await scene.slash("status", {}, { ...inThread, locale: "ja" })).toBe(
      [
        "Session Status",
        "project: app",
        "tool: claude",
        "session_key: s-1",
        "state: running",
        `queue: pending=2, running=${today(1)}`,
        "last_job: n/a",
        "resume_ready: yes",
        "retry_hint: n/a",
        "このスレッドで開いているエージェントはありません。次のメッセージで開き、会話を続けます。",
      ].join("\n"),
    );
    expect(scene.sent[0]?.body).toEqual({ type: 5, data: { flags: 64 } });
  });

  test("tells how the last job ended, and how to run it again", async () => {
    const scene = await new CommandScene().withSession(1);
    await scene.clock.advance(18_000);
    const none = { result_excerpt: null, result_sha256: null, model: null, usage: null };
    await scene.engine.submit({ type: "fail", job_id: today(1), code: "E_CLI_TIMEOUT", details: {}, ...none });
    const text = await scene.slash("status", {}, inThread);
    expect(text).toContain(`last_job: failed, 18s, 2026-03-01T12:00:18.000Z`);
    expect(text).toContain(`retry_hint: /retry ${today(1)}`);
    expect(text).toContain("session_key: n/a\nstate: failed\nqueue: pending=0, running=n/a");
    expect(text).toContain("resume_ready: no");
  });

  test("shows the agents that are open, this thread's first, in the person's language", async () => {
    const scene = await new CommandScene().withSession(1);
    const shown = async (locale = "en-US"): Promise<APIEmbed | undefined> => {
      await scene.slash("status", {}, { ...inThread, locale });
      return (scene.sent.at(-1)?.body as { embeds: APIEmbed[] } | undefined)?.embeds[0];
    };
    expect(await shown()).toMatchObject({
      title: "Open agents: 0",
      description: expect.stringMatching(/^No agent is open in this thread/),
    });
    await scene.slash("agent stop", {}, inThread);
    expect(await shown()).toMatchObject({
      description: `This session is closed. To open it again, write in <#${T1}> and press *Reopen and send* under your message.`,
    });
    await scene.engine.submit({ type: "reopen_session", thread_id: T1 });
    const one = {
      thread_id: "200000000000000077",
      tool: "claude",
      pid: 7,
      since: "2026-03-01T11:00:00.000Z",
      state: "idle",
      background: 0,
      bytes: 215_000_000,
    } as const;
    scene.living = [
      one,
      { ...one, thread_id: T1, state: "working", background: 2, since: "2026-03-01T12:00:00.000Z", bytes: null },
    ];
    expect((await shown())?.description?.split("\n")).toEqual([
      `⚙️ **claude** <#${T1}> · working · in the background: 2 · opened <t:1772366400:R>`,
      "💤 **claude** <#200000000000000077> · idle · opened <t:1772362800:R> · 215 MB",
    ]);
    scene.living = Array.from({ length: 23 }, () => one);
    expect((await shown("ja"))?.description).toMatch(
      /^このスレッドで開いている[^]*💤[^]*\nほかに 3 個が開いています。$/,
    );
  });

  test("is for the thread of a session only", async () => {
    const scene = await new CommandScene().withSession();
    for (const id of [CHANNEL, "constructor"]) {
      expect(await scene.slash("status", {}, { channel: { id, type: 11 } })).toContain("`E_NOT_IN_MANAGED_THREAD`");
    }
  });
});
