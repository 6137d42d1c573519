/**
 * Which commands a rule can cover, and which of their words may be others. A command is read only if it is one plain
 * command of literal words, for every shell; then a row of the table has to know its program and each of its options.
 * What could run or write something is in no row, and neither is an option of which nobody knows what it does with the
 * word after it.
 */

/** What a word is for its program. `number`: digits; `path`: it names a file. `fixed`: never another. */
export type WordKind = "fixed" | "value" | "number" | "path";

export interface ReadWord {
  text: string;
  kind: WordKind;
}

export interface ReadCommand {
  /** The words by which the table knows it. */
  program: string;
  words: ReadWord[];
  /** It shows what it finds by a value that its words have. */
  searches: boolean;
}

/** Characters that mean nothing but themselves, and texts in quotes without what would be read inside of them. */
const WORD = /[A-Za-z0-9_@%+=:,./-]+|'[ -&(-~]*'|"[ #%-[\]-_a-~]*"/y;
const BLANKS = /[ \t]+/y;
/** Of bash and zsh, at the beginning of a command. */
const KEYWORDS: ReadonlySet<string> = new Set(
  "if then elif else fi for while until do done case esac select function time coproc in foreach end repeat nocorrect noglob always".split(
    " ",
  ),
);

/** The words of a command that is one plain command of literal words; null: it may be anything else. */
export function wordsOf(command: string): string[] | null {
  const words: string[] = [];
  for (let at = skip(BLANKS, command, 0); at < command.length;) {
    const word = wordAt(command, at);
    if (word === null) return null;
    words.push(word.text);
    // What neither is in the word nor a blank is no word either.
    at = skip(BLANKS, command, word.end);
  }
  const [first = ""] = words;
  // `%1` is a job.
  return first === "" || /^%|=/.test(first) || KEYWORDS.has(first) ? null : words;
}

function wordAt(command: string, start: number): { text: string; end: number } | null {
  // zsh puts a program's path in place of `=ls`.
  if (command[start] === "=") return null;
  let [text, at, quoted] = ["", start, false];
  for (;;) {
    WORD.lastIndex = at;
    const [piece] = WORD.exec(command) ?? [];
    if (piece === undefined) return at === start ? null : { text, end: at };
    const isQuoted = piece.startsWith("'") || piece.startsWith('"');
    // zsh can take `''` within quotes for a quote.
    if (isQuoted && quoted) return null;
    text += isQuoted ? piece.slice(1, -1) : piece;
    [at, quoted] = [at + piece.length, isQuoted];
  }
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** What stands in place of a word that is left open. A number is one of digits. */
const OPEN = /^(?![-/])[A-Za-z0-9_.,/-]+$/;
const DIGITS = /^[0-9]+$/;

/** Whether a word that is left open may be this one; where it stands is judged elsewhere. */
export function mayStandFor(text: string, kind: WordKind): boolean {
  return kind !== "fixed" && (kind === "number" ? DIGITS : OPEN).test(text);
}

interface CommandRow {
  /** How the command begins, in each of its forms. */
  programs: string[];
  /** Options of one letter that may be joined: `-la`. */
  letters?: string;
  /** Options of one word. In one, `#` stands for digits, and `@` for a value. */
  options?: string;
  /** Options that are followed by a value, with what that is: `-n:number`. */
  valued?: string;
  /** The other words in their order: `value`, `path`, `./path`; the last one as often as wanted with `*`. */
  rest: string;
  searches?: true;
  /** Options may stand after other words: the program reads them alike on every system. */
  mixed?: true;
  /** Whether `--` may stand before the rest, or within it; `options` after it. */
  dashes?: { options: string };
}

const git = (subcommand: string): string[] => [`git ${subcommand}`, `git --no-pager ${subcommand}`];
const DIFF =
  "-p -u -s --patch --no-patch --raw --stat --shortstat --numstat --summary --dirstat --compact-summary --name-only --name-status -U# --unified=# -w -b --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --word-diff --color=never --no-color --no-ext-diff --no-textconv --no-renames -M -C --minimal --patience --histogram --diff-filter=@ --full-index --binary --exit-code --quiet -R";

/** Each row has an attack in `test/core/rules/commands.txt` for what is left out of it. */
export const ROWS: readonly CommandRow[] = [
  {
    programs: git("status"),
    options:
      "-s -b -sb -z -v --short --branch --long --show-stash --ahead-behind --no-ahead-behind --porcelain --porcelain=v1 --porcelain=v2 -uno -unormal -uall --untracked-files=no --untracked-files=normal --untracked-files=all --ignored --no-renames",
    rest: "path*",
    mixed: true,
    dashes: { options: "" },
  },
  {
    // Not: --output, --ext-diff, --textconv, --no-index, -O.
    programs: git("diff"),
    options: `${DIFF} --cached --staged --merge-base --check`,
    rest: "path*",
    mixed: true,
    dashes: { options: "" },
  },
  {
    // Not: --format with %G or others, --show-signature, -L, --remerge-diff.
    programs: git("log"),
    options: `${DIFF} -# -n# --max-count=# --skip=# --oneline --graph --decorate --no-decorate --all --branches --tags --merges --no-merges --first-parent --reverse --follow --abbrev-commit --pretty=oneline --pretty=short --pretty=medium --pretty=full --pretty=fuller --format=oneline --format=short --format=medium --date=short --date=iso --date=relative --since=@ --until=@ --after=@ --before=@ --author=@ --grep=@ -i`,
    valued: "-n:number",
    rest: "path*",
    mixed: true,
    dashes: { options: "" },
  },
  {
    programs: git("show"),
    options: `${DIFF} --oneline --abbrev-commit --decorate --no-decorate --pretty=oneline --pretty=short --pretty=medium --pretty=full --pretty=fuller --date=short --date=iso`,
    rest: "path*",
    mixed: true,
    dashes: { options: "" },
  },
  {
    programs: ["ls"],
    letters: "1aAlhrtSRFdpi",
    options: "--color=never --all --almost-all --human-readable",
    rest: "path*",
    dashes: { options: "" },
  },
  { programs: ["cat"], letters: "nbsv", rest: "path*", dashes: { options: "" } },
  // Not: -f, -F, which never end.
  ...["head", "tail"].map((program) => ({
    programs: [program],
    letters: "q",
    options: "-# -n# -c# --lines=# --bytes=#",
    valued: "-n:number -c:number",
    rest: "path*",
    dashes: { options: "" },
  })),
  // Not: --files0-from.
  {
    programs: ["wc"],
    letters: "lwcmL",
    options: "--lines --words --bytes --chars",
    rest: "path*",
    dashes: { options: "" },
  },
  {
    // Not: -e, -f, after which the first word is a path, and -r, -R, which read what is hidden.
    programs: ["grep"],
    letters: "EFGinwxcvloqsHh",
    options:
      "--color=never -A# -B# -C# -m# --extended-regexp --fixed-strings --ignore-case --line-number --word-regexp --line-regexp --count --invert-match --files-with-matches --files-without-match --only-matching --no-filename --with-filename",
    valued: "-A:number -B:number -C:number -m:number",
    rest: "value path*",
    searches: true,
    dashes: { options: "" },
  },
  {
    // Not: --pre, --hostname-bin, -z, which run programs; -e, -f, --files; -u, --hidden, -., -g, -L, which read more.
    programs: ["rg"],
    letters: "inwxcvloSsFUHIqNP",
    options:
      "--color=never --no-heading --heading --line-number --no-line-number --ignore-case --smart-case --case-sensitive --word-regexp --fixed-strings --count --files-with-matches --files-without-match --only-matching --multiline --no-filename --with-filename --json --stats --trim --no-config -A# -B# -C# -m# --max-count=# --max-depth=# --context=# --type=@ --type-not=@",
    valued: "-A:number -B:number -C:number -m:number -t:value -T:value",
    rest: "value path*",
    searches: true,
    mixed: true,
    dashes: { options: "" },
  },
  // Its script gets what follows; which options that has, nobody knows here.
  {
    programs: ["npm test", "npm run test", "npm --silent test"],
    options: "-s --silent",
    rest: "path*",
    dashes: { options: "" },
  },
  {
    // Not: `npx vitest --run`, after which a word may be another of its commands; --config, --root, --dir, --reporter with a path, --outputFile, -u, --coverage, --ui, --api, --inspect.
    programs: ["npx vitest run"],
    options:
      "--bail=# --retry=# --silent --passWithNoTests --hideSkippedTests --no-color --no-coverage --reporter=default --reporter=verbose --reporter=dot --reporter=tap --reporter=json",
    valued: "-t:value --testNamePattern:value --project:value",
    rest: "path*",
    mixed: true,
  },
  {
    // Not: -p, -c, -o, -W, --rootdir, --confcutdir, --basetemp, --junitxml, --pdb, --pdbcls, --pyargs, --pastebin.
    programs: ["pytest", "python -m pytest", "python3 -m pytest"],
    options:
      "-q -qq -v -vv -vvv -x -s -l -ra -rA -rf -rs --quiet --verbose --exitfirst --lf --last-failed --ff --failed-first --nf --sw --stepwise --showlocals --maxfail=# --durations=# --tb=auto --tb=long --tb=short --tb=line --tb=native --tb=no --no-header --no-summary --collect-only --co --color=no --strict-markers",
    valued: "-k:value -m:value",
    rest: "path*",
    mixed: true,
  },
  {
    // Not: --config, -Z, --manifest-path, --target-dir, --target, -C, +toolchain; after `--`: --logfile.
    programs: ["cargo test"],
    options:
      "-q -v -vv --quiet --verbose --lib --bins --tests --examples --doc --release --workspace --all --all-targets --all-features --no-default-features --no-fail-fast --no-run --offline --locked --frozen --color=never",
    valued:
      "--test:value --bin:value --example:value -p:fixed --package:fixed -F:fixed --features:fixed -j:number --jobs:number",
    rest: "value",
    mixed: true,
    dashes: {
      options:
        "--nocapture --no-capture --show-output --exact --ignored --include-ignored --list --quiet -q --test-threads=#",
    },
  },
  {
    // Not: -exec, -toolexec, -c, -o, the profiles, -ldflags, -gcflags, -mod, -modfile, -overlay, -vet, -args, -C.
    programs: ["go test"],
    options:
      "-v -race -short -failfast -json -cover -count=# -parallel=# -p=# -timeout=@ -run=@ -shuffle=on -shuffle=off",
    valued: "-run:value -skip:value -timeout:value -count:number -parallel:number -p:number",
    rest: "./path*",
    mixed: true,
  },
];

/** How a row reads a word. */
interface RowReader {
  row: CommandRow;
  head: string[];
  option(word: string): boolean;
  valued: ReadonlyMap<string, string>;
  rest: string[];
  after(word: string): boolean;
}

const READERS: readonly RowReader[] = ROWS.flatMap((row) => {
  const valued = new Map((row.valued ?? "").split(" ").map((one) => one.split(":") as [string, string]));
  const named = matcher(row.options ?? "");
  const joined = new RegExp(`^-[${row.letters ?? ""}]+$`);
  const reader = {
    row,
    option: (word: string) => named(word) || (row.letters !== undefined && joined.test(word)),
    valued,
    rest: row.rest.split(" "),
    after: matcher(row.dashes?.options ?? ""),
  };
  return row.programs.map((program) => ({ ...reader, head: program.split(" ") }));
});

function matcher(options: string): (word: string) => boolean {
  const all = options
    .split(" ")
    .filter((one) => one !== "")
    .map((one) => new RegExp(`^${one.replace("#", "[0-9]+").replace("@", "[A-Za-z0-9_.,/-]+")}$`));
  return (word) => all.some((one) => one.test(word));
}

/** What each of its words is; null: the table does not know it. */
export function readCommand(command: string): ReadCommand | null {
  const words = wordsOf(command);
  if (words === null) return null;
  const reader = READERS.find(({ head }) => head.every((word, at) => word === words[at]));
  const kinds = reader === undefined ? null : kindsOf(reader, words.slice(reader.head.length));
  if (reader === undefined || kinds === null) return null;
  const read = [...reader.head.map((): WordKind => "fixed"), ...kinds];
  return {
    program: reader.head.join(" "),
    searches: reader.row.searches === true,
    words: words.map((text, at) => ({ text, kind: read[at] ?? "fixed" })),
  };
}

function kindsOf({ row, option, valued, rest, after }: RowReader, words: readonly string[]): WordKind[] | null {
  const kinds: WordKind[] = [];
  let [others, dashes] = [0, false];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const isOption = word.startsWith("-");
    if (isOption && dashes) {
      if (!after(word)) return null;
    } else if (word === "--") {
      if (row.dashes === undefined) return null;
      dashes = true;
    } else if (isOption) {
      const kind = valued.get(word);
      // Where a program takes options only before other words, what looks like one is a path.
      if ((kind === undefined && !option(word)) || (others > 0 && row.mixed !== true)) return null;
      if (kind !== undefined) {
        // Some programs take no word with a dash for a value, but for one more option.
        if (words[at + 1]?.startsWith("-") !== false) return null;
        kinds.push("fixed");
        at += 1;
        kinds.push(kind as WordKind);
        continue;
      }
    } else {
      const kind = restKind(rest, others, word);
      if (kind === null) return null;
      kinds.push(kind);
      others += 1;
      continue;
    }
    kinds.push("fixed");
  }
  return kinds;
}

/** Null: the row has no such word. A path has to be one that a word left open could be. */
function restKind(rest: readonly string[], at: number, word: string): WordKind | null {
  const last = rest.at(-1) ?? "";
  const kind = rest[at] ?? (last.endsWith("*") ? last : undefined);
  if (kind === undefined) return null;
  if (!kind.includes("path")) return "value";
  return mayStandFor(word, "path") && (!kind.startsWith("./") || `${word}/`.startsWith("./")) ? "path" : null;
}
