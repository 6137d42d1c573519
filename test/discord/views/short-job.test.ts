/** What is owed of a job that may end soon: nothing yet. */
import { expect, test } from "vitest";
import type { Live } from "../../../src/discord/views/message.ts";
import { job, type Scene } from "../../core/scene.ts";
import { description, of, running, view } from "../seen.ts";

test("a job that runs has nothing posted of it for a second and a half; its card not while a prompt stands, its words then at once", () => {
  const due = (scene: Scene): unknown[] =>
    view(scene, { liveText: () => ({ text: "so far", tools: [] }) })
      .filter(({ part }) => part === "card" || part === "answer:0")
      .map(({ part, notBefore, since }) => [part, notBefore === undefined ? "now" : notBefore - since]);
  const scene = running();
  expect(due(scene)).toEqual([
    ["card", 1_500],
    ["answer:0", 1_500],
  ]);
  scene.ask(job(1), "dec_1");
  expect(due(scene)).toEqual([
    ["card", Infinity],
    ["answer:0", "now"],
  ]);
});

test("its card begins as the one that is looked for when its record is lost, whatever happened before", () => {
  const ended = running();
  ended.finish(job(1));
  const { want } = of(view(ended, { result: () => "x" }), "card");
  const sought = want.kind === "remove" ? want.unrecorded?.embeds[0]?.description : undefined;
  const scene = running();
  const tools: Live["tools"] = [{ id: "1", name: "Bash", title: "ls", state: "running" }];
  for (const step of [
    () => undefined,
    () => scene.ask(job(1), "dec_1"),
    () => scene.do({ type: "cancel_job", job_id: job(1), by: "owner" }),
  ]) {
    step();
    expect(description(of(view(scene, { liveText: () => ({ text: "", tools }) }), "card"))).toBe(
      `${sought}\n🔧 Running Bash... \`ls\``,
    );
  }
});
