/**
 * Everything the core consists of: `decider.ts` and `evolve.ts` are loops over this list, and the types of all commands
 * and events follow from it. Where several decide about one command, their events come in this order.
 */
import { answeringSlice } from "./decisions/answering.ts";
import { grantSlice } from "./decisions/grant.ts";
import { decisionSlice } from "./decisions/lifecycle.ts";
import { inboxSlice } from "./inbox/inbox.ts";
import { messageSlice } from "./jobs/accept-message.ts";
import { budgetSlice } from "./jobs/budget.ts";
import { closingSlice } from "./jobs/closing.ts";
import { endingSlice } from "./jobs/ending.ts";
import { forgettingSlice } from "./jobs/forgetting.ts";
import { forwardSlice } from "./jobs/forwards.ts";
import { jobSlice } from "./jobs/job.ts";
import { lockSlice } from "./jobs/lock.ts";
import { outsideTurnSlice } from "./jobs/outside-turn-lifecycle.ts";
import { queueSlice } from "./jobs/queue.ts";
import { sendingSlice } from "./jobs/sending.ts";
import { waitingSlice } from "./jobs/waiting.ts";
import { ownerSlice } from "./owner.ts";
import { agentPostSlice } from "./posts/agent-post.ts";
import { postSlice } from "./posts/post.ts";
import { rulesSlice } from "./projects/allowed-rules.ts";
import { projectSlice } from "./projects/project.ts";
import { seenSlice } from "./projects/seen.ts";
import { restartSlice } from "./restart.ts";
import { ownerRuleSlice } from "./rules/owner-rules.ts";
import { adoptionSlice } from "./sessions/adoptions.ts";
import { archiveSlice } from "./sessions/archives.ts";
import { backgroundSlice } from "./sessions/background.ts";
import { modeSlice } from "./sessions/modes.ts";
import { sessionSlice } from "./sessions/session.ts";
import { conversationSlice, modelSlice, settingsSlice } from "./sessions/settings.ts";
import { terminalImportSlice } from "./sessions/terminal-import.ts";
import { threadSlice } from "./sessions/thread.ts";
import { toldSlice } from "./sessions/told.ts";
import { windowSlice } from "./sessions/windows.ts";
import { worktreeSlice } from "./sessions/worktrees.ts";
import type { Slice } from "./slice.ts";

export const slices = [
  projectSlice,
  seenSlice,
  rulesSlice,
  postSlice,
  agentPostSlice,
  inboxSlice,
  sessionSlice,
  modelSlice,
  settingsSlice,
  modeSlice,
  conversationSlice,
  terminalImportSlice,
  backgroundSlice,
  toldSlice,
  threadSlice,
  waitingSlice,
  windowSlice,
  adoptionSlice,
  worktreeSlice,
  archiveSlice,
  queueSlice,
  answeringSlice,
  messageSlice,
  forwardSlice,
  decisionSlice,
  grantSlice,
  ownerRuleSlice,
  jobSlice,
  endingSlice,
  sendingSlice,
  outsideTurnSlice,
  budgetSlice,
  closingSlice,
  forgettingSlice,
  ownerSlice,
  restartSlice,
  lockSlice,
] as const;

type CommandsOf<One> = One extends Slice<infer Commands, infer _Events> ? Commands : never;
type EventsOf<One> = One extends Slice<infer _Commands, infer Events> ? Events : never;

export type Command = CommandsOf<(typeof slices)[number]>;
export type Event = EventsOf<(typeof slices)[number]>;
