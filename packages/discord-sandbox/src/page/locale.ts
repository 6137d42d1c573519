/**
 * A browser names languages after BCP 47, Discord after a list of its own. Everything sent to the server, and
 * every localization looked up, goes by Discord's name.
 */
const known =
  "id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja zh-TW ko".split(
    " ",
  );

/** Languages whose name at Discord differs from the language's own code, whatever the region. */
const byLanguage: Record<string, string> = {
  en: "en-US",
  es: "es-419",
  pt: "pt-BR",
  sv: "sv-SE",
  zh: "zh-CN",
  nb: "no",
  nn: "no",
};
const byTag: Record<string, string> = {
  "es-es": "es-ES",
  "zh-hant": "zh-TW",
  "zh-hk": "zh-TW",
  "zh-mo": "zh-TW",
  es: "es-ES",
};

/** Discord's name for a browser's language tag; American English where Discord has none. */
export function discordLocale(tag: string): string {
  const lower = tag.toLowerCase().replaceAll("_", "-");
  const [language = "", second = ""] = lower.split("-");
  const exact = known.find((name) => name.toLowerCase() === lower);
  return (
    exact ??
    byTag[lower] ??
    byTag[`${language}-${second}`] ??
    byLanguage[language] ??
    known.find((name) => name === language) ??
    "en-US"
  );
}
