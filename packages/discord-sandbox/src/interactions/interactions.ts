/**
 * Interactions on their way: made by a person's client, given to the app over the gateway, and failed before the
 * person's eyes if the app says nothing within three seconds. Their tokens last fifteen minutes.
 */
import { randomBytes } from "node:crypto";
import { channelView, isThread } from "../state/channels.ts";
import type { Json } from "../rest/form.ts";
import type { Interaction, InteractionRegistry, InteractionStart, Modal } from "./interaction.ts";
import { limits } from "../limits.ts";
import { defaultLocale } from "../locale.ts";
import { messageView } from "../messages/message-view.ts";
import { channelPermissions } from "../state/permissions.ts";
import type { Context } from "../context.ts";
import { Code, refuse } from "../rest/refusals.ts";
import type { Session } from "../gateway/session.ts";
import { interactionMember, requireUser, userView } from "../state/users.ts";
import type { Channel } from "../state/world.ts";

/** How long an interaction is remembered: well beyond its token, so that a late answer gets the right refusal. */
const KEPT_MS = 60 * 60_000;

export class Interactions implements InteractionRegistry {
  readonly #context: () => Context;
  readonly #botSessions: (applicationId: string) => Session[];
  readonly #byToken = new Map<string, Interaction>();
  readonly #byId = new Map<string, Interaction>();

  /** `botSessions`: those of the application's bot, connected or resumable. */
  constructor(context: () => Context, botSessions: (applicationId: string) => Session[]) {
    this.#context = context;
    this.#botSessions = botSessions;
  }

  start(start: InteractionStart): Interaction {
    const context = this.#context();
    const interaction: Interaction = {
      ...start,
      id: context.ids.next(),
      token: `aW50ZXJhY3Rpb24${randomBytes(60).toString("base64url")}`,
      channelId: start.channel.id,
      createdAt: context.clock.monotonic(),
      acknowledgedAfterMs: null,
      callback: null,
      failed: false,
      originalId: null,
      thinking: false,
      ephemeral: false,
      followUps: [],
      modal: null,
      choices: null,
    };
    this.#forgetOld();
    this.#byToken.set(interaction.token, interaction);
    this.#byId.set(interaction.id, interaction);
    this.#tellUser(interaction, "INTERACTION_CREATE", {});
    context.timers.arm(`ack:${interaction.id}`, limits.interactionAckMs, () => this.#missed(interaction));
    const sessions = this.#botSessions(start.applicationId);
    if (sessions.length > 0)
      context.dispatch({
        t: "INTERACTION_CREATE",
        d: this.#payload(interaction, start.channel),
        only: [start.applicationId],
      });
    context.changed();
    return interaction;
  }

  /** For the callback: 10062 where it is unknown, was missed, or the token does not belong to it. */
  forCallback(id: string, token: string): Interaction {
    const interaction = this.#byId.get(id);
    if (interaction === undefined || interaction.token !== token || interaction.failed)
      throw refuse(Code.UnknownInteraction);
    if (this.#expired(interaction)) throw refuse(Code.UnknownInteraction);
    return interaction;
  }

  /**
   * For follow-ups and `@original`: 50027 once the fifteen minutes are over, 10015 before any answer or for a token
   * that never was.
   */
  forWebhook(applicationId: string, token: string): Interaction {
    const interaction = this.#byToken.get(token);
    if (interaction === undefined || interaction.applicationId !== applicationId) throw refuse(Code.UnknownWebhook);
    if (this.#expired(interaction)) throw refuse(Code.InvalidWebhookToken);
    if (interaction.acknowledgedAfterMs === null) throw refuse(Code.UnknownWebhook);
    return interaction;
  }

  /** Notes the app's answer, once: 40060 for a second one. */
  acknowledge(interaction: Interaction, callback: number): void {
    const context = this.#context();
    if (interaction.callback !== null) throw refuse(Code.InteractionHasAlreadyBeenAcknowledged);
    interaction.callback = callback;
    interaction.acknowledgedAfterMs = context.clock.monotonic() - interaction.createdAt;
    context.timers.disarm(`ack:${interaction.id}`);
    // Choices and modals have events of their own, which say success by themselves.
    if (callback !== 8 && callback !== 9) this.#tellUser(interaction, "INTERACTION_SUCCESS", {});
    context.changed();
  }

  showModal(interaction: Interaction, modal: Modal): void {
    interaction.modal = modal;
    const application = this.#context().world.applications[interaction.applicationId];
    this.#tellUser(interaction, "INTERACTION_MODAL_CREATE", {
      // The modal's own id, not the interaction's: a submit names it.
      id: modal.id,
      application: { id: interaction.applicationId, name: application?.name ?? "" },
      channel_id: interaction.channelId,
      custom_id: modal.customId,
      title: modal.title,
      components: modal.components,
    });
    this.#context().changed();
  }

  offerChoices(interaction: Interaction, choices: Json[]): void {
    interaction.choices = choices;
    this.#context().dispatch({
      t: "APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE",
      d: { choices, nonce: interaction.nonce },
      only: [interaction.userId],
    });
    this.#context().changed();
  }

  all(): Interaction[] {
    return [...this.#byId.values()];
  }

  /** What nobody can answer or look at any more goes, with the ephemeral messages it made. */
  #forgetOld(): void {
    const context = this.#context();
    for (const old of this.#byId.values()) {
      if (context.clock.monotonic() - old.createdAt < KEPT_MS) break;
      this.#byId.delete(old.id);
      this.#byToken.delete(old.token);
      for (const id of [old.originalId ?? "", ...old.followUps]) context.ephemerals.delete(id);
    }
  }

  #expired(interaction: Interaction): boolean {
    return this.#context().clock.monotonic() - interaction.createdAt > limits.interactionTokenMs;
  }

  #missed(interaction: Interaction): void {
    const context = this.#context();
    interaction.failed = true;
    this.#tellUser(interaction, "INTERACTION_FAILURE", { reason_code: 2 });
    context.violation("missed_ack", 0, `No answer within 3 s to ${describe(interaction)}`);
    context.changed();
  }

  #tellUser(interaction: Interaction, t: string, more: Json): void {
    const d = { id: interaction.id, nonce: interaction.nonce, ...more };
    this.#context().dispatch({ t, d, only: [interaction.userId] });
  }

  /** The event as the app gets it. */
  #payload(interaction: Interaction, channel: Channel): Json {
    const context = this.#context();
    const { world } = context;
    const member = world.members[interaction.userId];
    const permissions = channelPermissions(world, channel, interaction.userId);
    const { message } = interaction;
    return {
      id: interaction.id,
      application_id: interaction.applicationId,
      type: interaction.kind,
      data: interaction.data,
      ...(channel.guildId === null || member === undefined
        ? { user: userView(requireUser(world, interaction.userId)) }
        : {
            guild_id: channel.guildId,
            guild: { id: channel.guildId, locale: defaultLocale, features: [] },
            guild_locale: defaultLocale,
            member: interactionMember(world, member, permissions),
          }),
      channel_id: channel.id,
      channel: interactionChannel(context, channel),
      ...(message === null ? {} : { message: messageView(context, message, { viewerId: interaction.applicationId }) }),
      token: interaction.token,
      version: 1,
      app_permissions: String(channelPermissions(world, channel, interaction.applicationId)),
      locale: interaction.locale,
      entitlements: [],
      authorizing_integration_owners: { 0: channel.guildId ?? "0" },
      context: channel.guildId === null ? 1 : 0,
      attachment_size_limit: limits.fileBytes[world.boostLevel ?? 0],
    };
  }
}

/** `interaction_metadata` of the messages an app answers with. */
export function interactionMetadata(context: Context, interaction: Interaction): Json {
  return {
    id: interaction.id,
    type: interaction.kind === 5 ? 5 : interaction.kind,
    user: userView(requireUser(context.world, interaction.userId)),
    authorizing_integration_owners: { 0: context.world.channels[interaction.channelId]?.guildId ?? "0" },
    ...(interaction.kind === 3 && interaction.message !== null
      ? { interacted_message_id: interaction.message.id }
      : {}),
    ...(interaction.originalId === null ? {} : { original_response_message_id: interaction.originalId }),
    ...(interaction.kind === 5 ? { triggering_interaction_metadata: trigger(context, interaction) } : {}),
  };
}

function trigger(context: Context, interaction: Interaction): Json {
  const { message } = interaction;
  return {
    id: interaction.id,
    type: message === null ? 2 : 3,
    user: userView(requireUser(context.world, interaction.userId)),
    authorizing_integration_owners: { 0: context.world.channels[interaction.channelId]?.guildId ?? "0" },
    ...(message === null ? {} : { interacted_message_id: message.id }),
  };
}

function interactionChannel(context: Context, channel: Channel): Json {
  const view = channelView(context.world, channel);
  if (!isThread(channel)) delete view["permission_overwrites"];
  return view;
}

function describe(interaction: Interaction): string {
  const name = interaction.data["name"] ?? interaction.data["custom_id"] ?? "";
  return `interaction of type ${interaction.kind} (${String(name)})`;
}
