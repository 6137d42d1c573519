/**
 * The choices for the option one is filling in: its fixed ones, the guild's people and channels, or what
 * the application answers to an autocompletion. An answer to an older question is never shown.
 */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { fixedChoices, OPTION, type Entries, type Invocable } from "./commands.ts";
import type { Choice, CommandOption } from "../state/model.ts";
import { nameOf, type State } from "../state/state.ts";
import { useClient, useWords } from "../ui.ts";

export interface Choices { items: Choice[]; state: "idle" | "asking" | "failed" | "none" }

const nothing: Choice[] = [];
/** While typing, one question a pause. */
const PAUSE_MS = 120;
const ANSWER_WITHIN_MS = 3500;

export function useChoices(channelId: string, invocable: Invocable, entries: Entries, option: CommandOption | undefined): Choices {
  const { store, locale } = useClient();
  const say = useWords();
  const typed = option ? entries[option.name]?.text ?? "" : "";
  const chosen = option ? entries[option.name]?.value !== undefined : false;
  const answered = useAnswers(channelId, invocable, entries, option?.autocomplete && !chosen ? option : undefined);
  const local = useMemo(() => (option && !option.autocomplete && !chosen
    ? fixedChoices(option, typed, [say("yes"), say("no")], locale) ?? guildChoices(option, typed, store.get()) : undefined), [option, typed, chosen]);
  return local ? { items: local, state: "idle" } : answered;
}

function useAnswers(channelId: string, invocable: Invocable, entries: Entries, option: CommandOption | undefined): Choices {
  const { interactions, onChoices } = useClient();
  const typed = option ? entries[option.name]?.text ?? "" : "";
  const [answer, setAnswer] = useState<Choices>({ items: nothing, state: "idle" });
  const asked = useRef("");
  useEffect(() => onChoices((nonce, choices) => {
    if (nonce !== asked.current) return;
    asked.current = "";
    setAnswer({ items: choices, state: choices.length > 0 ? "idle" : "none" });
  }), [onChoices]);
  useEffect(() => {
    asked.current = "";
    if (!option) return setAnswer({ items: nothing, state: "idle" });
    setAnswer((before) => ({ ...before, state: "asking" }));
    const ask = setTimeout(() => { asked.current = interactions.complete(channelId, invocable, entries, option.name); }, PAUSE_MS);
    const missed = setTimeout(() => { if (asked.current) setAnswer({ items: nothing, state: "failed" }); }, PAUSE_MS + ANSWER_WITHIN_MS);
    return () => {
      clearTimeout(ask);
      clearTimeout(missed);
    };
  }, [option, typed]);
  return answer;
}

function guildChoices(option: CommandOption, typed: string, state: State): Choice[] | undefined {
  const users = (): Choice[] => Object.values(state.users).map((u) => ({ name: `@${nameOf(state, u)}`, value: u.id }));
  const roles = (): Choice[] => Object.entries(state.roles).map(([value, name]) => ({ name: `@${name}`, value }));
  const channels = (): Choice[] => Object.values(state.channels).map((c) => ({ name: `#${c.name ?? c.id}`, value: c.id }));
  const lists: Record<number, () => Choice[]> = {
    [OPTION.user]: users, [OPTION.role]: roles, [OPTION.channel]: channels, [OPTION.mentionable]: () => [...users(), ...roles()],
  };
  const wanted = typed.toLowerCase();
  return lists[option.type]?.().filter((c) => c.name.toLowerCase().includes(wanted)).slice(0, 25);
}
