/**
 * What Claude may do from now on without asking, because its user said so at the terminal: told in the thread of the
 * job before which that was found, rule by rule.
 */
import { say, type Locale } from "../../base/words/say.ts";
import { shownLine } from "../../base/hidden-characters.ts";
import { jobOrTurn, workersIn } from "../../core/jobs/job-or-turn.ts";
import type { State } from "../../core/state.ts";
import { code, colours, plainLine, systemBody, type Body, type DesiredPost } from "./message.ts";
import { jobPost } from "./jobs/job-end.ts";

const RULES_PART = "rules";
const FILE = ".claude/settings.local.json";

/** More than this is a file below the message. */
const INLINE = { rules: 40, chars: 3_000 } as const;

/** What is owed for the jobs of a thread; empty for those whose rules are told. */
export function ruleNotices(state: State, threadId: string, locale: Locale): DesiredPost[] {
  const thread = state.threads[threadId];
  const session = state.sessions[threadId];
  if (!thread || !session) return [];
  return [...thread.ended, ...workersIn(state, threadId), ...session.queue].flatMap((id) => {
    const rules = state.runs[id]?.allowed;
    if (rules === undefined) return [];
    const is = `allowed ${rules.length}`;
    const job = jobOrTurn(state, id);
    if (!job || state.posts[id]?.[RULES_PART]?.is === is) return [];
    return [
      {
        ...jobPost(job, {
          part: RULES_PART,
          is,
          body: body(rules, { id, project: session.project_name }, locale),
          priority: "result",
          since: Date.parse(job.started_at ?? "") || Date.parse(session.created_at),
        }),
        news: { kind: "told" },
      },
    ];
  });
}

function body(rules: readonly string[], { id, project }: { id: string; project: string }, locale: Locale): Body {
  const list = rules.map((rule) => `+ ${shownLine(rule)}`).join("\n");
  const isShort = rules.length <= INLINE.rules && list.length <= INLINE.chars;
  const sentence = say(locale, isShort ? "rules_allowed" : "rules_allowed_file", {
    project: `**${plainLine(project, 40)}**`,
    file: code(FILE),
    count: rules.length,
  });
  const message = systemBody({
    color: colours.waits,
    title: say(locale, "rules_allowed_title"),
    description: isShort ? `${sentence}\n\`\`\`diff\n${list}\n\`\`\`` : sentence,
  });
  return isShort
    ? message
    : {
        ...message,
        files: [{ name: `${id}.allowed.txt`, bytes: Buffer.from(rules.map((rule) => shownLine(rule)).join("\n")) }],
      };
}
