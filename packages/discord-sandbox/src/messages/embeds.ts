/**
 * Embeds: what Discord takes, with its limits over one and over all of a message, and what it gives back.
 */
import { characters, type Form, type Json } from "../rest/form.ts";
import { limits } from "../limits.ts";

const media = ["http", "https", "attachment"];
const web = ["http", "https"];

/** Reads `embeds`; notes every breach in the form. `undefined` where the field is absent or wrong. */
export function readEmbeds(form: Form): Json[] | null | undefined {
  const embeds = form.list("embeds", { max: limits.embeds }, readEmbed);
  if (Array.isArray(embeds)) {
    const total = embeds.reduce((sum, one) => sum + embedLength(one), 0);
    if (total > limits.embedTotal) {
      form.fail("embeds", "MAX_EMBED_SIZE_EXCEEDED", `Embed size exceeds maximum size of ${limits.embedTotal}`);
    }
  }
  return embeds;
}

/** The characters that count towards the 6000 of a message. */
export function embedLength(embed: Json): number {
  const texts: unknown[] = [
    embed["title"],
    embed["description"],
    part(embed, "footer", "text"),
    part(embed, "author", "name"),
  ];
  const fields = Array.isArray(embed["fields"]) ? embed["fields"] : [];
  for (const field of fields) texts.push(part({ field }, "field", "name"), part({ field }, "field", "value"));
  return texts.reduce<number>((sum, text) => sum + (typeof text === "string" ? characters(text) : 0), 0);
}

function readEmbed(form: Form): Json {
  const embed = {
    title: form.text("title", { max: limits.embedTitle }),
    description: form.text("description", { max: limits.embedDescription }),
    url: form.url("url", web, 2048),
    color: form.integer("color", { min: 0, max: 0xff_ff_ff }),
    timestamp: readTimestamp(form),
    footer: form.object("footer", readFooter),
    image: form.object("image", readMedia),
    thumbnail: form.object("thumbnail", readMedia),
    author: form.object("author", readAuthor),
    fields: form.list("fields", { max: limits.embedFields }, readField),
  };
  const shown = given(embed);
  if (
    ["title", "description", "image", "thumbnail", "author", "footer", "fields", "url"].every((key) =>
      isEmpty(shown[key]),
    )
  ) {
    form.fail("description", "BASE_TYPE_REQUIRED", "This field is required");
  }
  return { type: "rich", ...shown };
}

function readField(form: Form): Json {
  return {
    name: form.text("name", { min: 1, max: limits.embedFieldName, required: true }),
    value: form.text("value", { min: 1, max: limits.embedFieldValue, required: true }),
    inline: form.boolean("inline") ?? false,
  };
}

function readFooter(form: Form): Json {
  return given({
    text: form.text("text", { min: 1, max: limits.embedFooter, required: true }),
    icon_url: form.url("icon_url", media, 2048),
  });
}

function readAuthor(form: Form): Json {
  return given({
    name: form.text("name", { min: 1, max: limits.embedAuthor, required: true }),
    url: form.url("url", web, 2048),
    icon_url: form.url("icon_url", media, 2048),
  });
}

function readMedia(form: Form): Json {
  return given({ url: form.url("url", media, 2048, true), description: form.text("description", { max: 1024 }) });
}

function readTimestamp(form: Form): string | null | undefined {
  const text = form.text("timestamp");
  if (typeof text !== "string") return text;
  const at = Date.parse(text);
  if (!Number.isNaN(at)) return new Date(at).toISOString();
  form.fail("timestamp", "DATE_TIME_TYPE_PARSE", `Could not parse ${text}. Should be ISO8601.`);
  return undefined;
}

/** Without what is absent, null or an empty text: Discord leaves those out of its answers. */
function given(embed: Json): Json {
  return Object.fromEntries(
    Object.entries(embed).filter(([, value]) => value !== undefined && value !== null && value !== ""),
  );
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

function part(embed: Json, key: string, inner: string): unknown {
  const value = embed[key];
  return typeof value === "object" && value !== null ? (value as Json)[inner] : undefined;
}
