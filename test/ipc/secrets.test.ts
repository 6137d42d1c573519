/** Whatever is answered over the socket, to whomever: no secret is in it. */
import { expect, test } from "vitest";
import { BellhopError } from "../../src/base/errors.ts";
import { Redactor } from "../../src/base/redact.ts";
import { openScene } from "./scene.ts";

const SECRET = "sk-ant-api03-0123456789abcdef";

test("an answer, a part of one and an error", async () => {
  const redactor = new Redactor([SECRET]);
  const { caller } = await openScene({
    redact: (value) => redactor.value(value),
    tail: async (call) => {
      call.part({ text: `part ${SECRET}` });
      throw new BellhopError("E_JOB_NOT_FOUND", { job: SECRET });
    },
  });
  const one = await caller();
  expect(await one.call("status", { deep: [{ [SECRET]: SECRET }] })).toEqual({
    deep: [{ "[redacted]": "[redacted]" }],
  });
  const parts: unknown[] = [];
  await expect(one.call("tail", null, { part: (value) => void parts.push(value) })).rejects.toMatchObject({
    details: { job: "[redacted]" },
  });
  expect(parts).toEqual([{ text: "part [redacted]" }]);
});
