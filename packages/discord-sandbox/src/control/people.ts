/**
 * People over HTTP, for a test in another language: they use commands, press, choose and fill in, and the answer is
 * what the app made of it. What needs no interaction they do with their own token, over REST.
 */
import { ClientError } from "../actors/client.ts";
import type { InteractionHandle } from "../actors/interaction-handle.ts";
import type { OptionValue, UserActor } from "../actors/user-actor.ts";
import type { ModalValues } from "../interactions/modals.ts";
import { Form, isObject, type Json } from "../rest/form.ts";
import { Code, Refusal, refuse } from "../rest/refusals.ts";
import type { Answer } from "../rest/router.ts";
import type { Sandbox } from "../sandbox.ts";

export class People {
  readonly #sandbox: Pick<Sandbox, "addUser" | "channel" | "channelId" | "owner">;
  /** Interactions that were answered with a modal nobody has sent yet. */
  readonly #opened = new Map<string, InteractionHandle>();

  constructor(sandbox: Pick<Sandbox, "addUser" | "channel" | "channelId" | "owner">) {
    this.#sandbox = sandbox;
  }

  /** A new member of the server, with the token for REST and the gateway. */
  add(body: unknown): Answer {
    const form = new Form(body);
    const name = form.text("name", { min: 1, max: 32, required: true }) ?? "";
    form.done();
    return { status: 201, body: this.#sandbox.addUser(name) };
  }

  /** `userId`: an id, or `owner`. Throws a Refusal for an unknown action or a body that does not fit. */
  async act(userId: string, action: string, body: unknown): Promise<Answer> {
    const form = new Form(body);
    const channelId = form.snowflake("channelId") ?? this.#sandbox.channelId;
    try {
      const person = this.#sandbox.channel(channelId).user(userId === "owner" ? this.#sandbox.owner.id : userId);
      if (action === "autocomplete") return { status: 200, body: { choices: await complete(person, form) } };
      return { status: 200, body: await this.#outcome(await this.#begin(person, action, form)) };
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (error instanceof ClientError) return { status: error.status, body: error.body };
      return { status: 400, body: { message: error instanceof Error ? error.message : String(error), code: 0 } };
    }
  }

  #begin(person: UserActor, action: string, form: Form): Promise<InteractionHandle> {
    switch (action) {
      case "slash":
        return person.slash(required(form, "path"), options(form));
      case "click":
        return person.clickButton(required(form, "messageId"), required(form, "button"));
      case "select":
        return person.select(
          required(form, "messageId"),
          required(form, "customId"),
          (form.values("values", { required: true }) ?? []).map(String),
        );
      case "submit":
        return this.#submit(person, form);
      default:
        throw refuse(Code.GeneralError);
    }
  }

  async #submit(person: UserActor, form: Form): Promise<InteractionHandle> {
    const id = required(form, "interactionId");
    const opened = this.#opened.get(id);
    if (opened === undefined) throw new Error(`The interaction ${id} has no modal that is open`);
    const sent = await person.submitModal(opened, objectAt(form, "values") as ModalValues);
    // Where it could not be sent, it is still open.
    this.#opened.delete(id);
    return sent;
  }

  /** What the app answered, once it has: its message, its modal, or that it missed the three seconds. */
  async #outcome(handle: InteractionHandle): Promise<Json> {
    const { interaction } = handle;
    const acknowledged = await handle.acknowledged().catch(() => null);
    if (acknowledged === null) return { interactionId: interaction.id, failed: true };
    const seen = {
      interactionId: interaction.id,
      failed: false,
      acknowledgedAfterMs: acknowledged,
      ephemeral: interaction.ephemeral,
    };
    if (interaction.modal === null) return { ...seen, message: await handle.answer() };
    this.#opened.set(interaction.id, handle);
    return { ...seen, modal: interaction.modal };
  }
}

function complete(person: UserActor, form: Form): Promise<{ name: string; value: string | number }[]> {
  return person.autocomplete(required(form, "path"), required(form, "option"), form.text("typed") ?? "", options(form));
}

function required(form: Form, key: string): string {
  const text = form.text(key, { min: 1, required: true });
  form.done();
  return text ?? "";
}

function options(form: Form): Record<string, OptionValue> {
  return objectAt(form, "options") as Record<string, OptionValue>;
}

function objectAt(form: Form, key: string): Json {
  const value = form.value[key] ?? {};
  if (!isObject(value)) form.fail(key, "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType");
  form.done();
  return isObject(value) ? value : {};
}
