/** The languages that Discord has, by its names. A client's language is taken only if it is one of them. */
import { Locale } from "discord-api-types/v10";

export const locales: readonly string[] = Object.values(Locale);

/** The language of the guild, and of a client that names none. */
export const defaultLocale: string = Locale.EnglishUS;

/** The name, if Discord has it. */
export function knownLocale(name: unknown): string | undefined {
  return locales.find((one) => one === name);
}
