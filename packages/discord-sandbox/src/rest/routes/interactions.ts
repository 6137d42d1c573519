/**
 * Interactions over REST: started by a person's client, answered by the app through the callback and the
 * interaction's webhook.
 */
import { answer, answerMessage, deleteAnswer, editAnswer, followUp } from "../../interactions/callbacks.ts";
import { visibleChannel } from "../../state/channels.ts";
import { commandData } from "../../interactions/command-use.ts";
import { allComponents, findComponent, selectKinds } from "../../messages/components.ts";
import { isObject, type Form, type Json } from "../form.ts";
import type { InteractionKind, InteractionStart, Modal } from "../../interactions/interaction.ts";
import { locales } from "../../locale.ts";
import { messageView } from "../../messages/message-view.ts";
import { readSubmitted } from "../../interactions/modals.ts";
import { Bit, requirePermission } from "../../state/permissions.ts";
import { readFlag } from "../query.ts";
import { badField, Code, refuse } from "../refusals.ts";
import { Resolved, type Resolvable } from "../../interactions/resolved.ts";
import { noContent, ok, type Answer, type Call, type Route } from "../router.ts";
import { requireUnarchived } from "../../state/threads.ts";
import type { Channel, Message } from "../../state/world.ts";

const hook = "/webhooks/{webhook_id}/{webhook_token}";

export const interactionRoutes: Route[] = [
  { method: "POST", path: "/interactions", operationId: null, who: "user", run: start },
  {
    method: "POST",
    path: "/interactions/{interaction_id}/{interaction_token}/callback",
    operationId: "create_interaction_response",
    who: "open",
    run: callback,
  },
  { method: "POST", path: hook, operationId: "execute_webhook", who: "open", run: follow },
  {
    method: "GET",
    path: `${hook}/messages/@original`,
    operationId: "get_original_webhook_message",
    who: "open",
    run: get,
  },
  {
    method: "PATCH",
    path: `${hook}/messages/@original`,
    operationId: "update_original_webhook_message",
    who: "open",
    run: edit,
  },
  {
    method: "DELETE",
    path: `${hook}/messages/@original`,
    operationId: "delete_original_webhook_message",
    who: "open",
    run: remove,
  },
  { method: "GET", path: `${hook}/messages/{message_id}`, operationId: "get_webhook_message", who: "open", run: get },
  {
    method: "PATCH",
    path: `${hook}/messages/{message_id}`,
    operationId: "update_webhook_message",
    who: "open",
    run: edit,
  },
  {
    method: "DELETE",
    path: `${hook}/messages/{message_id}`,
    operationId: "delete_webhook_message",
    who: "open",
    run: remove,
  },
];

function start(call: Call): Answer {
  const { context, caller } = call;
  const form = call.form();
  const kind = form.choice<InteractionKind>("type", [2, 3, 4, 5], true) ?? 2;
  const applicationId = form.snowflake("application_id", true) ?? "";
  const channel = visibleChannel(context.world, form.snowflake("channel_id", true) ?? "", caller.id);
  const nonce = form.text("nonce", { max: 25 }) ?? null;
  const sessionId = form.text("session_id", { required: true }) ?? "";
  const said = form.choice("locale", locales) ?? null;
  const data = isObject(form.value["data"]) ? form.value["data"] : {};
  form.done();
  const session = context.session(sessionId, caller.id);
  if (session === undefined) throw refuse(Code.UnknownSession);
  if (context.world.applications[applicationId] === undefined) throw refuse(Code.UnknownApplication);
  const begin = { kind, applicationId, channel, userId: caller.id, nonce, locale: said ?? session.locale };
  if (kind === 2 || kind === 4) {
    requirePermission(context.world, channel, caller.id, Bit.UseApplicationCommands);
    context.interactions.start({ ...begin, data: commandData(context, begin, data), message: null });
  } else if (kind === 3) {
    const message = pressable(call, form, channel, applicationId);
    context.interactions.start({ ...begin, data: componentData(call, message, data), message });
  } else submit(call, begin, data);
  return noContent;
}

/** The message whose component is used; ephemeral ones only by the one who sees them. */
function pressable(call: Call, form: Form, channel: Channel, applicationId: string): Message {
  const { context, caller } = call;
  const id = form.snowflake("message_id", true) ?? "";
  form.done();
  requireUnarchived(channel);
  const hidden = context.ephemerals.get(id);
  const message =
    hidden?.ephemeralFor === caller.id ? hidden : context.world.messages[channel.id]?.find((one) => one.id === id);
  if (message === undefined) throw refuse(Code.UnknownMessage);
  if ((message.applicationId ?? message.authorId) !== applicationId) throw refuse(Code.UnknownApplication);
  return message;
}

/** What may be chosen in the selects that have no options of their own: users, roles, both, channels. */
const choosable: Partial<Record<number, readonly Resolvable[]>> = {
  5: ["user"],
  6: ["role"],
  7: ["user", "role"],
  8: ["channel"],
};

function componentData(call: Call, message: Message, data: Json): Json {
  const customId = String(data["custom_id"] ?? "");
  const component = findComponent(message.components, customId);
  if (component === undefined || component["type"] !== data["component_type"]) {
    throw badField("data.custom_id", "COMPONENT_VALIDATION_FAILED", "Component validation failed");
  }
  if (component["disabled"] === true)
    throw badField("data.custom_id", "COMPONENT_VALIDATION_FAILED", "Component is disabled");
  const base = { custom_id: customId, component_type: component["type"] };
  if (!selectKinds.includes(Number(component["type"]))) return base;
  const values = Array.isArray(data["values"]) ? data["values"].map(String) : [];
  const [min, max] = [Number(component["min_values"] ?? 1), Number(component["max_values"] ?? 1)];
  if (values.length < min || values.length > max)
    throw badField("data.values", "BASE_TYPE_BAD_LENGTH", `Must be between ${min} and ${max} in length.`);
  const options = Array.isArray(component["options"])
    ? component["options"].filter(isObject).map((one) => one["value"])
    : null;
  if (options !== null && values.some((value) => !options.includes(value)))
    throw badField("data.values", "BASE_TYPE_CHOICES", "Not one of the options");
  const resolved = new Resolved(call.context, call.caller.id);
  const kinds = choosable[Number(component["type"])];
  if (kinds !== undefined && values.some((value) => !resolved.add(value, kinds)))
    throw badField("data.values", "BASE_TYPE_CHOICES", "There is nothing with this id");
  if (kinds === undefined) return { ...base, values };
  // Where only one kind can be chosen its part is there even when nothing was.
  const [only] = kinds.length === 1 ? kinds : [];
  return { ...base, values, resolved: { ...(only === undefined ? {} : { [`${only}s`]: {} }), ...resolved.meanings } };
}

/** A modal can be sent once, by the person it was shown to. */
function submit(call: Call, begin: Omit<InteractionStart, "data" | "message">, data: Json): void {
  const { context } = call;
  const shown = context.interactions.all().find((one) => one.modal?.id === data["id"] && one.userId === begin.userId);
  if (shown === undefined || shown.modal === null || shown.modal.customId !== data["custom_id"]) {
    throw badField("data.custom_id", "MODAL_UNKNOWN", "There is no such modal open");
  }
  const components = fitting(shown.modal, data["components"]);
  const resolved = new Resolved(context, begin.userId);
  for (const field of allComponents(components)) {
    const kinds = choosable[Number(field["type"])] ?? [];
    const values = Array.isArray(field["values"]) && kinds.length > 0 ? field["values"].map(String) : [];
    if (values.some((value) => !resolved.add(value, kinds)))
      throw badField("data.components", "BASE_TYPE_CHOICES", "There is nothing with this id");
  }
  shown.modal = null;
  context.interactions.start({
    ...begin,
    kind: 5,
    data: { custom_id: data["custom_id"], components, ...resolved.part() },
    message: shown.message,
  });
}

function fitting(modal: Modal, sent: unknown): Json[] {
  try {
    return readSubmitted(modal, sent);
  } catch (error) {
    throw badField(
      "data.components",
      "COMPONENT_VALIDATION_FAILED",
      error instanceof Error ? error.message : String(error),
    );
  }
}

function callback(call: Call): Answer {
  const { context, params } = call;
  const interaction = context.interactions.forCallback(
    params["interaction_id"] ?? "",
    params["interaction_token"] ?? "",
  );
  const message = answer(context, interaction, call.body, call.files);
  if (!readFlag(call.query, "with_response")) return noContent;
  return ok({
    interaction: {
      id: interaction.id,
      type: interaction.kind,
      ...(message === null
        ? {}
        : {
            response_message_id: message.id,
            response_message_loading: interaction.thinking,
            response_message_ephemeral: message.ephemeralFor !== null,
          }),
      channel_id: interaction.channelId,
      ...(context.world.channels[interaction.channelId]?.guildId ? { guild_id: context.world.guildId } : {}),
    },
    ...(message === null ? {} : { resource: { type: interaction.callback, message: view(call, message) } }),
  });
}

function follow(call: Call): Answer {
  const interaction = reached(call);
  const message = followUp(call.context, interaction, call.body, call.files);
  // A webhook answers 204 unless asked to wait; an interaction's always waits.
  return ok(view(call, message));
}

function get(call: Call): Answer {
  return ok(view(call, answerMessage(call.context, reached(call), call.params["message_id"] ?? "@original")));
}

function edit(call: Call): Answer {
  return ok(view(call, editAnswer(call, reached(call), call.params["message_id"] ?? "@original")));
}

function remove(call: Call): Answer {
  deleteAnswer(call.context, reached(call), call.params["message_id"] ?? "@original");
  return noContent;
}

function reached(call: Call) {
  return call.context.interactions.forWebhook(call.params["webhook_id"] ?? "", call.params["webhook_token"] ?? "");
}

function view(call: Call, message: Message): Json {
  return messageView(call.context, message, { viewerId: message.applicationId ?? "", nonce: true });
}
