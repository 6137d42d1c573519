/** Chooses an emoji: search by its short name, arrows through the grid. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { emojiGroups, emojiMatching } from "../text/emoji.ts";
import { useWords } from "../ui.ts";

const COLUMNS = 8;

export function EmojiPicker({ onPick }: { onPick: (character: string) => void }): JSX.Element {
  const say = useWords();
  const [typed, setTyped] = useState("");
  const groups = typed ? [{ group: "found", emoji: emojiMatching(typed.toLowerCase(), 40) }] : emojiGroups;
  return (
    <div class="emoji-picker" onKeyDown={move}>
      <input
        type="search"
        placeholder={say("searchEmoji")}
        aria-label={say("searchEmoji")}
        value={typed}
        onInput={(e) => setTyped(e.currentTarget.value)}
        onKeyDown={(e) => {
          const first = groups[0]?.emoji[0];
          if (e.key === "Enter" && typed && first) onPick(first.character);
        }}
      />
      <div class="emoji-groups">
        {groups.map(({ group, emoji }) => (
          <div key={group} class="emoji-grid">
            {emoji.map(({ name, character }) => (
              <button key={name} type="button" title={`:${name}:`} aria-label={name} onClick={() => onPick(character)}>
                {character}
              </button>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

function move(event: KeyboardEvent): void {
  const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS };
  const step = steps[event.key];
  if (step === undefined || !(event.currentTarget instanceof HTMLElement)) return;
  const cells = [...event.currentTarget.querySelectorAll<HTMLElement>("button")];
  const at = cells.indexOf(document.activeElement as HTMLElement);
  if (at < 0 && step !== COLUMNS) return;
  event.preventDefault();
  (at < 0 ? cells[0] : cells[Math.max(0, Math.min(cells.length - 1, at + step))])?.focus();
}
