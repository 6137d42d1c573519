import { PermissionFlagsBits } from "discord-api-types/v10";
import { describe, expect, test } from "vitest";
import { projectName } from "../../../src/config/project-name.ts";
import { app, CHANNEL, CommandScene, inThread, T1, today } from "./scene.ts";

describe("/project create", () => {
  const bare = { name: "bare", path: "/srv/bare" };

  test("without its tools takes the agents that are there, the first of them as default, and a default that is named along with them", async () => {
    const scene = new CommandScene();
    scene.agents = [
      { tool: "claude", found: false, install: "npm i claude", login: "claude auth login" },
      { tool: "codex", found: true, install: "", login: "codex login" },
      { tool: "gemini", found: true, install: "", login: "gemini" },
    ];
    await scene.slash("project create", bare);
    await scene.slash("project create", { ...bare, name: "two", default_tool: "gemini" });
    const said = await scene.slash("project create", { ...bare, name: "three", default_tool: "claude" });
    const made = Object.values(scene.engine.state.projects).map(({ enabled_tools, default_tool }) => [
      default_tool,
      enabled_tools.join(),
    ]);
    expect(made).toEqual([
      ["codex", "codex,gemini"],
      ["gemini", "codex,gemini"],
      ["claude", "codex,gemini,claude"],
    ]);
    expect(said).toContain(
      "**claude** is not installed. On Bellhop's machine, install it with `npm i claude` and log in with",
    );
    expect(scene.seen).toEqual([
      ["bare", "/srv/bare"],
      ["two", "/srv/bare"],
      ["three", "/srv/bare"],
    ]);
  });

  test("says which agents may only read, and offers the arguments with which they may write", async () => {
    const scene = new CommandScene();
    const said = await scene.slash("project create", { ...bare, tools_csv: "claude,codex,gemini" });
    expect(said).toContain("🔒 **codex**, **gemini** can only read here, unless its own configuration allows more.");
    expect(said).toContain('`{"codex":["--write"],"gemini":["--write"]}`');
    const offered = await scene.choices(
      "project create",
      "args_json",
      "",
      { ...bare, tools_csv: "claude,codex" },
      inThread,
    );
    expect(offered).toEqual([{ name: '{"codex":["--write"]}', value: '{"codex":["--write"]}' }]);
    const writing = await scene.slash("project create", {
      name: "other",
      path: "/srv/other",
      tools_csv: "codex",
      args_json: offered[0]?.value ?? "",
    });
    expect(writing).not.toContain("🔒");
  });

  test("and /start say of an agent that is not logged in what to type on the machine, and nothing of one that works", async () => {
    const scene = new CommandScene();
    scene.agents = [
      { tool: "claude", found: true, loggedIn: false, install: "", login: "claude auth login" },
      { tool: "codex", found: true, loggedIn: true, install: "", login: "codex login" },
    ];
    expect(await scene.slash("project create", bare)).toContain(
      "⚠️ **claude** isn't logged in. To log in, type in a terminal on Bellhop's machine: `claude auth login`",
    );
    expect(await scene.slash("start", {})).toContain("`claude auth login`");
    scene.agents = [{ tool: "claude", found: true, loggedIn: true, install: "", login: "claude auth login" }];
    expect(await scene.slash("start", {})).not.toContain("logged in");
  });
});

describe("/start without the bot's rights in the channel", () => {
  const all =
    PermissionFlagsBits.ViewChannel |
    PermissionFlagsBits.SendMessages |
    PermissionFlagsBits.CreatePublicThreads |
    PermissionFlagsBits.SendMessagesInThreads |
    PermissionFlagsBits.EmbedLinks |
    PermissionFlagsBits.ReadMessageHistory;

  test.each([
    [PermissionFlagsBits.CreatePublicThreads, "**Create Public Threads**"],
    [
      PermissionFlagsBits.SendMessagesInThreads | PermissionFlagsBits.SendMessages,
      "**Send Messages**, **Send Messages in Threads**",
    ],
    [PermissionFlagsBits.ReadMessageHistory, "**Read Message History**"],
  ])("names those that are missing, and the channel, and begins nothing", async (missing, names) => {
    const scene = new CommandScene();
    await scene.slash("project create", app);
    const before = scene.events.length;
    const said = await scene.slash("start", {}, { app_permissions: String(all & ~missing) });
    expect(said).toContain(`The bot lacks these rights in <#${CHANNEL}>: ${names}.`);
    expect(scene.events.length).toBe(before);
    for (const enough of [all, PermissionFlagsBits.Administrator])
      expect(await scene.slash("start", {}, { app_permissions: String(enough) })).toContain("is open");
  });
});

describe("/project add", () => {
  test("registers a directory under its own name, with the agents that are there, and says its number", async () => {
    const scene = new CommandScene();
    await scene.slash("project create", app);
    scene.agents = [
      { tool: "claude", found: false, install: "", login: "log in" },
      { tool: "gemini", found: true, install: "", login: "log in" },
      { tool: "codex", found: true, install: "", login: "log in" },
    ];
    const answer = await scene.slash("project add", { path: " /srv//My Shop/ " });
    expect(answer).toContain("Project #2 is registered (`/srv/My Shop`)");
    expect(scene.engine.state.projects["my-shop"]).toMatchObject({
      path: "/srv/My Shop",
      enabled_tools: ["codex", "gemini"],
      default_tool: "codex",
      number: 2,
      unsaved: true,
    });
  });

  test("enables every tool where no agent is there, so that the first job says how to install its own", async () => {
    const scene = new CommandScene();
    scene.agents = ["claude", "codex", "gemini"].map((tool) => ({ tool, found: false, install: "", login: "" }));
    await scene.slash("project add", { path: "/srv/shop" });
    expect(scene.engine.state.projects["shop"]).toMatchObject({
      enabled_tools: ["claude", "codex", "gemini"],
      default_tool: "claude",
    });
  });

  test("says in Japanese what its design says, for what is there and for what is not", async () => {
    const scene = new CommandScene();
    scene.directories.set("/absent", { is: "absent" });
    expect(await scene.slash("project add", { path: "/srv/a" }, { locale: "ja" })).toContain(
      "プロジェクト #1 を登録しました（`/srv/a`）",
    );
    expect(await scene.slash("project add", { path: "/absent" }, { locale: "ja" })).toMatch(
      /^指定されたパスが存在しません。.+ `E_INVALID_PATH`$/,
    );
    expect(await scene.slash("project add", { path: "/absent" })).toMatch(
      /^The path does not exist\. .+ `E_INVALID_PATH`$/,
    );
  });

  test("registers where a link leads, not the link, and says so", async () => {
    const scene = new CommandScene();
    scene.directories.set("/srv/current", { is: "directory", path: "/srv/releases/42", wide: false });
    expect(await scene.slash("project add", { path: "/srv/current" })).toContain(
      "`/srv/current` leads to `/srv/releases/42`",
    );
    expect(scene.engine.state.projects["42"]?.path).toBe("/srv/releases/42");
  });

  test("a directory that is registered is not registered again, whichever way its path is written", async () => {
    const scene = new CommandScene();
    await scene.slash("project create", app);
    scene.directories.set("/home/me/link", { is: "directory", path: "/srv/app", wide: false });
    const before = scene.events.length;
    for (const path of ["/srv/app", "/srv/./app/", "/home/me/link"]) {
      expect(await scene.slash("project add", { path })).toBe(
        "`/srv/app` is already registered, as #1 **app**. `E_PROJECT_EXISTS`",
      );
    }
    expect(scene.events.length).toBe(before);
  });

  test("warns of a directory that holds more than a project, and registers it all the same", async () => {
    const scene = new CommandScene();
    scene.directories.set("/", { is: "directory", path: "/", wide: true });
    expect(await scene.slash("project add", { path: "/" })).toContain("⚠️");
    expect(scene.engine.state.projects["project"]?.path).toBe("/");
  });

  test("two at once of the same name get two names", async () => {
    const scene = new CommandScene();
    await Promise.all([
      scene.slash("project add", { path: "/a/shop" }),
      scene.slash("project add", { path: "/b/shop" }),
    ]);
    expect(Object.values(scene.engine.state.projects).map(({ name, path }) => [name, path])).toEqual([
      ["shop", "/a/shop"],
      ["shop-2", "/b/shop"],
    ]);
  });

  test.each([
    ["/srv/My App", "my-app"],
    ["/srv/Größe_2.0", "gro-e_2-0"],
    ["/srv/プロジェクト", "project"],
    ["/srv/--", "project"],
    ["/srv/__proto__", "project"],
    [`/srv/${"a".repeat(60)}`, "a".repeat(40)],
    ["/", "project"],
  ])("makes of %s the name %s", (path, name) => {
    expect(projectName(path, () => false)).toBe(name);
  });

  test("a name that is taken gets a number, within the forty characters", () => {
    const taken = new Set(["shop", "shop-2", "a".repeat(40)]);
    expect(projectName("/srv/shop", (name) => taken.has(name))).toBe("shop-3");
    expect(projectName(`/srv/${"a".repeat(50)}`, (name) => taken.has(name))).toBe(`${"a".repeat(38)}-2`);
  });
});

describe("/project switch", () => {
  async function twoProjects(): Promise<CommandScene> {
    const scene = new CommandScene();
    for (const name of ["app", "web"]) await scene.slash("project create", { ...app, name, path: `/srv/${name}` });
    return scene;
  }

  test("chooses the project that /start takes when none is named", async () => {
    const scene = await twoProjects();
    expect(await scene.slash("start")).toContain("app, web");
    expect(await scene.slash("project switch", { project_name: "web" })).toContain("**web** is now the active project");
    await scene.slash("start");
    expect(scene.events.at(-1)).toMatchObject({ type: "SessionRequested", payload: { project_name: "web" } });
    expect(await scene.slash("project list")).toContain("**#2 web** · claude ★ active");
  });

  test("a project that is named goes before the active one, and one that was removed is active no longer", async () => {
    const scene = await twoProjects();
    await scene.slash("project switch", { project_name: "web" });
    await scene.slash("start", { project_name: "app" });
    expect(scene.events.at(-1)).toMatchObject({ payload: { project_name: "app" } });
    await scene.engine.submit({ type: "projects_saved", names: ["app", "web"] });
    const { number: _number, unsaved: _unsaved, ...kept } = scene.engine.state.projects["app"]!;
    await scene.engine.submit({ type: "adopt_projects", projects: [kept] });
    await scene.slash("start");
    expect(scene.events.at(-1)).toMatchObject({ type: "SessionRequested", payload: { project_name: "app" } });
  });

  test("changes nothing for a project that there is not", async () => {
    const scene = await twoProjects();
    const before = scene.events.length;
    expect(await scene.slash("project switch", { project_name: "constructor" })).toContain("`E_PROJECT_NOT_FOUND`");
    expect(scene.events.length).toBe(before);
  });
});

describe("/project status", () => {
  test("says the design's six lines, never translated", async () => {
    const scene = await new CommandScene().withSession(3);
    expect(await scene.slash("project status", { project_name: "app" }, { locale: "ko" })).toBe(
      "Project Status: app\nsession_total: 1\nrunning_sessions: 1\nqueued_jobs: 2\nfailed_jobs_24h: 0\nlast_error: n/a",
    );
  });

  test("counts what failed within a day, and names the last error however old", async () => {
    const scene = await new CommandScene().withSession(2);
    await scene.fail(today(1));
    await scene.clock.advance(60 * 60_000);
    await scene.fail(today(2));
    expect(await scene.slash("project status", { project_name: " app " })).toContain(
      `failed_jobs_24h: 2\nlast_error: E_CLI_TIMEOUT ${today(2)} 2026-03-01T13:00:00.000Z`,
    );
    await scene.clock.advance(23.5 * 60 * 60_000);
    expect(await scene.slash("project status", { project_name: "app" })).toContain(
      "failed_jobs_24h: 1\nlast_error: E_CLI_TIMEOUT",
    );
  });
});

describe("/projects", () => {
  test("says in Japanese what its design says where there is none", async () => {
    expect(await new CommandScene().slash("projects", {}, { locale: "ja" })).toBe(
      "登録されているプロジェクトはありません",
    );
  });

  test("is what /project list is", async () => {
    const scene = await new CommandScene().withSession();
    expect(await scene.slash("projects")).toBe(await scene.slash("project list"));
  });
});

describe("/start", () => {
  test("a project whose directory is gone opens no session", async () => {
    const scene = await new CommandScene().withSession();
    scene.directories.set("/srv/app", { is: "absent" });
    const before = scene.events.length;
    expect(await scene.slash("start", { project_name: "app" })).toContain("`E_INVALID_PATH`");
    expect(scene.events.length).toBe(before);
  });
});

describe("while an option is typed", () => {
  test("the tools of a new project are offered one after the other", async () => {
    const scene = new CommandScene();
    expect(await scene.suggestions("project create", "tools_csv", "")).toEqual(["claude", "codex", "gemini"]);
    expect(await scene.suggestions("project create", "tools_csv", "co")).toEqual(["codex"]);
    expect(await scene.suggestions("project create", "tools_csv", "codex")).toEqual([
      "codex",
      "codex,claude",
      "codex,gemini",
    ]);
    expect(await scene.suggestions("project create", "tools_csv", "gemini, c")).toEqual([
      "gemini,claude",
      "gemini,codex",
    ]);
    expect(await scene.suggestions("project create", "tools_csv", "nonsense")).toEqual([]);
  });

  test("its default tool is one of those named before, or any", async () => {
    const scene = new CommandScene();
    expect(await scene.suggestions("project create", "default_tool", "c", { tools_csv: "gemini,codex" })).toEqual([
      "codex",
    ]);
    expect(await scene.suggestions("project create", "default_tool", "c", { tools_csv: "x" })).toEqual([
      "claude",
      "codex",
    ]);
    expect(await scene.suggestions("project create", "name", "c")).toEqual([]);
  });

  test("projects show their path, and are found by it", async () => {
    const scene = await new CommandScene().withSession();
    for (const command of ["project status", "project switch", "session list", "start"]) {
      expect(await scene.choices(command, "project_name", "/srv")).toEqual([{ name: "app · /srv/app", value: "app" }]);
      expect(await scene.choices(command, "other", "")).toEqual([]);
    }
  });

  test("of a prompt as long as a book only the beginning is looked at: it is offered, and found by that", async () => {
    const scene = await new CommandScene().withSession();
    await scene.hear(`Mend ${"the till ".repeat(20_000)} at last`);
    await scene.fail(today(1));
    for (const [typed, found] of [
      ["", 1],
      ["mend the", 1],
      ["at last", 0],
    ] as const) {
      expect(await scene.choices("retry", "job_id", typed, {}, inThread)).toHaveLength(found);
      expect(await scene.choices("session open", "session_id", typed)).toHaveLength(found);
    }
    expect((await scene.choices("retry", "job_id", "", {}, inThread))[0]?.name).toMatch(
      /^job_20260301_0001 · failed · Mend the till .*…$/,
    );
  });

  test("what is offered is never longer than Discord takes, and never more than twenty-five", async () => {
    const scene = new CommandScene();
    for (let number = 0; number < 30; number += 1)
      await scene.slash("project create", { ...app, name: `p${number}`, path: `/srv/${"🦊".repeat(100)}${number}` });
    await scene.withSession(1);
    await scene.hear("👩‍👩‍👧".repeat(200));
    await scene.fail(today(1));
    const asked = [
      await scene.choices("start", "project_name", ""),
      await scene.choices("session open", "session_id", ""),
      await scene.choices("retry", "job_id", "", {}, inThread),
      await scene.choices("project create", "tools_csv", "x".repeat(6000)),
      await scene.choices("tool", "tool", "", {}, { channel: { id: CHANNEL, type: 0 } }),
    ];
    for (const { name, value } of asked.flat()) {
      expect(name.length).toBeGreaterThan(0);
      expect(name.length).toBeLessThanOrEqual(100);
      expect(value.length).toBeLessThanOrEqual(100);
      expect(name.isWellFormed()).toBe(true);
    }
    expect(asked[0]).toHaveLength(25);
    expect(asked[1]?.map(({ value }) => value)).toEqual([T1]);
  });
});
