/** The command of a hook where there is no curl: it uses the built program instead. */
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fixture, openHooksScene, verdict } from "../ipc/hooks-scene.ts";

const ALLOW = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };

test("without curl it is the same, only slower", async () => {
  const scene = await openHooksScene();
  const bin = join(scene.folder.path, "..", "no curl");
  mkdirSync(bin);
  for (const program of ["cat", "date", "mv", "rm"]) symlinkSync(`/usr/bin/${program}`, join(bin, program));
  const env = { PATH: bin };
  expect(verdict(await scene.run("Stop", fixture("Stop"), "own", { env }).done)).toBe("silent");
  expect(readdirSync(join(scene.folder.path, "spool"))).toHaveLength(1);
  await scene.serve(async () => ALLOW);
  expect(JSON.parse((await scene.run("PreToolUse", fixture("PreToolUse-Bash"), "own", { env }).done).stdout)).toEqual(
    ALLOW,
  );
  expect(scene.heard.map(({ payload }) => payload.hook_event_name)).toEqual(["Stop", "PreToolUse"]);
});
