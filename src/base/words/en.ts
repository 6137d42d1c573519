/**
 * The English sentences, and with them the list of keys; the other three catalogues carry the same keys and the same
 * braces.
 */
import { agentWords } from "./agents/en.ts";
import { cliWords } from "./cli/en.ts";
import { commandWords } from "./commands/en.ts";
import { decisionWords } from "./decisions/en.ts";
import { errorWords } from "./errors/en.ts";
import { doctorWords } from "./doctor/en.ts";
import { initWords } from "./init/en.ts";
import { intakeWords } from "./intake/en.ts";
import { projectWords } from "./projects/en.ts";
import { reasonWords } from "./reasons/en.ts";

export const en = {
  // These come first, because spreading them into an object that has keys already costs each process 13 MB.
  ...agentWords,
  ...cliWords,
  ...commandWords,
  ...doctorWords,
  ...initWords,
  ...intakeWords,
  ...projectWords,
  ...reasonWords,
  ...decisionWords,
  ...errorWords,

  // The session thread: welcome, a job while it runs, its answer, its end.
  channel_watched:
    "The channel {channel} is not used for the project {project}: messages there go into the inbox of an agent. Choose another channel in config.json.",
  channel_elsewhere:
    "The channel {channel} is not used for the project {project}: it is not a text channel or forum that the bot sees in its server. Correct channel_id in config.json, or give the bot access.",
  welcome_title: "How this works",
  welcome_body:
    "Write here what you want done. Each message becomes a job for {tool} in {path}. Jobs run one at a time, in the order you write them.",
  welcome_channel: "This is the channel of {project}: each thread that you open here is a session of its own.",
  welcome_hints:
    "The reaction on your message shows the state of its job. `/status` shows what is running and what is waiting.",
  job_running: "running",
  job_stopping: "stopping",
  job_done: "done",
  job_failed: "failed",
  job_cancelled: "cancelled",
  job_took: "Also answers: {messages}",
  job_interrupted: "interrupted",
  end_answer: "answer",
  tool_running: "🔧 Running {tool}...",
  tool_denied: "{tool} was not allowed",
  tools_before: "Earlier tools: {count}",
  tools_failed: "failed tools: {count}",
  tokens_used: "{input} in / {output} out tokens",
  written_so_far: "{count} {count|character|characters} so far; the rest follows at the end",
  plan_title: "Plan, {done} of {count} done:",
  notice_model_retry: "The model did not respond. Trying again.",
  notice_form_declined: "The agent showed a form that cannot be asked here, so it was declined.",
  notice_unknown_agent: "The agent is not one Bellhop knows. Whether it asks before it acts is up to the agent itself.",
  notice_mode_changed: "The agent is now in its mode {mode}.",
  notice_mode_set_back:
    "The agent switched to its mode {mode}, in which it may act without asking. Bellhop switched it back.",
  notice_quiet: "The answer seems complete, but the agent has not ended its turn.",
  notice_opens_later:
    "The agent would lose this conversation if it were opened twice within a minute. It gets your message {in}.",
  context_share: "context {percent}% full",
  context_tokens: "{count} {count|token|tokens} of context",
  changed: "+{added} −{removed} in {files} {files|file|files}",
  changed_no_lines: "{files} {files|file|files} changed",
  tools_denied: "not allowed: {tools}",
  left_out_long:
    "A line of the agent's output ({bytes} bytes) was left out, because it is longer than {limit} MiB. Something may be missing here. Ask the agent to write large output to a file.",
  left_out_deep:
    "A line of the agent's output ({bytes} bytes) was left out, because it nests too deeply or holds too many values. Something may be missing here. Ask the agent to write large output to a file.",
  early_refusal: "The model refused to continue, so this may not be the whole answer. Ask it in other words.",
  early_max_tokens:
    "The answer was cut off, because the model's limit for one answer was reached. Ask the agent to continue.",
  early_max_turn_requests:
    "The agent stopped before it was done, because it had asked its model as often as it may in one turn. Ask it to continue.",
  button_diff: "Show the diff",
  noted_edited:
    "You edited this message after its job had started. The agent continues with the original text. Send what is new as another message.",
  noted_deleted: "A message was deleted after its job {job} had started. The job continues; `/cancel` stops it.",
  noted_taken_back:
    "A message was deleted before its job {job} had started, so the job was taken back and will not run. Discord does not say who deleted it.",
  noted_edited_sent:
    "You edited this message after it was sent to the agent, which goes by the original text. Send what is new as another message.",
  noted_deleted_sent:
    "A message was deleted after the agent had read it (job {job}). It stays part of the answer; `/cancel` stops that answer.",
  answer_command: "The agent ran {command} and said nothing of it.",
  conversation_compacted: "The conversation was made shorter.",
  conversation_compacted_to: "The conversation was made shorter: {before} → {after} tokens.",
  conversation_renewed: "A new conversation begins here. `/resume` finds the old one.",
  answer_empty: "The agent finished without saying anything.",
  answer_interrupted: "Cut off here because Bellhop or its machine stopped.",
  answer_stopped: "This is as far as it got.",
  answer_unreadable: "This is only the beginning: the full answer could not be read from {file}.",
  answer_unkept: "The answer could not be saved on Bellhop's machine. It is only here.",
  answer_unkept_cut:
    "This answer could not be saved, and Bellhop stopped before it was sure that all of it is here. If something is missing, it is lost.",
  answer_unrecorded:
    "Bellhop can no longer write to its disk and stopped. Everything the agent had said until then is above.",
  sent_not: "📎 {name} was not sent: {why}",
  sent_why_outside: "it is not in the folder for files to send.",
  sent_why_missing: "there is no such file.",
  sent_why_no_file: "it is not a regular file.",
  sent_why_too_large: "it is larger than the {limit} MiB that this server takes.",
  sent_why_many: "the agent sent too many files. This one and the ones after it were not sent.",
  sent_why_unreadable: "it could not be read.",
  answer_unrendered:
    "This answer could not be shown as messages. It is attached in full, and it is in {file} on Bellhop's machine.",
  answer_unrendered_unkept: "This answer could not be shown as messages. It is attached in full.",
  answer_unrendered_on_disk:
    "This answer could not be shown as messages, and it is too large to attach. It is in {file} on Bellhop's machine.",
  answer_middle:
    "{count} {count|character is|characters are} left out above. The full answer is attached. It ends with:",
  answer_middle_on_disk:
    "{count} {count|character is|characters are} left out above. The full answer is too large for Discord; it is in {file} on Bellhop's machine. It ends with:",
  answer_middle_lost:
    "{count} {count|character is|characters are} left out above. They could not be saved on Bellhop's machine. The answer ends with:",
  end_why: "Why: {reason}",
  quoted: "“{words}”",
  end_install: "To install it: {install}",
  crash_what:
    "Bellhop or its machine stopped while this job was running. Bellhop can't tell how far it got, so it won't rerun it without you.",
  crash_what_kept:
    "Bellhop or its machine stopped while this job was running. Everything the agent had said until then is above. Nothing is rerun automatically.",
  crash_sent:
    "Bellhop or its machine stopped while this message was being sent into a running answer. Bellhop can't tell whether the agent has read it, so it won't send it again without you.",
  crash_taken_back:
    "You took this message back (job {job}) while it was being sent into a running answer, and Bellhop or its machine stopped before the agent had confirmed that. Bellhop can't tell whether the agent has read it, and won't send it again without you.",
  crash_tools: "Finished before that:",
  crash_no_tools: "No tool had finished before that.",
  crash_choose: "Choose below, or just write your next message.",
  crash_waiting:
    "Waiting in this thread: {count}. Choose below, or just write your next message. The queue then continues in order.",
  settled_retry: "Run again as {job}.",
  settled_discard: "You discarded it. The queue continues.",
  settled_message: "You wrote your next message. The queue continues in order.",
  button_retry: "Retry",
  button_discard: "Discard",
  crash_goes_on: "The queue continued without it.",
  crash_asked_to_stop: "You had asked Bellhop to stop it.",
  crash_changes: "Changes in its directory since it started: **{changes}**.",
  crash_no_changes: "Nothing in its directory has changed since it started.",
  crash_changes_unknown: "Bellhop can't tell what it changed in its directory.",
  crash_patch: "Everything that changed while {job} was running:",
  settled_continue: "Continued as {job}.",
  button_continue: "Continue",
  wait_stuck_login: "The agent cannot use its login",
  wait_stuck_full: "The conversation is full",
  wait_stuck_model: "The model is not available",
  wait_stuck_credits: "The account is out of credits",
  wait_stuck_locked: "Waiting since before the lock",
  wait_stuck_locked_says:
    "Bellhop was locked, so what waits here does not start by itself. Press {button} to go on with it.",
  wait_stuck_busy: "The model's service does not answer",
  wait_stuck_config_model:
    "config.json sets this model. Change it there for the whole project, or choose one below for this thread.",
  wait_stuck_tries: "It is tried again {in}.",
  wait_stuck_kept: "Your message waits here with all that follow it. None is lost.",
  wait_stuck_done:
    "{job} may have done something, so it is not run again by itself; *{button}* below it does that. What you wrote after it waits here.",
  button_try_again: "Try again",
  button_new_conversation: "New conversation",
  button_compact: "Compact",
  button_choose_model: "Choose a model",
  button_other_tool: "Other tool",
  button_drop_waiting: "Drop the waiting ones",
  stuck_model: "Which model should be used here?",
  stuck_model_more: "Which model should be used here? `/agent model` suggests all that the agent offers.",
  stuck_model_pick: "Choose a model",
  stuck_model_name: "The model's name, as its agent calls it",
  stuck_tool: "Which tool should continue here? It gets everything that waits in this thread.",
  stuck_tool_pick: "Choose a tool",
  stuck_dropped: "Dropped {count} waiting {count|message|messages}.",
  wait_limit_title: "The agent has reached its usage limit",
  wait_limit:
    "{tool} can't continue until its limit resets. This thread tries again automatically on {at}, {in}. What you write until then waits in the queue, and nothing is lost. Other threads continue.",
  wait_limit_asks:
    "{tool} can't continue until its limit resets on {at}, {in}. Bellhop then asks here whether to continue. What you write until then waits in the queue, and nothing is lost. Other threads continue.",
  wait_limit_again:
    "{tool} reached its limit again after this thread had continued automatically. The limit resets on {at}, {in}, and Bellhop then asks here before it continues. What you write until then waits in the queue, and nothing is lost.",
  wait_limit_untimed:
    "{tool} can't continue, and did not say a usable time when its limit resets. This thread tries again automatically on {at}, {in}. What you write until then waits in the queue, and nothing is lost. Other threads continue.",
  wait_limit_untimed_asks:
    "{tool} did not say a usable time when it resets. Press the button to try again, or write your next message.",
  wait_limit_holds: "The usage limit still holds.",
  wait_lifted_title: "The usage limit has been reset",
  wait_lifted:
    "{tool} can continue. Press the button or write your next message, and the queue of this thread continues.",
  wait_lifted_retry: "{tool} can work again. {job} failed at the limit: retry it, or write your next message.",
  wait_reset: "The usage limit has been reset.",
  outside_background: "The agent reports from work in the background.",
  outside_lost: "Work that the agent had left in the background has ended.",
  outside_terminal: "Typed at the terminal:",
  outside_unknown: "Bellhop or its machine stopped while the agent reported this. Bellhop can't tell how far it got.",
  outside_unknown_kept:
    "Bellhop or its machine stopped while the agent reported this. Everything it had said until then is above.",
  wait_checkout_title: "The branch has changed since this conversation",
  wait_checkout: "The agent remembers the files as they were then, but it would work on the files as they are now.",
  wait_was: "Then: {checkout}",
  wait_is: "Now: {checkout}",
  checkout_at: "{branch} at {commit} in {path}",
  checkout_here: "{branch} at {commit}",
  checkout_no_branch: "no branch",
  checkout_no_commit: "no commit",
  wait_terminal_title: "Waiting for the terminal",
  wait_disk_title: "The disk is full",
  wait_disk:
    "The disk of Bellhop's machine is full. Nothing new starts until there is room there; then this goes on by itself.",
  wait_terminal_start:
    "Claude was opened in its window but has not said that it is ready. It may be asking something there that only you can answer. Attach to the window, answer it, and this job starts. Nothing was typed.",
  wait_terminal_dialog:
    "Claude shows a dialog in its window. Answer it there or in its message here, and this job starts. Nothing was typed.",
  wait_terminal_draft:
    "There is unsent text in the prompt box of Claude's window, so nothing was typed. This job starts by itself when that text was sent or deleted there.",
  wait_terminal_clear: "{button} takes it out of the box and types your message. The text stays here:",
  wait_terminal_cleared: "Before your message was typed, this was cleared from the prompt box:",
  wait_terminal_mode:
    "The window is in a mode of tmux in which nothing can be typed, and Bellhop could not end it. This job starts by itself when you leave it (q).",
  wait_terminal_busy: "Claude is still working in its window. This job starts when it has finished.",
  wait_terminal_hidden:
    "The prompt box of Claude's window is not visible, or it does not show the whole message. Attach to the window and close what covers the box; if this job does not start then, press {button}. Claude was not given the message, and nothing of it was left in the box.",
  wait_terminal_attach: "To attach: {command}",
  wait_held: "waiting",
  wait_over: "It is no longer waiting.",
  wait_dropped: "Dropped. It did not run.",
  button_go_on: "Continue now",
  button_fresh: "New conversation here",
  button_try_now: "Try now",
  button_clear_draft: "Clear the draft and send",
  button_drop: "Drop it",
  diff_none: "The patch of this job is no longer on Bellhop's machine.",
  diff_too_large: "The patch is too large for Discord. It is in {file} on Bellhop's machine.",

  // What an agent asks its owner, and the options it has.
  decision_allow_once: "Allow once",
  decision_allow_session: "Allow for this session",
  decision_deny: "Deny",
  decision_approve: "Approve",
  decision_reject: "Reject",
  decision_permission: "{agent} wants to use {object}",
  decision_run: "{agent} wants to run {object}",
  decision_write: "{agent} wants to write {object}",
  decision_create: "{agent} wants to create {object}",
  decision_change: "{agent} wants to change {object}",
  decision_delete: "{agent} wants to delete {object}",
  decision_move: "{agent} wants to move {object} to {where}",
  decision_read: "{agent} wants to read {object}",
  decision_fetch: "{agent} wants to open {object}",
  decision_search: "{agent} wants to search the web for {object}",
  decision_plan_mode: "{agent} wants to switch to plan mode",
  decision_use: "{agent} wants to use {object} of server {where}",
  decision_plan: "May {agent} carry out this plan?",
  reminder_waits: "Waiting for your answer since {since}: {link}",
  reminder_reply: "Reply to this message with your answer, or answer there.",
  reminder_look: "Look at all of it there before you answer.",
  reminder_settled: "Settled: {link}",
  no_longer: "This no longer applies.",
  agent_in_tmux: "Claude in tmux",

  // What Discord would not take where it belongs (discord/).
  post_elsewhere: "Project {project}, from {thread}, where Bellhop can no longer write:",
  post_refused: "Discord rejected this message (error {code}). The full answer is in {file} on Bellhop's machine.",
  post_refused_other:
    "Discord rejected a message that belongs here (error {code}). The log app.ndjson has the details.",
  post_refused_attached: "Its text is in the attached file.",

  // Files that come with a message, and messages read back.
  file_why_size: "it is larger than {limit} MB",
  file_why_slow: "it did not arrive within {seconds} {seconds|second|seconds}",
  file_why_address: "it does not come from Discord",
  file_why_gone: "Discord did not provide it (status {status})",
  file_why_network: "the connection was lost",
  file_why_many: "only the first {limit} files of a message are accepted",
  file_why_hour: "more than {limit} MB arrived within one hour",
  file_why_disk: "it could not be saved on Bellhop's machine ({reason})",
  catch_up_title: "Catching up",
  catch_up_left: "Bellhop is reading what was written while it was away. Threads left: {count}. Next: {threads}",
  catch_up_unreadable:
    "Discord does not let Bellhop read these threads. What is waiting in them is kept, and runs only when they can be read again: {threads}",

  // The greeting in the owner's channel.
  hello_title: "Bellhop is ready",
  hello_create: "First add a directory on Bellhop's machine as a project:",
  hello_start: "Then start a session. Write in its thread what you want done:",
  hello_start_only: "Start a session. Write in its thread what you want done:",
  hello_here:
    "Or just write here what you want done: Bellhop asks which project you mean, and starts a session with your message.",
  hello_inbox:
    "What you write in this channel goes to the inbox that your agents read. To open a session with a message, mention the bot in it.",
  hello_found: "{tool} {version} is installed.",
  hello_missing: "{tool} is not installed. On Bellhop's machine, install it with {install} and log in with {login}.",
  hello_demo:
    "{tool} {version} is the demo agent that comes with Bellhop. It has no model and is only for trying things out. For a real agent, run {install} on Bellhop's machine, log in with {login}, and start Bellhop again.",

  // Slash commands: names, descriptions, answers (discord/commands/).
  cmd_project: "project",
  cmd_project_says: "Directories Bellhop may work in",
  cmd_project_create: "create",
  cmd_project_create_says: "Register a directory and the tools allowed in it",
  cmd_project_list: "list",
  cmd_project_list_says: "Show the registered projects",
  cmd_start: "start",
  cmd_start_says: "Start a new session in its own thread",
  cmd_status: "status",
  cmd_status_says: "Show the state of this thread's session, and the open agents",
  opt_name: "name",
  opt_name_says: "Its name: a-z, 0-9, - and _, at most 40 characters",
  opt_path: "path",
  opt_path_says: "Absolute path of a directory on Bellhop's machine",
  opt_tools_csv: "tools_csv",
  opt_tools_csv_says: "Tools allowed in it, separated by commas, for example claude,codex",
  opt_default_tool: "default_tool",
  opt_default_tool_says: "The tool a new session starts with",
  opt_args_json: "args_json",
  opt_args_json_says: 'Arguments per tool as JSON, for example {"claude":["--model","opus"]}',
  opt_project_name: "project_name",
  opt_project_name_says: "The project; optional if there is only one",
  project_created: "Project {project} is registered. Start a session in it with `/start`.",
  projects_title: "Projects",
  projects_none: "No projects are registered. Register one with `/project create`.",
  projects_more: "{count} more {count|is|are} not shown.",
  field_path: "path",
  field_tools: "tools",
  field_default_tool: "default tool",
  start_delayed:
    "Discord makes Bellhop wait before it may open another thread here. The session opens by itself {time}.",
  start_opened: "Session {thread} is open, its id is {session}. Write there what you want done.",
  start_which: "There are several projects. Choose one: {projects}",
  resume_goes_on: "It continues “{about}”, last used {when}.",
  resume_branch: "It was on the branch **{branch}**.",
  resume_said: "Last answer: “{words}”",
  resume_end_there:
    "If it is still open in a terminal, end it there before you write here: two programs must not write to one conversation.",
  retry_queued: "Running again as {job}.",
  discarded_before: "This was already settled; nothing was changed.",
  mend_args_json: "Write it as JSON: for each of the project's tools, a list of strings.",
  thread_starter: "Session for {project} with {tool}",
  question_starter: "**{project}** asks: {question}",
  question_restarted:
    "The agent's session has begun again, and this question is still open. Answer it here; it will be picked up.",
  question_lapsed: "Nobody answered in time, so this question was withdrawn. Nothing was decided for you.",
  told_unrendered: "This could not be shown as a message. It is attached in full as {file}.",
  told_beginning: "This is the beginning; the full text is in {file}.",

  // Settings (config/).
  "config.want.token": "a Discord bot token, three parts joined by dots",
  "config.want.user_id": "your own Discord user id, 17 to 20 digits",
  "config.want.snowflake": "a Discord id, 17 to 20 digits in quotes where the file is JSON",
  "config.want.one_of": "one of {names}",
  "config.want.seconds": "a number of seconds above 0 and up to {max}",
  "config.want.texts": "a JSON array of strings, such as {example}",
  "config.want.api":
    "an https address, or an http address on this machine, without user name, password, query or fragment",
  "config.want.api_in_file":
    "discord.com or an address on this machine, because {path} is a file and only the environment may name another",
  "config.want.unread":
    "no settings of Bellhop in that file, because Bellhop does not read it: it may have come with a repository",
  "config.want.private_file": "a regular file that you own and nobody else can read (mode 0600)",
  "config.want.readable_file": "a readable file, or no file at all",
  "config.want.same_owner": "the same owner as {other}, which is {id}",
  "config.want.json": "valid JSON",
  "config.want.text": "a string in quotes",
  "config.want.whole_number": "a whole number",
  "config.want.at_least": "at least {min}",
  "config.want.at_most": "at most {max}",
  "config.want.not_empty": "at least one entry",
  "config.want.list": "a list in square brackets",
  "config.want.object": "an object in braces",
  "config.want.project_name": "a project name of 1 to 40 characters from a-z, 0-9, - and _",
  "config.want.free_tool_name": "a name other than {names}",
  "config.want.own_channel": "an id that no other channel or thread in this file has",
  "config.want.unwatched_channel": "a channel other than DISCORD_CHANNEL_ID, whose messages are for agents to read",
  "config.want.not_as_root": "another mode: Claude Code does not take this one while Bellhop runs as root",
  "config.want.own_directory": "a directory that no other project with a channel uses",
  "config.want.own_place": "an existing directory without symbolic links on the way, apart from Bellhop's own",
  "config.want.same_as_key": "the same name as its key",
  "config.want.absolute_path": "an absolute path",
  "config.want.unique": "each tool only once",
  "config.want.enabled_tool": "one of this project's enabled_tools",
  "config.want.no_nul": "a string without NUL characters",
  "config.want.variable_name": "the name of a variable, or a prefix followed by *",
  "config.want.tool_name": "a tool's name, such as `Bash`",
  "config.want.session_name": "a name of 1 to 60 letters, digits, - and _",
  "config.want.own_to_server": "a value that no other server has",
  "config.want.same_guild": "the server that DISCORD_GUILD_ID names, {id}, because this entry has no token of its own",
  "config.want.other_token": "a token that no other server has",
  "config.mend.restart": "Correct it in config.json and start Bellhop again.",
  "config.want.owner": "the owner's Discord user id, because Discord does not say who owns the application",
  "config.want.channel": "a channel that the bot can see, in a server it is in",
  "config.want.application": "the id of the application that the token is of, {id}",
  "config.want.one_guild": "exactly one server the bot is in",
  "config.want.ascending": "each reminder later than the previous one",
  "config.want.hours": "two different times of day, such as 22:00-08:00",
  "config.want.amount": "a number above 0",
  "config.want.budget_unit": "`tokens` or a currency's three capital letters, such as USD",
  "config.want.time_zone": "a time zone's name, such as Asia/Seoul",
  "config.mend.application": "Correct DISCORD_APP_ID, or use the token of that application, and start again.",
  "config.mend.no_guild": "Invite the bot to your server with {link} and start again.",
  "config.mend.one_guild": "Invite the bot to your server, or set DISCORD_GUILD_ID, and start again.",
  "config.mend.token":
    "Copy it from the Bot page of your application in the Discord developer portal into {name} and start again.",
  "config.mend.token_missing":
    "Set DISCORD_BOT_TOKEN, DISCORD_TOKEN or DISCORD_TOKEN_FILE and start again, or run `bellhop sandbox` to use Bellhop without Discord.",
  "config.mend.user_id":
    "Turn on Developer Mode in Discord, right-click your name, choose Copy User ID, put it into {name} and start again.",
  "config.mend.snowflake":
    "Turn on Developer Mode in Discord, right-click the item, choose Copy ID, put it into {name} and start again.",
  "config.mend.variable": "Correct {name} in the environment or in .env and start again.",
  "config.mend.api_in_file":
    "If you trust that address with your token, set {name} in the environment and start again.",
  "config.mend.unread":
    "If the file is yours, add `--env-file {path}` or move these lines to {config}. If it is not, start in another directory.",
  "config.mend.private_file": "Name your token's file, run `chmod 600 {path}` and start again.",
  "config.mend.no_file": "There is no file {path}. Write its full path and start again.",
  "config.mend.readable_file": "Check the permissions of {path} and start again.",
  "config.mend.same_owner": "Remove one of the two, or set both to the same person, and start again.",
  "config.mend.config": "Fix it in config.json. Nothing was changed.",
  "config.found.nothing": "nothing",
  "config.found.secret": "{length} characters in another form",
  "config.unknown": "{where} is not a setting Bellhop knows. It is kept but has no effect.",
  "config.unknown_near": "{where} is not a setting Bellhop knows. It is kept but has no effect. Did you mean {near}?",
  "config.entry_left_out": "{name}: entry {number} ({found}) is not an absolute path and was left out.",
  "config.named_unreadable": "{name}: {path} is not a directory that Bellhop can use.",
  "config.roots_cut":
    "PROJECT_ROOTS holds {count} repositories; the first {limit} by path are projects. Add others with /project add.",
  "config.not_yet": "{where} is set, but this version of Bellhop does not use it yet.",
  "config.two_tokens": "{first} and {second} hold different tokens. {first} is used.",
  "config.strange_line": "{path} line {line} is not in the form NAME=value and was ignored.",
  "config.pass_env_refused":
    "config.json pass_env: {entry} is not passed to any agent. Discord's and Bellhop's own variables are never passed on.",
  "config.project_unavailable":
    "The project {project} is unavailable: {path} is not a directory at the moment. Everything else works.",

  // The command line (cli/).
  "cli.usage": "Usage: bellhop <verb> [options]",
  "cli.start": "runs the daemon: it connects to Discord and runs your agents",
  "cli.sandbox": "runs the daemon with its own local Discord and prints the link to it",
  "cli.journal": "verifies, repairs or exports the journal",
  "cli.help": "bellhop --version prints the version, bellhop --help prints this text.",
  stops_after_jobs: "Bellhop stops when the running jobs have ended.",
  "cli.ready_clients": "ready for agents' questions, without a bot of its own; state in {dir}",
  "cli.ready": "ready: server {guild}, owner {owner}, state in {dir}",
  "cli.ready_bare": "ready, but without slash commands: server {guild}, owner {owner}, state in {dir}",
  "cli.ready_sandbox": "ready: open {link} in your browser",
  "cli.journal.whole": "The journal is intact: {events} {events|event|events}, {bytes} bytes, files: {files}.",
  "cli.journal.damaged":
    "Damaged: {file}, byte {offset}, where event {seq} should be: {found}. The {events} {events|event|events} before it {events|is|are} intact.",
  "cli.journal.covered":
    "The snapshot and everything after it are intact, so Bellhop starts and works. The damage is before event {seq}, in old history, and is left as it is.",
  "cli.journal.forgotten": "{count} {count|event was|events were} forgotten: blanked with their sessions.",
  "cli.journal.hole":
    "Bellhop starts and works. What explained the blanked event was probably cut off by a repair; forget its session again with `bellhop forget`.",
  "cli.journal.torn": "A crash cut off {bytes} bytes after the last event. The next start sets them aside.",
  "cli.journal.newline": "Only the newline of the last event is missing. The next start adds it.",
  "cli.journal.snapshot.good": "The snapshot is valid and ends at event {seq}.",
  "cli.journal.snapshot.missing": "There is no snapshot; the next start reads every event.",
  "cli.journal.snapshot.unusable": "The snapshot cannot be used ({found}); the next start rebuilds it from the events.",
  "cli.journal.snapshot.ahead":
    "The snapshot ends at event {seq}, which is not in the journal: events are missing at its end. `bellhop journal repair` sets the snapshot aside.",
  "cli.journal.snapshot.foreign":
    "The snapshot ends at event {seq}, but the journal has a different event there. `bellhop journal repair` sets the snapshot aside.",
  "cli.journal.nothing": "Nothing needs repair; nothing was changed.",
  "cli.journal.cut": "Cut off from event {seq} on: {events} {events|event|events}, {bytes} bytes.",
  "cli.journal.kept": "The original is kept as {copy}.",
  project_unavailable: "its directory is missing",
  start_in: "Go to {channel}.",
} as const;
