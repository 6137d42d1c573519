/**
 * What Claude may do from now on without asking is told rule by rule in the thread of its job, and in a file where that
 * is long.
 */
import { expect, test } from "vitest";
import { catalogues, type Locale } from "../../../src/base/words/say.ts";
import { job, T1, type Scene } from "../../core/scene.ts";
import { description, filesOf, names, of, running, view } from "../seen.ts";

function allowing(...rules: string[]): Scene {
  const scene = running();
  scene.do({ type: "see_project", project_name: "app", path: "/srv/app", configuration: "a".repeat(64) });
  scene.do({ type: "note_rules", project_name: "app", thread_id: T1, job_id: job(1), rules: rules.toSorted() });
  return scene;
}

test("each rule is a line, with what hides in it made visible, and no rule ends the block", () => {
  const said = of(view(allowing("Bash(ls)", "Bash(```)", "Edit(\u202e)\n+ x")), "rules");
  expect(description(said)).toContain(
    "```diff\n+ Bash(⟨U+0060 BACKTICK×3⟩)\n+ Bash(ls)\n+ Edit(⟨U+202E RLO⟩)⟨U+000A LF⟩+ x\n```",
  );
  expect(
    description(said)
      .split("\n")
      .filter((line) => line.startsWith("+ ")),
  ).toHaveLength(3);
  expect(said.news).toEqual({ kind: "told" });
});

test("it is said once, and again when more was found before the job began again", () => {
  const scene = allowing("Bash(ls)");
  expect(names(view(scene))).toContain("0001 rules");
  scene.do({
    type: "record_post",
    subject: job(1),
    part: "rules",
    channel_id: T1,
    message_id: "5",
    hash: "h",
    is: of(view(scene), "rules").is,
  });
  expect(names(view(scene))).not.toContain("0001 rules");
  scene.do({ type: "note_rules", project_name: "app", thread_id: T1, job_id: job(1), rules: ["Bash(ls)", "Edit"] });
  expect(description(of(view(scene), "rules"))).toContain("\n+ Bash(ls)\n+ Edit\n");
});

test.each(Object.keys(catalogues) as Locale[])("many are a file, and each language fits a message: %s", (locale) => {
  const scene = allowing(
    ...Array.from({ length: 300 }, (_, at) => `Bash(${String(at).padStart(3, "0")} ${"a".repeat(200)})`),
  );
  const said = of(view(scene, { locale }), "rules");
  expect(description(said).length).toBeLessThan(1_000);
  expect(description(said)).toContain("300");
  expect(filesOf(said).map((text) => text.split("\n").length)).toEqual([300]);
});
