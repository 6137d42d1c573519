/** Decisions as the view wants them, held against the local Discord's own rules. */
import { expect } from "vitest";
import type { AskCommand } from "../../src/core/decision.ts";
import { bytesOf, exhibit, type Shown } from "../../src/core/exhibit.ts";
import { digestOf } from "../../src/host/decision-files.ts";
import { requestOf } from "../../src/discord/posting.ts";
import type { Body, Owed } from "../../src/discord/owed.ts";
import type { ViewOptions } from "../../src/discord/view.ts";
import { Form } from "../../src/sandbox/form.ts";
import { createFlags, readDraft } from "../../src/sandbox/message-form.ts";
import { job, type Scene } from "../core/scene.ts";
import { running, view } from "./seen.ts";

export const OWNER = "100000000000000001";

/** A running job that asks to do this. */
export function asking(subject: Shown, decision_id = "dec_1"): { scene: Scene; bytes: string; pages: string[] } {
  const scene = running();
  const bytes = bytesOf(subject);
  const { pages } = exhibit(bytes);
  const [tool, title] = "plan" in subject ? ["ExitPlanMode", "the plan"] : [subject.tool, String(subject.input["command"] ?? subject.input["file_path"] ?? "")];
  const change: Partial<AskCommand> = { subject: { tool, title, sha256: digestOf(bytes), pages: pages.length, grant_until: "2027-01-01T00:00:00.000Z" } };
  if ("plan" in subject) {
    const options = ["Approve", "Reject"].map((label) => ({ label, description: "" }));
    Object.assign(change, { kind: "plan", questions: [{ question: "", header: "", options, many: false, words: false }] });
  }
  scene.ask(job(1), decision_id, pages.length, change);
  return { scene, bytes, pages };
}

/** One or more questions of the running job: text, then its options. */
export function questioning(questions: { question: string; options?: string[]; many?: boolean; words?: boolean; header?: string }[], context = ""): Scene {
  const scene = running();
  const asked = questions.map(({ question, options = [], many = false, words = true, header = "" }) => ({ question, header, many, words, options: options.map((label) => ({ label, description: "" })) }));
  scene.ask(job(1), "dec_1", 1, { kind: "question", subject: null, context, questions: asked });
  return scene;
}

export function seen(scene: Scene, pages?: readonly string[], change: Partial<ViewOptions> = {}, threadId?: string): Owed[] {
  return view(scene, { exhibited: () => pages, ownerId: OWNER, ...change }, threadId);
}

export function bodyOf({ want }: Owed): Body {
  if (want.kind !== "show") throw new Error("nothing is shown");
  return want.body;
}

/** Discord takes it: every length, count and id is within its limits. Throws what it would be refused with. */
export function allowed(body: Body): Body {
  const { body: json, files } = requestOf(body);
  readDraft(new Form(json), files.map(({ name, bytes }, at) => ({ field: `files[${at}]`, name, contentType: null, bytes: Buffer.from(bytes) })), createFlags);
  return body;
}

export interface Control {
  id: string;
  label: string;
  off: boolean;
  options: { label: string; value: string }[];
}

export function controlsOf(body: Body): Control[] {
  const all: unknown[] = body.components.flatMap((row): unknown[] => ("components" in row ? row.components : []));
  return all.map((one) => {
    const { custom_id = "", label = "", disabled = false, options = [] } = one as { custom_id?: string; label?: string; disabled?: boolean; options?: { label: string; value: string }[] };
    return { id: custom_id, label, off: disabled, options };
  });
}

export const labels = (body: Body): string[] => controlsOf(body).map(({ label, off }) => (off ? `(${label})` : label));

export function textOf(body: Body): string {
  const [embed] = body.embeds;
  return [embed?.title, embed?.description].filter((one) => one !== undefined).join("\n");
}

/** What stands in the block of code of a prompt or page. */
export function codeOf(body: Body): string {
  const [, code] = /^```(?:diff)?\n([\s\S]*?)\n```/.exec(body.embeds[0]?.description ?? "") ?? [];
  expect(code).toBeDefined();
  return code ?? "";
}
