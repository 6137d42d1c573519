/**
 * Where the page begins: the token comes once in the link's fragment (which no server sees), is kept for
 * this tab only and taken out of the address bar; then everything is a client like any other.
 */
import { render } from "preact";
import { App, Notice } from "./app.tsx";
import { createClient, type Marks } from "./connection/client.ts";
import { createStore } from "./state/store.ts";
import { applyTheme } from "./theme.ts";
import { ClientContext } from "./ui.ts";
import { wordsFor } from "./words/words.ts";

const TOKEN = "sandbox.token";
const READ = "sandbox.read";

const marks: Marks = {
  load() {
    try {
      return JSON.parse(localStorage.getItem(READ) ?? "{}") as Record<string, string>;
    } catch {
      return {};
    }
  },
  save(read) {
    try {
      localStorage.setItem(READ, JSON.stringify(read));
    } catch {
      // A browser that keeps nothing: everything is unread again at the next visit.
    }
  },
};

function takeToken(): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const brought = fragment.get("token");
  if (!brought) return sessionStorage.getItem(TOKEN) ?? undefined;
  sessionStorage.setItem(TOKEN, brought);
  fragment.delete("token");
  const rest = fragment.toString();
  history.replaceState(null, "", location.pathname + (rest ? `#${rest}` : ""));
  return brought;
}

function begin(root: HTMLElement): void {
  const locale = navigator.language;
  document.documentElement.lang = locale;
  applyTheme();
  const token = takeToken();
  if (!token) {
    render(<Notice say={(key, args) => wordsFor(locale, key, args)} title="noTokenTitle" text="noTokenText" />, root);
    return;
  }
  const client = createClient(token, createStore({ read: marks.load() }), locale, marks);
  render(
    <ClientContext.Provider value={client}>
      <App />
    </ClientContext.Provider>,
    root,
  );
}

const root = document.getElementById("root");
if (root) begin(root);
