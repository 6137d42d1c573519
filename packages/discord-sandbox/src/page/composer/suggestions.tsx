/** The list above the composer: one line is active, arrows move it, Enter or Tab takes it. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Avatar } from "../icons.tsx";

export interface Suggestion {
  key: string;
  title: string;
  detail?: string | undefined;
  /** Names of what can be filled in, shown after the title. */
  extras?: string[];
  /** Whose it is; drawn as an avatar. */
  owner?: { id: string; name: string } | undefined;
  take: () => void;
}

export const SUGGESTIONS_ID = "suggestions";

export function suggestionId(index: number): string {
  return `suggestion-${index}`;
}

export function Suggestions({
  label,
  items,
  active,
  note,
}: {
  label: string;
  items: readonly Suggestion[];
  active: number;
  note?: string | undefined;
}): JSX.Element | null {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(
    () => list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" }),
    [active],
  );
  if (items.length === 0 && !note) return null;
  return (
    <div class="suggestions">
      <div class="suggestions-label">{label}</div>
      <div ref={list} id={SUGGESTIONS_ID} class="suggestions-list" role="listbox" aria-label={label}>
        {items.map((item, i) => (
          <div
            key={item.key}
            id={suggestionId(i)}
            role="option"
            aria-selected={i === active}
            class="suggestion"
            onPointerDown={(event) => event.preventDefault()}
            onClick={item.take}
          >
            {item.owner && <Avatar id={item.owner.id} name={item.owner.name} small />}
            <span class="suggestion-text">
              <span class="suggestion-title">
                <span>{item.title}</span>
                {item.extras?.map((e) => (
                  <code key={e}>{e}</code>
                ))}
              </span>
              {item.detail && <small>{item.detail}</small>}
            </span>
            {item.owner && <small class="suggestion-owner">{item.owner.name}</small>}
          </div>
        ))}
      </div>
      {note && <p class="suggestions-note">{note}</p>}
    </div>
  );
}

/** Moves the active line by a key; `undefined` where the key is not one of the list's. */
export function moved(key: string, active: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === "ArrowDown") return (active + 1) % count;
  if (key === "ArrowUp") return (Math.max(active, 0) - 1 + count) % count;
  return undefined;
}
