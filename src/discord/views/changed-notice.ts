/**
 * What has changed since the owner last saw it, where a job would run or what it would run with: all of it in one
 * message, and his answers to exactly that. What cannot be shown in full cannot be agreed to.
 */
import { say, type Locale } from "../../base/words/say.ts";
import type { ChangedWait, Checkout } from "../../core/projects/checkout.ts";
import { shownLine } from "../../base/hidden-characters.ts";
import { projectIn } from "../../core/projects/seen.ts";
import type { Job } from "../../core/jobs/job.ts";
import { customId } from "./custom-id.ts";
import { button, code, colours, plainLine, systemBody, type Body } from "./message.ts";

/** A difference up to this size is in the message itself; a longer one is a file below it. */
const INLINE = { lines: 40, chars: 3_000 } as const;

/** The longest path and name of a branch that are shown in full, and all of them together. */
const WHOLE = { path: 900, branch: 250, all: 2_500 } as const;
/** How much is shown of those that are longer. */
const CUT = { path: 300, branch: 100 } as const;

interface Section {
  title: string;
  lines: string[];
}

/** What an answer to this wait covers, short enough for a button. */
export function changedMark({ digest }: ChangedWait): string {
  return digest.slice(0, 32);
}

/** @param difference the whole change of the configuration, if there is one; null: it cannot be read */
export function changedBody(wait: ChangedWait, { job_id }: Job, difference: string | null, locale: Locale): Body {
  const { configuration } = wait;
  const facts = factsOf(wait);
  const fits = facts.every(([kind, text]) => text.length <= WHOLE[kind]) && lengthOf(facts) <= WHOLE.all;
  const diff = configuration ? difference : "";
  const isInline =
    diff !== null && diff.length + lengthOf(facts) <= INLINE.chars && diff.split("\n").length <= INLINE.lines;
  const sections = [
    ...placeSection(wait, fits ? WHOLE : CUT, locale),
    ...checkoutSection(wait, fits ? WHOLE : CUT, locale),
    ...configurationSection(wait, diff, isInline, locale),
  ];
  const [only] = sections.length === 1 ? sections : [];
  const embed = {
    color: colours.waits,
    title: only?.title ?? say(locale, "wait_changed_title"),
    description: [
      say(locale, "wait_changed"),
      ...sections.flatMap(({ title, lines }) => (only ? lines : [`**${title}**`, ...lines])),
      ...(fits ? [] : [say(locale, "wait_changed_long")]),
    ].join("\n"),
  };
  const about = { job: job_id, mark: changedMark(wait) };
  const answers = [
    button(customId("accept_changes", about), say(locale, "button_accept")),
    button(customId("start_fresh", about), say(locale, "button_fresh")),
  ];
  const message = systemBody(embed, [
    ...(fits && diff !== null ? answers : []),
    button(customId("drop_job", { job: job_id }), say(locale, "button_drop")),
  ]);
  return !configuration || diff === null || isInline
    ? message
    : { ...message, files: [{ name: `${job_id}.configuration.diff`, bytes: Buffer.from(diff) }] };
}

/** The paths and branches that are shown, as they are shown. */
function factsOf({ place, checkout }: ChangedWait): ["path" | "branch", string][] {
  const paths = [
    ...(place ? [place.was, place.is] : []),
    ...(checkout && checkout.was.cwd !== checkout.is.cwd ? [checkout.was.cwd, checkout.is.cwd] : []),
  ];
  const branches = checkout ? [checkout.was.branch ?? "", checkout.is.branch ?? ""] : [];
  return [
    ...paths.map((path): ["path", string] => ["path", shownLine(path)]),
    ...branches.map((branch): ["branch", string] => ["branch", shownLine(branch)]),
  ];
}

function lengthOf(facts: readonly (readonly [string, string])[]): number {
  return facts.reduce((sum, [, text]) => sum + text.length, 0);
}

function placeSection({ place }: ChangedWait, { path }: { path: number }, locale: Locale): Section[] {
  if (!place) return [];
  const lines = [
    say(locale, "wait_place", { project: `**${plainLine(projectIn(place.project_name), 40)}**` }),
    say(locale, "wait_place_was", { path: code(shownLine(place.was), path) }),
    say(locale, "wait_place_is", { path: code(shownLine(place.is), path) }),
  ];
  return [{ title: say(locale, "wait_place_title"), lines }];
}

function checkoutSection(
  { checkout }: ChangedWait,
  limits: { path: number; branch: number },
  locale: Locale,
): Section[] {
  if (!checkout) return [];
  const { was, is } = checkout;
  const lines = [
    say(locale, "wait_checkout"),
    say(locale, "wait_was", { checkout: checkoutText(was, is, limits, locale) }),
    say(locale, "wait_is", { checkout: checkoutText(is, was, limits, locale) }),
  ];
  return [{ title: say(locale, "wait_checkout_title"), lines }];
}

/** The directory is named only where it differs. */
function checkoutText(
  { branch, head, cwd }: Checkout,
  other: Checkout,
  limits: { path: number; branch: number },
  locale: Locale,
): string {
  const where = {
    branch: branch === null ? say(locale, "checkout_no_branch") : code(shownLine(branch), limits.branch),
    commit: head === null ? say(locale, "checkout_no_commit") : code(head.slice(0, 10)),
  };
  return cwd === other.cwd
    ? say(locale, "checkout_here", where)
    : say(locale, "checkout_at", { ...where, path: code(shownLine(cwd), limits.path) });
}

/** The last section, because the difference may be long. */
function configurationSection(
  { configuration }: ChangedWait,
  difference: string | null,
  isInline: boolean,
  locale: Locale,
): Section[] {
  if (!configuration) return [];
  const shown =
    difference === null
      ? say(locale, "wait_configuration_lost", { button: say(locale, "button_drop") })
      : isInline
        ? `\`\`\`diff\n${difference}\n\`\`\``
        : say(locale, "wait_configuration_file");
  const project = `**${plainLine(projectIn(configuration.project_name), 40)}**`;
  return [
    { title: say(locale, "wait_configuration_title"), lines: [say(locale, "wait_configuration", { project }), shown] },
  ];
}
