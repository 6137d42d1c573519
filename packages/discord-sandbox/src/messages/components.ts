/**
 * Message components: rows of buttons and selects, and the newer layout kinds behind the flag 1<<15. Reads them
 * with Discord's rules, fills in what Discord fills in (`id`, `min_values`), and finds one by its custom id.
 */
import { ButtonStyle, ComponentType as Kind, MessageFlags } from "discord-api-types/v10";
import { characters, isObject, type Form, type Json } from "../rest/form.ts";
import { limits } from "../limits.ts";

/** Every kind of select menu: text options, users, roles, users and roles, channels. */
export const selectKinds: readonly number[] = [
  Kind.StringSelect,
  Kind.UserSelect,
  Kind.RoleSelect,
  Kind.MentionableSelect,
  Kind.ChannelSelect,
];
const layoutKinds: readonly number[] = [
  Kind.ActionRow,
  Kind.Section,
  Kind.TextDisplay,
  Kind.MediaGallery,
  Kind.File,
  Kind.Separator,
  Kind.Container,
];

interface Count {
  components: number;
  text: number;
  ids: Set<string>;
  nextId: number;
}

/** Reads `components`. `flags` decide which family is allowed. */
export function readComponents(form: Form, flags: number): Json[] | null | undefined {
  const newer = (flags & MessageFlags.IsComponentsV2) !== 0;
  const count: Count = { components: 0, text: 0, ids: new Set(), nextId: 1 };
  const list = form.list("components", { max: newer ? limits.componentsV2 : limits.rows }, (part) =>
    readTop(part, newer, count),
  );
  if (count.components > limits.componentsV2 && newer) {
    form.fail(
      "components",
      "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED",
      "The maximum total number of components was exceeded",
    );
  }
  if (count.text > limits.textDisplay) {
    form.fail(
      "components",
      "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
      "The maximum size of displayable text was exceeded",
    );
  }
  return list;
}

/** The interactive component with this custom id, wherever it is nested. */
export function findComponent(components: readonly Json[], customId: string): Json | undefined {
  return allComponents(components).find((one) => one["custom_id"] === customId);
}

export function allComponents(components: readonly Json[]): Json[] {
  return components.flatMap((one) => {
    const inner = [one["components"], one["accessory"], one["component"]].flat().filter(isObject);
    return [one, ...allComponents(inner)];
  });
}

function readTop(form: Form, newer: boolean, count: Count): Json {
  const kind = form.choice("type", newer ? layoutKinds : [Kind.ActionRow], true);
  if (kind === Kind.Container) return readContainer(form, count);
  return readLayout(form, kind, count);
}

function readLayout(form: Form, kind: number | null | undefined, count: Count): Json {
  const base = begin(form, kind, count);
  switch (kind) {
    case Kind.ActionRow:
      return { ...base, components: readRow(form, count) };
    case Kind.TextDisplay:
      return { ...base, content: readDisplay(form, count) };
    case Kind.Section:
      return readSection(form, base, count);
    case Kind.Separator:
      return { ...base, divider: form.boolean("divider") ?? true, spacing: form.choice("spacing", [1, 2]) ?? 1 };
    case Kind.MediaGallery:
      return { ...base, items: form.list("items", { min: 1, max: 10, required: true }, readGalleryItem) };
    case Kind.File:
      return {
        ...base,
        file: form.object("file", (file) => ({ url: file.url("url", ["attachment"], 2048, true) }), true),
        spoiler: form.boolean("spoiler") ?? false,
      };
    default:
      return base;
  }
}

function readContainer(form: Form, count: Count): Json {
  const base = begin(form, Kind.Container, count);
  const inner = layoutKinds.filter((one) => one !== Kind.Container);
  return {
    ...base,
    accent_color: form.integer("accent_color", { min: 0, max: 0xff_ff_ff }) ?? null,
    spoiler: form.boolean("spoiler") ?? false,
    components: form.list("components", { min: 1, max: limits.componentsV2, required: true }, (part) =>
      readLayout(part, part.choice("type", inner, true), count),
    ),
  };
}

function readSection(form: Form, base: Json, count: Count): Json {
  const components = form.list("components", { min: 1, max: 3, required: true }, (part) => {
    const kind = part.choice("type", [Kind.TextDisplay], true);
    return { ...begin(part, kind, count), content: readDisplay(part, count) };
  });
  const accessory = form.object(
    "accessory",
    (part) => {
      const kind = part.choice("type", [Kind.Button, Kind.Thumbnail], true);
      if (kind === Kind.Button) return readButton(part, count);
      return {
        ...begin(part, kind, count),
        media: part.object("media", readMedia, true),
        description: part.text("description", { max: 1024 }) ?? null,
        spoiler: part.boolean("spoiler") ?? false,
      };
    },
    true,
  );
  return { ...base, components, accessory };
}

function readDisplay(form: Form, count: Count): string | null | undefined {
  const content = form.text("content", { min: 1, max: limits.textDisplay, required: true });
  if (typeof content === "string") count.text += characters(content);
  return content;
}

function readGalleryItem(form: Form): Json {
  return {
    media: form.object("media", readMedia, true),
    description: form.text("description", { max: 1024 }) ?? null,
    spoiler: form.boolean("spoiler") ?? false,
  };
}

function readMedia(form: Form): Json {
  return { url: form.url("url", ["http", "https", "attachment"], 2048, true) };
}

function readRow(form: Form, count: Count): Json[] | null | undefined {
  let width = 0;
  const parts = form.list("components", { min: 1, max: limits.rowButtons, required: true }, (part) => {
    const kind = part.choice("type", [Kind.Button, ...selectKinds], true);
    width += kind === Kind.Button ? 1 : limits.rowButtons;
    if (kind === Kind.Button) return readButton(part, count);
    return readSelect(part, kind, count);
  });
  if (Array.isArray(parts) && parts.length <= limits.rowButtons && width > limits.rowButtons) {
    form.fail("components", "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width");
  }
  return parts;
}

function readButton(form: Form, count: Count): Json {
  const base = begin(form, Kind.Button, count);
  const style = form.choice("style", [1, 2, 3, 4, 5, 6], true);
  const label = form.text("label", { max: limits.buttonLabel });
  const emoji = form.object("emoji", readEmoji);
  const shown = { ...base, style, ...given({ label, emoji, disabled: form.boolean("disabled") }) };
  if (style === ButtonStyle.Link) {
    const url = form.url("url", ["http", "https", "discord"], limits.buttonUrl, true);
    if (form.has("custom_id"))
      form.fail(
        "custom_id",
        "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE",
        "A custom id and url cannot both be specified",
      );
    return labelled(form, { ...shown, url });
  }
  if (style === ButtonStyle.Premium) return { ...shown, sku_id: form.snowflake("sku_id", true) };
  if (form.has("url")) form.fail("url", "BUTTON_COMPONENT_URL_NOT_ALLOWED", "A url is only allowed on a link button");
  return labelled(form, { ...shown, custom_id: readCustomId(form, count) });
}

function labelled(form: Form, button: Json): Json {
  if ((button["label"] ?? "") === "" && button["emoji"] === undefined) {
    form.fail("", "BUTTON_COMPONENT_INVALID_EMOJI_OR_LABEL", "A button must have a label or an emoji");
  }
  return button;
}

function readSelect(form: Form, kind: number | null | undefined, count: Count): Json {
  const base = begin(form, kind, count);
  const min = form.integer("min_values", { min: 0, max: limits.selectOptions }) ?? 1;
  const max = form.integer("max_values", { min: 1, max: limits.selectOptions }) ?? 1;
  if (min > max)
    form.fail(
      "max_values",
      "COMPONENT_SELECT_MIN_EXCEEDS_MAX",
      "max_values must be greater than or equal to min_values",
    );
  const shown = {
    ...base,
    custom_id: readCustomId(form, count),
    ...given({
      placeholder: form.text("placeholder", { max: limits.selectPlaceholder }),
      disabled: form.boolean("disabled"),
    }),
    min_values: min,
    max_values: max,
  };
  if (kind !== Kind.StringSelect) return shown;
  const options = form.list("options", { min: 1, max: limits.selectOptions, required: true }, readOption);
  checkOptions(form, options ?? [], min, max);
  return { ...shown, options };
}

/** Options must be unique by value; no more defaults than may be chosen; no more to choose than there are. */
function checkOptions(form: Form, options: readonly Json[], min: number, max: number): void {
  const values = new Set<unknown>();
  for (const [index, option] of options.entries()) {
    if (values.has(option["value"])) {
      form.fail(
        `options.${index}.value`,
        "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
        "The specified option value is already used",
      );
    }
    values.add(option["value"]);
  }
  if (options.filter((one) => one["default"] === true).length > max) {
    form.fail(
      "options",
      "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES",
      "Number of default values must not be greater than max_values",
    );
  }
  if (min > options.length)
    form.fail("min_values", "NUMBER_TYPE_MAX", `int value should be less than or equal to ${options.length}.`);
  if (max > options.length)
    form.fail("max_values", "NUMBER_TYPE_MAX", `int value should be less than or equal to ${options.length}.`);
}

function readOption(form: Form): Json {
  return {
    label: form.text("label", { min: 1, max: limits.selectText, required: true }),
    value: form.text("value", { min: 1, max: limits.selectText, required: true }),
    ...given({
      description: form.text("description", { max: limits.selectText }),
      emoji: form.object("emoji", readEmoji),
      default: form.boolean("default"),
    }),
  };
}

function readEmoji(form: Form): Json {
  const id = form.snowflake("id");
  const name = form.text("name", { max: 32 });
  if (
    typeof id !== "string" &&
    (typeof name !== "string" || !/\p{Extended_Pictographic}|\p{Emoji_Presentation}|\u20e3/u.test(name))
  ) {
    form.fail("name", "COMPONENT_INVALID_EMOJI", "Invalid emoji");
  }
  return given({ id, name: name ?? "_", animated: form.boolean("animated") });
}

function readCustomId(form: Form, count: Count): string | null | undefined {
  const id = form.text("custom_id", { min: 1, max: limits.customId, required: true });
  if (typeof id === "string" && id !== "") {
    if (count.ids.has(id))
      form.fail("custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated");
    count.ids.add(id);
  }
  return id;
}

/** Every component has an `id`, counted up where the sender gave none. */
function begin(form: Form, type: number | null | undefined, count: Count): Json {
  count.components += 1;
  const id = form.integer("id", { min: 0, max: 2_147_483_647 });
  return { type, id: typeof id === "number" && id > 0 ? id : count.nextId++ };
}

function given(part: Json): Json {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined && value !== null));
}
