/** The projects that the environment names: PROJECTS in their order, the repositories of PROJECT_ROOTS by path. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { eventsOf } from "./acceptance/stage.ts";
import { inJournal, recorded } from "./workshop.ts";
import { openWorld } from "./world.ts";

test("are registered in their order, once, also where one is missing; and no number is given twice", async () => {
  const world = await openWorld({ config: { projects: {} } });
  const at = (...names: string[]): string => path.join(world.home, ...names);
  for (const folder of ["web", "api", "code/zoo/.git", "code/group/tools/.git", "code/plain", "late"])
    mkdirSync(at(...folder.split("/")), { recursive: true });
  const env = {
    PROJECTS: JSON.stringify([at("web"), at("gone"), at("api"), `${at("web")}/.`]),
    PROJECT_ROOTS: JSON.stringify([at("code"), at("nowhere")]),
  };
  const numbers = (): string[] =>
    eventsOf(world).flatMap(({ type, payload }) =>
      type === "ProjectCreated"
        ? [`${String(payload["number"])} ${path.relative(world.home, (payload["project"] as { path: string }).path)}`]
        : [],
    );
  const five = ["1 web", "2 gone", "3 api", "4 code/group/tools", "5 code/zoo"];
  const first = world.daemon({ env });
  await first.ready;
  await inJournal(world, () => numbers().length === 5);
  expect(numbers()).toEqual(five);
  await first.told(/project gone.*gone/i);
  await first.told(/nowhere/);
  await first.kill("SIGTERM");
  const config = path.join(world.stateDir, "config.json");
  const held = JSON.parse(readFileSync(config, "utf8")) as { projects: Record<string, unknown> };
  expect(Object.keys(held.projects)).toEqual(["web", "gone", "api", "tools", "zoo"]);
  delete held.projects["zoo"];
  writeFileSync(config, JSON.stringify(held));
  const second = world.daemon({ env: { PROJECTS: env.PROJECTS } });
  await second.ready;
  await recorded(world, ({ type }) => type === "ProjectRemoved");
  const added = await (await world.owner(world.sandbox.channelId).slash("project add", { path: at("late") })).answer();
  expect(JSON.stringify(added)).toContain("#6");
  expect(numbers()).toEqual([...five, "6 late"]);
});

test("each entry counts for itself: a bad one is named in the log and by doctor, and the others are projects", async () => {
  const world = await openWorld({ config: { projects: {} } });
  const at = (...names: string[]): string => path.join(world.home, ...names);
  for (const folder of ["web", "api", "code/zoo/.git"]) mkdirSync(at(...folder.split("/")), { recursive: true });
  writeFileSync(at("notes.txt"), "");
  const env = {
    PROJECTS: JSON.stringify([
      at("web"),
      "relative/web",
      7,
      "",
      `${at("nul")}\0`,
      at("notes.txt"),
      world.stateDir,
      at("api"),
    ]),
    PROJECT_ROOTS: JSON.stringify(["code", null, at("notes.txt"), at("code")]),
  };
  const daemon = world.daemon({ env });
  await daemon.ready;
  const created = (): string[] =>
    eventsOf(world).flatMap(({ type, payload }) =>
      type === "ProjectCreated" ? [path.relative(world.home, (payload["project"] as { path: string }).path)] : [],
    );
  await inJournal(world, () => created().includes("code/zoo"));
  expect(created()).toEqual(["web", "notes.txt", "api", "code/zoo"]);
  const named = [
    'PROJECTS: entry 2 ("relative/web")',
    "PROJECTS: entry 3 (7)",
    'PROJECTS: entry 4 ("")',
    "PROJECTS: entry 5 (",
    'PROJECT_ROOTS: entry 1 ("code")',
    "PROJECT_ROOTS: entry 2 (null)",
    `PROJECT_ROOTS: ${at("notes.txt")}`,
  ];
  const log = daemon.stderr();
  for (const one of [...named, world.stateDir]) expect(log).toContain(one);
  await daemon.kill("SIGTERM");
  const doctor = spawnSync(
    process.execPath,
    [path.join(import.meta.dirname, "..", "..", "bin", "bellhop.cjs"), "doctor"],
    {
      cwd: world.home,
      encoding: "utf8",
      env: {
        PATH: "/usr/bin:/bin",
        HOME: world.home,
        LANG: "C.UTF-8",
        BELLHOP_LOCALE: "en",
        STATE_DIR: world.stateDir,
        BELLHOP_DISCORD_API: world.sandbox.api,
        DISCORD_BOT_TOKEN: world.sandbox.botToken,
        ...env,
      },
    },
  );
  for (const one of [...named, `PROJECTS: ${at("notes.txt")}`, `PROJECTS: ${world.stateDir}`])
    expect(doctor.stdout).toContain(one);
});
