/** Turns what stands at the caret into the lines of the list above the composer. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { invocables, localName, matching, readTyped, type Entries, type Invocable } from "./commands.ts";
import { emojiMatching } from "../text/emoji.ts";
import { isTextual } from "../state/model.ts";
import { nameOf, type State } from "../state/state.ts";
import { askedAt, type Asked } from "./suggest.ts";
import type { Suggestion } from "./suggestions.tsx";
import { useClient, useStore, useWords } from "../ui.ts";

const none: Invocable[] = [];
const MOST = 50;

/** The guild's commands; asked for when first wanted, and again when they have changed. */
export function useCommands(guildId: string | undefined, wanted: boolean): Invocable[] {
  const { interactions, locale } = useClient();
  const seen = useStore((s) => s.commandsSeen);
  const live = useStore((s) => s.phase === "live");
  const [all, setAll] = useState(none);
  useEffect(() => {
    let current = true;
    if (guildId && live)
      interactions.index(guildId).then(
        (index) => {
          if (current) setAll(invocables(index, locale));
        },
        () => undefined,
      );
    return () => {
      current = false;
    };
  }, [guildId, seen, live, wanted]);
  return all;
}

type Begin = (invocable: Invocable, entries?: Entries) => void;

export function useSuggestions(
  { text, caret }: { text: string; caret: number },
  all: readonly Invocable[],
  { begin, insert }: { begin: Begin; insert: (text: string) => void },
): { label: string; items: Suggestion[]; asked: Asked | undefined } {
  const { store, locale } = useClient();
  const say = useWords();
  return useMemo(() => {
    const asked = askedAt(text, caret);
    if (!asked) return { label: "", items: [], asked };
    if (asked.kind === "command")
      return { label: say("commands"), items: commandLines(text, asked, all, { begin, locale }), asked };
    const label = say(asked.kind === "user" ? "people" : asked.kind === "channel" ? "channels" : "emoji");
    return { label, items: lines(asked, store.get(), insert), asked };
  }, [text, caret, all]);
}

function commandLines(
  text: string,
  asked: Asked,
  all: readonly Invocable[],
  { begin, locale }: { begin: Begin; locale: string },
): Suggestion[] {
  const typed = readTyped(all, text);
  const found = typed && text.length > typed.invocable.title.length ? [typed.invocable] : matching(all, asked.typed);
  return found.slice(0, MOST).map((invocable) => ({
    key: `${invocable.command.id} ${invocable.title}`,
    title: invocable.title,
    detail: invocable.description,
    extras: invocable.options.map((o) => (o.required ? localName(o, locale) : `${localName(o, locale)}?`)),
    owner: { id: invocable.application.id, name: invocable.application.name },
    take: () => begin(invocable, typed?.invocable === invocable ? typed.entries : {}),
  }));
}

function lines(asked: Asked, state: State, insert: (text: string) => void): Suggestion[] {
  if (asked.kind === "emoji") {
    return emojiMatching(asked.typed, 10).map(({ name, character }) => ({
      key: name,
      title: `${character}  :${name}:`,
      take: () => insert(character),
    }));
  }
  if (asked.kind === "channel") {
    return Object.values(state.channels)
      .filter((c) => isTextual(c) && (c.name ?? "").toLowerCase().includes(asked.typed))
      .slice(0, 10)
      .map((c) => ({ key: c.id, title: `#${c.name ?? ""}`, take: () => insert(`<#${c.id}>`) }));
  }
  return Object.values(state.users)
    .filter((u) => `${nameOf(state, u)} ${u.username}`.toLowerCase().includes(asked.typed))
    .slice(0, 10)
    .map((u) => ({
      key: u.id,
      title: nameOf(state, u),
      detail: u.username,
      owner: { id: u.id, name: nameOf(state, u) },
      take: () => insert(`<@${u.id}>`),
    }));
}
