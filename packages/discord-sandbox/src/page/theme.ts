/** Dark, light, or as the system says: the choice is kept in this browser and set on the root element. */
import { useState } from "preact/hooks";

export type Theme = "auto" | "dark" | "light";

const KEY = "sandbox.theme";
const order: Theme[] = ["auto", "dark", "light"];

export function nextTheme(theme: Theme): Theme {
  return order[(order.indexOf(theme) + 1) % order.length] ?? "auto";
}

/** Puts the kept theme on the page; called once before the first drawing, so that nothing flashes. */
export function applyTheme(): void {
  set(kept());
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(kept);
  return [
    theme,
    (next) => {
      try {
        localStorage.setItem(KEY, next);
      } catch {
        // A browser that keeps nothing: the choice holds for this visit.
      }
      set(next);
      setTheme(next);
    },
  ];
}

function kept(): Theme {
  try {
    return order.find((theme) => theme === localStorage.getItem(KEY)) ?? "auto";
  } catch {
    return "auto";
  }
}

function set(theme: Theme): void {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
