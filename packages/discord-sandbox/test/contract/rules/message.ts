/**
 * The documented rules for a message as a whole: it must say something, its flags fit where it is made, and
 * its attachments are the files that came with it. Source: resources/message.mdx, reference.mdx.
 */
import { isRecord, items, wrong, type Finding } from "../finding.ts";
import { componentFindings, componentsV2 } from "./components.ts";
import { textFindings } from "./text.ts";

export interface UploadedFile {
  field: string;
  name: string;
  size: number;
}

/** Where a message body comes from; it decides which rules hold. */
export interface MessagePlace {
  /** `create` must say something; an edit changes only what it names. */
  kind: "create" | "edit";
  /** Whether it answers an interaction, where `EPHEMERAL` may be set. */
  interaction: boolean;
  /** Where the body begins, as a JSON pointer. */
  at: string;
}

const EPHEMERAL = 1 << 6;
const SETTABLE = (1 << 2) | (1 << 12) | (1 << 13) | componentsV2;
const VOICE = 1 << 13;

/** Everything the documentation asks of a message body. */
export function messageFindings(body: unknown, files: readonly UploadedFile[], place: MessagePlace): Finding[] {
  if (!isRecord(body)) return [];
  const flags = typeof body["flags"] === "number" ? body["flags"] : 0;
  const v2 = (flags & componentsV2) !== 0;
  const knowsV2 = place.kind === "create" || body["flags"] !== undefined;
  return [
    ...textFindings(body, place.at),
    ...componentFindings(body["components"], `${place.at}/components`, v2 || !knowsV2),
    ...flagFindings(flags, place),
    ...(v2 ? exclusiveFindings(body, place.at) : []),
    ...(place.kind === "create" ? emptyFindings(body, files, place.at) : []),
    ...attachmentFindings(body, files, place),
    ...voiceFindings(body, files, flags, place.at),
  ];
}

function flagFindings(flags: number, place: MessagePlace): Finding[] {
  const allowed = place.interaction ? SETTABLE | EPHEMERAL : SETTABLE;
  const foreign = flags & ~allowed;
  if (foreign === 0 || place.kind === "edit") return [];
  return [wrong(`${place.at}/flags`, flags, `no bit but ${allowed} here (${foreign} may not be set)`)];
}

/** Components v2 replace all other content. */
function exclusiveFindings(body: Record<string, unknown>, at: string): Finding[] {
  const others = ["content", "embeds", "poll", "sticker_ids"].filter((key) => !isEmpty(body[key]));
  return others.map((key) => wrong(`${at}/${key}`, body[key], "nothing, since the message uses components v2"));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

function emptyFindings(body: Record<string, unknown>, files: readonly UploadedFile[], at: string): Finding[] {
  const parts = ["content", "embeds", "components", "sticker_ids", "poll", "shared_client_theme"];
  const forwards = isRecord(body["message_reference"]) && body["message_reference"]["type"] === 1;
  const says = parts.some((key) => !isEmpty(body[key]) && !isBlank(body[key]));
  return says || forwards || files.length > 0 ? [] : [wrong(at, body, "a message that says something (50006)")];
}

function isBlank(value: unknown): boolean {
  return typeof value === "string" && value.trim() === "";
}

function attachmentFindings(
  body: Record<string, unknown>,
  files: readonly UploadedFile[],
  place: MessagePlace,
): Finding[] {
  const numbers = files.map((file) => /^files\[([0-9])\]$/.exec(file.field)?.[1]);
  const odd = files.filter((_file, index) => numbers[index] === undefined);
  const findings = odd.map((file) => wrong("(files)", file.field, "a field named files[0] to files[9]"));
  const total = files.reduce((sum, file) => sum + file.size, 0);
  if (total > 25 * 1024 * 1024)
    findings.push(wrong("(files)", `${total} bytes in all`, "at most 25 MiB in one request"));
  for (const [index, attachment] of items(body["attachments"]).entries()) {
    const id = isRecord(attachment) ? attachment["id"] : undefined;
    const kept = place.kind === "edit" && typeof id === "string" && id.length > 2;
    if (!kept && !numbers.some((number) => number === id))
      findings.push(wrong(`${place.at}/attachments/${index}/id`, id, "the number n of a files[n] that came along"));
  }
  return findings;
}

/** A voice message is one sound file with its length and shape, and no text (50159 and its neighbours). */
function voiceFindings(
  body: Record<string, unknown>,
  files: readonly UploadedFile[],
  flags: number,
  at: string,
): Finding[] {
  if ((flags & VOICE) === 0) return [];
  const attachment = items(body["attachments"])[0];
  const described =
    isRecord(attachment) &&
    typeof attachment["duration_secs"] === "number" &&
    typeof attachment["waveform"] === "string";
  return [
    ...(files.length === 1 ? [] : [wrong("(files)", `${files.length} files`, "the one file of a voice message")]),
    ...(described ? [] : [wrong(`${at}/attachments/0`, attachment, "duration_secs and waveform")]),
    ...(isEmpty(body["content"])
      ? []
      : [wrong(`${at}/content`, body["content"], "no text in a voice message (50159)")]),
  ];
}
