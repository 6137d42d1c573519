/**
 * Times as the reader's own locale writes them, and the ids that carry them. Pure: the present is
 * always handed in.
 */
const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** When a snowflake was made, ms since the Unix epoch. */
export function timeOf(snowflake: string): number {
  return Number(BigInt(snowflake) >> 22n) + DISCORD_EPOCH_MS;
}

/** A number as Discord's client makes for a message's or an interaction's nonce: a snowflake of its own. */
export function newNonce(now: number, random: number): string {
  return String((BigInt(Math.max(0, now - DISCORD_EPOCH_MS)) << 22n) | BigInt(Math.floor(random * 0x3fffff)));
}

const styles: Record<string, Intl.DateTimeFormatOptions> = {
  t: { hour: "numeric", minute: "2-digit" },
  T: { hour: "numeric", minute: "2-digit", second: "2-digit" },
  d: { year: "numeric", month: "2-digit", day: "2-digit" },
  D: { year: "numeric", month: "long", day: "numeric" },
  f: { year: "numeric", month: "long", day: "numeric", hour: "numeric", minute: "2-digit" },
  F: { weekday: "long", year: "numeric", month: "long", day: "numeric", hour: "numeric", minute: "2-digit" },
  s: { year: "numeric", month: "2-digit", day: "2-digit", hour: "numeric", minute: "2-digit" },
  S: { year: "numeric", month: "2-digit", day: "2-digit", hour: "numeric", minute: "2-digit", second: "2-digit" },
};

/** The time in one of Discord's `<t:…:style>` styles; `R` is relative to `now`. */
export function timeText(ms: number, style: string, now: number, locale: string): string {
  if (style === "R") return relative(ms, now, locale);
  return new Intl.DateTimeFormat(locale, styles[style] ?? styles["f"]).format(ms);
}

/** Beside a message: the time for today, else the date with it. */
export function shortTime(ms: number, now: number, locale: string): string {
  return timeText(ms, isSameDay(ms, now) ? "t" : "s", now, locale);
}

export function isSameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

function relative(ms: number, now: number, locale: string): string {
  const seconds = Math.round((ms - now) / 1000);
  const [unit, size] = units.find(([, s]) => Math.abs(seconds) >= s) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(Math.round(seconds / size), unit);
}

/** A file size for people. */
export function sizeText(bytes: number, locale: string): string {
  const steps: [string, number][] = [
    ["megabyte", 1_048_576],
    ["kilobyte", 1024],
  ];
  const [unit, size] = steps.find(([, s]) => bytes >= s) ?? ["byte", 1];
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit,
    unitDisplay: unit === "byte" ? "long" : "short",
    maximumFractionDigits: 1,
  }).format(bytes / size);
}
