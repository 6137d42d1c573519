/**
 * A slash command being filled in: one field an option, choices and autocompletion for the field one is
 * in, and the same checks as Discord's client before anything is sent.
 */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useChoices, type Choices } from "./choices.ts";
import {
  firstProblem,
  localDescription,
  localName,
  readOption,
  type Entries,
  type Entry,
  type Invocable,
  type Problem,
} from "./commands.ts";
import { Icon, IconButton } from "../icons.tsx";
import type { CommandOption } from "../state/model.ts";
import { moved, suggestionId, Suggestions, SUGGESTIONS_ID, type Suggestion } from "./suggestions.tsx";
import { isComposing, isTouch, useAttempt, useClient, useWords, type Say } from "../ui.ts";
import type { PageWord } from "../words/words.ts";

interface Props {
  channelId: string;
  invocable: Invocable;
  first: Entries;
  /** Leaves the command; `text` goes back into the composer. */
  onLeave: (text: string) => void;
}

export function CommandEntry({ channelId, invocable, first, onLeave }: Props): JSX.Element {
  const { locale } = useClient();
  const say = useWords();
  const filling = useFilling(channelId, invocable, first, onLeave);
  const { entries, shown, option, tried, active, open, choices } = filling;
  const items = open
    ? choices.items.map((c, i): Suggestion => ({ key: String(c.value), title: c.name, take: () => filling.take(i) }))
    : [];
  const problem = tried ? firstProblem(invocable, entries) : undefined;
  const wrong =
    problem && (!option || problem.option === option)
      ? `${localName(problem.option, locale)}: ${problemText(problem.problem, say)}`
      : undefined;
  return (
    <>
      <Suggestions
        label={option ? `${localName(option, locale)} — ${localDescription(option, locale)}` : invocable.description}
        items={items}
        active={active}
        note={
          wrong ??
          noteText(
            say,
            noteOf(option, choices.state, option !== undefined && entries[option.name]?.value !== undefined, invocable),
          )
        }
      />
      <form
        ref={filling.form}
        class="command-entry"
        aria-label={invocable.title}
        onKeyDown={filling.key}
        onSubmit={(e) => {
          e.preventDefault();
          filling.run();
        }}
      >
        <IconButton icon="close" label={say("leaveCommand")} onClick={() => onLeave("")} />
        <span class="command-name">{invocable.title}</span>
        {invocable.options
          .filter((o) => shown.includes(o.name))
          .map((o) => (
            <Pill
              key={o.name}
              option={o}
              entry={entries[o.name]}
              wrong={tried && readOption(o, entries[o.name]).problem !== undefined}
              expanded={open && o === option}
              active={active}
              onFocus={() => filling.setFocused(o.name)}
              onInput={(text) => filling.set(o.name, { text })}
            />
          ))}
        {invocable.options
          .filter((o) => !shown.includes(o.name))
          .map((o) => (
            <button
              key={o.name}
              type="button"
              class="pill-add"
              title={localDescription(o, locale)}
              onClick={() => filling.show(o.name)}
            >
              <Icon name="plus" size={14} />
              {localName(o, locale)}
            </button>
          ))}
        <button type="submit" class="send" aria-label={say("send")} title={say("send")}>
          <Icon name="send" />
        </button>
      </form>
    </>
  );
}

interface Filling {
  form: { current: HTMLFormElement | null };
  entries: Entries;
  shown: string[];
  option: CommandOption | undefined;
  choices: Choices;
  /** Whether the list of choices is shown, and which of them is active. */
  open: boolean;
  active: number;
  tried: boolean;
  set: (name: string, entry: Entry) => void;
  setFocused: (name: string) => void;
  show: (name: string) => void;
  take: (choice: number) => void;
  run: () => void;
  key: (event: KeyboardEvent) => void;
}

function useFilling(channelId: string, invocable: Invocable, first: Entries, onLeave: (text: string) => void): Filling {
  const { interactions } = useClient();
  const attempt = useAttempt();
  const form = useRef<HTMLFormElement>(null);
  const [entries, setEntries] = useState<Entries>(first);
  const [shown, setShown] = useState(() =>
    invocable.options.filter((o) => o.required || first[o.name]).map((o) => o.name),
  );
  const [wanted, setWanted] = useState(() => shown.find((name) => !first[name]?.text) ?? SUBMIT);
  const [focused, setFocused] = useState<string | undefined>();
  const [tried, setTried] = useState(false);
  const [chosen, setActive] = useState(-1);
  const option = invocable.options.find((o) => o.name === focused);
  const choices = useChoices(channelId, invocable, entries, option);
  const open = option !== undefined && entries[option.name]?.value === undefined && choices.items.length > 0;
  // Older choices are shown while the new are asked for, and none of them is taken.
  const settled = choices.state !== "asking";
  const active = settled ? chosen : -1;

  const set = (name: string, entry: Entry): void => setEntries((before) => ({ ...before, [name]: entry }));
  const show = (name: string): void => {
    if (!shown.includes(name)) setShown([...shown, name]);
    setWanted(name);
  };
  const take = (i: number): void => {
    const choice = choices.items[i];
    if (!option || !choice) return;
    set(option.name, { text: choice.name, value: choice.value });
    setWanted(shown[shown.indexOf(option.name) + 1] ?? SUBMIT);
  };
  const run = (): void => {
    setTried(true);
    const problem = firstProblem(invocable, entries);
    if (problem) return show(problem.option.name);
    attempt(interactions.run(channelId, invocable, entries));
    onLeave("");
  };
  // After drawing: the field that is wanted may only just have appeared.
  useLayoutEffect(() => {
    if (wanted === "") return;
    form.current?.querySelector<HTMLElement>(wanted === SUBMIT ? SUBMIT : `[name="${CSS.escape(wanted)}"]`)?.focus();
    setWanted("");
  }, [wanted]);
  useEffect(
    () => setActive(choices.items.length > 0 && entries[focused ?? ""]?.text ? 0 : -1),
    [choices.items, focused],
  );
  const key = keysOf({
    open,
    settled,
    active,
    count: choices.items.length,
    setActive,
    take,
    run,
    leave: onLeave,
    title: invocable.title,
    isFirst: focused === shown[0],
  });
  return { form, entries, shown, option, choices, open, active, tried, set, setFocused, show, take, run, key };
}

const SUBMIT = "button[type=submit]";

interface Keys {
  open: boolean;
  /** The choices belong to what is typed now. */
  settled: boolean;
  active: number;
  count: number;
  setActive: (active: number) => void;
  take: (choice: number) => void;
  run: () => void;
  leave: (text: string) => void;
  title: string;
  isFirst: boolean;
}

/**
 * Arrows walk the choices, Enter and Tab take one, Enter without a choice sends but waits for the choices, Escape and
 * Backspace lead out.
 */
function keysOf(k: Keys): (event: KeyboardEvent) => void {
  return (event) => {
    if (isComposing(event)) return;
    const inField = event.target instanceof HTMLInputElement;
    const to = k.open && k.settled ? moved(event.key, k.active, k.count) : undefined;
    const takes = (event.key === "Enter" || (event.key === "Tab" && !event.shiftKey)) && k.open && k.active >= 0;
    const back = event.key === "Backspace" && inField && event.target.value === "" && k.isFirst;
    if (to !== undefined) k.setActive(to);
    else if (takes) k.take(k.active);
    else if (event.key === "Enter" && inField) {
      if (k.settled) k.run();
    } else if (event.key === "Escape") k.leave("");
    else if (back) k.leave(k.title);
    else return;
    event.preventDefault();
  };
}

function Pill({
  option,
  entry,
  wrong,
  expanded,
  active,
  onFocus,
  onInput,
}: {
  option: CommandOption;
  entry: Entry | undefined;
  wrong: boolean;
  expanded: boolean;
  active: number;
  onFocus: () => void;
  onInput: (text: string) => void;
}): JSX.Element {
  const { locale } = useClient();
  const text = entry?.text ?? "";
  const numeric = option.type === 4 || option.type === 10;
  return (
    <label class={wrong ? "pill wrong" : "pill"}>
      <span>
        {localName(option, locale)}
        {option.required && <b aria-hidden="true">*</b>}
      </span>
      <input
        name={option.name}
        value={text}
        size={Math.max(6, Math.min(40, [...text].length + 1))}
        autocomplete="off"
        spellcheck={false}
        inputMode={numeric ? "decimal" : "text"}
        aria-required={option.required ?? false}
        aria-invalid={wrong}
        aria-description={localDescription(option, locale)}
        role="combobox"
        aria-expanded={expanded}
        aria-controls={SUGGESTIONS_ID}
        aria-activedescendant={expanded && active >= 0 ? suggestionId(active) : undefined}
        onFocus={onFocus}
        onInput={(e) => onInput(e.currentTarget.value)}
      />
    </label>
  );
}

/** Without a keyboard there is no hint about keys. */
function noteText(say: Say, note: PageWord): string | undefined {
  return note === "commandHint" && isTouch() ? undefined : say(note);
}

function noteOf(
  option: CommandOption | undefined,
  state: Choices["state"],
  chosen: boolean,
  invocable: Invocable,
): PageWord {
  if (!option) return invocable.options.length === 0 ? "noOptions" : "commandHint";
  if (chosen || state === "idle") return "commandHint";
  return state === "asking" ? "loadingChoices" : state === "failed" ? "choicesFailed" : "noChoices";
}

function problemText(problem: Problem, say: Say): string {
  return "bound" in problem ? say(`problem_${problem.kind}`, { bound: problem.bound }) : say(`problem_${problem.kind}`);
}
