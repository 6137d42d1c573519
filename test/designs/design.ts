/**
 * How the tests say which of them shows what a design asks for: a design in chapters, a requirement a row. The page
 * `docs/designs.md` is made from these, and a test sees to it that each test that is named is there.
 */
export interface Requirement {
  /** The design's own section, where its chapters have sections. */
  at?: string;
  /** What the design asks for, in a few words. */
  needs: string;
  /** What is done instead, where that was decided otherwise. */
  ruled?: string;
  /** Each a test: its file below `test/` (or `packages/`), the describes around it, and its title, joined by ` > `. */
  shown: readonly string[];
}

export interface Design {
  letter: string;
  title: string;
  about: string;
  chapters: Readonly<Record<string, readonly Requirement[]>>;
}

/** The file, from the root of the repository, and the name of a test in it. */
export function placeOf(shown: string): { file: string; name: string } {
  const [file = "", ...name] = shown.split(" > ");
  return { file: file.startsWith("packages/") ? file : `test/${file}`, name: name.join(" > ") };
}
