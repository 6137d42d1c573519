/**
 * The choices for the option one is filling in: its fixed ones, the guild's people and channels, or what
 * the application answers to an autocompletion. An answer to an older question is never shown.
 */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { fixedChoices, OPTION, type Entries, type Invocable } from "./commands.ts";
import type { Choice, CommandOption } from "../state/model.ts";
import { nameOf, type State } from "../state/state.ts";
import { useClient, useWords } from "../ui.ts";

export interface Choices {
  items: Choice[];
  state: "idle" | "asking" | "failed" | "none";
}

const nothing: Choice[] = [];
const NOT_ASKED = { nonce: "", question: "" };
/** While typing, one question a pause. */
const PAUSE_MS = 120;
const ANSWER_WITHIN_MS = 3500;

export function useChoices(
  channelId: string,
  invocable: Invocable,
  entries: Entries,
  option: CommandOption | undefined,
): Choices {
  const { store, locale } = useClient();
  const say = useWords();
  const typed = option ? (entries[option.name]?.text ?? "") : "";
  const chosen = option ? entries[option.name]?.value !== undefined : false;
  const answered = useAnswers(channelId, invocable, entries, option?.autocomplete && !chosen ? option : undefined);
  const local = useMemo(
    () =>
      option && !option.autocomplete && !chosen
        ? (fixedChoices(option, typed, [say("yes"), say("no")], locale) ?? guildChoices(option, typed, store.get()))
        : undefined,
    [option, typed, chosen],
  );
  return local ? { items: local, state: "idle" } : answered;
}

function useAnswers(
  channelId: string,
  invocable: Invocable,
  entries: Entries,
  option: CommandOption | undefined,
): Choices {
  const { interactions, onChoices } = useClient();
  const question = option && JSON.stringify([option.name, entries[option.name]?.text ?? ""]);
  const [answer, setAnswer] = useState<Choices & { question?: string }>({ items: nothing, state: "idle" });
  const asked = useRef({ nonce: "", question: "" });
  useEffect(
    () =>
      onChoices((nonce, items) => {
        if (nonce !== asked.current.nonce) return;
        const { question } = asked.current;
        asked.current = NOT_ASKED;
        setAnswer({ items, state: items.length > 0 ? "idle" : "none", question });
      }),
    [onChoices],
  );
  useEffect(() => {
    asked.current = NOT_ASKED;
    if (!option || question === undefined) return setAnswer({ items: nothing, state: "idle" });
    const ask = setTimeout(() => {
      asked.current = { nonce: interactions.complete(channelId, invocable, entries, option.name), question };
    }, PAUSE_MS);
    const missed = setTimeout(() => {
      if (asked.current.nonce) setAnswer({ items: nothing, state: "failed", question });
    }, PAUSE_MS + ANSWER_WITHIN_MS);
    return () => {
      clearTimeout(ask);
      clearTimeout(missed);
    };
  }, [question]);
  if (option === undefined || answer.question === question) return answer;
  return { items: answer.items, state: "asking" };
}

function guildChoices(option: CommandOption, typed: string, state: State): Choice[] | undefined {
  const users = (): Choice[] => Object.values(state.users).map((u) => ({ name: `@${nameOf(state, u)}`, value: u.id }));
  const roles = (): Choice[] => Object.entries(state.roles).map(([value, name]) => ({ name: `@${name}`, value }));
  const channels = (): Choice[] =>
    Object.values(state.channels).map((c) => ({ name: `#${c.name ?? c.id}`, value: c.id }));
  const lists: Record<number, () => Choice[]> = {
    [OPTION.user]: users,
    [OPTION.role]: roles,
    [OPTION.channel]: channels,
    [OPTION.mentionable]: () => [...users(), ...roles()],
  };
  const wanted = typed.toLowerCase();
  return lists[option.type]?.()
    .filter((c) => c.name.toLowerCase().includes(wanted))
    .slice(0, 25);
}
