/** Claude's screen as it was seen in 2.1.329: where something can be typed, and where it cannot. */
import { expect, test } from "vitest";
import {
  askedText,
  showsDialog,
  dialogText,
  draftIn,
  containsOnly,
  promptBoxOf,
  screenText,
} from "../../../src/agents/tmux/prompt-box.ts";
import { endOf } from "../../../src/agents/tmux/window-pane.ts";

const LINE = "─".repeat(60);
const box = (inside: string[], status = "  ⏸ manual mode on"): { lines: string[] } => ({
  lines: ["● an answer", "", LINE, ...inside, LINE, status],
});

test("an empty box is empty, also where Claude suggests something in it", () => {
  expect(promptBoxOf(box(["❯ "]))).toEqual({ text: "", whole: true, busy: false, interrupted: false });
  expect(promptBoxOf(box(["❯\u00a0"]))?.text).toBe("");
  expect(promptBoxOf(box(['\u001b[39m❯ \u001b[2mTry "edit <file>"\u001b[22m\u001b[39m']))?.text).toBe("");
  // As tmux 3.3a tells it: the cursor stands on the first character.
  expect(
    promptBoxOf(
      box([
        "\u001b[39m❯\u00a0\u001b[7mO\u001b[0;2m\u001b[39m\u001b[49mnce fixed, resend your message\u001b[0m\u001b[39m\u001b[49m",
      ]),
    )?.text,
  ).toBe("");
  expect(promptBoxOf(box(["❯ \u001b[7mT\u001b[0;2mry this,", "  and this\u001b[0m"]))?.text).toBe("");
});

test("a draft is a draft, wherever its cursor is and however it looks", () => {
  expect(promptBoxOf(box(["❯ half a", "  thought"]))).toEqual({
    text: "half a\nthought",
    whole: true,
    busy: false,
    interrupted: false,
  });
  expect(promptBoxOf(box(["\u001b[38;5;2m❯ \u001b[1mbold\u001b[0m"]))?.text).toBe("bold");
  expect(promptBoxOf(box(["❯ 1. first"]))?.text).toBe("1. first");
  expect(promptBoxOf(box(["❯ \u001b[7mh\u001b[0malf"]))?.text).toBe("half");
  expect(promptBoxOf(box(["❯ \u001b[38;2;177;185;249m/model\u001b[39m \u001b[48;5;2mx"]))?.text).toBe("/model x");
  expect(promptBoxOf(box(["❯ /mo\u001b[7md\u001b[0;2mel\u001b[0m"]))?.text).toBe("/mo");
});

test("a draft can be told where all of it stands in the box, and nothing that was pasted stands there under a name", () => {
  expect(draftIn(box(["❯ half a", "  thought"]))).toBe("half a\nthought");
  for (const inside of [
    "❯ ",
    "❯ see [Pasted text #1 +30 lines]",
    "❯ [Image #2] what is it",
    "❯ [...Truncated text #3 +10 lines...]",
  ])
    expect(draftIn(box([inside]))).toBe(null);
  expect(
    draftIn({ lines: ["● an answer", "", `─── ↑ 40 more ${"─".repeat(180)}`, "  the end", LINE, "  ? for shortcuts"] }),
  ).toBe(null);
});

test.each([
  ["Claude's shell", box(["! ls"])],
  [
    "a permission",
    {
      lines: [
        "● Running",
        LINE,
        " Bash command",
        "",
        " touch zz",
        " Do you want to proceed?",
        " ❯ 1. Yes",
        "   2. No",
        " Esc to cancel",
      ],
    },
  ],
  [
    "the question whether a folder is trusted",
    { lines: [LINE, " Is this a folder you trust?", " ❯ 1. No, exit", "   2. Yes", LINE, " Enter to confirm"] },
  ],
  ["nothing", { lines: [] }],
])("where there is %s, there is no box to type into", (_, screen) => {
  const found = promptBoxOf(screen);
  expect(found === null || !found.whole).toBe(true);
  expect(found !== null && containsOnly(found, "Yes")).toBe(false);
});

test("Claude at work says how to interrupt it, and with a draft in the box only what it is at", () => {
  expect(promptBoxOf(box(["❯ "], "  ⏸ manual mode on · esc to interrupt"))?.busy).toBe(true);
  const said = (...lines: string[]): ReturnType<typeof promptBoxOf> =>
    promptBoxOf({
      lines: ["❯ before", "✽ Earlier… (2s)", "❯ slow:", ...lines, "", LINE, "❯ a draft", LINE, "  ⏸ manual mode on"],
    });
  expect(said("✽ Symbioting… (2s · ↓ 7 tokens)", "  ⎿  Tip: start small")).toMatchObject({
    busy: true,
    interrupted: false,
  });
  expect(said("· Compacting conversation…")?.busy).toBe(true);
  expect(said("● chunk1 … chunk2", "", "✻ Brewed for 1s · done 6:48 AM")).toMatchObject({
    busy: false,
    interrupted: false,
  });
});

test("a turn that was interrupted says so last, above its remarks at the right", () => {
  const said = (...lines: string[]): boolean =>
    promptBoxOf({
      lines: [
        "❯ one",
        "  ⎿  Interrupted · What should Claude do instead?",
        "❯ two",
        ...lines,
        LINE,
        "❯ ",
        LINE,
        "  ? for shortcuts",
      ],
    })?.interrupted === true;
  expect(
    said("● text", "  ⎿  Interrupted · What should Claude do instead?", `${" ".repeat(90)}◐ medium · /effort`),
  ).toBe(true);
  expect(said("● Interrupted by a phone call")).toBe(false);
  expect(said()).toBe(false);
});

test("of a text that the box has no room for, it shows the end under how much there is above", () => {
  const cut = (inside: string[]): { lines: string[] } => ({
    lines: ["● an answer", "", `─── ↑ 40 more ${"─".repeat(180)}`, ...inside, LINE, "", "  ⏸ manual mode on"],
  });
  const typed = `${"one\n".repeat(50)}last`;
  const found = promptBoxOf(cut(["  one", "  one", "  last"]));
  expect(found).toEqual({ text: "one\none\nlast", whole: false, busy: false, interrupted: false });
  expect([containsOnly(found!, typed), containsOnly(found!, `${typed} more`)]).toEqual([true, false]);
});

test("what a terminal may be too old to know is not missed in the box", () => {
  expect(containsOnly(promptBoxOf(box(["❯ A B🇰 C"]))!, "A \u{28e7b}B🇰🇷 \u{33407}C\ufdd0")).toBe(true);
  expect(containsOnly(promptBoxOf(box(["❯ A B"]))!, "A 日B")).toBe(false);
});

test("the box holds what was typed, wrapped or not; of a long text its end is enough; anything more or less is not it", () => {
  const typed = `one ${"long ".repeat(40)}\n두 번째 👩🏽‍💻 줄`;
  expect(
    containsOnly(
      promptBoxOf(box([`❯ one ${"long ".repeat(20)}`, `  ${"long ".repeat(20)}`, "  두 번째 👩 줄"]))!,
      typed,
    ),
  ).toBe(true);
  expect(containsOnly(promptBoxOf({ lines: ["  long long", "  두 번째 줄", LINE, "  status"] })!, typed)).toBe(true);
  for (const other of ["❯ one", `❯ x${typed.replaceAll("\n", " ")}`, "❯ [Pasted text #1 +4 lines]"])
    expect(containsOnly(promptBoxOf(box([other]))!, typed)).toBe(false);
});

test("people are shown the screen without its colours, and no rule as wide as the window", () => {
  for (const sign of "─━▔▁═╌")
    expect(screenText({ lines: ["a", sign.repeat(200), "b"] })).toBe(`a\n${sign.repeat(20)}\nb`);
  expect(screenText({ lines: ["\u001b[1mDo you trust?\u001b[0m  ", "", "", "", " ❯ No "] })).toBe(
    "Do you trust?\n\n ❯ No",
  );
  const picture = [".".repeat(58), "     *            █████▓▓░", "       █████████      *", ".......█ █   █ █......"];
  expect(screenText({ lines: ["Welcome", ...picture, "", "Let's get started.", "▐▛███▛█   Claude Code"] })).toBe(
    "Welcome\n\nLet's get started.\n▐▛███▛█   Claude Code",
  );
});

test("of a dialog they are shown what is below its rule, of anything else all", () => {
  expect(
    askedText({
      lines: ["❯ /model", "", "▔".repeat(100), "  Select model", "", "  ❯ 1. Default", "", "  Esc to cancel"],
    }),
  ).toBe("Select model\n\n❯ 1. Default\n\nEsc to cancel");
  expect(askedText({ lines: ["Let's get started.", "❯ ✔ Auto", `${"╌".repeat(60)}`, "  Syntax theme"] })).toMatch(
    /^Let's get started/,
  );
  expect(
    askedText({
      lines: ["", "─".repeat(200), " Accessing workspace:", "", " ❯ No, exit", "   Yes, I trust this folder"],
    }),
  ).toBe("Accessing workspace:\n\n❯ No, exit\n  Yes, I trust this folder");
  expect(askedText(box(["❯ a draft"]))).toContain("an answer");
  expect(
    askedText({ lines: ["an answer", `─── ↑ 40 more ${"─".repeat(180)}`, "  the end", LINE, "  status"] }),
  ).toContain("an answer");
});

test("of a key they are not shown the end, which Claude shows at its terminal", () => {
  expect(screenText({ lines: ["  ANTHROPIC_API_KEY: sk-ant-...123456789-0123456789"] })).toBe(
    "ANTHROPIC_API_KEY: sk-ant-…",
  );
});

test("its end is told in its last words, and a prompt box that stood there when it was killed is none", () => {
  const trust = {
    lines: [
      LINE,
      " Quick safety check",
      " ❯ No, exit",
      "   Yes, I trust this folder",
      "",
      "Claude Code didn't start because this folder isn't trusted.",
      "Run claude again and choose Yes, or run it in another folder.",
      "",
      "Pane is dead (status 1)",
    ],
  };
  const reasonOf = (screen: { lines: string[] } | null, code: number | null): unknown =>
    (endOf(screen, code, false) as { details?: object }).details;
  expect(reasonOf(trust, 1)).toEqual({
    tool: "tmux",
    exit_code: 1,
    reason:
      "Yes, I trust this folder Claude Code didn't start because this folder isn't trusted. Run claude again and choose Yes, or run it in another folder.",
  });
  for (const screen of [box(["❯ a draft"]), null])
    expect(reasonOf(screen, null)).toEqual({ tool: "tmux", because: "why_window_closed" });
  expect(endOf({ lines: ["No conversation found with session ID: a"] }, 1, false)).toMatchObject({
    code: "E_RESUME_UNKNOWN",
  });
});

test("a dialog is told from a prompt box, a prompt that was sent and a shell, and is the same text whichever entry is chosen", () => {
  const dialog = (chosen: number): { lines: string[] } => ({
    lines: [
      "❯ 1. go on",
      LINE,
      " Bash command",
      " touch zz",
      ` ${chosen === 1 ? "❯" : " "} 1. Yes`,
      ` ${chosen === 2 ? "❯" : " "} 2. No`,
      LINE,
      " Esc to cancel",
    ],
  });
  expect(dialogText(dialog(1))).toBe(dialogText(dialog(2)));
  expect(dialogText(dialog(1))).toMatch(/^Bash command\n touch zz\n\s+1\. Yes\n\s+2\. No\n─+\n Esc to cancel$/);
  expect(
    showsDialog({ lines: [LINE, "Which colour?", "❯ 1. Red", "  2. Blue", "Enter to select · Esc to cancel"] }),
  ).toBe(true);
  for (const none of [box(["❯ 1. first"]), { lines: ["❯ 1. go on", "● working"] }, { lines: ["$ ls"] }, { lines: [] }])
    expect([showsDialog(none), dialogText(none)]).toEqual([false, null]);
});
