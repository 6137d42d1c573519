import { checkMessage } from "discord-sandbox";
import { describe, expect, test } from "vitest";
import { RestFailure, type FailureKind } from "../../../src/discord/api/transport.ts";
import { CHANNEL, CommandScene, GUILD, inThread, OWNER, T1, today } from "./scene.ts";

const T2 = "200000000000000020";

describe("/session list", () => {
  test("shows project, state, last use, id and link, the last used first", async () => {
    const scene = await new CommandScene().withSession();
    await scene.clock.advance(60_000);
    await scene.withSession(1, T2);
    const answer = await scene.slash("session list");
    const entry = (id: string, state: string, seconds: number): string =>
      `**[app](https://discord.com/channels/${GUILD}/${id})** · ${state} · <t:${seconds}:R>\nsession_id: \`${id}\``;
    expect(answer).toBe(`${entry(T2, "running", 1772366460)}\n\n${entry(T1, "idle", 1772366400)}`);
  });

  test("and its suggestions and its project's status show a session as running while its agent works by itself", async () => {
    const scene = await new CommandScene().withSession();
    await scene.engine.submit({
      type: "begin_outside_turn",
      turn_id: "turn_20260301_00000000000000000000000000000001",
      thread_id: T1,
      tool: "claude",
      origin: "background",
    });
    expect(await scene.slash("session list")).toContain(" · running · ");
    expect((await scene.choices("session open", "session_id", ""))[0]?.name).toContain(" · running");
    expect(await scene.slash("project status", { project_name: "app" })).toContain("running_sessions: 1");
  });

  test("shows twenty at most, within Discord's limits", async () => {
    const scene = new CommandScene();
    await scene.slash("project create", {
      name: "-".repeat(40),
      path: "/srv/x",
      tools_csv: "claude",
      default_tool: "claude",
    });
    for (let number = 0; number < 25; number += 1) {
      const thread_id = String(200_000_000_000_001_000 + number * 1000);
      await scene.engine.submit({
        type: "start_session",
        request_id: thread_id,
        project_name: "-".repeat(40),
        channel_id: CHANNEL,
        guild_id: GUILD,
        bot_id: "4",
      });
      await scene.engine.submit({ type: "open_session", request_id: thread_id, thread_id });
    }
    await scene.slash("session list");
    const embeds =
      (scene.sent.at(-1)?.body as { embeds: { title?: string; description: string }[] } | undefined)?.embeds ?? [];
    expect(embeds.flatMap(({ description }) => description.match(/session_id/g) ?? [])).toHaveLength(20);
    for (const { description } of embeds) expect(description.length).toBeLessThanOrEqual(4096);
    expect(JSON.stringify(embeds).length).toBeLessThan(6000);
  });

  test.each(["ordinary words, as many as a name of a thread has, and more", "*_".repeat(30)])(
    "shows twenty with long names within Discord's limits: %s",
    async (name) => {
      const scene = new CommandScene();
      await scene.slash("project create", {
        name: "a-".repeat(20),
        path: "/srv/x",
        tools_csv: "claude",
        default_tool: "claude",
      });
      for (let number = 0; number < 20; number += 1) {
        const thread_id = String(200_000_000_000_001_000 + number * 1000);
        await scene.engine.submit({
          type: "start_session",
          request_id: thread_id,
          project_name: "a-".repeat(20),
          channel_id: CHANNEL,
          guild_id: GUILD,
          bot_id: "4",
        });
        await scene.engine.submit({ type: "open_session", request_id: thread_id, thread_id });
        await scene.engine.submit({ type: "name_session", thread_id, name });
      }
      await scene.slash("session list");
      const embeds = (scene.sent.at(-1)?.body as { embeds: { description: string }[] } | undefined)?.embeds ?? [];
      checkMessage({ content: "", embeds });
      expect(embeds.flatMap(({ description }) => description.match(/session_id/g) ?? [])).toHaveLength(20);
    },
  );

  test("shows one project's alone, and says where there are none", async () => {
    const scene = new CommandScene();
    expect(await scene.slash("session list")).toContain("no sessions");
    await scene.withSession();
    expect(await scene.slash("session list", { project_name: "app" })).toContain(T1);
    await scene.slash("project create", { name: "web", path: "/srv/web", tools_csv: "codex", default_tool: "codex" });
    expect(await scene.slash("session list", { project_name: "web" })).toContain("no sessions in web");
    expect(await scene.slash("session list", { project_name: "**x** <@1>" })).toMatch(
      /named \\\*\\\*x.*`E_PROJECT_NOT_FOUND`/,
    );
  });

  test("is for the owner's eyes", async () => {
    const scene = await new CommandScene().withSession();
    await scene.slash("session list");
    expect(scene.sent[0]?.body).toEqual({ type: 5, data: { flags: 64 } });
  });
});

describe("/session open", () => {
  async function opened(
    metadata: object | FailureKind,
    typed = T1,
    patch?: FailureKind,
  ): Promise<{ scene: CommandScene; answer: string }> {
    const scene = await new CommandScene().withSession();
    scene.answer = ({ method, path }) => {
      if (path !== `/channels/${T1}`) return undefined;
      const fault = method === "PATCH" ? patch : typeof metadata === "string" ? metadata : undefined;
      if (fault) throw new RestFailure(fault, { route: method, code: 1 });
      return method === "GET" ? { id: T1, thread_metadata: metadata } : undefined;
    };
    return { scene, answer: await scene.slash("session open", { session_id: typed }) };
  }

  test("leads to a thread that is open, and changes nothing", async () => {
    const { scene, answer } = await opened({ archived: false, locked: false });
    expect(answer).toBe(`<#${T1}> (https://discord.com/channels/${GUILD}/${T1}) is open. Write there to continue.`);
    expect(scene.sent.map(({ method, path }) => `${method} ${path}`)).not.toContain(`PATCH /channels/${T1}`);
    expect(scene.sent.map(({ path }) => path)).toContain(`/channels/${T1}/thread-members/${OWNER}`);
  });

  test("opens an archived thread again", async () => {
    const { scene, answer } = await opened({ archived: true, locked: false });
    expect(scene.sent.find(({ method, path }) => method === "PATCH" && path === `/channels/${T1}`)?.body).toEqual({
      archived: false,
    });
    expect(answer).toContain("was archived and is open again");
  });

  test("reopens a session that was closed, which until then is listed as closed", async () => {
    const scene = await new CommandScene().withSession();
    await scene.slash("agent stop", {}, inThread);
    expect(await scene.slash("session list")).toContain(" · closed · ");
    scene.answer = ({ method, path }) =>
      method === "GET" && path === `/channels/${T1}`
        ? { id: T1, thread_metadata: { archived: false, locked: false } }
        : undefined;
    expect(await scene.slash("session open", { session_id: T1 })).toContain("is open. Write there to continue.");
    await scene.hear("go on");
    expect(Object.values(scene.engine.state.jobs).map(({ prompt }) => prompt)).toEqual(["go on"]);
    expect(await scene.slash("session list")).not.toContain("closed");
  });

  test("says that a thread is locked", async () => {
    expect((await opened({ archived: true, locked: true })).answer).toContain("is locked");
  });

  test.each([
    `<#${T1}>`,
    `https://discord.com/channels/${GUILD}/${T1}`,
    ` https://discord.com/channels/${GUILD}/${T1}/200000000000000900 `,
  ])("takes %s for the session's id", async (typed) => {
    expect((await opened({ archived: false }, typed)).answer).toContain("is open");
  });

  test("says that a thread was deleted", async () => {
    expect((await opened("channel_gone")).answer).toBe(
      "The thread of this session was deleted, so it cannot be opened. Start a new session with `/start`. `E_THREAD_ACCESS_FAILED`",
    );
  });

  test.each([
    ["no_access", undefined],
    ["unavailable", undefined],
    ["ok", "locked"],
    ["ok", "no_access"],
  ] as const)("says what to check where Discord refuses: %s, %s", async (get, patch) => {
    const { answer } = await opened(get === "ok" ? { archived: true } : get, T1, patch);
    expect(answer).toContain(`<#${T1}>`);
    expect(answer).toContain("`E_THREAD_ACCESS_FAILED`");
  });

  test.each(["", "1", T2, "constructor", "__proto__", `${T1}0`, `${T1}; drop`, "<@200000000000000003>"])(
    "%j is no session, and Discord is not asked",
    async (typed) => {
      const { scene, answer } = await opened({}, typed);
      expect(answer).toContain("`E_SESSION_NOT_FOUND`");
      expect(scene.sent).toHaveLength(2);
    },
  );

  test("sessions are offered by their thread's name, state and last words, the last used first", async () => {
    const scene = await new CommandScene().withSession();
    await scene.clock.advance(60_000);
    await scene.withSession(0, T2);
    await scene.hear("mend the\n**till**", T2);
    const offered = await scene.choices("session open", "session_id", "");
    expect(offered.map(({ value }) => value)).toEqual([T2, T1]);
    expect(offered[0]?.name).toMatch(/^app · 2026-03-0\d \d\d:\d\d · running · mend the \*\*till\*\*$/);
    expect(offered[1]?.name).toMatch(/ · idle$/);
    expect(await scene.suggestions("session open", "session_id", "TILL")).toEqual([T2]);
    expect(await scene.suggestions("session open", "session_id", T1.slice(-4))).toEqual([T1]);
  });

  test("a session is found by the name that is shown, whatever was said in it since", async () => {
    const scene = await (await new CommandScene().withSession()).withSession(0, T2);
    await scene.engine.submit({ type: "name_session", thread_id: T1, name: "Mend the login" });
    await scene.hear("now write the tests", T1);
    expect(await scene.suggestions("session open", "session_id", "LOGIN")).toEqual([T1]);
  });
});

describe("/ask", () => {
  test("completes the agent's own commands, with what follows them, and never the one that logs it out", async () => {
    const scene = await new CommandScene().withSession();
    const command = (name: string, hint = ""): { name: string; description: string; hint: string } => ({
      name,
      description: `does ${name}`,
      hint,
    });
    scene.agentCommands.set("claude", [
      command("logout"),
      command("review branch", "branch name"),
      command("$imagegen"),
      command("x".repeat(120)),
    ]);
    expect(await scene.choices("ask", "prompt", "", {}, inThread)).toEqual([
      { name: "/review branch branch name · does review branch", value: "/review branch" },
      { name: "/$imagegen · does $imagegen", value: "/$imagegen" },
    ]);
    expect(await scene.suggestions("ask", "prompt", "image", {}, inThread)).toEqual(["/$imagegen"]);
  });
});

describe("/ask to log out", () => {
  test.each(["logout", "/logout", " /LOGOUT now"])("%j is not sent, and says why", async (prompt) => {
    const scene = await new CommandScene().withSession();
    expect(await scene.slash("ask", { prompt }, inThread)).toMatch(
      /^This would log the agent out .*`E_ARGUMENT_REFUSED`$/,
    );
    expect(scene.engine.state.jobs).toEqual({});
  });

  test("words that only begin like it are sent", async () => {
    const scene = await new CommandScene().withSession();
    expect(await scene.slash("ask", { prompt: "logout-button is broken" }, inThread)).toBe(
      "💬 `logout-button is broken`",
    );
  });
});

describe("/tool", () => {
  test("counts from the next job on; the running one and the queue stay", async () => {
    const scene = await new CommandScene().withSession(2);
    expect(await scene.slash("tool", { tool: "codex" }, inThread)).toBe(
      `This session uses **codex** from its next job on. \`${today(1)}\` is running now and keeps claude. codex starts a new conversation. It does not know what was said to another tool.`,
    );
    expect(scene.engine.state.jobs[today(1)]?.tool).toBe("claude");
    expect(scene.engine.state.sessions[T1]?.queue).toEqual([today(2)]);
    await scene.complete(today(1));
    expect(scene.engine.state.jobs[today(2)]).toMatchObject({ state: "running", tool: "codex" });
  });

  test("going back continues with that tool's own conversation, and says so", async () => {
    const scene = await new CommandScene().withSession(1);
    await scene.engine.submit({
      type: "progress",
      job_id: today(1),
      progress: { kind: "session_key", adapter_state: { session_id: "s" } },
    });
    await scene.complete(today(1));
    await scene.slash("tool", { tool: "codex" }, inThread);
    expect(await scene.slash("tool", { tool: "claude" }, inThread)).toContain("claude continues its own conversation");
    expect(await scene.slash("tool", { tool: "claude" }, inThread)).toContain("already");
  });

  test("that the project does not allow is refused, with those it does", async () => {
    const scene = await new CommandScene().withSession();
    const before = scene.events.length;
    for (const tool of ["gemini", "", "constructor", "x".repeat(500), "codex\u0000"]) {
      const answer = await scene.slash("tool", { tool }, inThread);
      expect(answer).toContain("`E_TOOL_NOT_ENABLED`");
      expect(answer).toContain("claude, codex");
      expect(answer.length).toBeLessThan(400);
    }
    expect(scene.events.length).toBe(before);
  });

  test("is offered from the project's own tools, in a session's thread only", async () => {
    const scene = await new CommandScene().withSession();
    expect(await scene.suggestions("tool", "tool", "", {}, inThread)).toEqual(["claude", "codex"]);
    expect(await scene.suggestions("tool", "tool", "")).toEqual([]);
  });
});

describe("/retry", () => {
  test("runs a failed job again as a new one, from its thread and from any other place", async () => {
    const scene = await new CommandScene().withSession(2);
    await scene.fail(today(1));
    expect(await scene.slash("retry", { job_id: today(1) }, inThread)).toBe(`Running again as \`${today(3)}\`.`);
    expect(scene.engine.state.jobs[today(3)]).toMatchObject({ prompt: "p1", attempt: 2, thread_id: T1 });
    await scene.fail(today(2));
    await scene.withSession(0, T2);
    for (const channel of [{ id: T2, type: 11 }]) {
      expect(await scene.slash("retry", { job_id: ` ${today(2)} ` }, { channel })).toBe(
        `Running again as \`${today(4)}\` in <#${T1}>.`,
      );
    }
  });

  test("sends the words that the message has now", async () => {
    const scene = await new CommandScene().withSession(1);
    scene.words.set(scene.engine.state.jobs[today(1)]?.discord_message_id ?? "", "mended");
    await scene.fail(today(1));
    await scene.slash("retry", { job_id: today(1) }, inThread);
    expect(scene.engine.state.jobs[today(2)]).toMatchObject({ prompt: "mended", attempt: 2 });
  });

  test("a job is meant by its id alone, and by the whole line under which it is offered", async () => {
    const scene = await new CommandScene().withSession(1);
    await scene.fail(today(1));
    const [offered] = await scene.choices("retry", "job_id", "", {}, inThread);
    expect(offered?.name).toMatch(/ · failed · /);
    expect(await scene.slash("retry", { job_id: offered?.name ?? "" }, inThread)).toContain(today(2));
  });

  test("a job that is retried already, that ended well, that runs, or that nobody knows is not", async () => {
    const scene = await new CommandScene().withSession(3);
    await scene.fail(today(1));
    await scene.complete(today(2));
    await scene.slash("retry", { job_id: today(1) }, inThread);
    const before = scene.events.length;
    for (const job_id of [
      today(1),
      today(2),
      today(3),
      today(99),
      "",
      "constructor",
      "__proto__",
      "job_20260301_0001x",
      `${today(1)}\n`.repeat(500),
    ]) {
      expect(await scene.slash("retry", { job_id }, inThread)).toContain("`E_JOB_NOT_RETRYABLE`");
    }
    // Each is told its own reason: none that failed is told that only what failed can be retried.
    const says = (number: number): Promise<string> => scene.slash("retry", { job_id: today(number) }, inThread);
    expect(await says(1)).toContain(`\`${today(1)}\` was already run again, as \`${today(4)}\``);
    expect(
      [await says(2), await says(3), await says(99)].map(
        (text) => /succeeded|hasn't ended|There is no job/.exec(text)?.[0],
      ),
    ).toEqual(["succeeded", "hasn't ended", "There is no job"]);
    expect(scene.events.length).toBe(before);
  });

  test("a job that has left the live state is not retryable, and says so", async () => {
    const scene = await new CommandScene().withSession(1);
    await scene.fail(today(1));
    for (let number = 2; number <= 52; number += 1) {
      await scene.hear("p");
      await scene.engine.submit({
        type: "record_post",
        subject: today(number - 1),
        part: "end",
        channel_id: T1,
        message_id: null,
        hash: "",
        is: "",
      });
      await scene.complete(today(number));
    }
    expect(scene.engine.state.jobs[today(1)]).toBeUndefined();
    expect(await scene.slash("retry", { job_id: today(1) }, inThread)).toContain(
      "Send what you want as a new message. `E_JOB_NOT_RETRYABLE`",
    );
  });

  test("offers this thread's retryable jobs, and elsewhere those of all, the last ended first", async () => {
    const scene = await new CommandScene().withSession(2);
    await scene.fail(today(1));
    await scene.clock.advance(1000);
    await scene.withSession(1, T2);
    await scene.fail(today(3));
    await scene.complete(today(2));
    expect(await scene.choices("retry", "job_id", "", {}, inThread)).toEqual([
      { name: `${today(1)} · failed · p1`, value: today(1) },
    ]);
    expect(await scene.suggestions("retry", "job_id", "")).toEqual([today(3), today(1)]);
  });
});

describe("/cancel", () => {
  test("asks for the running job's end and names it; what waits stays", async () => {
    const scene = await new CommandScene().withSession(2);
    expect(await scene.slash("cancel", {}, inThread)).toBe(`Stopping \`${today(1)}\`: p1`);
    expect(scene.engine.state.runs[today(1)]?.cancelling).toBe(true);
    const before = scene.events.length;
    expect(await scene.slash("cancel", {}, inThread)).toBe(`\`${today(1)}\` is already being stopped.`);
    expect(scene.events.length).toBe(before);
    expect(scene.engine.state.sessions[T1]?.queue).toEqual([today(2)]);
  });

  test("says that nothing runs, and what waits all the same", async () => {
    const scene = await new CommandScene().withSession();
    expect(await scene.slash("cancel", {}, inThread)).toBe("Nothing is running in this thread.");
    await scene.hear("p1");
    await scene.engine.submit({ type: "restart" });
    await scene.hear("p2");
    expect(await scene.slash("cancel", {}, inThread)).toBe(
      "Nothing is running in this thread. Waiting here: 1. `/queue` shows them.",
    );
  });
});

test.each([
  ["tool", { tool: "claude" }],
  ["queue", {}],
  ["cancel", {}],
  ["status", {}],
])("/%s is for a session's thread", async (name, options) => {
  const scene = await new CommandScene().withSession(2);
  const before = scene.events.length;
  for (const id of [CHANNEL, "constructor", "__proto__"]) {
    expect(await scene.slash(name, options, { channel: { id, type: 11 } })).toContain("`E_NOT_IN_MANAGED_THREAD`");
  }
  expect(scene.events.length).toBe(before);
});
