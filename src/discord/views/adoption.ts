/**
 * What is posted about a Claude that the owner has started himself: in the channel the question whether it becomes a
 * session, in its thread what it is and how it is given back, and that it is gone.
 */
import { ButtonStyle } from "discord-api-types/v10";
import { say, type Locale } from "../../base/words/say.ts";
import { adoptionSubject, startOf, type Adoption } from "../../core/sessions/adoptions.ts";
import { SAID } from "../../core/jobs/post-state.ts";
import type { State } from "../../core/state.ts";
import { button, code, colours, plainLine, systemBody, type Body, type DesiredPost } from "./message.ts";
import { customId } from "./custom-id.ts";

/** Modes in which Claude decides by itself, or nobody does. */
const UNASKED: ReadonlySet<string> = new Set(["auto", "bypassPermissions", "dontAsk"]);
const PATH_CHARS = 300;

/** Its card in the channel, which is no session's thread. */
export function adoptionCard(state: State, one: Adoption, locale: Locale): DesiredPost {
  const is = [
    one.adopted === null ? "open" : one.gone ? "gone" : one.adopted ? `adopted ${one.thread_id ?? ""}` : "ignored",
    ...(one.adopted === null && one.mode !== undefined ? [one.mode] : []),
    ...(startOf(state, one.claude_session) ? ["starting"] : []),
  ].join(" ");
  const isOpen = one.adopted === null;
  return {
    ...post(one, one.channel_id, { part: "offer", is, body: card(state, one, locale), at: one.at, isNews: isOpen }),
    stands: isOpen,
  };
}

/** What a thread says of the Claude that was taken into it. */
export function adoptedPosts(state: State, one: Adoption, threadId: string, locale: Locale): DesiredPost[] {
  const here = post(one, threadId, {
    part: "adopted",
    is: one.ended ? "over" : "here",
    body: taken(one, threadId, locale),
    at: one.at,
    isNews: false,
  });
  const { ended } = one;
  if (!ended) return [here];
  const isReleased = ended.why === "released";
  const lines = [
    say(locale, isReleased ? "adoption_released" : ended.why === "lost" ? "adoption_lost" : "adoption_ended"),
    ...(isReleased && state.threads[threadId]?.closed !== undefined ? [say(locale, "adoption_released_closed")] : []),
  ];
  return [
    here,
    post(one, threadId, {
      part: "ended",
      is: SAID,
      body: systemBody({ color: isReleased ? colours.quiet : colours.waits, description: lines.join(" ") }),
      at: ended.at,
      isNews: !isReleased,
    }),
  ];
}

function card(state: State, one: Adoption, locale: Locale): Body {
  const project = `**${plainLine(one.project_name, 40)}**`;
  const title = say(locale, "adoption_title");
  const isStarting = startOf(state, one.claude_session) !== undefined;
  const take = customId("adopt_claude", { claude: one.claude_session });
  const found = say(locale, "adoption_found", {
    project,
    path: code(one.cwd, PATH_CHARS),
    pane: code(`tmux ${one.pane_id}`),
    pid: one.pid,
  });
  if (one.adopted !== null) {
    const says = one.gone
      ? say(locale, "adoption_gone")
      : one.adopted
        ? say(locale, "adoption_taken", { thread: `<#${one.thread_id ?? ""}>` })
        : say(locale, "adoption_ignored");
    return systemBody(
      { color: colours.quiet, title, description: [found, says].join("\n") },
      one.adopted || one.gone || isStarting ? [] : [button(take, say(locale, "adoption_adopt"))],
    );
  }
  const buttons = isStarting
    ? []
    : [
        button(take, say(locale, "adoption_adopt"), ButtonStyle.Primary),
        button(customId("ignore_claude", { claude: one.claude_session }), say(locale, "adoption_ignore")),
      ];
  return systemBody(
    {
      color: colours.asks,
      title,
      description: [found, modeLine(one, locale), say(locale, "adoption_what")].join("\n"),
    },
    buttons,
  );
}

/** Whether its owner will be asked is the first thing to know. */
function modeLine({ mode }: Adoption, locale: Locale): string {
  if (mode === undefined) return say(locale, "adoption_mode_unknown");
  const name = code(mode, 40);
  return UNASKED.has(mode)
    ? `⚠️ ${say(locale, mode === "auto" ? "adoption_mode_auto" : "adoption_mode_unasked", { mode: name })}`
    : say(locale, "adoption_mode", { mode: name });
}

function taken(one: Adoption, thread: string, locale: Locale): Body {
  const lines = [
    say(locale, "adoption_here", { pane: code(`tmux ${one.pane_id}`), pid: one.pid, path: code(one.cwd, PATH_CHARS) }),
    modeLine(one, locale),
    say(locale, "adoption_yours"),
  ];
  const buttons = one.ended ? [] : [button(customId("release_claude", { thread }), say(locale, "adoption_release"))];
  return systemBody(
    {
      color: one.ended ? colours.quiet : colours.runs,
      title: say(locale, one.ended ? "adoption_was_title" : "adoption_here_title"),
      description: one.ended ? (lines[0] ?? "") : lines.join("\n"),
    },
    buttons,
  );
}

function post(
  one: Adoption,
  thread_id: string,
  { part, is, body, at, isNews }: { part: string; is: string; body: Body; at: string; isNews: boolean },
): DesiredPost {
  return {
    subject: adoptionSubject(one),
    part,
    thread_id,
    priority: "result",
    want: { kind: "show", body },
    is,
    ...(isNews && { news: { kind: "told" } as const }),
    since: Date.parse(at),
  };
}
