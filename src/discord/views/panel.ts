/**
 * The control panel: the projects whose Claude may run at a terminal, their windows in this bot's threads, and the
 * worktrees of its sessions. A project with a window of ours has a button that stops it, and a project without a window
 * one that starts it; where all windows were opened by their owner himself, there is none.
 */
import { ButtonStyle, ComponentType, type APIMessageTopLevelComponent } from "discord-api-types/v10";
import { excerpt } from "../../base/text.ts";
import { say, type Locale } from "../../base/words/say.ts";
import type { State } from "../../core/state.ts";
import type { Project } from "../../core/projects/project.ts";
import { WINDOW_TOOL, type Window } from "../../core/sessions/windows.ts";
import {
  button,
  chunksOf,
  code,
  colours,
  plainLine,
  buttonRows,
  systemBody,
  type Button,
  type Body,
  type DesiredPost,
  nameOf,
} from "./message.ts";
import { customId } from "./custom-id.ts";

export const PANEL_PART = "panel";
/** As many as a message can have, and as many options as a select can. */
const BUTTONS = 25;
const SELECTS = 5;
const LINKS = 5;
/** Of an embed's 4096. */
const CHARS = 3800;

export interface PanelOptions {
  channelId: string;
  botId: string;
  locale: Locale;
  /** Milliseconds since the epoch: when the daemon started. */
  since: number;
}

export function panelSubject(channelId: string): string {
  return `panel:${channelId}`;
}

export function panelPost(state: State, options: PanelOptions): DesiredPost {
  const { channelId, since } = options;
  const body = panelBody(state, options);
  const is = nameOf([body.embeds[0]?.description, body.components]);
  return {
    subject: panelSubject(channelId),
    part: PANEL_PART,
    thread_id: channelId,
    priority: "result",
    want: { kind: "show", body },
    is,
    since,
    stands: true,
  };
}

/** This bot's windows of a project. */
export function windowsOf(state: State, project: string, botId: string): Window[] {
  return Object.values(state.windows).filter(
    ({ thread_id }) =>
      state.sessions[thread_id]?.project_name === project && state.threads[thread_id]?.bot_id === botId,
  );
}

function panelBody(state: State, { botId, locale }: PanelOptions): Body {
  const projects = Object.values(state.projects)
    .filter(({ enabled_tools }) => enabled_tools.includes(WINDOW_TOOL))
    .sort((a, b) => a.number - b.number);
  const rows = projects.map((project) => ({ project, windows: windowsOf(state, project.name, botId) }));
  const lines =
    rows.length === 0
      ? [say(locale, "panel_none", { tool: code(WINDOW_TOOL), key: code("enabled_tools") })]
      : rows.map((row) => line(row, locale));
  const trees = worktreeLines(state, botId);
  const description = [
    fitted(lines, locale),
    ...(trees.length > 0 ? ["", `**${say(locale, "panel_worktrees")}**`, fitted(trees, locale)] : []),
  ].join("\n");
  const body = systemBody({
    color: rows.some(({ windows }) => windows.length > 0) ? colours.good : colours.quiet,
    title: say(locale, "panel_title"),
    description,
  });
  return { ...body, components: controls(rows, locale) };
}

interface ProjectRow {
  project: Project;
  windows: readonly Window[];
}

function line({ project, windows }: ProjectRow, locale: Locale): string {
  const name = `**${plainLine(project.name, 40)}**`;
  if (windows.length === 0) return `⭕ ${name} ${say(locale, "panel_stopped")}`;
  const links = windows
    .slice(0, LINKS)
    .map(({ thread_id, adopted }) => `<#${thread_id}>${adopted ? ` (${say(locale, "panel_adopted")})` : ""}`);
  return `🟢 ${name} ${say(locale, "panel_running")} ${[...links, ...(windows.length > LINKS ? [`+${windows.length - LINKS}`] : [])].join(" ")}`;
}

/** The worktrees of this bot's sessions that are there. */
function worktreeLines({ worktrees, threads, sessions }: State, botId: string): string[] {
  const standing = Object.values(worktrees).filter(
    ({ thread_id, is }) => is === "there" && threads[thread_id]?.bot_id === botId,
  );
  return standing.map(
    ({ thread_id, branch }) =>
      `🌿 ${plainLine(sessions[thread_id]?.project_name ?? "", 40)} ${code(branch, 80)} <#${thread_id}>`,
  );
}

/** As many lines as have room, and how many more there are. */
function fitted(lines: readonly string[], locale: Locale): string {
  let chars = 0;
  const shown = lines.filter((one) => (chars += one.length + 1) <= CHARS / 2);
  return [
    ...shown,
    ...(shown.length < lines.length ? [say(locale, "panel_more", { count: lines.length - shown.length })] : []),
  ].join("\n");
}

function controls(rows: readonly ProjectRow[], locale: Locale): APIMessageTopLevelComponent[] {
  const all = rows.flatMap(({ project: { name }, windows }): Button[] => {
    const own = windows.some(({ adopted }) => !adopted);
    if (!own && windows.length > 0) return [];
    const label = say(locale, own ? "panel_stop" : "panel_start", { project: name });
    return [
      button(
        customId(own ? "stop_windows" : "start_windows", { project: name }),
        label,
        own ? ButtonStyle.Secondary : ButtonStyle.Success,
      ),
    ];
  });
  if (all.length <= BUTTONS) return buttonRows(all);
  return chunksOf(all, BUTTONS)
    .slice(0, SELECTS)
    .map((some, page) => ({
      type: ComponentType.ActionRow,
      components: [
        {
          type: ComponentType.StringSelect,
          custom_id: customId("pick_window_project", { page: String(page + 1) }),
          placeholder: excerpt(
            say(locale, "panel_pick", { first: page * BUTTONS + 1, last: page * BUTTONS + some.length }),
            150,
          ),
          options: some.map(({ custom_id: value, label = "" }) => ({ label, value })),
        },
      ],
    }));
}
