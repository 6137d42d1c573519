/** The mode of a session's agent, and what its owner chose last. */
import { expect, test } from "vitest";
import type { Mode } from "../../../src/core/sessions/modes.ts";
import { Scene } from "../scene.ts";

const T = "100000000000000010";

test("what the owner chose is kept whatever becomes of the mode, until he chooses again", () => {
  const one = new Scene().withSessions(T);
  const types = (mode: Mode): string[] => one.types({ type: "set_mode", thread_id: T, tool: "acp", ...mode });
  const kept = (): unknown => one.state.threads[T]?.modes?.["acp"];
  expect(types({ mode: "default", by: "agent" })).toEqual(["ModeSet"]);
  expect(kept()).toEqual({ mode: "default", by: "agent" });
  // It is in that mode already, but from now on because its owner wants it.
  expect(types({ mode: "default", by: "owner" })).toEqual(["ModeSet"]);
  expect(types({ mode: "default", by: "owner" })).toEqual([]);
  expect(types({ mode: "default", by: "agent" })).toEqual([]);
  expect(types({ mode: "plan", by: "agent" })).toEqual(["ModeSet"]);
  expect(kept()).toEqual({ mode: "plan", by: "agent", chosen: "default" });
  expect(types({ mode: "plan", by: "owner" })).toEqual(["ModeSet"]);
  expect(kept()).toEqual({ mode: "plan", by: "owner", chosen: "plan" });
});
