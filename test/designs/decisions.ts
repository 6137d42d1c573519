/** Design A, decisions: what it asks for, and the tests that show it. */
import type { Design } from "./design.ts";

export const decisions: Design = {
  letter: "A",
  title: "decisions",
  about:
    "An MCP server by which an agent asks its owner in Discord and waits for the answer, for as long as that takes.",
  chapters: {
    "1 Overview": [
      {
        at: "1.1",
        needs: "An agent asks in Discord and goes on with the answer",
        shown: [
          "flows/mcp/asking.test.ts > with a client of the SDK %s > a question is asked in a thread of its own and answered by what the owner writes there",
          "agents/claude/mcp.agent.ts > claude with our .mcp.json > asks the owner and is told his answer",
        ],
      },
      {
        at: "1.2",
        needs: "One bot per project",
        ruled: "one daemon serves them all, each by its own token",
        shown: [
          "flows/mcp/daemonless.test.ts > two projects with bots and channels of their own, each by its environment, are served by the one daemon that the first has started",
          "flows/mcp/questions.test.ts > another project's bot has its own thread in its own channel beside ours, and its token is nowhere",
        ],
      },
      {
        at: "1.2",
        needs: "Waits indefinitely by default; the agent never proceeds on its own",
        shown: [
          "engine/decision-expiry.test.ts > without a time it waits for ever, and no timer is armed for it",
          "agents/claude/interactive.agent.ts > a question… keeps it waiting, and the answer is the next thing its model hears",
        ],
      },
      {
        at: "1.2",
        needs: "Open questions survive a restart",
        shown: [
          "flows/mcp/questions.test.ts > a daemon that is killed while a question is open is asked again, keeps its one thread, and the answer given meanwhile counts",
        ],
      },
      {
        at: "1.2",
        needs: "Korean options and answers",
        shown: ["core/decisions/answers/read-answer.test.ts > what typed answers mean in %s > %j is read as %s"],
      },
      {
        at: "1.2",
        needs: "All communication goes through MCP tools",
        shown: ["client/mcp/server.test.ts > the tools > are the six of the design, with its parameters and defaults"],
      },
      {
        at: "1.3",
        needs: "Python, FastMCP",
        ruled: "TypeScript on Node, with the MCP SDK's protocol",
        shown: [
          "flows/mcp/client.test.ts > with a client of the SDK %s > it offers its six tools, and ends with its client",
          "client/mcp/server.test.ts > the server goes by the design's name",
        ],
      },
    ],
    "2 What is in the package": [
      {
        needs: "A watcher's start script",
        shown: [
          "scripts/start-discord-watch.test.ts > the script is shipped, may be run, and is beside the watcher it starts",
        ],
      },
      {
        needs: "Tests of parser and state",
        shown: [
          "core/decisions/answers/read-answer.test.ts > any typed answer > the tables hold more than three hundred",
          "core/decisions/pending-file.test.ts > the file of an open question is exactly as documented",
        ],
      },
      {
        needs: "`CLAUDE.md` for the agent",
        shown: [
          "client/mcp/guide.test.ts > the text for CLAUDE.md speaks of tools and fields that exist, and of our server",
        ],
      },
      {
        needs: "A README",
        shown: ["client/mcp/guide.test.ts > the guide's table has every tool with every parameter, and no other"],
      },
      {
        needs: "`mcp.json.example`",
        shown: [
          "client/mcp/guide.test.ts > the example starts a command of the package, with variables it reads, and the two of old are among them",
          "client/mcp/guide.test.ts > the guide shows the example as it is",
        ],
      },
    ],
    "3 Modules": [
      {
        at: "3.1",
        needs: "The server is `discord-decision-mcp`, with six tools",
        shown: [
          "client/mcp/server.test.ts > the server goes by the design's name",
          "client/mcp/server.test.ts > the tools > are the six of the design, with its parameters and defaults",
        ],
      },
      {
        at: "3.1",
        needs: "Run as `discord-mcp`",
        shown: [
          "package.test.ts > the installed package > has %s, which is %s by another name",
          "package.test.ts > the installed package > serves an agent's tools to a client that installed it, on nothing but its pipes",
        ],
      },
      {
        at: "3.2",
        needs: "`DISCORD_BOT_TOKEN`, with or without `Bot `",
        shown: [
          "config/settings.test.ts > the token > may carry `Bot ` before it",
          "client/settings.test.ts > the token travels by one name and without its prefix, wherever it came from",
        ],
      },
      {
        at: "3.2",
        needs: "The token is required",
        shown: [
          "flows/mcp/client.test.ts > what it cannot do it says in the answer to each call > no daemon, and no token to start one with",
        ],
      },
      {
        at: "3.2",
        needs: "`DISCORD_CHANNEL_ID` is required",
        ruled: "not in a session, which asks in its own thread, nor with a thread named",
        shown: [
          "flows/mcp/client.test.ts > what it cannot do it says in the answer to each call > no channel to ask in",
          "client/mcp/server.test.ts > what is wrong is answered with what to send instead > a channel that is missing, unless a thread is named or the session has one",
          "flows/mcp/session.test.ts > a client with only what agents get asks in the thread of its session, and is answered there",
        ],
      },
      {
        at: "3.2",
        needs: "`PROJECT_NAME` names the questions' ids",
        shown: [
          "flows/mcp/questions.test.ts > another project's bot has its own thread in its own channel beside ours, and its token is nowhere",
          "ipc/mcp/ask.test.ts > a question's id is a plain name, whatever the project is called, and no other has it",
        ],
      },
      {
        at: "3.2",
        needs: "`PENDING_DIR`, by default `~/.claude/pending_decisions`",
        shown: [
          "flows/mcp/questions.test.ts > another project's bot has its own thread in its own channel beside ours, and its token is nowhere",
        ],
      },
      {
        at: "3.2",
        needs: "`POLL_INTERVAL_SECONDS`, 5 by default",
        shown: [
          "config/settings.test.ts > settings > have a default for everything, and need nothing",
          "flows/listening.test.ts > without a gateway everything is read by requests: answers, prompts and the inbox, each once, also when it is back",
        ],
      },
      {
        at: "3.3.1",
        needs: "Sends messages, with embeds",
        shown: [
          "flows/mcp/notices.test.ts > a notice is an embed by its level, said once however often it is repeated, in the channel or the thread it names",
        ],
      },
      {
        at: "3.3.1",
        needs: "Reads messages after a given one",
        shown: [
          "discord/intake/catch-up/catch-up.test.ts > R16, R17: through any downtimes, losses and copies, each message that stands is one job, as it is now, in order",
        ],
      },
      {
        at: "3.3.1",
        needs: "Creates a thread with a first message",
        shown: [
          "discord/threads/question-threads.test.ts > a question gets a message that bears its name, and a thread on it called by its words, with the owner in it",
        ],
      },
      {
        at: "3.3.1",
        needs: "Archives the thread",
        shown: [
          "flows/mcp/questions.test.ts > a question gets a thread with the owner in it, his words become the answer, and the thread is put away when it was delivered",
          "discord/threads/archive-threads.test.ts > a thread is put away when its answer was delivered and stands there, once, over restarts too",
        ],
      },
      {
        at: "3.3.1",
        needs: "A 429 is waited out and retried",
        shown: [
          "flows/faults/d10-d13-d20-d22-posts.test.ts > D11: limits of a route, of everything and of others are waited out; nothing is lost, doubled or sent into a limit of our own making",
        ],
      },
      {
        at: "3.3.1",
        needs: "One client for all",
        ruled: "one request queue per bot, in the daemon",
        shown: [
          "discord/bots.test.ts > the daemon's own token, and no token, lead to its own bot; another token gets a bot of its own, once",
        ],
      },
      {
        at: "3.3.2",
        needs: "`MESSAGE_CREATE` is heard at once",
        shown: [
          "flows/mcp/asking.test.ts > with a client of the SDK %s > a question is asked in a thread of its own and answered by what the owner writes there",
          "discord/intake/catch-up/polling.test.ts > nothing is read while the gateway is there, nor when it is away for less than a look",
        ],
      },
      {
        at: "3.3.2",
        needs: "Works without the gateway",
        shown: [
          "flows/listening.test.ts > without a gateway everything is read by requests: answers, prompts and the inbox, each once, also when it is back",
          "discord/intake/catch-up/polling.test.ts > while it is away everything is read at the owner's interval, and no more once it is back",
        ],
      },
      {
        at: "3.3.2",
        needs: "Reconnects with exponential backoff",
        shown: [
          "discord/api/gateway/gateway.test.ts > a broken connection > that was %s is made again, and what is written then is accepted",
          "discord/api/gateway/gateway.test.ts > a broken connection > that cannot be made again is tried after pauses that double up to a minute",
        ],
      },
      {
        at: "3.3.2",
        needs: "Can be stopped",
        shown: ["discord/bots.test.ts > closing closes every bot that a client brought, and opens none"],
      },
      {
        at: "3.4.1",
        needs: "A duplicate question is not asked twice",
        ruled: "same project, question, context, options and thread, until its answer was delivered",
        shown: [
          "flows/mcp/questions.test.ts > to ask the same again is to wait for the same answer; what was delivered and is asked again is new",
          "core/decisions/decision.test.ts > the same id, and the same question of the same asker, is asked once while it can be answered or its answer was not fetched",
        ],
      },
      {
        at: "3.4.1",
        needs: "A thread is created, or the existing one is used",
        shown: [
          "flows/mcp/questions.test.ts > a thread that the agent names is used as it is, opened again where it was archived, and not put away; one that is none of ours is refused",
        ],
      },
      {
        at: "3.4.1",
        needs: "The question's file is written",
        shown: [
          "ipc/mirrors/question-files.test.ts > a question's file says after each change what is, for its owner alone",
          "ipc/mirrors/question-files.test.ts > what a kill left of a question's file is removed at the next start, and nothing else",
        ],
      },
      {
        at: "3.4.1",
        needs: "Waits for the answer",
        shown: [
          "client/mcp/server.test.ts > a question > waits for its answer, and counts as delivered once that is written",
          "flows/mcp/asking.test.ts > with a client of the SDK %s and an owner who takes … seconds > the call is answered, and was told all the while that it is waited",
        ],
      },
      {
        at: "3.4.1",
        needs: "SIGHUP leaves it `disconnected`",
        shown: [
          "flows/mcp/asking.test.ts > a client that ends while it waits leaves its question open > by %s; answered meanwhile, the next one that asks has the answer at once",
          "core/decisions/pending-file.test.ts > %j is %j",
        ],
      },
      {
        at: "3.4.2",
        needs: "Answers are found by reading the channel",
        shown: [
          "flows/listening.test.ts > without a gateway everything is read by requests: answers, prompts and the inbox, each once, also when it is back",
        ],
      },
      {
        at: "3.4.2",
        needs: "Waits indefinitely unless a timeout is given",
        shown: [
          "client/mcp/server.test.ts > the tools > are the six of the design, with its parameters and defaults",
          "core/decisions/decision.test.ts > what waits for ever never expires, and reminders come one after the other",
        ],
      },
      {
        at: "3.4.2",
        needs: "The agent's tmux pane shows that it waits",
        shown: [
          "flows/mcp/pane.test.ts > while a question waits, the pane says so; answered, it has its title again",
          "host/terminal/pane.test.ts > a title is only text: nothing in it is carried out when it is given back",
        ],
      },
      {
        at: "3.4.2",
        needs: "An ambiguous answer is asked again, twice at most",
        ruled: "“later” and a question back keep it open and do not count",
        shown: [
          "flows/mcp/questions.test.ts > an answer that is not understood is asked again twice, then the question is aborted, visibly, and nothing is guessed",
          "core/decisions/answering.test.ts > however often it is put off or asked back, the question stays open, and was never misunderstood",
        ],
      },
      {
        at: "3.4.3",
        needs: "An option by “A”, “a”, “A번”, “A로 해줘”, “1”, “1번”",
        shown: [
          "core/decisions/answers/read-answer.test.ts > what typed answers mean in %s > %j is read as %s",
          "core/decisions/answers/read-answer.test.ts > what typed answers mean where there are %s > %j to %s is read as %s",
        ],
      },
      {
        at: "3.4.3",
        needs: "Yes and no by “yes”, “네”, “예”, “no”, “아니요”",
        ruled: "where one option says yes and another no; elsewhere it asks which",
        shown: [
          "core/decisions/answers/yes-to-options.test.ts > in %s > %j to %j of [%s] is read as %s",
          "core/decisions/answers/yes-to-options.test.ts > whatever the options are > a bare yes or no to options that do not say so chooses none of them, and asks which one",
          "flows/mcp/which-one.test.ts > where they are yes and no, a yes is the answer at once, and a polite request is a yes",
        ],
      },
      {
        at: "3.4.3",
        needs: "Own words, of 15 characters or 3 of Hangul",
        shown: [
          "core/decisions/answers/read-answer.test.ts > words of one's own begin at 15 characters, or at three letters of Hangul, Kana or Han: %j is read as %s",
          "flows/mcp/asking.test.ts > an answer in the owner's own words is handed over as it is, with no option",
          "flows/mcp/which-one.test.ts > where they are not, a polite request is an answer in one's own words",
        ],
      },
      {
        at: "3.4.3",
        needs: "A message for asking again",
        shown: [
          "discord/views/decisions/decision-posts.test.ts > a question > that was not understood says why below, and how to answer",
          "discord/views/decisions/decision-posts.test.ts > a question > whose options are %j is asked again with the names that are shown",
        ],
      },
      {
        at: "3.4.4",
        needs: "One file per question, with all its fields",
        shown: ["core/decisions/pending-file.test.ts > the file of an open question is exactly as documented"],
      },
      {
        at: "3.4.4",
        needs: "The five states",
        ruled: "a timeout is `aborted` in the file",
        shown: ["core/decisions/pending-file.test.ts > %j is %j"],
      },
      {
        at: "3.4.4",
        needs: "Saved, loaded, all pending loaded",
        ruled: "the journal is what is loaded, the files are mirrors",
        shown: [
          "ipc/mirrors/question-files.test.ts > what somebody writes into it changes nothing, and a link in its place is replaced, not followed",
          "ipc/mirrors/question-files.test.ts > after a restart an open question's file is put right, and one that is settled only where its owner has left it",
        ],
      },
      {
        at: "3.4.4",
        needs: "Resolved with answer and option",
        shown: ["core/decisions/pending-file.test.ts > %j is %j"],
      },
      {
        at: "3.4.4",
        needs: "Detects a duplicate question",
        shown: [
          "core/decisions/decision-laws.test.ts > asking the very same again while it can be answered, or was answered and not delivered, asks nothing anew",
        ],
      },
      {
        at: "3.5",
        needs: "Only `discord_ask_decision` waits",
        shown: [
          "client/mcp/server.test.ts > the tools > answer with the result's fields, as text and as an object",
          "flows/mcp/posts.test.ts > what is told to the owner > a notification is in the channel, or in the thread that is named, and is named by its message",
        ],
      },
      {
        at: "3.6.1",
        needs: "`discord-watch --interval 10`",
        shown: [
          "cli/terminal/watch-view.test.ts > %j is a wrong call, and is told how it is called",
          "flows/watch.test.ts > what the owner writes in the channel is shown once, also what he writes while the daemon is away, and goes into the inbox file",
        ],
      },
      {
        at: "3.6.1",
        needs: "In a tmux session of its own",
        shown: [
          "scripts/start-discord-watch.test.ts > with tmux > it starts one session, in this directory, with what it is given, and nothing of that is carried out",
        ],
      },
      {
        at: "3.6.1",
        needs: "Watches the given channels",
        shown: ["ipc/watch.test.ts > first how each channel stands, then each message once, as it comes in"],
      },
      {
        at: "3.6.1",
        needs: "New messages go into the inbox",
        shown: [
          "flows/watch.test.ts > what the owner writes in the channel is shown once, also what he writes while the daemon is away, and goes into the inbox file",
        ],
      },
      {
        at: "3.6.1",
        needs: "Shows its status in its pane",
        shown: [
          "cli/terminal/watch-view.test.ts > in a terminal the last line is renewed in place, and messages stand above it",
          "ipc/watch.test.ts > as often as it wants it is told how things stand, also when nothing happens",
        ],
      },
      {
        at: "3.6.2",
        needs: "The inbox file and a message's eight fields",
        shown: [
          "ipc/mirrors/inbox-file.test.ts > the file has the documented fields and no others, one last_message_id for several channels, and only its owner can read it",
        ],
      },
      {
        at: "3.6.2",
        needs: "Messages are added, read, marked as read and cleared",
        shown: [
          "core/inbox/inbox.test.ts > reading marks, clearing takes away, and neither says anything of messages that are not there",
          "flows/mcp/posts.test.ts > the inbox > holds what the owner wrote in the channel, until it is read and cleared",
        ],
      },
    ],
    "4 How data flows": [
      {
        at: "4.1",
        needs: "Duplicate check, then thread, then file",
        ruled: "on disk before anybody learns of it, then its thread",
        shown: [
          "ipc/mcp/ask.test.ts > a question is on disk before anybody learns of it, with all that its client brought and no token",
          "core/decisions/pending-file.test.ts > before there is a thread its place is empty; what no agent asked through its tools has no file",
        ],
      },
      {
        at: "4.1",
        needs: "Waits, parses the answer, asks again if it is ambiguous, returns the result",
        shown: [
          "flows/mcp/questions.test.ts > an answer that is not understood is asked again twice, then the question is aborted, visibly, and nothing is guessed",
          "ipc/mcp/ask.test.ts > each end is reported in the documented fields",
        ],
      },
      {
        at: "4.2",
        needs: "Watching starts at the newest message",
        shown: [
          "discord/intake/direct-messages.test.ts > a watched channel > is watched from its newest message on: nothing old is replayed",
        ],
      },
      {
        at: "4.2",
        needs: "Polls every ten seconds and writes the inbox file",
        ruled: "the gateway delivers at once; the interval is how often the watcher shows its status",
        shown: [
          "flows/mcp/posts.test.ts > the inbox > holds what the owner wrote in the channel, until it is read and cleared",
          "ipc/watch.test.ts > as often as it wants it is told how things stand, also when nothing happens",
        ],
      },
      {
        at: "4.3",
        needs: "A session begins with `discord_check_pending`",
        shown: [
          "client/mcp/guide.test.ts > the text for CLAUDE.md speaks of tools and fields that exist, and of our server",
          "flows/mcp/first-moments.test.ts > the first check for open questions waits until what was answered meanwhile has been read",
        ],
      },
      {
        at: "4.3",
        needs: "The question files are read",
        ruled: "the journal keeps the questions; the files are only written",
        shown: [
          "flows/mcp/asking.test.ts > what was answered while nobody listened is told once by the check for open questions, what was not stays pending",
          "ipc/mirrors/question-files.test.ts > what somebody writes into it changes nothing, and a link in its place is replaced, not followed",
        ],
      },
      {
        at: "4.3",
        needs: "A question answered meanwhile is resolved",
        shown: [
          "flows/mcp/asking.test.ts > what was answered while nobody listened is told once by the check for open questions, what was not stays pending",
          "flows/mcp/first-moments.test.ts > the first check for open questions waits until what was answered meanwhile has been read",
        ],
      },
      {
        at: "4.3",
        needs: "An unanswered question says that it is still waiting",
        shown: [
          "flows/mcp/questions.test.ts > a caller that stops waiting leaves its question open; it can still be answered, and the answer is given when it is asked for",
        ],
      },
    ],
    "5 Tools": [
      {
        at: "5.1",
        needs: "`discord_ask_decision`: its five parameters",
        shown: ["client/mcp/server.test.ts > the tools > are the six of the design, with its parameters and defaults"],
      },
      {
        at: "5.1",
        needs: "Without options, any answer counts",
        shown: [
          "flows/mcp/questions.test.ts > a daemon that is killed while a question is open is asked again, keeps its one thread, and the answer given meanwhile counts",
          "core/decisions/decision.test.ts > a question with nothing to choose from takes words, whatever it says of them",
        ],
      },
      {
        at: "5.1",
        needs: "`timeout_seconds` ends the wait",
        shown: [
          "flows/mcp/asking.test.ts > a question with a time is given back unanswered when that is over",
          "ipc/mcp/ask.test.ts > each caller waits as long as it said: one that gives less time is told so, and the question stays open for the other",
        ],
      },
      {
        at: "5.1",
        needs: "`thread_id` names the thread",
        shown: [
          "flows/mcp/questions.test.ts > a thread that the agent names is used as it is, opened again where it was archived, and not put away; one that is none of ours is refused",
          "flows/refused-places.test.ts > a thread_id of another channel is refused by the rule, and not in Discord's name",
        ],
      },
      {
        at: "5.1",
        needs: "The six fields of its result; `answer` is the option's full text",
        shown: [
          "flows/mcp/questions.test.ts > a question gets a thread with the owner in it, his words become the answer, and the thread is put away when it was delivered",
          "ipc/mcp/ask.test.ts > each end is reported in the documented fields",
          "flows/mcp/asking.test.ts > the longest question there may be is asked within Discord's limits, can be read whole, and its answer is the option's full text",
        ],
      },
      {
        at: "5.1",
        needs: "Ids such as `project_20260301_abc123`",
        shown: [
          "flows/mcp/questions.test.ts > a question gets a thread with the owner in it, his words become the answer, and the thread is put away when it was delivered",
        ],
      },
      {
        at: "5.2",
        needs: "`discord_notify`: its parameters, level `info` by default",
        shown: ["client/mcp/server.test.ts > the tools > pass on what was sent, with the defaults for what was not"],
      },
      {
        at: "5.2",
        needs: "Four levels, in the channel or the thread",
        shown: [
          "flows/mcp/notices.test.ts > a notice is an embed by its level, said once however often it is repeated, in the channel or the thread it names",
          "client/mcp/server.test.ts > what is wrong is answered with what to send instead > %s",
        ],
      },
      {
        at: "5.3",
        needs: "`discord_report_progress`: title, summary, details",
        shown: [
          "flows/mcp/posts.test.ts > what is told to the owner > a report has its title, its summary and its details",
          "flows/mcp/notices.test.ts > a report has its title, its summary and its points; one too long for a message comes whole as a file",
        ],
      },
      {
        at: "5.4",
        needs: "`discord_check_pending`: no parameters, its fields",
        shown: [
          "flows/mcp/asking.test.ts > what was answered while nobody listened is told once by the check for open questions, what was not stays pending",
          "flows/mcp/questions.test.ts > a caller that stops waiting leaves its question open; it can still be answered, and the answer is given when it is asked for",
        ],
      },
      {
        at: "5.5",
        needs: "`discord_read_inbox`: `unread_only`, `mark_read`",
        shown: [
          "flows/mcp/posts.test.ts > the inbox > holds what the owner wrote in the channel, until it is read and cleared",
          "ipc/mcp/inbox.test.ts > what was read is not handed out again, unless it is asked for, and marks nothing of another channel",
        ],
      },
      {
        at: "5.6",
        needs: "`discord_clear_inbox`: `read_only`",
        shown: [
          "ipc/mcp/inbox.test.ts > clearing takes away what was read, and unread messages only when that is asked for",
        ],
      },
    ],
    "6 Packages and commands": [
      {
        at: "6.1",
        needs: "Six Python packages",
        ruled: "each dependency of ours has its reason written down",
        shown: ["docs.test.ts > every dependency has its reason written down"],
      },
      {
        at: "6.2",
        needs: "Discord mocked in tests",
        ruled: "a strict Discord of our own, held against Discord's description",
        shown: [
          "packages/discord-sandbox/test/discord-js.test.ts > a bot of discord.js > answers a message, reacts to it and edits what it said",
          "packages/discord-sandbox/test/contract/bites.test.ts > what Discord's own description forbids is reported > %s",
        ],
      },
      {
        at: "6.3",
        needs: "`discord-mcp` and `discord-watch`",
        shown: ["package.test.ts > the installed package > has %s, which is %s by another name"],
      },
    ],
    "7 Files": [
      {
        at: "7.1",
        needs: "The question's file, field by field",
        shown: [
          "core/decisions/pending-file.test.ts > the file of an open question is exactly as documented",
          "flows/mcp/questions.test.ts > a question gets a thread with the owner in it, his words become the answer, and the thread is put away when it was delivered",
        ],
      },
      {
        at: "7.2",
        needs: "The inbox file, with one `last_message_id`",
        shown: [
          "ipc/mirrors/inbox-file.test.ts > the file has the documented fields and no others, one last_message_id for several channels, and only its owner can read it",
        ],
      },
    ],
    "8 Principles": [
      {
        at: "8.1",
        needs: "One client, one store, one inbox",
        ruled: "one daemon per state directory",
        shown: [
          "flows/refused-start.test.ts > a second daemon on the same state directory is refused, and the first continues",
          "flows/mcp/daemonless.test.ts > two that start one at once leave one daemon, and both are served",
        ],
      },
      {
        at: "8.1",
        needs: "Everything asked is on disk",
        shown: [
          "ipc/mcp/ask.test.ts > a question is on disk before anybody learns of it, with all that its client brought and no token",
        ],
      },
      {
        at: "8.1",
        needs: "No timeout by default",
        shown: ["engine/decision-expiry.test.ts > without a time it waits for ever, and no timer is armed for it"],
      },
      {
        at: "8.1",
        needs: "Asked again twice at most",
        shown: [
          "core/decisions/answering.test.ts > one thing is open in a session > a question is asked again twice, and the third time given up, by nobody's answer",
        ],
      },
      {
        at: "8.1",
        needs: "A 429 is waited out",
        shown: [
          "discord/api/request-scheduler.test.ts > limits > a 429 is obeyed to the millisecond, its bucket's or everybody's",
        ],
      },
      {
        at: "8.2",
        needs: "429: five tries",
        ruled: "a waiting caller is told then; a post that is due keeps waiting",
        shown: [
          "discord/api/request-scheduler.test.ts > limits > a caller that waits is told after so many 429s; a post that is due keeps waiting",
          'flows/mcp/notices.test.ts > after five times "slow down" the agent hears that its notice was not sent, and sent again it stands once',
        ],
      },
      {
        at: "8.2",
        needs: "A lost gateway connection is restored with exponential backoff",
        shown: [
          "discord/api/gateway/gateway.test.ts > a broken connection > that cannot be made again is tried after pauses that double up to a minute",
        ],
      },
      {
        at: "8.2",
        needs: "After asking again twice: aborted",
        shown: [
          "flows/mcp/questions.test.ts > an answer that is not understood is asked again twice, then the question is aborted, visibly, and nothing is guessed",
        ],
      },
      {
        at: "8.2",
        needs: "A timeout is announced, and the state is `aborted`",
        shown: [
          "flows/mcp/questions.test.ts > a question whose time runs out is withdrawn, says so in its thread, and nothing was decided",
        ],
      },
      {
        at: "8.2",
        needs: "A session that is cut off: state `disconnected`",
        shown: [
          "flows/mcp/asking.test.ts > a client that ends while it waits leaves its question open > by %s; answered meanwhile, the next one that asks has the answer at once",
          "flows/mcp/questions.test.ts > a caller that stops waiting leaves its question open; it can still be answered, and the answer is given when it is asked for",
        ],
      },
    ],
  },
};
