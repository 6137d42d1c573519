/** The model that the owner chose: one a session and tool, until its agent does not offer it. */
import { expect, test } from "vitest";
import { message, Scene } from "../scene.ts";

const T = "100000000000000010";

test("each tool of a session keeps its own, and choosing it again changes nothing", () => {
  const one = new Scene().withSessions(T);
  for (const tool of ["claude", "codex"])
    expect(one.types({ type: "choose_model", thread_id: T, tool, model: "large" })).toEqual(["ModelChosen"]);
  expect(one.types({ type: "choose_model", thread_id: T, tool: "codex", model: "large" })).toEqual([]);
  expect(one.state.threads[T]?.models).toEqual({ claude: "large", codex: "large" });
});

test("a job that failed because the agent does not offer it ends the choice, and no other failure does", () => {
  const one = new Scene().withSessions(T);
  one.do({ type: "choose_model", thread_id: T, tool: "claude", model: "large" });
  const fails = (code: "E_CLI_TIMEOUT" | "E_MODEL_UNAVAILABLE", number: number): string[] => {
    one.hear(T, message(number));
    const job_id = one.state.sessions[T]?.running_job_id ?? "";
    const types = one.types({
      type: "fail",
      job_id,
      code,
      details: {},
      result_excerpt: null,
      result_sha256: null,
      model: null,
      usage: null,
    });
    one.do({ type: "progress", job_id, progress: { kind: "gone" } });
    return types;
  };
  expect(fails("E_CLI_TIMEOUT", 1)).toEqual(["JobFailed"]);
  expect(fails("E_MODEL_UNAVAILABLE", 2)).toEqual(["JobFailed", "ModelSettled"]);
  expect(one.state.threads[T]?.models).toBeUndefined();
  expect(fails("E_MODEL_UNAVAILABLE", 3)).toEqual(["JobFailed"]);
});
