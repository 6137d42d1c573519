/** The English sentences of errors, in the order of `base/errors.ts`: what happened, and what to do next. */
export const errorWords = {
  E_OWNER_ONLY: "Only the owner of this Bellhop can do that. Ask them, or run your own Bellhop.",
  E_NOT_IN_MANAGED_THREAD: "There is no session here. Go to a session's thread, or start a session with `/start`.",
  E_PROJECT_NOT_FOUND: "There is no project named {project}. `/project list` shows all projects.",
  E_PROJECT_EXISTS: "A project named {project} already exists. Choose another name.",
  E_INVALID_PATH:
    "{path} is not a directory Bellhop can use. Give the absolute path of a directory on the machine where Bellhop runs.",
  E_PROJECT_CHANGED:
    "{project} has changed since you last saw it, so nothing in it was run. Write in its thread; Bellhop asks you there first.",
  E_INVALID_TOOLSET:
    "These tools cannot be used: {found}. Name one or more of {known}, each once, and choose the default tool from the ones you name.",
  E_TOOL_NOT_ENABLED: "{tool} is not among this project's tools ({tools}). Choose one of them.",
  E_SESSION_NOT_FOUND: "There is no session {session}. Start a new one with `/start`.",
  E_THREAD_ACCESS_FAILED:
    "Discord denied Bellhop access to the thread {thread}. Check that it still exists and that the bot can view, write in and manage it, then try again.",
  E_THREAD_FOREIGN:
    "{thread} is neither the channel of this MCP server nor one of its threads, so nothing was posted there. Use the thread_id of an earlier result, or none.",
  E_PLACE_REFUSED: "Bellhop cannot use {place}: {reason}. Change that in Discord, then try again.",
  E_COMMANDS_REFUSED:
    "Discord does not let Bellhop register its slash commands: the bot was invited without the scope applications.commands. Invite it again with {link} and the commands appear by themselves.",
  E_QUEUE_FULL:
    "This message was not queued: {limit} messages are already waiting in this thread. Send it again when some of them are done.",
  E_SEND_FAILED:
    "The running agent did not take this message, so it still waits for its turn, now as the first in the queue. You don't need to do anything.",
  E_JOB_NOT_RETRYABLE:
    "{job} can't be retried. Only a job that failed or was cut off by a crash can. Send what you want as a new message.",
  E_CLI_TIMEOUT:
    "The agent produced no output for too long and was stopped. Retry, or raise limits.cli_timeout_sec in config.json.",
  E_CLI_EXIT_NONZERO: "{tool} stopped: {reason}. Fix the cause, then press Retry.",
  E_ADAPTER_PARSE:
    "Bellhop could not understand the agent's output: {reason}. Check the job's log to see whether the agent is a newer version, then retry.",
  E_LINE_REFUSED:
    "The agent ended without a result that Bellhop could read, because a line of its output was too long or nested too deeply. Ask it to write large output to a file, then retry.",
  E_ADAPTER_MISSING_RESULT: "The agent ended without a result. Check its output in the job's log before you retry.",
  E_ADAPTER_SESSION_KEY_MISSING:
    "The agent did not report its session, so this conversation cannot be continued later. Retry.",
  E_DISCORD_RATE_LIMIT:
    "Discord kept asking Bellhop to slow down, so this message was not sent, and it will not be sent later. Send it again in a few minutes.",
  E_AGENT_START_FAILED:
    "The agent could not be started. Check that its command is installed and works on the machine where Bellhop runs, then retry.",
  E_AGENT_UNGUARDED:
    "The agent was stopped: it is in its mode {mode}, in which it may act without asking, and could not be set back. Remove that mode from its own settings on Bellhop's machine, then retry.",
  E_BACKGROUND_ENDED:
    "What the agent still did in the background ended with its process: {what}. If you still need it, ask for it again.",
  E_BACKGROUND_SILENT:
    "What the agent did in the background gave no sign of life for longer than limits.background_work_sec in config.json allows, so it was ended: {what}. If you still need it, ask for it again, or raise that limit.",
  E_AGENT_SILENT:
    "The agent did not respond for too long, so it was stopped and its session closed. To open it again, write here and press *Reopen and send*, or start a new one with `/start`.",
  E_NO_ACTIVE_SESSION: "There is no open session here. Start one with `/start`.",
  E_SESSION_CLOSED:
    "This session is closed, so your message was not queued. Reopen it, or start a new one with `/start`.",
  E_SESSION_BUSY:
    "Something still runs, waits or asks in this session, so nothing was forgotten. Stop it with `/cancel` or `/agent stop`, clear what waits with `/queue`, answer what is asked, and try again.",
  E_SESSION_FORGETTING: "This session is being forgotten right now. Try again in a moment.",
  E_MODEL_UNAVAILABLE: "The agent does not offer the model {model}. Choose one that `/agent model` suggests.",
  E_MODE_UNAVAILABLE:
    "The mode {mode} cannot be chosen here. `/agent mode` lists those that can, once the agent has run. A mode in which the agent asks for less has to be named in the project's arguments first.",
  E_EFFORT_UNAVAILABLE: "The effort {effort} cannot be chosen for this agent. `/agent effort` lists those that can.",
  E_NOT_COMPACTED: "The conversation was not made shorter: {reason}. It goes on as it is; `/new` begins a new one.",
  E_LOCKED:
    "Bellhop is locked: nothing starts, nothing is allowed, and messages are not kept for later, until the owner opens it with `/unlock`.",
  E_KEPT_OUT:
    "This message was written before Bellhop was unlocked, so it was not taken. If it is yours and you still want it, send it again.",
  E_NOT_LOCKED: "Bellhop is not locked: there is nothing to unlock.",
  E_WORD_WRONG:
    "That is not the word. {left} more wrong {left|one closes|ones close} `/unlock` for 15 minutes. On the machine, bellhop unlock shows a new word.",
  E_WORD_CLOSED:
    "There were too many wrong words, so `/unlock` takes none for {minutes} more {minutes|minute|minutes}. On the machine, bellhop unlock shows a new word after that.",
  E_BUDGET_INVALID:
    "“{found}” is not an amount. Write one above 0 with its unit, such as `5 USD` or `200k tokens`; `off` for none; `default` for what config.json says.",
  E_BUDGET_UNIT: "This budget counts {unit}, and nothing is converted: give the new limit in {unit}.",
  E_BUDGET_USED: "Already used: {used} {unit}. The new limit has to be higher.",
  E_DECISION_CLOSED:
    "This has already been answered or has expired, so nothing was changed. The agent will ask again if it still needs an answer.",
  E_TOO_MANY_QUESTIONS:
    "This was not asked: {limit} of your questions are open already. Wait until some of them are answered.",
  E_QUESTIONS_TOO_LONG:
    "This was not asked: together with the questions that are open already, it is longer than {limit} million characters. Wait until some of them are answered, or ask with less context.",
  E_ATTACHMENT_REFUSED: "{name} was not passed to the agent: {why}.",
  E_ATTACHMENT_CHANGED:
    "{name} is not what you sent any more: on this machine it was changed, replaced or removed before the agent was given it. The agent was given nothing. Send the file again.",
  E_JOURNAL_CORRUPT:
    "The journal cannot be read: {file}, byte {offset}, sequence number {seq}: “{found}”. Nothing was started or changed. If it names another version, start the Bellhop that wrote it, or set STATE_DIR to an empty directory. Otherwise it is damaged: `bellhop journal verify` shows how much is damaged; `bellhop journal repair` repairs it and keeps a copy of the original.",
  E_JOURNAL_WRITE:
    "Bellhop could not write its journal (`{reason}`). It stopped, so that nothing it accepted is lost. Free up disk space or repair the disk, then start Bellhop again.",
  E_JOURNAL_MISSING:
    "There is no journal in {path} yet. The first `{command}` makes it. If there should be one, check STATE_DIR.",
  E_CONFIG_INVALID: "{where}: found {found}, expected {expected}. {mend}",
  E_CONFIG_WRITE:
    "Bellhop could not write {path} (`{reason}`). What you chose in Discord still applies. Make the file writable again, and Bellhop adds it there.",
  E_FILE_REFUSED:
    "Bellhop could not read or write a file on its machine: {reason}. Fix the cause there, then try again.",
  E_DISK_FULL:
    "The disk of Bellhop's machine is full, so nothing new starts. Free up space there, then try again. Jobs that wait in a queue start by themselves.",
  E_DAEMON_RUNNING:
    "Another Bellhop (process {pid}) is already using {path}. Use that one, stop it first, or set STATE_DIR to another directory.",
  E_WORKTREE_DIRTY:
    "The worktree {path} has uncommitted or unpushed work, so it was kept. Save that work, or confirm that it can be deleted.",
  E_WORKTREE_NO_COMMIT:
    "No worktree can be made for {path}: it is not in a git repository, or the repository has no commit yet. Commit something there, or take `isolation` out of the project in config.json; then retry.",
  E_WORKTREE_IN_USE:
    "No worktree was made: {path} or the branch {branch} is there already and is not this session's. Rename or remove it, then retry.",
  E_WORKTREE_FAILED:
    "Git failed on the worktree {path}: {reason}. Nothing was left half done. Check the repository and the free disk space, then try again.",
  E_WORKTREE_GONE:
    "This session's worktree {path} is gone, so nothing runs here any more. Please archive this thread, and start a new session with `/start`. Its branch {branch} is still there unless it was deleted too.",
  E_TOKEN_REFUSED:
    "Discord rejected the bot token. Copy a new one from your application's Bot page in the Discord developer portal and start again.",
  E_INTENT_REFUSED:
    "Discord rejected the bot's intents. Turn on Message Content Intent on your application's Bot page in the Discord developer portal and start again.",
  E_GATEWAY_REFUSED:
    "Discord does not accept connections from this version of Bellhop (close code {close_code}). Install the latest version and start again.",
  E_GATEWAY_ADDRESS:
    "Discord's gateway is said to be at {address}, which is not Discord's, so Bellhop does not send the bot token there and asks again. If this stays so, check what stands between this machine and Discord, such as a proxy or a DNS server, and `BELLHOP_DISCORD_API`.",
  E_EMPTY_PROMPT:
    "This message has nothing to pass to the agent. Write what you want done. If you did write something, Discord did not deliver it: turn on Message Content Intent on your application's Bot page in the Discord developer portal.",
  E_NOT_A_PROMPT: "Nothing was passed to the agent: {reason}. Write what you want done.",
  E_PROMPT_TOO_LONG:
    "This message is longer than {limit} characters, the most an agent can be given. Shorten it, or send it as a file.",
  E_INVALID_NAME: "{name} cannot be used as a project name. Use 1 to 40 characters from a–z, 0–9, - and _.",
  E_NOT_IN_TEXT_CHANNEL: "Sessions are started from a text channel, not from a thread. Use `/start` in a text channel.",
  E_RESUME_UNKNOWN:
    "The agent no longer knows this conversation and could not continue it. Your next message here starts a new one; the earlier messages stay above.",
  E_CONVERSATION_IN_USE: "This conversation already has a thread: {thread}. Write there to continue it.",
  E_CONVERSATION_IN_WINDOW:
    "This conversation is still open in a window, and the thread of that window is gone. Close the window with `/agent stop`, then continue the conversation here.",
  E_CONVERSATION_NOT_FOUND:
    "No conversation {conversation} of {project} was found on this machine. Type `/resume` again and choose one from the list.",
  E_ARGUMENT_REFUSED:
    "{argument} cannot be one of a project's arguments for {tool}: Bellhop sets it itself, or it would let the agent act without asking you. Remove it and try again.",
  any_acp_agent: "An agent that speaks ACP",
  E_CONVERSATION_FULL: "This conversation is full: the model takes no more of it. Begin a new one to go on.",
  E_OUT_OF_CREDITS:
    "The account that the agent uses is out of credits or has reached a spending limit. Whoever manages the account can lift that. Then try again, or choose another agent with `/tool`.",
  E_SERVICE_BUSY: "The model's service does not answer at the moment. Try again in a few minutes.",
  E_USAGE_LIMIT:
    "The agent's account has reached its usage limit. Retry when the limit resets, or run the job with another tool.",
  E_TERMINAL_BUSY: "Nothing could be typed into Claude's window. Attach with {attach} and look at it; the job waits.",
  E_PROMPT_NOT_TAKEN:
    "The prompt was typed into Claude's window, but Claude did not confirm it. Look at the window before you retry, because Claude may have taken it.",
  E_PROMPT_IS_COMMAND:
    "Claude's terminal would read `{first}` as a command, so the prompt was not typed. Put a word before it and send it again.",
  E_ADOPTION_CLOSED:
    "This Claude can no longer be adopted: it has ended, was adopted already, or was ignored. If you start Claude there again, Bellhop asks again.",
  E_TMUX_MISSING: "tmux is missing or older than 3.2 on Bellhop's machine. Install tmux 3.2 or newer, then retry.",
  E_NO_DAEMON: "Bellhop is not running for {dir}. Start it with `bellhop start`.",
  E_LINK_REFUSED: "The running Bellhop rejected this call: “{why}”. If it is a different version, restart it.",
  E_TOO_MANY_CALLS:
    "This caller has {limit} calls under way, which is the most. Wait until one of them has ended, then try again.",
  E_METHOD_UNKNOWN:
    "The running Bellhop does not know {method}, or does not allow it for this caller. If it is a different version, restart it.",
  E_JOB_NOT_FOUND: "There is no job {job}. The cards in its thread and `bellhop status` show all jobs.",
  E_UNIT_FOREIGN: "{path} was not written by Bellhop, so it was not changed. Move it away, then run the command again.",
  E_SERVICE_REFUSED: "The service was not changed: {why}",
  E_HOOKS_REFUSED: "{path} was not changed: {why}",
  E_BACKUP_REFUSED: "Nothing was written. {path}: {why}",
  E_PATH_REFUSED:
    "Bellhop cannot use {path} (`{reason}`). Make sure that it exists, that your user may read and write it, and that the disk is not full. Then run the command again.",
  E_INTERNAL:
    "Something unexpected went wrong inside Bellhop. The log app.ndjson has the details. Try again; if it happens again, please report it.",
};
