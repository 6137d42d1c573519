/**
 * The body of a message, as create, edit, webhook and interaction answers share it: read with Discord's limits
 * into a draft that the message routes can store.
 */
import { MessageFlags as Flag } from "discord-api-types/v10";
import { readComponents } from "./components.ts";
import { readEmbeds } from "./embeds.ts";
import type { Form, Json } from "../rest/form.ts";
import { limits } from "../limits.ts";
import { Code, refuse } from "../rest/refusals.ts";

export interface UploadedFile {
  field: string;
  name: string;
  contentType: string | null;
  bytes: Buffer;
}

export interface AttachmentDraft {
  id: string;
  filename: string | null;
  description: string | null;
}

export interface AllowedMentions {
  parse: string[];
  users: string[];
  roles: string[];
  repliedUser: boolean;
}

export interface Draft {
  content: string | null | undefined;
  embeds: Json[] | null | undefined;
  components: Json[] | null | undefined;
  flags: number | null | undefined;
  attachments: AttachmentDraft[] | null | undefined;
  files: UploadedFile[];
  allowedMentions: AllowedMentions | null | undefined;
  nonce: string | number | null;
  enforceNonce: boolean;
  tts: boolean;
  reference: { messageId: string; channelId: string | null; failIfMissing: boolean; forwards: boolean } | null;
  /** Ids. */
  stickers: string[];
  poll: Json | null;
}

/** Flags a sender may set, by where the message is sent from. */
export const createFlags = Flag.SuppressEmbeds | Flag.SuppressNotifications | Flag.IsVoiceMessage | Flag.IsComponentsV2;
export const answerFlags = Flag.SuppressEmbeds | Flag.SuppressNotifications | Flag.Ephemeral | Flag.IsComponentsV2;
export const editFlags = Flag.SuppressEmbeds | Flag.IsComponentsV2;

/**
 * Reads a message body and throws 50035 for anything Discord would not take. `allowed`: the flags that may be
 * set; `standing`: the flags the message has already, which decide the family of its components.
 */
export function readDraft(form: Form, files: UploadedFile[], allowed: number, standing = 0): Draft {
  const flags = form.integer("flags", { min: 0 });
  if (typeof flags === "number" && (flags & ~(allowed | standing)) !== 0) {
    form.fail("flags", "BASE_TYPE_CHOICES", `Only these flags may be set here: ${allowed}.`);
  }
  const draft: Draft = {
    content: trimmed(form.text("content", { max: limits.content })),
    embeds: readEmbeds(form),
    components: readComponents(form, (flags ?? 0) | (standing & Flag.IsComponentsV2)),
    flags,
    attachments: form.list("attachments", { max: limits.files }, readAttachment),
    files,
    allowedMentions: form.object("allowed_mentions", readAllowedMentions),
    nonce: readNonce(form),
    enforceNonce: form.boolean("enforce_nonce") ?? false,
    tts: form.boolean("tts") ?? false,
    reference: form.object("message_reference", readReference) ?? null,
    stickers: (form.values("sticker_ids", { max: 3 }) ?? []).map(String),
    poll: form.object("poll", readPoll) ?? null,
  };
  checkNewerComponents(form, draft, standing);
  form.done();
  checkFiles(draft);
  return draft;
}

/** Discord cuts white space off both ends before it counts anything as content. */
function trimmed(text: string | null | undefined): string | null | undefined {
  return typeof text === "string" ? text.trim() : text;
}

function readAttachment(form: Form): AttachmentDraft {
  return {
    id: form.snowflake("id", true) ?? "",
    filename: form.text("filename", { min: 1, max: 1024 }) ?? null,
    description: form.text("description", { max: limits.altText }) ?? null,
  };
}

function readAllowedMentions(form: Form): AllowedMentions {
  const kinds = ["users", "roles", "everyone"];
  const strings = (key: string, max: number) => (form.values(key, { max }) ?? []).map(String);
  const parse = strings("parse", 3);
  for (const [index, kind] of parse.entries()) {
    if (!kinds.includes(kind))
      form.fail(`parse.${index}`, "BASE_TYPE_CHOICES", "Value must be one of ('users', 'roles', 'everyone').");
  }
  const [users, roles] = [strings("users", 100), strings("roles", 100)];
  for (const [key, list] of [
    ["users", users],
    ["roles", roles],
  ] as const) {
    if (parse.includes(key) && list.length > 0) {
      form.fail(
        "",
        "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
        `parse:["${key}"] and ${key}: [ids...] are mutually exclusive.`,
      );
    }
  }
  return { parse, users, roles, repliedUser: form.boolean("replied_user") ?? false };
}

/** Nobody votes here, so that it is only shown. */
function readPoll(form: Form): Json {
  const answers = form.list("answers", { max: 10 }, (part) => part.value["poll_media"]) ?? [];
  return {
    question: form.value["question"],
    answers: answers.map((poll_media, index) => ({ answer_id: index + 1, poll_media })),
    allow_multiselect: form.boolean("allow_multiselect") ?? false,
    layout_type: 1,
    results: { is_finalized: false, answer_counts: [] },
  };
}

function readReference(form: Form): Draft["reference"] {
  const type = form.choice("type", [0, 1]);
  const messageId = form.snowflake("message_id", true) ?? "";
  return {
    messageId,
    channelId: form.snowflake("channel_id") ?? null,
    failIfMissing: form.boolean("fail_if_not_exists") ?? true,
    forwards: type === 1,
  };
}

function readNonce(form: Form): string | number | null {
  const value = form.value["nonce"];
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  return form.text("nonce", { max: limits.nonce }) ?? null;
}

/** The newer components stand alone: no content, no embeds beside them. */
function checkNewerComponents(form: Form, draft: Draft, standing: number): void {
  if ((((draft.flags ?? 0) | standing) & Flag.IsComponentsV2) === 0) return;
  const message = "The 'content' and 'embeds' fields cannot be used when using MessageFlags.IS_COMPONENTS_V2";
  if ((draft.content ?? "") !== "")
    form.fail("content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", message);
  if ((draft.embeds ?? []).length > 0)
    form.fail("embeds", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", message);
}

function checkFiles(draft: Draft): void {
  if (draft.files.length > limits.files) throw refuse(Code.MaximumNumberOfAttachmentsInAMessageReached);
}
