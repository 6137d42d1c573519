/**
 * When the control panel is posted: at the start, and when what it says has changed. It is edited while it is the last
 * message in its channel, and else moved to the end.
 */
import type { APIChannel } from "discord-api-types/v10";
import { isSnowflake } from "../../base/ids.ts";
import { WINDOW_TOOL } from "../../core/sessions/windows.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Rest } from "../api/rest.ts";
import type { DesiredPost } from "../views/desired-posts.ts";
import { PANEL_PART, panelPost, panelSubject, type PanelOptions } from "../views/panel.ts";

export interface Panel {
  desired(channelId: string): Promise<DesiredPost[]>;
  /** A message was posted in a channel, by anyone. */
  posted(channelId: string, messageId: string): void;
  close(): void;
}

/** @param look has the channel's posts looked at */
export function openPanel(
  { engine, rest, ...options }: PanelOptions & { engine: Engine; rest: Rest },
  look: (channelId: string) => void,
): Panel {
  const { channelId } = options;
  let newest: string | null = null;
  /** It was the last message at some time since the start. */
  let begun = false;
  const learn = (id: string): void => {
    if (newest === null || BigInt(id) > BigInt(newest)) newest = id;
  };
  const isAbout = (topic: string): boolean =>
    topic === "projects" ||
    engine.state.sessions[topic]?.tool === WINDOW_TOOL ||
    engine.state.worktrees?.[topic] !== undefined;
  const unwatch = engine.watch((topics) => void ([...topics].some(isAbout) && look(channelId)));
  return {
    async desired(id) {
      if (id !== channelId) return [];
      if (newest === null) learn(await lastIn(rest, channelId));
      const post = panelPost(engine.state, options);
      const standing = engine.state.posts[panelSubject(channelId)]?.[PANEL_PART];
      const isLast = standing?.message_id != null && BigInt(newest ?? 0) <= BigInt(standing.message_id);
      begun ||= isLast;
      const isBuried = standing?.message_id != null && !isLast && (!begun || standing.is !== post.is);
      return [{ ...post, ...(isBuried && { buried: true }) }];
    },
    posted(at, messageId) {
      if (at === channelId && isSnowflake(messageId)) learn(messageId);
    },
    close: unwatch,
  };
}

async function lastIn(rest: Rest, channelId: string): Promise<string> {
  try {
    const channel = await rest.call<APIChannel>({
      method: "GET",
      path: `/channels/${channelId}`,
      priority: "cosmetic",
    });
    return ("last_message_id" in channel ? channel.last_message_id : null) ?? "0";
  } catch {
    // The next message posted there tells it.
    return "0";
  }
}
