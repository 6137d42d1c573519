/** A thread as the view wants it and as it is posted, and how a test reads what it wants. */
import { openMarkdown } from "../../src/discord/text/markdown.ts";
import { withHeadline, type Body, type DesiredPost } from "../../src/discord/views/message.ts";
import { viewThread, type ViewOptions } from "../../src/discord/views/thread.ts";
import { message, Scene, T1 } from "../core/scene.ts";

export const markdown = openMarkdown();

export function view(scene: Scene, change: Partial<ViewOptions> = {}, threadId = T1): DesiredPost[] {
  return viewThread(scene.state, threadId, {
    locale: "en",
    liveText: () => undefined,
    result: () => undefined,
    config: { long_answers: "file", max_file_bytes: 10_000_000 },
    markdown,
    ...change,
  }).map((one) =>
    one.want.kind === "show" && one.news !== undefined
      ? { ...one, want: { ...one.want, body: withHeadline(one.want.body) } }
      : one,
  );
}

export const names = (desired: DesiredPost[]): string[] =>
  desired.map(({ subject, part }) => (subject === T1 ? part : `${subject.slice(-4)} ${part}`));
export const of = (desired: DesiredPost[], part: string): DesiredPost => {
  const found = desired.find((one) => one.part === part);
  if (!found) throw new Error(`${part} is not owed, but ${names(desired).join(", ")}`);
  return found;
};
export const content = ({ want }: DesiredPost): string => (want.kind === "show" ? want.body.content : "");
/** What it says in Bellhop's own words: the text above its embed, its small print, and the embed. */
export const description = ({ want }: DesiredPost): string => (want.kind === "show" ? ownWords(want.body) : "");
export function ownWords({ content, embeds }: Pick<Body, "content" | "embeds">): string {
  const isOwn = embeds.length > 0 || /^-# /m.test(content);
  const text = content
    .replace(/ ?<@\d+>$/, "")
    .replace(/\n-# Bellhop$/, "")
    .replace(/\n-# (`E_\w+`)$/, " $1")
    .replace(/^-# /gm, "");
  return [isOwn ? text : "", embeds[0]?.description ?? ""].filter((words) => words !== "").join("\n");
}
export const buttons = ({ want }: DesiredPost): string[] => {
  const rows = want.kind === "show" ? want.body.components : [];
  return rows.flatMap((row) =>
    "components" in row ? row.components.map((button) => ("custom_id" in button ? button.custom_id : "")) : [],
  );
};
/** What its files say. */
export const filesOf = ({ want }: DesiredPost): string[] =>
  want.kind === "show" ? (want.body.files ?? []).map(({ bytes }) => Buffer.from(bytes).toString()) : [];

/** A scene whose first job runs. */
export function running(): Scene {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1), "do it");
  return scene;
}
