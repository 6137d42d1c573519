/** What the owner chose for a thread is owed to config.json until that holds it, and is never lost between the two. */
import { expect, test } from "vitest";
import { unsavedThreads } from "../../../src/core/sessions/thread.ts";
import { Scene, T1, T2 } from "../scene.ts";

function chosen(): Scene {
  const scene = new Scene().withSessions(T1, T2);
  scene.do({ type: "choose_model", thread_id: T1, tool: "claude", model: "large" });
  scene.do({ type: "choose_settings", thread_id: T1 });
  return scene;
}

const unsaved = (scene: Scene): string[] => unsavedThreads(scene.state).map(({ thread_id }) => thread_id);

test("a choice is owed once, until the file holds it; then the file names the model", () => {
  const scene = chosen();
  expect(scene.do({ type: "choose_settings", thread_id: T1 })).toEqual([]);
  expect(unsaved(scene)).toEqual([T1]);
  expect(scene.types({ type: "settings_saved", thread_id: T1, settings: { tool: "claude", model: "large" } })).toEqual([
    "ThreadSettingsSaved",
  ]);
  expect([unsaved(scene), scene.state.threads[T1]?.models]).toEqual([[], undefined]);
  expect(scene.do({ type: "settings_saved", thread_id: T1, settings: { tool: "claude" } })).toEqual([]);
});

test.each<[string, Parameters<Scene["do"]>[0]]>([
  ["another model", { type: "choose_model", thread_id: T1, tool: "claude", model: "small" }],
  ["another tool", { type: "change_tool", thread_id: T1, tool: "codex" }],
])("%s that is chosen while the file is written is still owed", (_name, command) => {
  const scene = chosen();
  scene.do(command);
  scene.do({ type: "settings_saved", thread_id: T1, settings: { tool: "claude", model: "large" } });
  expect(unsaved(scene)).toEqual([T1]);
  expect(scene.state.threads[T1]?.models).toEqual({ claude: command.type === "choose_model" ? "small" : "large" });
});

test("the model of a tool that has to make room in the file is kept, and owed again when its tool comes back", () => {
  const scene = chosen();
  scene.do({ type: "settings_saved", thread_id: T1, settings: { tool: "claude", model: "large" } });
  scene.do({ type: "change_tool", thread_id: T1, tool: "codex" });
  scene.do({ type: "choose_settings", thread_id: T1 });
  scene.do({
    type: "settings_saved",
    thread_id: T1,
    settings: { tool: "codex" },
    parked: { tool: "claude", model: "large" },
  });
  expect([unsaved(scene), scene.state.threads[T1]?.models]).toEqual([[], { claude: "large" }]);
});

test("a thread without a session is owed nothing", () => {
  expect(new Scene().do({ type: "choose_settings", thread_id: T1 })).toEqual([]);
});
