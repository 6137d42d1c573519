/** The page's icons: strokes on a 24-unit grid, drawn in the colour of the text around them. */
import type { JSX } from "preact";

const paths = {
  hash: "M9.5 4 7.5 20M16.5 4l-2 16M4.5 9h16M3.5 15h16",
  thread: "M5 4v9a3 3 0 0 0 3 3h11M15 12l4 4-4 4",
  threads: "M4 5h16v10H10l-4 4v-4H4zM8 9h8M8 12h5",
  menu: "M4 6h16M4 12h16M4 18h16",
  close: "M6 6l12 12M18 6 6 18",
  plus: "M12 5v14M5 12h14",
  send: "M4 12 20 4l-5 16-4-6zM11 14l9-10",
  smile: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8.5 14.5c1.8 2.4 5.2 2.4 7 0M9 9.5v.5M15 9.5v.5",
  reply: "M10 5 4 11l6 6M4 11h9a7 7 0 0 1 7 7v1",
  edit: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 12.5l4.5 4.5L19 7",
  chevron: "M6 9l6 6 6-6",
  down: "M12 5v14M6 13l6 6 6-6",
  archive: "M4 5h16v4H4zM6 9v10h12V9M10 13h4",
  lock: "M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4",
  moon: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z",
  auto: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 3v18M12 7l6 0M12 12h9M12 17h6",
  file: "M6 3h8l5 5v13H6zM14 3v5h5",
  link: "M14 5h5v5M19 5l-8 8M17 14v5H5V7h5",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  arrow: "M5 12h14M13 6l6 6-6 6",
  slash: "M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM15 7 9 17",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true" focusable="false">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.8"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}

/** A button that is only an icon: its label is read aloud and shown on hover. */
export function IconButton({
  icon,
  label,
  onClick,
  pressed,
  disabled,
  class: extra = "",
  size = 20,
}: {
  icon: IconName;
  label: string;
  onClick: (event: MouseEvent) => void;
  pressed?: boolean;
  disabled?: boolean;
  class?: string;
  size?: number;
}): JSX.Element {
  return (
    <button
      type="button"
      class={`icon-button ${extra}`}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} size={size} />
    </button>
  );
}

/** A round picture made of a name's initials, in a colour that stays with the id. */
export function Avatar({ id, name, small = false }: { id: string; name: string; small?: boolean }): JSX.Element {
  const hue = [...id].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 8, 7);
  const words = name
    .trim()
    .split(/[\s_.-]+/)
    .filter(Boolean);
  const initials =
    words.length > 1
      ? [words[0], words[1]].map((w) => [...(w ?? "")][0]).join("")
      : [...(words[0] ?? "?")].slice(0, 1).join("");
  return (
    <span class={`avatar hue-${hue}${small ? " small" : ""}`} aria-hidden="true">
      {initials.toUpperCase()}
    </span>
  );
}
