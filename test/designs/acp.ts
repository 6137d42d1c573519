/** Design C, ACP: what it asks for, and the tests that show it. */
import type { Design } from "./design.ts";

export const acp: Design = {
  letter: "C",
  title: "ACP",
  about:
    "Any agent that speaks the Agent Client Protocol, from Discord: projects by number, sessions, streaming, a watch over agents that say nothing.",
  chapters: {
    "2 System": [
      {
        at: "2.1",
        needs: "Messages go to the agent by JSON-RPC over stdio, its answers to Discord",
        shown: [
          "flows/acp.test.ts > the demo agent > answers, its answer is kept as it was streamed, and the next job goes on with the conversation",
        ],
      },
      {
        at: "2.2",
        needs: "Keeps the gateway connection, handles commands, formats messages",
        shown: [
          "flows/acp-page.test.ts > streams, thinks, plans, shows an edit whole before it asks, asks questions, and tells its status and its usage",
        ],
      },
      {
        at: "2.2",
        needs: "Speaks the protocol, manages the sessions",
        shown: [
          "agents/acp/living.test.ts > one process and one session take prompt after prompt",
          "agents/acp/world.agent.ts > %s in a thread > when its daemon is killed, leaves nothing running, repeats nothing, tells its owner, and goes on with its conversation",
        ],
      },
      {
        at: "2.3",
        needs: "A-1: the agent is installed and started by a command",
        shown: [
          "flows/refused-start.test.ts > an agent that is not in PATH fails its job with the exact command that installs it",
          "agents/acp/claude.agent.ts > claude-agent-acp > is found, in the version that is pinned",
        ],
      },
      {
        at: "2.3",
        needs: "A-2: there is a bot token",
        shown: ["config/settings.test.ts > the token > missing is said with the three ways to set it"],
      },
      {
        at: "2.3",
        needs: "A-3: the user has access to the server",
        shown: [
          "flows/refused-start.test.ts > a bot that is not in its server yet says so with the way to invite it, and is ready when it has arrived",
        ],
      },
      {
        at: "2.3",
        needs: "A-4: projects are local directories",
        shown: [
          "host/files/directories.test.ts > a directory is one, where it is",
          "host/files/directories.test.ts > what is not there, leads nowhere or in a circle, or has no possible name, is absent",
        ],
      },
      {
        at: "2.4",
        needs: "C-1: ACP by stdio only",
        shown: [
          "agents/acp/misbehaving.test.ts > in the turn > %s: the answer is what belongs to it",
          "agents/acp/misbehaving.test.ts > in the turn > it gets no files and no terminals from us",
        ],
      },
      {
        at: "2.4",
        needs: "C-2: the allowed user only",
        shown: [
          "flows/acceptance/01-owner-gating.test.ts > 1. Owner gating: every command and every message of anybody but the owner is refused",
        ],
      },
      {
        at: "2.4",
        needs: "C-3: one active session",
        ruled: "many; outside a thread a command means the only running one, or asks which",
        shown: [
          "flows/agent-commands.test.ts > in the channel the only running one is meant; of several one is chosen",
        ],
      },
      {
        at: "2.4",
        needs: "C-4: at most 2,000 characters per message",
        shown: ["discord/text/split.test.ts > no message is longer than Discord takes, added fences counted"],
      },
    ],
    "3 Functions": [
      {
        at: "3.1",
        needs: "F-1 lists the projects",
        shown: ["discord/interactions/projects.test.ts > /projects > is what /project list is"],
      },
      {
        at: "3.1",
        needs: "F-2 switches the project",
        shown: [
          "discord/interactions/projects.test.ts > /project switch > chooses the project that /start takes when none is named",
        ],
      },
      {
        at: "3.1",
        needs: "F-3 registers a project",
        shown: [
          "discord/interactions/projects.test.ts > /project add > registers a directory under its own name, with the agents that are there, and says its number",
        ],
      },
      {
        at: "3.1",
        needs: "F-4 starts a session",
        shown: [
          "flows/agent-commands.test.ts > /agent start > the agent that was started before the thread takes its first message",
        ],
      },
      {
        at: "3.1",
        needs: "F-5 ends a session",
        shown: [
          "flows/agent-commands.test.ts > /agent stop ends the agent and keeps the conversation; a message reopens the session",
        ],
      },
      {
        at: "3.1",
        needs: "F-6 ends a session by force",
        shown: [
          "flows/agent-commands.test.ts > /agent kill ends one that hears nothing, with the job that runs, and leaves what waits",
        ],
      },
      {
        at: "3.1",
        needs: "F-7 shows a session's state",
        shown: ["discord/interactions/agents/agents.test.ts > /agent status > has the five fields in their order"],
      },
      {
        at: "3.1",
        needs: "F-8 sends messages to the agent",
        shown: [
          "flows/acp.test.ts > the demo agent > answers, its answer is kept as it was streamed, and the next job goes on with the conversation",
        ],
      },
      {
        at: "3.1",
        needs: "F-9 receives and shows its answers",
        shown: [
          "agents/acp/streams.test.ts > %s > answers what the model said, and nothing of the stream is unknown",
          "flows/acp.test.ts > the demo agent > answers, its answer is kept as it was streamed, and the next job goes on with the conversation",
        ],
      },
      {
        at: "3.1",
        needs: "F-10 kills an agent after 30 minutes of silence",
        shown: [
          "agents/run/idle-timeout.test.ts > after 30 minutes without an update it is cancelled, and killed where it has not ended its turn 5 s later",
          "flows/closed.test.ts > an agent that gives no sign of life is ended, and its session closed with a sentence",
        ],
      },
      {
        at: "UC-1",
        needs: "1–2. `/projects` shows numbers and paths",
        shown: [
          "flows/japanese.test.ts > every sentence that is fixed for Japanese is said as it is fixed",
          "discord/interactions/commands.test.ts > /project list > shows number, name, default tool, path and tools, and which directory is gone",
        ],
      },
      {
        at: "UC-1",
        needs: "3–4. `/agent start` starts the agent and opens a session",
        shown: [
          "flows/agent-commands.test.ts > /agent start > the agent that was started before the thread takes its first message",
        ],
      },
      {
        at: "UC-1",
        needs: "5. It creates a thread for the session",
        shown: [
          "discord/threads/session-starts.test.ts > a start that wants its agent first gets no thread before that is open, and its agent is handed over with the thread",
        ],
      },
      {
        at: "UC-1",
        needs: "6. The reply links to the thread",
        shown: [
          "discord/interactions/agents/agents.test.ts > /agent start > opens the agent of the first ACP tool before the thread, and links to it",
        ],
      },
      {
        at: "UC-1",
        needs: "3a. Unknown number: an error, nothing is started",
        shown: ["discord/interactions/agents/agents.test.ts > /agent start > of a number that no project has says so"],
      },
      {
        at: "UC-1",
        needs: "4a. The agent does not start: an error, nothing is left behind",
        shown: [
          "flows/agent-commands.test.ts > /agent start > an agent that cannot be started (%s) says why in the reader's language, and leaves no thread, no process and no start",
          "flows/acp-hanging.test.ts > /agent start says it, and leaves no thread, no process and no start",
        ],
      },
      {
        at: "UC-2",
        needs: "1–2. A message in the thread goes to the agent",
        shown: [
          "flows/agent-commands.test.ts > /agent start > the agent that was started before the thread takes its first message",
        ],
      },
      {
        at: "UC-2",
        needs: "3–4. Its answer streams into Discord",
        shown: [
          "flows/acp-page.test.ts > streams, thinks, plans, shows an edit whole before it asks, asks questions, and tells its status and its usage",
          "discord/views/thread.test.ts > a job that runs > streams its answer, the last message open, the others closed",
        ],
      },
      {
        at: "UC-2",
        needs: "1a. Messages from bots are skipped",
        shown: [
          "flows/faults/d18-d21-whose-words.test.ts > D21: bots and people of the owner's name, and Discord's own lines in the owner's name, are not the owner; his replies are",
        ],
      },
      {
        at: "UC-2",
        needs: "3a. Over 2,000 characters: several messages",
        shown: ["discord/text/split.test.ts > no character is lost: the bodies joined are the text"],
      },
      {
        at: "UC-2",
        needs: "3b. A running tool is named for a while",
        shown: [
          "flows/japanese.test.ts > every sentence that is fixed for Japanese is said as it is fixed",
          "discord/views/thread.test.ts > a job that runs > shows its tools as they happen, in the words of the person's language",
        ],
      },
      {
        at: "UC-3",
        needs: "1–2. `/agent stop` cancels",
        shown: [
          "agents/acp/living.test.ts > closed while it asks, it is refused, told to stop, and its session is closed before it ends",
          "core/jobs/closing.test.ts > closing cancels what runs, keeps the queue and starts nothing of it",
        ],
      },
      {
        at: "UC-3",
        needs: "3. The process ends",
        shown: [
          "flows/agent-commands.test.ts > /agent stop ends the agent and keeps the conversation; a message reopens the session",
        ],
      },
      {
        at: "UC-3",
        needs: "4. The user is told",
        shown: [
          "discord/interactions/agents/agents.test.ts > /agent %s > closes the session, ends its agent and says so, and how to go on",
        ],
      },
    ],
    "4 Interfaces": [
      {
        at: "4.1.1",
        needs: "`/projects`: no parameter, an embed of numbers and paths",
        shown: [
          "discord/interactions/table.test.ts > the commands of the design %s are registered by their names and parameters",
          "discord/interactions/commands.test.ts > /project list > shows number, name, default tool, path and tools, and which directory is gone",
          "flows/japanese.test.ts > every sentence that is fixed for Japanese is said as it is fixed",
        ],
      },
      {
        at: "4.1.1",
        needs: "The allowed user only",
        ruled: "others get a refusal that only they see",
        shown: [
          "flows/acceptance/01-owner-gating.test.ts > 1. Owner gating: every command and every message of anybody but the owner is refused",
        ],
      },
      {
        at: "4.1.1",
        needs: "Its message when there are none",
        shown: [
          "discord/interactions/projects.test.ts > /projects > says in Japanese what its design says where there is none",
        ],
      },
      {
        at: "4.1.1",
        needs: "Numbered from 1 by path",
        ruled: "in order of registration, stored, never reused; a scan registers by path",
        shown: [
          "flows/named-projects.test.ts > are registered in their order, once, also where one is missing; and no number is given twice",
          "engine/last-project-number.test.ts > no number is given twice across restarts, with a snapshot",
        ],
      },
      {
        at: "4.1.2",
        needs: "`/project add path`: its reply",
        shown: [
          "discord/interactions/table.test.ts > the commands of the design %s are registered by their names and parameters",
          "discord/interactions/projects.test.ts > /project add > says in Japanese what its design says, for what is there and for what is not",
        ],
      },
      {
        at: "4.1.2",
        needs: "The allowed user only",
        shown: [
          "flows/acceptance/01-owner-gating.test.ts > 1. Owner gating: every command and every message of anybody but the owner is refused",
        ],
      },
      {
        at: "4.1.2",
        needs: "Its message for a missing path",
        shown: [
          "flows/japanese.test.ts > every sentence that is fixed for Japanese is said as it is fixed",
          "discord/interactions/projects.test.ts > /project add > says in Japanese what its design says, for what is there and for what is not",
        ],
      },
      {
        at: "4.1.2",
        needs: "Numbered in order of registration",
        shown: ["core/projects/project.test.ts > a new project gets the next number and waits to be saved"],
      },
      {
        at: "4.1.3",
        needs: "`/agent start project_id`: a number",
        shown: [
          "discord/interactions/agents/agents.test.ts > /agent start > completes projects by number and name, as numbers",
          "discord/interactions/table.test.ts > the commands of the design %s are registered by their names and parameters",
        ],
      },
      {
        at: "4.1.3",
        needs: "Its reply has the thread's link",
        shown: [
          "discord/interactions/agents/agents.test.ts > /agent start > opens the agent of the first ACP tool before the thread, and links to it",
        ],
      },
      {
        at: "4.1.3",
        needs: "The allowed user only",
        shown: [
          "flows/acceptance/01-owner-gating.test.ts > 1. Owner gating: every command and every message of anybody but the owner is refused",
        ],
      },
      {
        at: "4.1.3",
        needs: "Its message for an unknown number",
        shown: [
          "flows/japanese.test.ts > every sentence that is fixed for Japanese is said as it is fixed",
          "discord/interactions/agents/agents.test.ts > /agent start > of a number that no project has says so",
        ],
      },
      {
        at: "4.1.3",
        needs: "Its message when the agent does not start",
        shown: [
          "flows/agent-commands.test.ts > /agent start > an agent that cannot be started (%s) says why in the reader's language, and leaves no thread, no process and no start",
        ],
      },
      {
        at: "4.1.4",
        needs: "`/agent stop`: its reply",
        shown: [
          "discord/interactions/table.test.ts > the commands of the design %s are registered by their names and parameters",
          "flows/japanese.test.ts > every sentence that is fixed for Japanese is said as it is fixed",
          "discord/interactions/agents/agents.test.ts > /agent %s > closes the session, ends its agent and says so, and how to go on",
        ],
      },
      {
        at: "4.1.4",
        needs: "The allowed user only",
        shown: [
          "flows/acceptance/01-owner-gating.test.ts > 1. Owner gating: every command and every message of anybody but the owner is refused",
        ],
      },
      {
        at: "4.1.4",
        needs: "Its message when no session is active",
        shown: ["discord/interactions/agents/agents.test.ts > /agent %s > where none is active says so"],
      },
      {
        at: "4.1.4",
        needs: "`session/cancel`, then waits for the process",
        shown: [
          "agents/acp/living.test.ts > closed while it asks, it is refused, told to stop, and its session is closed before it ends",
        ],
      },
      {
        at: "4.1.5",
        needs: "`/agent kill`: its reply",
        shown: [
          "discord/interactions/table.test.ts > the commands of the design %s are registered by their names and parameters",
          "flows/japanese.test.ts > every sentence that is fixed for Japanese is said as it is fixed",
          "discord/interactions/agents/agents.test.ts > /agent %s > closes the session, ends its agent and says so, and how to go on",
        ],
      },
      {
        at: "4.1.5",
        needs: "The allowed user only",
        shown: [
          "flows/acceptance/01-owner-gating.test.ts > 1. Owner gating: every command and every message of anybody but the owner is refused",
        ],
      },
      {
        at: "4.1.5",
        needs: "Its message when no session is active",
        shown: ["discord/interactions/agents/agents.test.ts > /agent %s > where none is active says so"],
      },
      {
        at: "4.1.5",
        needs: "SIGKILL at once, even if the agent hangs",
        shown: [
          "flows/agent-commands.test.ts > /agent kill ends one that hears nothing, with the job that runs, and leaves what waits",
          "agents/acp/living.test.ts > closed at once, it gets no word of the protocol",
        ],
      },
      {
        at: "4.1.6",
        needs: "`/agent status`: five fields in an embed",
        shown: [
          "discord/interactions/table.test.ts > the commands of the design %s are registered by their names and parameters",
          "flows/japanese.test.ts > every sentence that is fixed for Japanese is said as it is fixed",
          "discord/interactions/agents/agents.test.ts > /agent status > has the five fields in their order",
        ],
      },
      {
        at: "4.1.6",
        needs: "The allowed user only",
        shown: [
          "flows/acceptance/01-owner-gating.test.ts > 1. Owner gating: every command and every message of anybody but the owner is refused",
        ],
      },
      {
        at: "4.1.6",
        needs: "Its message when no session is active",
        shown: ["flows/japanese.test.ts > every sentence that is fixed for Japanese is said as it is fixed"],
      },
      {
        at: "4.1.7",
        needs: "`/agent model model_id`: its reply",
        ruled: "with the id that the agent confirmed",
        shown: [
          "discord/interactions/table.test.ts > the commands of the design %s are registered by their names and parameters",
          "flows/agent-commands.test.ts > /agent model is completed, confirmed, shown, and holds after a restart",
          "discord/interactions/agents/agents.test.ts > /agent model > is the id that an idle agent confirms, and is kept",
        ],
      },
      {
        at: "4.1.7",
        needs: "The allowed user only",
        shown: [
          "flows/acceptance/01-owner-gating.test.ts > 1. Owner gating: every command and every message of anybody but the owner is refused",
        ],
      },
      {
        at: "4.1.7",
        needs: "Its message when no session is active",
        shown: ["flows/japanese.test.ts > every sentence that is fixed for Japanese is said as it is fixed"],
      },
      {
        at: "4.1.7",
        needs: "Its message for an unavailable model",
        shown: [
          "discord/interactions/agents/agents.test.ts > /agent model > that no agent of the tool offers is unavailable",
          "flows/japanese.test.ts > every sentence that is fixed for Japanese is said as it is fixed",
        ],
      },
      {
        at: "4.1.7",
        needs: "Autocomplete with the available models",
        shown: [
          "flows/agent-commands.test.ts > of more models than Discord shows, each is found by what is typed, and taken typed whole",
          "agents/acp/living.agent.ts > %s > offers its models, and one that is chosen is confirmed",
        ],
      },
      {
        at: "4.1.8",
        needs: "`/agent usage`: context and cost in an embed",
        shown: [
          "discord/interactions/table.test.ts > the commands of the design %s are registered by their names and parameters",
          "discord/interactions/agents/agents.test.ts > /agent usage > shows the agent's own figures, with a bar",
          "flows/japanese.test.ts > every sentence that is fixed for Japanese is said as it is fixed",
        ],
      },
      {
        at: "4.1.8",
        needs: "The allowed user only",
        shown: [
          "flows/acceptance/01-owner-gating.test.ts > 1. Owner gating: every command and every message of anybody but the owner is refused",
        ],
      },
      {
        at: "4.1.8",
        needs: "Its message when no session is active",
        shown: ["flows/japanese.test.ts > every sentence that is fixed for Japanese is said as it is fixed"],
      },
      {
        at: "4.1.8",
        needs: "The figures come from the agent",
        shown: [
          "agents/acp/streams.test.ts > %s > tells its usage, where it does",
          "flows/agent-commands.test.ts > /agent usage shows what the agent told, and says what it did not",
          "flows/agent-commands.test.ts > a cost is shown in the agent's own currency, and what is no text as what it is",
        ],
      },
      {
        at: "4.2",
        needs: "Messages in a session's thread are handled",
        shown: [
          "discord/intake/listener.test.ts > a message > in a thread nobody opened a session in has no effect",
          "core/jobs/job.test.ts > a message becomes a job that starts at once where nothing is in its way",
        ],
      },
      {
        at: "4.2",
        needs: "Not from bots, and from the allowed user only",
        shown: [
          "discord/intake/strangers.test.ts > whatever comes in > 10,000 times: who is not the owner is at most a guest, and no bot, webhook or forward is even that",
        ],
      },
      {
        at: "4.2",
        needs: "The answer is in the same thread",
        shown: [
          "flows/acp.test.ts > the demo agent > answers, its answer is kept as it was streamed, and the next job goes on with the conversation",
        ],
      },
      {
        at: "4.2",
        needs: "Markdown, split over 2,000 characters",
        ruled: "up to five messages, then a file with the beginning and the end; or split to the end by a setting",
        shown: [
          "discord/views/thread.test.ts > a job that is done > shows a long answer's beginning and end, and brings all of it as a file",
          "discord/views/thread.test.ts > a job that is done > is split to its end where the owner wants that",
        ],
      },
      {
        at: "4.2",
        needs: "Shows “typing” while waiting",
        shown: [
          "discord/delivery/live-stream.test.ts > typing > a running job types every eight seconds, and stops with it",
        ],
      },
      {
        at: "4.3.1",
        needs: "`initialize` with the client's name, version and capabilities",
        shown: ["agents/acp/living.test.ts > one process and one session take prompt after prompt"],
      },
      {
        at: "4.3.1",
        needs: "The agent's capabilities are read",
        shown: [
          "agents/acp/blocks.test.ts > the files of a prompt > go with the prompt as the agent declares it (%s: %s)",
          "agents/acp/misbehaving.test.ts > before the session is open > one that %s could not be started",
        ],
      },
      {
        at: "4.3.2",
        needs: "`session/new` with the project's path returns an id",
        shown: ["agents/acp/living.test.ts > one process and one session take prompt after prompt"],
      },
      {
        at: "4.3.3",
        needs: "`session/prompt` with the text",
        ruled: "its response ends the turn",
        shown: ["agents/acp/living.test.ts > one process and one session take prompt after prompt"],
      },
      {
        at: "4.3.4",
        needs: "`session/update` streams the answer",
        shown: [
          "agents/acp/streams.test.ts > %s > answers what the model said, and nothing of the stream is unknown",
          "agents/acp/misbehaving.test.ts > in the turn > of another session's updates nothing is told as its own",
        ],
      },
      {
        at: "4.3.4",
        needs: "`message_chunk`: a piece of the answer",
        ruled: "by the protocol's own names",
        shown: ["agents/acp/streams.test.ts > %s > keeps the conversation, and a table in it, as one text"],
      },
      {
        at: "4.3.4",
        needs: "`tool_call`: a tool that runs",
        shown: [
          "agents/acp/streams.test.ts > a tool > of %s is told once at its start and once at its end, and begins a paragraph",
        ],
      },
      {
        at: "4.3.4",
        needs: "`end_turn`: the end, with its reason",
        shown: ["agents/acp/misbehaving.test.ts > in the turn > an answer that ends early is one, and why is said: %s"],
      },
      {
        at: "4.3.5",
        needs: "`session/cancel` ends the session",
        ruled: "it ends the turn, and the session goes on",
        shown: [
          "agents/acp/living.test.ts > a cancelled turn leaves the process alive, and the next prompt is answered",
          "flows/acp.test.ts > the demo agent > stops when it is told to, and the session goes on",
          "flows/late-cancel.test.ts > an agent that speaks ACP, ends its turn at a signal, and %s",
        ],
      },
    ],
    "5 Structure": [
      {
        at: "5.1",
        needs: "Layers whose dependencies point down",
        shown: [
          "architecture.test.ts > the sources > have imports that point down, and neighbours that never import each other",
        ],
      },
      {
        at: "5.2",
        needs: "Discord bot: gateway, dispatch",
        shown: [
          "discord/api/gateway/gateway.test.ts > a broken connection > that was %s is made again, and what is written then is accepted",
        ],
      },
      {
        at: "5.2",
        needs: "Slash commands: input validated, replies formatted",
        shown: ["discord/interactions/bad-input.test.ts > /$command with a $option > of %s is refused"],
      },
      {
        at: "5.2",
        needs: "Event handlers: messages become prompts",
        shown: [
          "discord/intake/listener.test.ts > accepted live in any order, each up to five times, every message becomes exactly one job",
        ],
      },
      {
        at: "5.2",
        needs: "Session service: the life cycle",
        shown: [
          "core/jobs/closing.test.ts > closed by %s, then by %s: %i more events",
          "flows/agent-commands.test.ts > /agent stop ends the agent and keeps the conversation; a message reopens the session",
        ],
      },
      {
        at: "5.2",
        needs: "Project service: registered, read, switched",
        shown: ["core/projects/project.test.ts > what the file says is taken over: new, changed and removed projects"],
      },
      {
        at: "5.2",
        needs: "ACP client: protocol, process",
        shown: ["agents/acp/living.test.ts > one process and one session take prompt after prompt"],
      },
      {
        at: "5.2",
        needs: "Config: environment and `.env`",
        shown: [
          "config/settings.test.ts > settings > take .env where the environment says nothing, and put none of it into the process's environment",
        ],
      },
      {
        at: "5.3",
        needs: "`create_session`: session, connection, watchdog",
        shown: [
          "flows/agent-commands.test.ts > /agent start > the agent that was started before the thread takes its first message",
        ],
      },
      {
        at: "5.3",
        needs: "`send_prompt`: streams the answer",
        shown: [
          "flows/acp.test.ts > the demo agent > answers, its answer is kept as it was streamed, and the next job goes on with the conversation",
        ],
      },
      {
        at: "5.3",
        needs: "`get_active_session`",
        ruled: "the only one with a running agent, or it asks which",
        shown: [
          "discord/interactions/agents/agents.test.ts > outside of a session's thread > the only one whose agent runs is meant",
          "discord/interactions/agents/agents.test.ts > outside of a session's thread > where several or none run, the person chooses",
        ],
      },
      {
        at: "5.3",
        needs: "`get_session_by_thread`",
        shown: [
          "core/indexed.test.ts > threads, queues, notices, handled messages and posts are found as a walk finds them, after every step of every history",
        ],
      },
      {
        at: "5.3",
        needs: "`close_session`: closed, disconnected cleanly",
        shown: [
          "core/jobs/closing.test.ts > closing cancels what runs, keeps the queue and starts nothing of it",
          "flows/agent-commands.test.ts > /agent stop ends the agent and keeps the conversation; a message reopens the session",
        ],
      },
      {
        at: "5.3",
        needs: "`kill_session`: closed, its agent killed",
        shown: [
          "flows/agent-commands.test.ts > /agent kill ends one that hears nothing, with the job that runs, and leaves what waits",
        ],
      },
      {
        at: "5.3",
        needs: "No such session: an error",
        shown: ["core/jobs/closing.test.ts > a session that is not there is neither closed nor reopened"],
      },
      {
        at: "5.3",
        needs: "A prompt in a closed session: an error",
        ruled: "`E_SESSION_CLOSED`, with a button *Reopen and send*",
        shown: [
          "flows/closed.test.ts > a message there is refused with a button that reopens the session with it, once",
          "core/jobs/closing.test.ts > a message in a closed session becomes no job, and is refused once",
          "flows/closed.test.ts > of two messages there each button sends its own, also when the session is open by then, and once",
        ],
      },
      {
        at: "5.3",
        needs: "Connection failed: an error",
        shown: ["agents/acp/misbehaving.test.ts > before the session is open > one that %s could not be started"],
      },
      {
        at: "5.3",
        needs: "No response in time: an error",
        shown: [
          "agents/acp/misbehaving.test.ts > before the session is open > one that never answers is given up after 30 s, and ended",
          "flows/acp-hanging.test.ts > a thread is told that its agent did not start, and the same message is done once when it is tried again",
        ],
      },
      {
        at: "5.4",
        needs: "`list_projects`",
        shown: [
          "discord/interactions/commands.test.ts > /project list > shows number, name, default tool, path and tools, and which directory is gone",
        ],
      },
      {
        at: "5.4",
        needs: "`get_active_project`, `switch_project`",
        shown: [
          "discord/interactions/projects.test.ts > /project switch > chooses the project that /start takes when none is named",
          "discord/interactions/projects.test.ts > /project switch > a project that is named goes before the active one, and one that was removed is active no longer",
        ],
      },
      {
        at: "5.4",
        needs: "`add_project` assigns a number",
        shown: [
          "discord/interactions/projects.test.ts > /project add > registers a directory under its own name, with the agents that are there, and says its number",
        ],
      },
      {
        at: "5.4",
        needs: "No such project: an error",
        shown: [
          "discord/interactions/projects.test.ts > /project switch > changes nothing for a project that there is not",
        ],
      },
      {
        at: "5.4",
        needs: "No such path: an error",
        shown: [
          "flows/commands.test.ts > a directory is registered where it really is; one that vanishes costs its jobs nothing but a retry",
        ],
      },
      {
        at: "5.5",
        needs: "`initialize`, `create_session`, `prompt`, `cancel`",
        shown: [
          "agents/acp/living.test.ts > one process and one session take prompt after prompt",
          "agents/acp/living.test.ts > a cancelled turn leaves the process alive, and the next prompt is answered",
        ],
      },
      {
        at: "5.5",
        needs: "`close` ends the process cleanly",
        shown: [
          "agents/acp/living.test.ts > closed while it asks, it is refused, told to stop, and its session is closed before it ends",
        ],
      },
      {
        at: "5.5",
        needs: "`kill` ends it by SIGKILL",
        shown: ["agents/acp/living.test.ts > closed at once, it gets no word of the protocol"],
      },
      {
        at: "5.5",
        needs: "30 minutes without `session/update`: killed",
        ruled: "cancelled, and killed 5 s later; the clock stops while the owner is asked",
        shown: [
          "agents/run/idle-timeout.test.ts > after 30 minutes without an update it is cancelled, and killed where it has not ended its turn 5 s later",
          "agents/run/idle-timeout.test.ts > while its owner is asked the time stands still",
        ],
      },
      {
        at: "5.5",
        needs: "Each update restarts the timer",
        shown: [
          "agents/run/idle-timeout.test.ts > an update in minute 29 begins the half hour anew",
          "agents/acp/living.test.ts > a sign of life is an update of its session, and nothing else that it writes",
        ],
      },
      {
        at: "5.5",
        needs: "Its message in the thread",
        shown: [
          "flows/japanese.test.ts > every sentence that is fixed for Japanese is said as it is fixed",
          "flows/closed.test.ts > an agent that gives no sign of life is ended, and its session closed with a sentence",
        ],
      },
    ],
    "6 Data": [
      {
        at: "6.1",
        needs: "A session's id is a UUID",
        ruled: "it is the thread's id, unique as well",
        shown: [
          "discord/threads/session-starts.test.ts > a wanted session gets a message, a thread on it, and the session's id is the thread's",
        ],
      },
      {
        at: "6.1",
        needs: "A session's user",
        ruled: "one owner for all",
        shown: [
          "flows/servers.test.ts > a token file that others can read, and another owner, are said with the key; the other owner stops the start",
        ],
      },
      {
        at: "6.1",
        needs: "A session's project",
        shown: [
          "core/sessions/session.test.ts > %s is refused",
          "core/sessions/session.test.ts > a session is wanted first, and opened when its thread is there",
        ],
      },
      {
        at: "6.1",
        needs: "A session's state",
        shown: ["discord/interactions/agents/agents.test.ts > /agent status > says %s"],
      },
      {
        at: "6.1",
        needs: "A session's thread, or null",
        shown: ["core/sessions/session.test.ts > a session is wanted first, and opened when its thread is there"],
      },
      {
        at: "6.1",
        needs: "A session's ACP id, set once initialized",
        shown: [
          "core/sessions/session.test.ts > the session's key is kept under its tool's own name for it, and is what the next job resumes by",
          "flows/agent-commands.test.ts > /agent start > the agent that was started before the thread takes its first message",
        ],
      },
      {
        at: "6.1",
        needs: "A session's creation time",
        shown: ["core/sessions/session.test.ts > a session is wanted first, and opened when its thread is there"],
      },
      {
        at: "6.1",
        needs: "A session's last activity, updated with each update",
        ruled: "read from the live agent, not recorded each time",
        shown: ["discord/interactions/agents/agents.test.ts > /agent status > has the five fields in their order"],
      },
      {
        at: "6.1",
        needs: "A project's number, from 1, unique",
        shown: ["core/projects/project.test.ts > no number is given twice, also after the last project was removed"],
      },
      {
        at: "6.1",
        needs: "A project's path exists",
        ruled: "a project whose path is gone is reported as unavailable",
        shown: [
          "config/availability.test.ts > a project is unavailable exactly when its path is no directory now",
          "discord/interactions/projects.test.ts > /start > a project whose directory is gone opens no session",
        ],
      },
      {
        at: "6.1",
        needs: "A project is active or not, by default not",
        shown: [
          "discord/interactions/projects.test.ts > /project switch > chooses the project that /start takes when none is named",
        ],
      },
      {
        at: "6.2",
        needs: "Created, then Active once connected",
        shown: [
          "discord/interactions/agents/agents.test.ts > /agent status > says %s",
          "flows/agent-commands.test.ts > /agent start > the agent that was started before the thread takes its first message",
        ],
      },
      {
        at: "6.2",
        needs: "Created: closing is allowed",
        shown: ["agents/acp/misbehaving.test.ts > cancelled > while it opens, it ends at once"],
      },
      {
        at: "6.2",
        needs: "Active: a prompt and closing are allowed",
        shown: [
          "flows/agent-commands.test.ts > /agent start > the agent that was started before the thread takes its first message",
          "flows/agent-commands.test.ts > /agent stop ends the agent and keeps the conversation; a message reopens the session",
        ],
      },
      {
        at: "6.2",
        needs: "Active, Prompting, Active",
        shown: ["flows/japanese.test.ts > every sentence that is fixed for Japanese is said as it is fixed"],
      },
      {
        at: "6.2",
        needs: "Closed from Active and from Prompting",
        shown: [
          "flows/agent-commands.test.ts > /agent stop ends the agent and keeps the conversation; a message reopens the session",
          "flows/agent-commands.test.ts > /agent kill ends one that hears nothing, with the job that runs, and leaves what waits",
        ],
      },
      {
        at: "6.2",
        needs: "Closed if the connection fails",
        ruled: "no session is created at all",
        shown: [
          "flows/agent-commands.test.ts > /agent start > an agent that cannot be started (%s) says why in the reader's language, and leaves no thread, no process and no start",
        ],
      },
      {
        at: "6.2",
        needs: "While prompting, only closing is allowed",
        ruled: "further messages wait in the queue",
        shown: [
          "discord/interactions/agents/agents.test.ts > /agent %s > closes the session, ends its agent and says so, and how to go on",
        ],
      },
      {
        at: "6.2",
        needs: "Closed: nothing is allowed",
        ruled: "it can be opened again",
        shown: [
          "core/jobs/closing.test.ts > a message in a closed session becomes no job, and is refused once",
          "core/jobs/closing.test.ts > reopened with the message that was refused, it runs it once, after what waited before",
          "flows/closed.test.ts > what is said of a closed session says how it is opened again",
        ],
      },
    ],
    "7 Settings": [
      {
        at: "7.1",
        needs: "`DISCORD_BOT_TOKEN`, required",
        shown: ["config/settings.test.ts > the token > missing is said with the three ways to set it"],
      },
      {
        at: "7.1",
        needs: "`DISCORD_GUILD_ID`, required; commands in that guild",
        ruled: "else the channel's guild, else the only one the bot is in",
        shown: [
          "flows/commands.test.ts > the commands are written to the guild once; a restart that finds them there writes nothing",
          "flows/mcp/notices.test.ts > with a token and a channel alone it is the application's owner who is obeyed, in the channel's guild, and the log says so",
        ],
      },
      {
        at: "7.1",
        needs: "`DISCORD_ALLOWED_USER_ID`, required",
        ruled: "or `DISCORD_OWNER_ID`; else the application's owner",
        shown: [
          "docs.test.ts > .env.example > names every variable of the settings once, and no other",
          "flows/mcp/foreign-bot.test.ts > an application that changes hands hands over nothing; a configured owner does, and the log says so",
        ],
      },
      {
        at: "7.1",
        needs: "`AGENT_COMMAND`, by default `claude-code-acp`",
        ruled: "by default `claude-agent-acp`, else that one",
        shown: [
          "flows/acp.test.ts > AGENT_COMMAND says what the tool acp runs, whatever config.json says",
          "flows/acp-misbehaving.test.ts > the earlier name of an agent is found, one that cannot be set to ask is used where its owner said so, one that takes folders is granted its own, and one that was never prompted is opened anew",
        ],
      },
      {
        at: "7.2",
        needs: "`PROJECTS`: a list of paths, numbered in order",
        shown: [
          "flows/named-projects.test.ts > are registered in their order, once, also where one is missing; and no number is given twice",
          "flows/named-projects.test.ts > each entry counts for itself: a bad one is named in the log and by doctor, and the others are projects",
        ],
      },
    ],
    "8 Errors": [
      {
        at: "8.1",
        needs: "Other users: not told, logged as WARN",
        ruled: "a command gets a refusal that only its user sees",
        shown: [
          "flows/strangers.test.ts > a stranger's message in a session's thread has no effect and no reply, and is logged",
          "flows/strangers.test.ts > a stranger's slash command and button get only an ephemeral refusal; their autocomplete nothing",
        ],
      },
      {
        at: "8.1",
        needs: "Input errors: a specific message, logged as INFO",
        shown: [
          "discord/interactions/commands.test.ts > every interaction > of a command that is refused is logged as what it is: %s",
          "flows/logged.test.ts > a refused command and a refused message are in the log, under their code and at its level",
        ],
      },
      {
        at: "8.1",
        needs: "State errors: says what to do, logged as WARN",
        shown: [
          "discord/interactions/commands.test.ts > every interaction > of a command that is refused is logged as what it is: %s",
          "base/words.test.ts > every error has a sentence that says more than what happened",
          "flows/logged.test.ts > a refused command and a refused message are in the log, under their code and at its level",
        ],
      },
      {
        at: "8.1",
        needs: "Connection errors: a general message, logged as ERROR, no retry",
        shown: [
          "flows/agent-commands.test.ts > /agent start > an agent that cannot be started (%s) says why in the reader's language, and leaves no thread, no process and no start",
          "discord/interactions/agents/agents.test.ts > /agent start > whose agent cannot be started is logged as an error",
          "flows/acp-hanging.test.ts > a thread is told that its agent did not start, and the same message is done once when it is tried again",
        ],
      },
      {
        at: "8.1",
        needs: "Internal errors: a general message, logged as ERROR with the stack",
        shown: [
          "base/words.test.ts > in Japanese %s begins with the words that its first users know: %s",
          "discord/interactions/commands.test.ts > every interaction > of a command nobody knows says that something went wrong, and is logged",
          "base/log.test.ts > the log > gives every failure its code, details and stack, and an unforeseen one E_INTERNAL",
        ],
      },
      {
        at: "8.2",
        needs: "Discord: three tries with exponential backoff",
        ruled: "a post is retried until it is delivered",
        shown: [
          "discord/api/request-scheduler.test.ts > no connection > what got no answer goes again until it gets one, with growing pauses",
          "flows/network.test.ts > an answer that meets 503s is delivered once, when they are over, and the agent ran once",
        ],
      },
      { at: "8.2", needs: "ACP: no retry", shown: ["flows/acp.test.ts > the demo agent > that fails says why, once"] },
    ],
    "9 Quality": [
      {
        at: "9.1",
        needs: "Commands acknowledged within 3 s",
        shown: [
          "flows/commands.test.ts > a command is acknowledged while Discord is slow with what it asks for, and answered when that is done",
          "flows/faults/d08-d09-presses.test.ts > D8: a press is acknowledged at once while everything else must wait, works after two restarts, and twice is once",
        ],
      },
      {
        at: "9.1",
        needs: "The stream begins within 5 s",
        ruled: "measured by the bench, because tests have no clock; these show that words appear as they come",
        shown: [
          "discord/delivery/live-stream.test.ts > streaming > what is written to its end is shown without gathering more, but not sooner than an edit may follow",
          "flows/acp-page.test.ts > streams, thinks, plans, shows an edit whole before it asks, asks questions, and tells its status and its usage",
        ],
      },
      {
        at: "9.1",
        needs: "Ten or more sessions at once",
        shown: [
          "flows/many-at-once.test.ts > twelve sessions work at the same time, each answers in its own thread, and no internal error is logged",
          "flows/living.test.ts > an agent sleeps and wakes in its conversation > though fifty sessions share four places",
        ],
      },
      {
        at: "9.2",
        needs: "Restarted after a crash",
        shown: [
          "cli/unit.test.ts > the unit > is started again only after ends that a restart may help",
          "flows/supervised.test.ts > systemd hears that it is ready, that it is alive and that it stops; its agents are told nothing of systemd",
        ],
      },
      {
        at: "9.2",
        needs: "`/agent status` is the health check",
        shown: [
          "flows/agent-commands.test.ts > /agent start > the agent that was started before the thread takes its first message",
        ],
      },
      {
        at: "9.2",
        needs: "SIGTERM closes the sessions",
        ruled: "it ends the processes; the sessions stay open",
        shown: [
          "flows/acp.test.ts > the demo agent > ends with its daemon, and its session stays open",
          "flows/living.test.ts > when the daemon ends > in order, its idle agents end before it",
        ],
      },
      {
        at: "9.3",
        needs: "The token comes from the environment, git ignores `.env`",
        shown: [
          "docs.test.ts > .env.example > is what git takes, and `.env` beside it is ignored",
          "flows/secrets.test.ts > the token is neither in the running daemon's environ nor in any descendant's environ or argv",
        ],
      },
      {
        at: "9.3",
        needs: "The allowed user only",
        shown: [
          "discord/intake/strangers.test.ts > whatever comes in > 10,000 times: it is the owner's only if Discord's own ids say so, and nothing makes it throw",
        ],
      },
      {
        at: "9.3",
        needs: "Only registered paths",
        ruled: "an agent starts only in a registered project; Bellhop has no sandbox beyond that, but the agent asks",
        shown: [
          "core/sessions/session.test.ts > %s is refused",
          "agents/acp/modes.test.ts > an agent that is known > is set to a mode that asks",
        ],
      },
      {
        at: "9.3",
        needs: "Other users are ignored",
        ruled: "their messages get no reply, their commands a refusal that only they see",
        shown: [
          "flows/strangers.test.ts > a stranger's message in a session's thread has no effect and no reply, and is logged",
          "flows/strangers.test.ts > a stranger's slash command and button get only an ephemeral refusal; their autocomplete nothing",
        ],
      },
    ],
    "10 Open points": [
      {
        needs: "TBD-1: session history",
        ruled: "kept: the conversation is resumed, and what was said is on disk",
        shown: [
          "agents/acp/world.agent.ts > %s in a thread > when its daemon is killed, leaves nothing running, repeats nothing, tells its owner, and goes on with its conversation",
          "flows/acp.test.ts > the demo agent > killed with its daemon is unknown, leaves nothing running, and its conversation goes on",
        ],
      },
      {
        needs: "TBD-2: attachments",
        ruled: "passed on, as links, images or text; a marker in its answer sends a file",
        shown: [
          "flows/sent-files.test.ts > of an agent that speaks ACP: it is told of its folder, and its file comes",
          "agents/acp/blocks.test.ts > the files of a prompt > are links, and images where the agent takes them",
          "agents/files.agent.ts > %s has the text of a file that is sent with a message, and does not ask for it",
        ],
      },
    ],
    "11 Goals": [
      {
        needs: "UC-1, UC-2 and UC-3 work",
        shown: [
          "flows/japanese.test.ts > every sentence that is fixed for Japanese is said as it is fixed",
          "flows/agent-commands.test.ts > /agent start > the agent that was started before the thread takes its first message",
        ],
      },
      {
        needs: "Answers look right in Discord",
        shown: [
          "flows/acp-page.test.ts > streams, thinks, plans, shows an edit whole before it asks, asks questions, and tells its status and its usage",
          "discord/text/rendering-limit.test.ts > any Markdown in messages of any length > says every word of the source, in its order where there is no table",
        ],
      },
      {
        needs: "Internal errors under 1 %",
        shown: [
          "flows/many-at-once.test.ts > twelve sessions work at the same time, each answers in its own thread, and no internal error is logged",
        ],
      },
    ],
    "A Formatting": [
      {
        at: "A.1",
        needs: "Up to 2,000 characters: one message",
        shown: ["discord/text/split.test.ts > a text that fits is one message, and an empty one none"],
      },
      {
        at: "A.1",
        needs: "More: split at line ends",
        shown: [
          "discord/text/split.test.ts > a cut falls %s",
          "discord/text/split.test.ts > no character is lost: the bodies joined are the text",
        ],
      },
      {
        at: "A.1",
        needs: "Code blocks stay whole or are opened again",
        shown: [
          "discord/text/split.test.ts > code is closed at the end of a message and opened again with its language",
          "discord/text/split.test.ts > a fence that fits whole into the next message is not cut",
        ],
      },
      {
        at: "A.2",
        needs: "Text as it is, with its Markdown",
        shown: ["discord/text/agent-text.test.ts > plain prose and code come through unchanged"],
      },
      {
        at: "A.2",
        needs: "Code in fences",
        shown: ["discord/text/agent-text.test.ts > every fence that is opened is closed in the same message"],
      },
      {
        at: "A.2",
        needs: "A running tool: a line, removed after 5 s",
        ruled: "on the job's card, removed 5 s after it ended; one that failed or was denied stays",
        shown: [
          "discord/delivery/live-stream.test.ts > streaming > a tool that ended well leaves the card after five seconds, counted; one that failed or was denied stays",
          "discord/views/thread.test.ts > a job that runs > shows its tools as they happen, in the words of the person's language",
        ],
      },
    ],
    "B Sequence": [
      {
        at: "B.1",
        needs: "Spawn, `initialize`, `session/new`, then the thread, then the reply",
        shown: [
          "flows/agent-commands.test.ts > /agent start > the agent that was started before the thread takes its first message",
          "discord/threads/session-starts.test.ts > a start that wants its agent first gets no thread before that is open, and its agent is handed over with the thread",
        ],
      },
      {
        at: "B.1",
        needs: "A message, `session/prompt`, updates, the answer",
        shown: [
          "agents/acp/living.test.ts > one process and one session take prompt after prompt",
          "flows/acp.test.ts > the demo agent > answers, its answer is kept as it was streamed, and the next job goes on with the conversation",
        ],
      },
    ],
  },
};
