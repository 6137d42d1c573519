/**
 * What every component of the page reaches for: the client, a slice of the store that redraws only when it
 * changes, the sentences in the reader's language, and a clock that ticks for relative times.
 */
import { createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { WordArgs } from "./words/words.ts";
import type { Client } from "./connection/client.ts";
import { Refused } from "./connection/rest.ts";
import type { State } from "./state/state.ts";
import { wordsFor, type PageWord } from "./words/words.ts";

export const ClientContext = createContext<Client | undefined>(undefined);

export function useClient(): Client {
  const client = useContext(ClientContext);
  if (!client) throw new Error("outside the page");
  return client;
}

/** `select` must give the same value for the same state (a slice, or a primitive), or it redraws without end. */
export function useStore<T>(select: (state: State) => T): T {
  const { store } = useClient();
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const value = select(store.get());
  const latest = useRef({ select, value });
  latest.current = { select, value };
  useLayoutEffect(() => {
    const check = (): void => {
      if (latest.current.select(store.get()) !== latest.current.value) redraw(undefined as never);
    };
    check();
    return store.watch(check);
  }, [store]);
  return value;
}

/** Runs what the reader asked for; a refusal is shown to them instead of being lost. */
export function useAttempt(): (doing: Promise<unknown>) => void {
  const { store } = useClient();
  return (doing) => {
    doing.catch((error: unknown) => {
      store.act({ type: "notice", notice: { text: error instanceof Refused ? error.message : String(error) } });
    });
  };
}

export type Say = (key: PageWord, args?: WordArgs) => string;

export function useWords(): Say {
  const { locale } = useClient();
  return (key, args) => wordsFor(locale, key, args);
}

/** The present, renewed every `everyMs`; for times shown relative to it. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/**
 * Whether a key press belongs to an input method that is composing (Korean, Japanese, Chinese). Safari ends the
 * composition before it tells of the Enter that ended it, and marks that press only by its old key code.
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** Whether the pointer is a finger: then there is no hovering, and Enter on the on-screen keyboard makes a new line. */
export function isTouch(): boolean {
  return matchMedia("(hover: none) and (pointer: coarse)").matches;
}
