/**
 * Modals: what an app may show, and what a person may send back for exactly the modal that was shown.
 */
import { ComponentType as Kind } from "discord-api-types/v10";
import { allComponents, selectKinds } from "../messages/components.ts";
import { characters, isObject, type Form, type Json } from "../rest/form.ts";
import type { Modal } from "./interaction.ts";
import { limits } from "../limits.ts";

const RADIO = 21;
const CHECKBOXES = 22;
const CHECKBOX = 23;
const FILES = 19;
const inLabel: readonly number[] = [Kind.TextInput, ...selectKinds, FILES, RADIO, CHECKBOXES, CHECKBOX];

/** Reads the data of a callback of type 9. */
export function readModal(form: Form, id: string): Modal {
  const ids = new Set<string>();
  const modal: Modal = {
    id,
    customId: form.text("custom_id", { min: 1, max: limits.customId, required: true }) ?? "",
    title: form.text("title", { min: 1, max: limits.modalTitle, required: true }) ?? "",
    components:
      form.list("components", { min: 1, max: limits.modalComponents, required: true }, (part, index) =>
        readTop(part, index, ids),
      ) ?? [],
  };
  form.done();
  return modal;
}

/** What a person's client sends back for a shown modal: by custom id, a text or chosen values. */
export type ModalValues = Record<string, string | string[] | boolean>;

/**
 * The `components` of a submit for a modal. Throws an Error naming the field where a value is missing, too long,
 * or not among the options, as a client would not let it be sent.
 */
export function fillModal(modal: Modal, values: ModalValues): Json[] {
  const known = allComponents(modal.components).map((one) => one["custom_id"]);
  for (const key of Object.keys(values)) if (!known.includes(key)) throw new Error(`The modal has no field "${key}"`);
  return modal.components.map((top) => {
    const base = { type: top["type"], id: top["id"] };
    if (isObject(top["component"])) return { ...base, component: fillField(top["component"], values) };
    if (Array.isArray(top["components"]))
      return { ...base, components: top["components"].filter(isObject).map((one) => fillField(one, values)) };
    return base;
  });
}

/**
 * What a person's client sent back, read by custom id and held against the modal that was shown. Throws like
 * `fillModal`.
 */
export function readSubmitted(modal: Modal, sent: unknown): Json[] {
  const fields = allComponents(Array.isArray(sent) ? sent.filter(isObject) : []).filter(
    (one) => one["custom_id"] !== undefined,
  );
  const given = fields.map((field) => [String(field["custom_id"]), field["values"] ?? field["value"]]);
  const filled = given.filter(([, value]) => value !== undefined && value !== null);
  return fillModal(modal, Object.fromEntries(filled) as ModalValues);
}

function readTop(form: Form, index: number, ids: Set<string>): Json {
  const type = form.choice("type", [Kind.ActionRow, Kind.TextDisplay, 18], true);
  const base = { type, id: form.integer("id", { min: 0 }) ?? (index + 1) * 2 - 1 };
  if (type === Kind.TextDisplay)
    return { ...base, content: form.text("content", { min: 1, max: limits.textDisplay, required: true }) };
  if (type === Kind.ActionRow) {
    const inner = (part: Form) => readField(part, index, ids, true);
    return { ...base, components: form.list("components", { min: 1, max: 1, required: true }, inner) };
  }
  return {
    ...base,
    label: form.text("label", { min: 1, max: limits.modalLabel, required: true }),
    description: form.text("description", { max: 100 }) ?? undefined,
    component: form.object("component", (part) => readField(part, index, ids, false), true),
  };
}

function readField(form: Form, index: number, ids: Set<string>, inRow: boolean): Json {
  const type = form.choice("type", inRow ? [Kind.TextInput] : inLabel, true);
  const customId = form.text("custom_id", { min: 1, max: limits.customId, required: true }) ?? "";
  if (ids.has(customId))
    form.fail("custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated");
  ids.add(customId);
  const base: Json = { type, id: form.integer("id", { min: 0 }) ?? (index + 1) * 2, custom_id: customId };
  if (type === CHECKBOX) return { ...base, default: form.boolean("default") ?? false };
  const required = form.boolean("required") ?? true;
  if (type === Kind.TextInput) return { ...base, ...readTextInput(form, inRow), required };
  const [low, high] = type === FILES ? [0, 10] : [0, limits.selectOptions];
  const min = form.integer("min_values", { min: low, max: high });
  const max = form.integer("max_values", { min: 1, max: high });
  const optionRule =
    type === RADIO
      ? { min: 2, max: 10 }
      : type === CHECKBOXES
        ? { min: 1, max: 10 }
        : { min: 1, max: limits.selectOptions };
  const withOptions = type === Kind.StringSelect || type === RADIO || type === CHECKBOXES;
  const options = withOptions ? (form.list("options", { ...optionRule, required: true }, readOption) ?? []) : null;
  const most = max ?? (type === CHECKBOXES ? (options?.length ?? 1) : 1);
  if ((min ?? 1) > most)
    form.fail(
      "max_values",
      "COMPONENT_SELECT_MIN_EXCEEDS_MAX",
      "max_values must be greater than or equal to min_values",
    );
  return {
    ...base,
    required,
    min_values: min ?? 1,
    max_values: most,
    placeholder: form.text("placeholder", { max: limits.selectPlaceholder }) ?? undefined,
    ...(options === null ? {} : { options }),
  };
}

function readTextInput(form: Form, inRow: boolean): Json {
  const shown: Json = {
    style: form.choice("style", [1, 2], true),
    min_length: form.integer("min_length", { min: 0, max: limits.textInput }) ?? undefined,
    max_length: form.integer("max_length", { min: 1, max: limits.textInput }) ?? undefined,
    value: form.text("value", { max: limits.textInput }) ?? undefined,
    placeholder: form.text("placeholder", { max: limits.textInputPlaceholder }) ?? undefined,
  };
  return inRow ? { ...shown, label: form.text("label", { min: 1, max: limits.modalLabel, required: true }) } : shown;
}

function readOption(form: Form): Json {
  return {
    label: form.text("label", { min: 1, max: limits.selectText, required: true }),
    value: form.text("value", { min: 1, max: limits.selectText, required: true }),
    description: form.text("description", { max: limits.selectText }) ?? undefined,
    default: form.boolean("default") ?? false,
  };
}

function fillField(field: Json, values: ModalValues): Json {
  const customId = String(field["custom_id"]);
  const base = { type: field["type"], id: field["id"], custom_id: customId };
  const given = values[customId];
  if (field["type"] === Kind.TextInput) return { ...base, value: filledText(field, customId, given) };
  if (field["type"] === CHECKBOX) return { ...base, value: given ?? field["default"] ?? false };
  const chosen = given === undefined ? [] : [given].flat().map(String);
  const options = Array.isArray(field["options"])
    ? field["options"].filter(isObject).map((one) => one["value"])
    : undefined;
  for (const one of chosen)
    if (options !== undefined && !options.includes(one)) throw new Error(`"${customId}" has no option "${one}"`);
  if (field["required"] === true && chosen.length === 0) throw new Error(`"${customId}" must be filled in`);
  const [least, most] = [Number(field["min_values"]), Number(field["max_values"])];
  if (chosen.length > most || (chosen.length > 0 && chosen.length < least))
    throw new Error(`"${customId}" takes ${least} to ${most} values`);
  return field["type"] === RADIO ? { ...base, value: chosen[0] ?? null } : { ...base, values: chosen };
}

function filledText(field: Json, customId: string, given: string | string[] | boolean | undefined): string {
  const text = given === undefined ? String(field["value"] ?? "") : String(given);
  const length = characters(text);
  if (field["required"] !== false && length === 0) throw new Error(`"${customId}" must be filled in`);
  if (typeof field["max_length"] === "number" && length > field["max_length"])
    throw new Error(`"${customId}" is longer than ${field["max_length"]}`);
  if (typeof field["min_length"] === "number" && length > 0 && length < field["min_length"])
    throw new Error(`"${customId}" is shorter than ${field["min_length"]}`);
  return text;
}
