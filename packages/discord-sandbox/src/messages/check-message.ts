/**
 * The rules for a message's body on their own, so that a bot's unit tests can hold what it would send against them
 * without starting a server.
 */
import type { ClientFile } from "../actors/client.ts";
import { Form } from "../rest/form.ts";
import { createFlags, readDraft } from "./message-form.ts";

/**
 * Returns if Discord would take the body for a new message; otherwise throws the `Refusal` that it would answer with.
 */
export function checkMessage(body: unknown, files: readonly ClientFile[] = []): void {
  const uploads = files.map(({ name, bytes, contentType = null }, index) => ({
    field: `files[${index}]`,
    name,
    contentType,
    bytes: Buffer.from(bytes),
  }));
  readDraft(new Form(body), uploads, createFlags);
}
