/**
 * The offer to open a session with a message that no agent gets otherwise: a reply to it with a button for each of the
 * projects used last. In the owner's channel it stands as long as its message waits in the inbox, and says then what
 * became of it.
 */
import { ButtonStyle, ComponentType, type APIMessageTopLevelComponent } from "discord-api-types/v10";
import { excerpt } from "../../base/text.ts";
import { snowflakeTime } from "../../base/ids.ts";
import { say, type Locale } from "../../base/words/say.ts";
import { offeredAt, offerOf, OPENED, REMOVED } from "../../core/posts/post.ts";
import { activeFirst, type Project } from "../../core/projects/project.ts";
import type { State } from "../../core/state.ts";
import { customId } from "./custom-id.ts";
import { button, chunksOf, code, colours, nameOf, plainLine, ROW_BUTTONS, systemBody } from "./message.ts";
import type { Body, DesiredPost } from "./message.ts";

const PART = "offer";
/** As many options as a select can have, and as many selects as a message. */
const OPTIONS = 25;
const SELECTS = 5;

/**
 * Where the message is: in the inbox of the owner's channel, there but read by an agent, in another channel, or in a
 * thread that the owner has opened.
 */
export type OfferPlace = "inbox" | "read" | "channel" | "thread";

/** The offers due in the owner's channel: one for each message that waits there to be one, and each that was posted. */
export function sessionOffers(state: State, channelId: string, locale: Locale): DesiredPost[] {
  const waiting = Object.values(state.inbox).flatMap(({ offered, channel_id, thread_id, message_id }) =>
    offered && channel_id === channelId && thread_id === null ? [message_id] : [],
  );
  const posted = offeredAt(state.posts, channelId);
  return [...new Set([...posted, ...waiting])].map((messageId) => offer(state, channelId, messageId, locale));
}

function offer(state: State, channelId: string, messageId: string, locale: Locale): DesiredPost {
  const post = {
    subject: offerOf(messageId),
    part: PART,
    thread_id: channelId,
    priority: "result",
    reply_to: messageId,
    since: snowflakeTime(messageId),
  } as const;
  const session = state.sessions[messageId];
  if (session) return { ...post, want: { kind: "show", body: openedBody(state, messageId, locale) }, is: OPENED };
  const entry = state.inbox[messageId];
  if (!entry) return { ...post, want: { kind: "remove" }, is: REMOVED };
  // An agent that has read it may act on it already: whoever presses then knows.
  const place = entry.read ? "read" : "inbox";
  const body = offerBody(state, { messageId, place }, locale);
  return { ...post, want: { kind: "show", body }, is: nameOf([place, body.components]) };
}

/** The question, and its buttons. */
export function offerBody(
  state: State,
  { messageId, place }: { messageId: string; place: OfferPlace },
  locale: Locale,
): Body {
  const all = lastUsedFirst(state);
  if (all.length === 0)
    return systemBody({
      color: colours.quiet,
      description: `${say(locale, "offer_no_project")}\n${code("/project create name:my-app path:/home/me/my-app")}`,
    });
  const buttons = all
    .slice(0, ROW_BUTTONS)
    .map(({ name }, at) =>
      button(
        customId("open_on_message", { message: messageId, project: name }),
        all.length === 1 ? say(locale, "hello_open") : say(locale, "hint_open", { project: name }),
        at === 0 ? ButtonStyle.Primary : ButtonStyle.Secondary,
      ),
    );
  const more =
    all.length > ROW_BUTTONS
      ? [button(customId("more_projects", { message: messageId }), say(locale, "offer_more"))]
      : [];
  return systemBody({ color: colours.quiet, description: say(locale, `offer_${place}`) }, [...buttons, ...more]);
}

/** All projects, to choose one. */
export function projectSelects(state: State, messageId: string, locale: Locale): APIMessageTopLevelComponent[] {
  return chunksOf(lastUsedFirst(state), OPTIONS)
    .slice(0, SELECTS)
    .map((some, page) => ({
      type: ComponentType.ActionRow,
      components: [
        {
          type: ComponentType.StringSelect,
          custom_id: customId("pick_project", { page: String(page + 1) }),
          placeholder: excerpt(say(locale, "offer_pick"), 150),
          options: some.map(({ name }) => ({
            label: excerpt(name, 100),
            value: customId("open_on_message", { message: messageId, project: name }),
          })),
        },
      ],
    }));
}

/** What is said of a session that was opened so, without buttons. */
export function openedBody({ sessions }: State, threadId: string, locale: Locale): Body {
  const project = plainLine(sessions[threadId]?.project_name ?? "", 40);
  return systemBody({
    color: colours.quiet,
    description: say(locale, "offer_opened", { project, thread: `<#${threadId}>` }),
  });
}

/** The projects, that of the session used last first; those without one after them, the active one first. */
function lastUsedFirst(state: State): Project[] {
  const used = new Map<string, string>();
  for (const { project_name, last_activity_at } of Object.values(state.sessions))
    if (last_activity_at > (used.get(project_name) ?? "")) used.set(project_name, last_activity_at);
  return activeFirst(state).toSorted((a, b) => ((used.get(a.name) ?? "") < (used.get(b.name) ?? "") ? 1 : -1));
}
