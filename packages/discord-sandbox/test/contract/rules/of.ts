/**
 * Which documented rules hold for which operation: the part of Discord's contract that stands in its
 * documentation but not in its OpenAPI description. It needs no file of Discord's and so is always checked.
 */
import { type Finding, isRecord, items, told, wrong } from "../finding.ts";
import { commandFindings, commandListFindings } from "./commands.ts";
import { messageFindings, type UploadedFile } from "./message.ts";
import { choiceFindings, modalFindings } from "./modal.ts";

/** What the documentation finds wrong with a request body. */
export function documentedFindings(operationId: string, body: unknown, files: readonly UploadedFile[]): Finding[] {
  switch (operationId) {
    case "create_message":
      return messageFindings(body, files, { kind: "create", interaction: false, at: "" });
    case "execute_webhook":
      return messageFindings(body, files, { kind: "create", interaction: true, at: "" });
    case "update_message":
    case "update_webhook_message":
    case "update_original_webhook_message":
      return messageFindings(body, files, { kind: "edit", interaction: false, at: "" });
    case "create_thread":
      return isRecord(body)
        ? messageFindings(body["message"], files, { kind: "create", interaction: false, at: "/message" })
        : [];
    case "create_interaction_response":
      return callbackFindings(body, files);
    case "bulk_delete_messages":
      return bulkDeleteFindings(body);
    case "bulk_set_application_commands":
    case "bulk_set_guild_application_commands":
      return commandListFindings(body);
    case "create_application_command":
    case "create_guild_application_command":
    case "update_application_command":
    case "update_guild_application_command":
      return commandFindings(body, "");
    default:
      return [];
  }
}

function callbackFindings(body: unknown, files: readonly UploadedFile[]): Finding[] {
  if (!isRecord(body)) return [];
  const data = body["data"];
  switch (body["type"]) {
    case 4:
      return messageFindings(data ?? {}, files, { kind: "create", interaction: true, at: "/data" });
    case 7:
      return messageFindings(data, files, { kind: "edit", interaction: true, at: "/data" });
    case 8:
      return choiceFindings(data, "/data");
    case 9:
      return modalFindings(data, "/data");
    default:
      return [];
  }
}

function bulkDeleteFindings(body: unknown): Finding[] {
  const messages = isRecord(body) ? items(body["messages"]) : [];
  const count =
    messages.length >= 2 && messages.length <= 100
      ? []
      : [told("/messages", `${messages.length} messages`, "2 to 100")];
  return new Set(messages).size === messages.length
    ? count
    : [...count, wrong("/messages", messages, "every message once")];
}
