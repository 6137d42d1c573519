/**
 * An interaction on its way from a person to the app and back: the record of it, and who keeps them.
 */
import type { Json } from "../rest/form.ts";
import type { Channel, Message } from "../state/world.ts";

/** 2 command, 3 component, 4 autocomplete, 5 modal submit. */
export type InteractionKind = 2 | 3 | 4 | 5;

export interface Modal {
  id: string;
  customId: string;
  title: string;
  components: Json[];
}

export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly kind: InteractionKind;
  readonly applicationId: string;
  readonly channelId: string;
  readonly userId: string;
  readonly nonce: string | null;
  /** The language of the client it was begun in. */
  readonly locale: string;
  readonly data: Json;
  /** The message a component hangs on (or hung on when a modal was opened from it). */
  readonly message: Message | null;
  readonly createdAt: number;
  /** How many ms after its making the app answered; null while it has not. */
  acknowledgedAfterMs: number | null;
  /** The callback's type, once answered. */
  callback: number | null;
  failed: boolean;
  /** `@original`: the id of the first answer's message. */
  originalId: string | null;
  /** A deferred answer that has not been filled in. */
  thinking: boolean;
  ephemeral: boolean;
  followUps: string[];
  modal: Modal | null;
  choices: Json[] | null;
}

export interface InteractionStart {
  kind: InteractionKind;
  applicationId: string;
  channel: Channel;
  userId: string;
  nonce: string | null;
  locale: string;
  data: Json;
  message: Message | null;
}

/** Keeps the interactions; see `interactions.ts` for what each does and refuses. */
export interface InteractionRegistry {
  start(start: InteractionStart): Interaction;
  forCallback(id: string, token: string): Interaction;
  forWebhook(applicationId: string, token: string): Interaction;
  acknowledge(interaction: Interaction, callback: number): void;
  showModal(interaction: Interaction, modal: Modal): void;
  offerChoices(interaction: Interaction, choices: Json[]): void;
  all(): Interaction[];
}
