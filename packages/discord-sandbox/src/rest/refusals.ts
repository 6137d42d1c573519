/**
 * What Discord answers when it refuses: a JSON error code, a sentence, and for a bad form (50035) the tree of
 * what was wrong where. Thrown anywhere below a route, turned into an answer in one place.
 */
import { RESTJSONErrorCodes as Code } from "discord-api-types/v10";

export { Code };

/** One leaf of a 50035 tree. The codes are strings such as `BASE_TYPE_MAX_LENGTH`. */
export interface FieldError {
  code: string;
  message: string;
}

export interface ErrorTree {
  _errors?: FieldError[];
  [key: string]: ErrorTree | FieldError[] | undefined;
}

/** A refusal with Discord's HTTP status and JSON error code. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: number;
  readonly errors: ErrorTree | undefined;
  /** For a 429: how many seconds to wait. */
  retryAfterS = 0;

  constructor(status: number, code: number, message: string, errors?: ErrorTree) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }

  /** The JSON body of the answer. */
  body(): Record<string, unknown> {
    const body = { message: this.message, code: this.code };
    if (this.status === 429) return { ...body, retry_after: this.retryAfterS, global: false };
    return this.errors === undefined ? body : { ...body, errors: this.errors };
  }
}

const known: Partial<Record<number, [status: number, message: string]>> = {
  [Code.GeneralError]: [404, "404: Not Found"],
  [Code.UnknownApplication]: [404, "Unknown Application"],
  [Code.UnknownChannel]: [404, "Unknown Channel"],
  [Code.UnknownGuild]: [404, "Unknown Guild"],
  [Code.UnknownMember]: [404, "Unknown Member"],
  [Code.UnknownMessage]: [404, "Unknown Message"],
  [Code.UnknownPermissionOverwrite]: [404, "Unknown Overwrite"],
  [Code.UnknownRole]: [404, "Unknown Role"],
  [Code.UnknownUser]: [404, "Unknown User"],
  [Code.UnknownTag]: [404, "Unknown Tag"],
  [Code.UnknownEmoji]: [400, "Unknown Emoji"],
  [Code.UnknownWebhook]: [404, "Unknown Webhook"],
  [Code.UnknownSession]: [404, "Unknown Session"],
  [Code.UnknownInteraction]: [404, "Unknown interaction"],
  [Code.UnknownApplicationCommand]: [404, "Unknown application command"],
  [Code.BotsCannotUseThisEndpoint]: [403, "Bots cannot use this endpoint"],
  [Code.OnlyBotsCanUseThisEndpoint]: [403, "Only bots can use this endpoint"],
  [Code.NotAuthorizedToPerformThisActionOnThisApplication]: [
    403,
    "You are not authorized to perform this action on this application",
  ],
  [Code.MaximumNumberOfPinsReachedForTheChannel]: [400, "Maximum number of pins reached (250)"],
  [Code.MaximumNumberOfReactionsReached]: [400, "Maximum number of reactions reached (20)"],
  [Code.MaximumNumberOfAttachmentsInAMessageReached]: [400, "Maximum number of attachments in a message reached (10)"],
  [Code.MaximumNumberOfEditsToMessagesOlderThanOneHourReached]: [
    429,
    "Maximum number of edits to messages older than 1 hour reached. Try again later",
  ],
  [Code.TagNamesMustBeUnique]: [400, "Tag names must be unique"],
  [Code.TagRequiredToCreateAForumPostInThisChannel]: [400, "A tag is required to create a forum post in this channel"],
  [Code.CannotSendMessagesInNonTextChannel]: [400, "Cannot send messages in a non-text channel"],
  [Code.YouCannotSendVoiceMessagesInThisChannel]: [400, "You cannot send voice messages in this channel"],
  [Code.UploadedFileNotFound]: [400, "Uploaded file not found."],
  [Code.MaximumNumberOfApplicationCommandsReached]: [400, "Maximum number of application commands reached (100)."],
  [Code.MaximumDailyApplicationCommandCreatesReached]: [
    429,
    "Max number of daily application command creates has been reached (200)",
  ],
  [Code.MaximumThreadParticipantsReached]: [400, "Maximum number of thread participants has been reached (1000)"],
  [Code.RequestEntityTooLarge]: [413, "Request entity too large"],
  [Code.InteractionHasAlreadyBeenAcknowledged]: [400, "Interaction has already been acknowledged."],
  [Code.MissingAccess]: [403, "Missing Access"],
  [Code.CannotExecuteActionOnDMChannel]: [403, "Cannot execute action on a DM channel"],
  [Code.CannotEditMessageAuthoredByAnotherUser]: [403, "Cannot edit a message authored by another user"],
  [Code.CannotSendAnEmptyMessage]: [400, "Cannot send an empty message"],
  [Code.CannotSendMessagesToThisUser]: [403, "Cannot send messages to this user"],
  [Code.MissingPermissions]: [403, "Missing Permissions"],
  [Code.ProvidedTooFewOrTooManyMessagesToDelete]: [
    400,
    "Provided too few or too many messages to delete. Must provide at least 2 and fewer than 100 messages to delete",
  ],
  [Code.CannotExecuteActionOnSystemMessage]: [403, "Cannot execute action on a system message"],
  [Code.CannotExecuteActionOnThisChannelType]: [400, "Cannot execute action on this channel type"],
  [Code.InvalidWebhookToken]: [401, "Invalid Webhook Token"],
  [Code.OneOfTheMessagesProvidedWasTooOldForBulkDelete]: [
    400,
    "You can only bulk delete messages that are under 14 days old.",
  ],
  [Code.InvalidAPIVersion]: [400, "Invalid API version"],
  [Code.InvalidRecipients]: [400, "Invalid Recipient(s)"],
  [Code.InvalidActionOnArchivedThread]: [400, "Thread is archived"],
  [Code.RequestBodyContainsInvalidJSON]: [400, "The request body contains invalid JSON."],
  [Code.VoiceMessagesDoNotSupportAdditionalContent]: [400, "Voice messages do not support additional content"],
  [Code.ThreadAlreadyCreatedForMessage]: [400, "A thread has already been created for this message"],
  [Code.ThreadLocked]: [403, "Thread is locked"],
  [Code.MaximumActiveThreads]: [400, "Maximum number of active threads reached"],
  [Code.CannotReplyWithoutPermissionToReadMessageHistory]: [
    400,
    "Cannot reply without permission to read message history",
  ],
  [Code.MessageWasBlockedByAutomaticModeration]: [400, "Message was blocked by automatic moderation"],
  [Code.MessageBlockedByHarmfulLinksFilter]: [400, "Message blocked by harmful links filter"],
  [Code.CannotExpireANonPollMessage]: [400, "Cannot expire a non-poll message"],
  [Code.CloudflareIsBlockingYourRequest]: [403, "You are being blocked from accessing the API temporarily"],
};

/** The refusal Discord documents for a code, with its usual status and sentence. */
export function refuse(code: number): Refusal {
  const entry = known[code];
  if (entry === undefined) throw new Error(`no refusal is written down for code ${code}`);
  return new Refusal(entry[0], code, entry[1]);
}

/** 50035 with its tree. */
export function badForm(errors: ErrorTree): Refusal {
  return new Refusal(400, Code.InvalidFormBodyOrContentType, "Invalid Form Body", errors);
}

/** 50035 for one field; `path` is dotted, list indexes as numbers (`components.0.custom_id`). */
export function badField(path: string, code: string, message: string): Refusal {
  const tree: ErrorTree = {};
  addError(tree, path === "" ? [] : path.split("."), { code, message });
  return badForm(tree);
}

export function unauthorized(): Refusal {
  return new Refusal(401, 0, "401: Unauthorized");
}

/** Puts one error into a tree at a path. */
export function addError(tree: ErrorTree, path: readonly string[], error: FieldError): void {
  let at = tree;
  for (const key of path) {
    const next = at[key];
    if (next === undefined || Array.isArray(next)) {
      const fresh: ErrorTree = {};
      at[key] = fresh;
      at = fresh;
    } else at = next;
  }
  (at._errors ??= []).push(error);
}
