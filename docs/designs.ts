/**
 * The page of which test shows what each design asks for, made from what the tests say of it; and its counts for
 * another page.
 */
import { acp } from "../test/designs/acp.ts";
import { decisions } from "../test/designs/decisions.ts";
import { type Design, placeOf, type Requirement } from "../test/designs/design.ts";
import { threads } from "../test/designs/threads.ts";
import { tmux } from "../test/designs/tmux.ts";

export const designs: readonly Design[] = [decisions, threads, acp, tmux];

export function designsPage(made: string): string {
  return [
    "# What the designs ask for, and what shows it",
    "",
    made,
    "",
    "Bellhop follows four designs. Each row is a requirement of one of them, in the order of its own sections (§), with the",
    "tests that show it: the file, and the test's name. *As ruled*: what Bellhop does instead, where the designs disagree or",
    "would hurt the user. Files that end in `.agent.ts` run with the real agents (`npm run test:agents`), all others with `npm test`.",
    "",
    ...designs.flatMap(designPart),
  ].join("\n");
}

function designPart({ letter, title, about, chapters }: Design): string[] {
  return [
    `## ${headingOf({ letter, title })}`,
    "",
    about,
    "",
    ...Object.entries(chapters).flatMap(([chapter, rows]) => [`### ${chapter}`, "", ...table(rows), ""]),
  ];
}

function table(rows: readonly Requirement[]): string[] {
  const bySection = rows.some(({ at }) => at !== undefined);
  const row = ({ at = "", needs, ruled, shown }: Requirement): string => {
    const asked = ruled === undefined ? needs : `${needs}. *As ruled: ${ruled}*`;
    return `|${bySection ? ` ${at} |` : ""} ${cell(asked)} | ${shown.map(reference).join("<br>")} |`;
  };
  return [
    `|${bySection ? " § |" : ""} Requirement | Shown by |`,
    `|${bySection ? "---|" : ""}---|---|`,
    ...rows.map(row),
  ];
}

function reference(shown: string): string {
  const { file, name } = placeOf(shown);
  return `[${file.replace(/^test\//, "")}](../${file}): ${cell(plain(name.replaceAll(" > ", " › ")))}`;
}

/** A line a design: how many requirements it has, and how many of these are done as ruled. */
export function designCounts(): string[] {
  return designs.map((design) => {
    const rows = Object.values(design.chapters).flat();
    const ruled = rows.filter((one) => one.ruled !== undefined);
    return `- [${headingOf(design)}](designs.md#${slug(headingOf(design))}): ${rows.length}, ${ruled.length} as ruled`;
  });
}

function headingOf({ letter, title }: { letter: string; title: string }): string {
  return `Design ${letter}: ${title}`;
}

/** The name of a heading in a link, as GitHub makes it. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replaceAll(" ", "-");
}

/** A test's name, with nothing in it that Markdown would take for its own. */
function plain(name: string): string {
  return name.replace(/[\\*_<>[\]~`$]/g, String.raw`\$&`);
}

function cell(text: string): string {
  return text.replaceAll("|", String.raw`\|`);
}
