/** What an agent thinks is shown only where the owner wants to see it, without his secrets. */
import { expect, test } from "vitest";
import { type Worked, RunRecorder, recordUpdate } from "../../../src/agents/run/run-recorder.ts";
import type { RunContext } from "../../../src/agents/run/run-context.ts";
import { Redactor } from "../../../src/base/redact.ts";

const SECRET = "sk-0123456789abcdef";

test.each([
  [true, "I try [redacted] first"],
  [false, ""],
])("wanted: %s", (wanted, shown) => {
  const sent: string[] = [];
  const options = {
    redactor: new Redactor([SECRET]),
    results: { beginAnswer: () => ({ write: () => Promise.resolve() }) },
    engine: { state: { jobs: {}, turns: {} } },
    liveEvents: { send: (event: { delta: string }) => void sent.push(event.delta) },
    config: () => ({ thoughts: wanted ? "folded" : "hidden" }),
  } as unknown as RunContext;
  const job: Worked = { job_id: "j", thread_id: "1", tool: "acp", discord_message_id: "2" };
  const recorder = new RunRecorder(options, "j");
  for (const delta of ["I try sk-01234", "56789abcdef first", " ".repeat(100)])
    recordUpdate(options, job, recorder, { kind: "thought", delta });
  expect(sent.join("").trimEnd()).toBe(shown);
});
