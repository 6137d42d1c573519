/** What of an agent's request for permission the owner is shown. */
import { describe, expect, test } from "vitest";
import { permissionOf } from "../../../src/agents/acp/requests.ts";

const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
const nothing = { name: "", title: "", what: {} };
const asked = (toolCall: object, what: Record<string, unknown> = {}): ReturnType<typeof permissionOf>["asked"] =>
  permissionOf({ toolCall: { toolCallId: "c1", ...toolCall }, options }, "r1", { ...nothing, what }).asked;

describe("a plan", () => {
  const call = { name: "ExitPlanMode", kind: "switch_mode", title: "Approve Plan", status: "pending" };

  test.each([
    ["beside the call", { rawInput: { plan: "# A" } }, {}],
    [
      "beside the call, twice",
      { rawInput: { plan: "# A" }, content: [{ type: "content", content: { type: "text", text: "# A\n" } }] },
      {},
    ],
    ["before the call", { rawInput: {}, content: [] }, { rawInput: { plan: "# A" } }],
  ])("is shown as it is, told %s", (_where, told, before) => {
    expect(asked({ ...call, ...told }, before)).toEqual({
      kind: "plan_approval",
      id: "r1",
      input: { plan: "# A" },
      shown: "call",
    });
  });

  test("hides nothing that comes with it", () => {
    const content = [{ type: "content", content: { type: "text", text: "and more" } }];
    expect(asked({ ...call, rawInput: { plan: "# A", allowed: ["rm"] }, content, locations: ["/etc"] })).toMatchObject({
      input: { plan: "# A", content, rawInput: { allowed: ["rm"] }, locations: ["/etc"] },
    });
  });

  test("that is not there is asked about like any call", () => {
    expect(asked({ ...call, rawInput: {} })).toMatchObject({ kind: "permission", input: call });
  });
});

test("a call that says nothing of what it does is shown with what was told before, and any other as it is", () => {
  const what = { rawInput: { path: "a" }, content: [{ type: "diff" }] };
  expect(asked({ kind: "edit" }, what)).toMatchObject({ input: { kind: "edit", ...what } });
  expect(asked({ kind: "edit", rawInput: { path: "b" } }, what)).toMatchObject({
    input: { kind: "edit", rawInput: { path: "b" } },
  });
});
