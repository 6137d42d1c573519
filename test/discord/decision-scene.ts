/** Decisions as the view wants them, held against the local Discord's own rules. */
import { checkMessage } from "discord-sandbox";
import type { AnswerFormat } from "../../src/core/decisions/answers/wanted.ts";
import type { AskCommand } from "../../src/core/decisions/decision.ts";
import { actIn, bytesOf, reviewText, type ReviewInput } from "../../src/core/decisions/review-text.ts";
import type { Page } from "../../src/core/decisions/pages.ts";
import { digestOf } from "../../src/host/files/kept-files.ts";
import { requestOf, type Body, type DesiredPost } from "../../src/discord/views/message.ts";
import type { ViewOptions } from "../../src/discord/views/thread.ts";
import { job, type Scene } from "../core/scene.ts";
import { pageIn } from "../core/decisions/shown.ts";
import { running, view } from "./seen.ts";

export const OWNER = "100000000000000001";

/** A running job that asks to do this. */
export function asking(subject: ReviewInput, decision_id = "dec_1"): { scene: Scene; bytes: string; pages: Page[] } {
  const scene = running();
  const bytes = bytesOf(subject);
  const { pages } = reviewText(bytes);
  const [tool, title] =
    "plan" in subject
      ? ["ExitPlanMode", "the plan"]
      : "call" in subject
        ? [subject.tool, String(subject.call["title"])]
        : [subject.tool, String(subject.input["command"] ?? subject.input["file_path"] ?? "")];
  const act = actIn(bytes);
  const change: Partial<AskCommand> = {
    subject: {
      tool,
      title,
      ...(act !== null && { act }),
      sha256: digestOf(bytes),
      pages: pages.length,
      grant_until: "2027-01-01T00:00:00.000Z",
    },
  };
  if ("plan" in subject) {
    const options = ["Approve", "Reject"].map((label) => ({ label, description: "" }));
    Object.assign(change, {
      kind: "plan",
      questions: [{ question: "", header: "", options, many: false, words: false }],
    });
  }
  scene.ask(job(1), decision_id, pages.length, change);
  return { scene, bytes, pages };
}

/** One or more questions of the running job: text, then its options. */
export function questioning(
  questions: {
    question: string;
    options?: string[];
    many?: boolean;
    words?: boolean;
    header?: string;
    wanted?: AnswerFormat;
  }[],
  context = "",
): Scene {
  const scene = running();
  const asked = questions.map(({ question, options = [], many = false, words = true, header = "", wanted }) => ({
    question,
    header,
    many,
    words,
    options: options.map((label) => ({ label, description: "" })),
    ...(wanted && { wanted }),
  }));
  scene.ask(job(1), "dec_1", 1, { kind: "question", subject: null, context, questions: asked });
  return scene;
}

export function seen(
  scene: Scene,
  pages?: readonly Page[],
  change: Partial<ViewOptions> = {},
  threadId?: string,
): DesiredPost[] {
  return view(scene, { reviewed: () => pages, ownerId: OWNER, ...change }, threadId);
}

export function bodyOf({ want }: DesiredPost): Body {
  if (want.kind !== "show") throw new Error("nothing is shown");
  return want.body;
}

/** Discord takes it: every length, count and id is within its limits. Throws what it would be refused with. */
export function allowed(body: Body): Body {
  const { body: json, files } = requestOf(body);
  checkMessage(
    json,
    files.map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes) })),
  );
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
    const {
      custom_id = "",
      label = "",
      disabled = false,
      options = [],
    } = one as { custom_id?: string; label?: string; disabled?: boolean; options?: { label: string; value: string }[] };
    return { id: custom_id, label, off: disabled, options };
  });
}

export const labels = (body: Body): string[] => controlsOf(body).map(({ label, off }) => (off ? `(${label})` : label));

export function textOf(body: Body): string {
  const [embed] = body.embeds;
  return [body.content, embed?.title, embed?.description].filter(Boolean).join("\n");
}

/** What a prompt or page shows of the request. */
export function pageOf(body: Body): Page {
  return pageIn(body.embeds[0]?.description ?? "");
}
