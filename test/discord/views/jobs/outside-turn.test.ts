/** What an agent does by itself is shown like a job that nobody can retry, and says where it began. */
import { theirWords } from "../../../../src/base/errors.ts";
import { describe, expect, test } from "vitest";
import { catalogues, type Locale } from "../../../../src/base/words/say.ts";
import type { OutsideTurnEnd, Origin } from "../../../../src/core/jobs/outside-turn.ts";
import type { ViewOptions } from "../../../../src/discord/views/thread.ts";
import { message, Scene, T1 } from "../../../core/scene.ts";
import { buttons, content, description, names, of, view } from "../../seen.ts";

const TURN = "turn_20260226_0001";

function begun(origin: Origin = "background", prompt?: string): Scene {
  const scene = new Scene().withSessions(T1);
  scene.do({
    type: "begin_outside_turn",
    turn_id: TURN,
    thread_id: T1,
    tool: "claude",
    origin,
    ...(prompt !== undefined && { prompt }),
  });
  return scene;
}

function ended(end: OutsideTurnEnd, said?: string): { scene: Scene; options: Partial<ViewOptions> } {
  const scene = begun();
  scene.do({
    type: "end_outside_turn",
    turn_id: TURN,
    ...end,
    ...(said !== undefined && { result_excerpt: said, result_sha256: "1".repeat(64) }),
  });
  if (said !== undefined)
    scene.do({
      type: "record_post",
      subject: TURN,
      part: "answer:0",
      channel_id: T1,
      message_id: message(3),
      hash: "h",
      is: "whole",
    });
  // Nothing was posted without a record.
  if (end.outcome === "unknown")
    scene.do({
      type: "record_post",
      subject: TURN,
      part: "unrecorded",
      channel_id: T1,
      message_id: null,
      hash: "",
      is: "said",
    });
  return { scene, options: { result: () => said } };
}

describe("while it runs", () => {
  test("a card says where it began, and what it says streams below it", () => {
    const desired = view(begun(), { liveText: () => ({ text: "The build is done.", tools: [] }) });
    expect(names(desired)).toEqual(["welcome", "0001 card", "0001 answer:0"]);
    expect(description(of(desired, "card")).split("\n")).toEqual([
      "🌙 The agent reports from work in the background.",
      "⚙️ **claude** · running",
    ]);
    expect(content(of(desired, "answer:0"))).toBe("The build is done.");
    expect(description(of(view(begun("terminal", "what is *left*?")), "card"))).toContain(
      "⌨️ Typed at the terminal: `what is *left*?`",
    );
  });

  test("its permission is asked with buttons, and the card waits", () => {
    const scene = begun();
    scene.post(TURN, "6", "card");
    scene.ask(TURN, "dec_1", 1, { thread_id: T1, asker: { by: "turn", turn_id: TURN, request_id: "r" } });
    const desired = view(scene, { reviewed: () => [{ prose: "", text: "{}" }] as never });
    expect(description(of(desired, "card"))).toContain("🙋 **claude** · waiting for you");
    const { want } = of(desired, "prompt");
    expect(want.kind === "show" && want.body.embeds[0]?.footer?.text).toBe("Asked by claude · outside your jobs");
  });
});

describe("after its end", () => {
  test("a new message closes it and notifies, without a button", () => {
    const { scene, options } = ended({ outcome: "done", model: "opus" }, "All tests pass.");
    const end = of(view(scene, options), "end");
    expect(description(end)).toContain("🌙 The agent reports from work in the background.");
    expect(description(end)).toContain("✅ done · **claude** · `opus`");
    expect([buttons(end), end.news]).toEqual([[], expect.objectContaining({ kind: "ends" })]);
  });

  test("a failure says why and a crash that nobody knows how far it got; neither is offered again", () => {
    const failed = of(
      view(
        ended({
          outcome: "failed",
          error_code: "E_CLI_EXIT_NONZERO",
          error_details: { reason: theirWords("it broke"), exit_code: 1 },
        }).scene,
      ),
      "end",
    );
    expect([description(failed).includes("it broke"), buttons(failed)]).toEqual([true, []]);
    const lost = of(view(ended({ outcome: "unknown" }).scene), "end");
    expect([description(lost).includes("can't tell how far it got"), buttons(lost)]).toEqual([true, []]);
    const { scene, options } = ended({ outcome: "unknown" }, "so far");
    expect(description(of(view(scene, options), "end"))).toContain("Everything it had said until then is above.");
  });

  test("a turn typed at the terminal ends silently", () => {
    const scene = begun("terminal", "go");
    scene.do({ type: "end_outside_turn", turn_id: TURN, outcome: "done" });
    const end = of(view(scene), "end");
    expect(end.news).toBeUndefined();
  });

  test.each(Object.keys(catalogues) as Locale[])("is whole in %s", (locale) => {
    for (const outcome of ["done", "failed", "cancelled", "unknown"] as const) {
      expect(description(of(view(ended({ outcome }).scene, { locale }), "end"))).not.toMatch(/\{\w+\}|undefined|NaN/);
    }
  });
});
