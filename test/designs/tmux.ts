/** Design D, tmux: what it asks for, and the tests that show it. */
import type { Design } from "./design.ts";

export const tmux: Design = {
  letter: "D",
  title: "tmux",
  about:
    "The Claude Code that is open in tmux, from Discord: a channel is a project, a thread a window; hooks tell what Claude does and asks.",
  chapters: {
    Architecture: [
      {
        needs: "One bot per server",
        shown: [
          "flows/servers.test.ts > a session belongs to the bot of its server, also after a restart, and what was written meanwhile is caught up in both",
        ],
      },
      {
        needs: "`tmux send-keys -l`, as a bracketed paste",
        ruled: "`load-buffer` and `paste-buffer -p`, Enter separately, and only into an empty prompt box",
        shown: [
          "host/terminal/tmux.test.ts > 500 hostile prompts and one of 30 kB arrive byte for byte, each in pastes of its own",
          "agents/tmux/pasting.agent.ts > hostile prompts are taken byte for byte, or refused and not typed",
        ],
      },
      {
        needs: "One tmux session per server",
        shown: ["flows/panel.test.ts > each server's panel shows and starts what runs in that server"],
      },
      {
        needs: "Claude's hooks deliver its answers",
        shown: [
          "agents/claude/hooks.agent.ts > it tells of its turn from the beginning to the end, by the process that is Claude, and a yes lets the tool run",
        ],
      },
      {
        needs: "Token and channel are resolved from the cwd",
        ruled: "the daemon posts, by window and session; a hook never sees a token",
        shown: [
          "flows/servers.test.ts > a server's token is in no process's environment or arguments, no log and no journal",
          "engine/hook-channel.test.ts > a call goes to the taker whose Claude it is",
        ],
      },
      {
        needs: "Several servers and projects",
        shown: [
          "flows/servers.test.ts > in the second server too a stranger has no effect, and the commands and buttons there are its own bot's",
          "flows/panel.test.ts > each server's panel shows and starts what runs in that server",
        ],
      },
      {
        needs: "Channels and directories map 1:1",
        shown: [
          "config/session-settings.test.ts > a channel stands for one directory, and a directory for one channel > %s is refused, and it says where",
          "flows/project-channel.test.ts > a channel given to two projects is refused at the start, by name",
        ],
      },
      {
        needs: "The longest path match with the cwd decides",
        ruled: "the cwd only decides which Claude may be adopted; windows are identified by themselves",
        shown: [
          "agents/tmux/adoption.agent.ts > by a setting the first is taken unasked; a second, a headless, a nested one and one elsewhere are left alone",
          "agents/tmux/adoption.agent.ts > the owner's Claude is taken by a button, answers both sides, and goes on when it is given back",
        ],
      },
    ],
    "Messages to Claude": [
      {
        needs: "The owner's message in a project's channel is handled",
        shown: [
          "flows/project-channel.test.ts > a project's channel and the owner's threads there are sessions, and its history never runs",
        ],
      },
      {
        needs: "Only the owner's messages are",
        shown: [
          "flows/project-channel.test.ts > in a project's channel a stranger's word and a stranger's thread have no effect, and an answer to an agent is no prompt",
        ],
      },
      {
        needs: "The channel determines the project",
        shown: [
          "core/sessions/places.test.ts > a place is taken once, for a project there is, with a tool that is allowed in it",
          "config/session-settings.test.ts > a channel stands for one directory, and a directory for one channel > %s is refused, and it says where",
        ],
      },
      {
        needs: "The text goes to that project's Claude",
        shown: [
          "agents/tmux/projects.agent.ts > a channel's window is there from the start, also after the machine was started anew, and the panel shows and ends it",
          "flows/channel-windows.test.ts > a channel and each thread in it have a window of their own, and none knows or answers what was asked in another",
        ],
      },
      {
        needs: "Files are kept in `/tmp/discord-uploads/`, their paths added",
        ruled: "in the session's own folder of the state directory",
        shown: [
          "flows/faults/d19-attachments.test.ts > D19: files are kept beside the prompt, alone are a prompt, are asked for again, and refused keep no words from running",
          "host/files/files.test.ts > a file lies in its message's folder, readable by its owner alone and never executable",
        ],
      },
      {
        needs: "30 s per file",
        shown: [
          "discord/intake/uploads/uploads.test.ts > what is too much > a file that has not come after thirty seconds is given up",
        ],
      },
      {
        needs: "50 MB per file",
        shown: [
          "discord/intake/uploads/uploads.test.ts > what is too much > a file beyond 50 MB is cut off as it streams, whatever its length was said to be",
          "discord/intake/uploads/uploads.test.ts > what is too much > exactly 50 MB is taken",
        ],
      },
    ],
    "Answers from Claude": [
      {
        needs: "The Stop hook signals the end",
        shown: [
          "agents/claude/hooks.agent.ts > it tells of its turn from the beginning to the end, by the process that is Claude, and a yes lets the tool run",
          "flows/windows.test.ts > the end of a turn that no daemon heard is heard by the next one, however long it takes to find the window",
        ],
      },
      {
        needs: "`last_assistant_message` is the answer",
        ruled: "joined with what was shown before, nothing twice",
        shown: [
          "agents/tmux/answer-parts.test.ts > two messages are two paragraphs, and the last one is not said again at the end",
          "agents/tmux/answer-parts.test.ts > what is missing comes with the end, where %s",
        ],
      },
      {
        needs: "The channel is found by the longest path match",
        ruled: "by the window and its session",
        shown: [
          "agents/tmux/window.agent.ts > prompts are typed into one window and answered; what would be a command is not typed",
          "flows/window-hooks.test.ts > hooks that come again, at once and long after, and those of another user's Claude, change nothing",
        ],
      },
      {
        needs: "It is posted, with files",
        shown: [
          "agents/tmux/window.agent.ts > prompts are typed into one window and answered; what would be a command is not typed",
          "flows/channel-windows.test.ts > a file that a Claude in a window names is sent from its session's own folder",
        ],
      },
    ],
    "Files from Claude": [
      {
        needs: "`[DISCORD_ATTACH: name]` in the answer sends a file",
        ruled: "for every agent, also several in one answer",
        shown: [
          "flows/sent-files.test.ts > of %s: its own come, others are refused with a reason, and no marker is seen",
          "agents/run/attach-markers.test.ts > %j",
          "agents/files.agent.ts > %s puts a file into its folder and sends it",
        ],
      },
      {
        needs: "Only from `/tmp/discord-bridge-outputs/`",
        ruled: "only from the session's own folder, named by `BELLHOP_OUTPUTS`",
        shown: [
          "host/files/attachments.test.ts > links out of it, of either kind, and folders that are links, lead nowhere",
          "flows/sent-files.test.ts > of %s: its own come, others are refused with a reason, and no marker is seen",
        ],
      },
      {
        needs: "A file name, or a relative path below the folder",
        shown: ["host/files/attachments.test.ts > %s is a file of the folder"],
      },
      {
        needs: "A path outside the folder is ignored",
        ruled: "not sent, with a note below the answer",
        shown: [
          "host/files/attachments.test.ts > %j is not",
          "flows/sent-files.test.ts > of %s: its own come, others are refused with a reason, and no marker is seen",
        ],
      },
    ],
    Buttons: [
      {
        needs: "A button's `customId` is typed into Claude",
        ruled: "dropped: a press only answers the prompt it belongs to",
        shown: [
          "discord/views/custom-id.test.ts > %j is nobody's",
          "discord/interactions/buttons/decision-buttons.test.ts > a press under a decision > of a prompt for other bytes, another question or another decision changes nothing",
        ],
      },
    ],
    AskUserQuestion: [
      {
        needs: "The question becomes a message with buttons",
        shown: [
          "agents/tmux/asking.agent.ts > three questions in one, with several options and with own words, are one answer",
          "agents/run/asking/hook-asking.test.ts > a question is answered whole, by a choice or in words, and waits for as long as it takes",
        ],
      },
      {
        needs: "First row: up to five options, in blue",
        shown: [
          "discord/views/decisions/terminal-controls.test.ts > a question has its options in a row of blue buttons, and one for another answer in a grey row below",
        ],
      },
      {
        needs: "Second row: “Other (type your answer)”, in grey",
        shown: [
          "discord/views/decisions/terminal-controls.test.ts > a question has its options in a row of blue buttons, and one for another answer in a grey row below",
        ],
      },
      {
        needs: "After a press the buttons are removed and the choice is shown",
        shown: [
          "discord/views/decisions/decision-posts.test.ts > a permission > that was settled with %j %j says who said what when, and has nothing to press",
          "flows/decisions.test.ts > a question > is answered with a button, or in one's own words",
        ],
      },
      {
        needs: "“Other” asks for text",
        ruled: "in a modal; a message in the thread answers too",
        shown: [
          "discord/interactions/buttons/decision-buttons.test.ts > words > are asked for at once in a window, and settle when they come",
          "agents/tmux/asking.agent.ts > three questions in one, with several options and with own words, are one answer",
          "base/words.test.ts > in Japanese %s begins with the words that its first users know: %s",
        ],
      },
      {
        needs: "A question in plain text gets no buttons",
        shown: [
          "discord/views/thread.test.ts > an agent's words > ping nobody, unfurl nothing, and are plain content without anything of ours",
        ],
      },
      {
        needs: "CLAUDE.md may ask Claude to use the tool",
        shown: ["docs.test.ts > the page about windows gives Claude's instructions the tool for questions"],
      },
    ],
    Permissions: [
      {
        needs: "Tools in `permissionTools` ask first",
        shown: [
          "agents/tmux/asking.agent.ts > a tool of permission_tools is asked about although Claude's own rules allow it",
          "agents/claude/hooks.agent.ts > a tool of permission_tools is asked about although its owner's rules allow it, and a refusal holds",
        ],
      },
      {
        needs: "Three buttons: allow, deny, something else",
        ruled: "plus one that allows for the session",
        shown: [
          "discord/views/decisions/terminal-controls.test.ts > a permission is allowed in green, refused in red, and answered otherwise in grey",
        ],
      },
      {
        needs: "Allow, in green, lets it run",
        ruled: "exactly what was shown, once",
        shown: [
          "discord/views/decisions/terminal-controls.test.ts > a permission is allowed in green, refused in red, and answered otherwise in grey",
          "agents/run/asking/hook-asking.test.ts > a permission: what may run is what was shown, to the byte, and Claude is told once",
          "agents/tmux/asking.agent.ts > a tool of permission_tools is asked about although Claude's own rules allow it",
        ],
      },
      {
        needs: "Deny, in red, keeps it from running",
        shown: [
          "discord/views/decisions/terminal-controls.test.ts > a permission is allowed in green, refused in red, and answered otherwise in grey",
          "agents/claude/hooks.agent.ts > a no keeps the tool from running",
          "agents/tmux/asking.agent.ts > two tools at once are asked about one by one, and each answer is its own",
          "flows/desk-answers.test.ts > Escape in a question at the desk ends its job, and the queue goes on",
        ],
      },
      {
        needs: "The third asks for a reason, which Claude is told",
        shown: [
          "agents/run/asking/hook-asking.test.ts > a no carries the owner's reason, and no permission rule is ever given",
          "discord/interactions/buttons/decision-buttons.test.ts > words > are asked for at once in a window, and settle when they come",
          "base/words.test.ts > in Japanese %s begins with the words that its first users know: %s",
        ],
      },
      {
        needs: "After 120 s the terminal decides",
        ruled:
          "the hook waits on: after 120 s the prompt says that the terminal asks too, rings, and keeps its buttons; no answer never means yes",
        shown: [
          "flows/desk-answers.test.ts > a dialog that nobody answers calls its owner again and says that it stands at the terminal; its buttons stay, and a bare yes is no prompt",
          "discord/threads/reminders.test.ts > a dialog in a turn that its owner typed at the terminal > that nobody typed, calls its owner when the terminal has asked for two minutes too, or for as long as is set",
          "agents/run/asking/hook-asking.test.ts > before a tool, nobody's answer in mode %s is: %s, and its decision is %s",
          "agents/tmux/asking.agent.ts > a permission that is answered at the keyboard says so in Discord, and its buttons go",
        ],
      },
    ],
    Plans: [
      {
        needs: "ExitPlanMode shows Approve, in green, and Reject, in red",
        ruled: "plus one to reject with feedback",
        shown: [
          "discord/views/decisions/terminal-controls.test.ts > a plan is approved in green and rejected in red",
          "discord/views/decisions/decision-posts.test.ts > a plan > is in the thread as it was written, and the choice below it",
        ],
      },
      {
        needs: "Approve lets Claude start",
        shown: [
          "agents/run/asking/hook-asking.test.ts > a plan is approved with all that was shown of it, and refused with the owner's words",
          "agents/tmux/asking.agent.ts > a plan > is approved at the keyboard, which Discord says",
          "agents/claude/decisions.agent.ts > a plan > is shown as it is, and approved: the agent leaves its planning",
        ],
      },
      {
        needs: "Reject keeps it planning",
        shown: [
          "agents/tmux/asking.agent.ts > a plan > is rejected with what should be different, and the model hears it",
          "agents/tmux/escape.agent.ts > Escape in a plan at the terminal ends the job, and the queue goes on",
        ],
      },
      {
        needs: "Feedback is an ordinary message",
        ruled: "it can also go with the rejection",
        shown: [
          "agents/tmux/asking.agent.ts > a plan > is rejected with what should be different, and the model hears it",
        ],
      },
      {
        needs: "A summary of the plan, from the transcript",
        ruled: "the whole plan, from the call or its file; without it, the plan can only be rejected",
        shown: [
          "discord/views/decisions/decision-posts.test.ts > a plan > is in the thread as it was written, and the choice below it",
          "agents/run/asking/hook-asking.test.ts > a plan without its text can be refused, and nothing else",
        ],
      },
      {
        needs: "After 120 s the terminal decides",
        ruled: "the hook waits on, as for a permission",
        shown: [
          "agents/tmux/asking.agent.ts > a plan > that nobody answers for a while calls its owner again, and is approved at the terminal",
          "discord/threads/reminders.test.ts > a dialog in a turn that its owner typed at the terminal > that nobody typed, calls its owner when the terminal has asked for two minutes too, or for as long as is set",
        ],
      },
    ],
    Threads: [
      {
        needs: "Threads below a channel are listened to",
        shown: [
          "flows/project-channel.test.ts > a project's channel and the owner's threads there are sessions, and its history never runs",
        ],
      },
      {
        needs: "A message there opens a pane with a Claude of its own",
        ruled: "a window of its own, because panes are too small to read",
        shown: [
          "flows/channel-windows.test.ts > a channel and each thread in it have a window of their own, and none knows or answers what was asked in another",
        ],
      },
      {
        needs: "It is independent of the channel's session",
        shown: [
          "flows/channel-windows.test.ts > a channel and each thread in it have a window of their own, and none knows or answers what was asked in another",
        ],
      },
      {
        needs: "Answers go to the thread, by `DISCORD_BRIDGE_THREAD_ID`",
        ruled: "by `BELLHOP_SESSION`, and by the window",
        shown: [
          "flows/channel-windows.test.ts > a channel and each thread in it have a window of their own, and none knows or answers what was asked in another",
          "ipc/hook-script.test.ts > the daemon hears who speaks, from where, and all of what is said; Claude hears nothing",
        ],
      },
      {
        needs: "A message in the channel moves answers back there",
        ruled: "dropped: each session has its own answers",
        shown: [
          "flows/channel-windows.test.ts > a channel and each thread in it have a window of their own, and none knows or answers what was asked in another",
        ],
      },
      {
        needs: "Several threads of a channel, each its own",
        shown: [
          "flows/channel-windows.test.ts > a channel and each thread in it have a window of their own, and none knows or answers what was asked in another",
        ],
      },
      {
        needs: "Archiving a thread ends its pane",
        ruled: "if it is idle, and the owner archived it rather than Discord",
        shown: [
          "flows/windows.test.ts > an idle window ends with its archived thread, and its end says so; the next message resumes the conversation",
          "flows/archive-worktrees.test.ts > what may be Discord's own archiving ends nothing, and neither does a thread that is opened again",
        ],
      },
      {
        needs: "If sending to the pane fails, the channel's session gets it",
        ruled: "never another conversation: the job waits or fails, and says so",
        shown: [
          "flows/unopened-windows.test.ts > Start that finds no usable tmux (%s) is told with its code to its presser and in the thread, and Start again opens the window",
          "agents/tmux/unseen.test.ts > what is typed and never to be seen is tried once more by itself",
          "agents/tmux/window.agent.ts > a draft at the desk is left alone, and the job starts when it was sent; what is typed there is shown",
          "flows/drafts.test.ts > Clear the draft and send takes the draft out of the box, types the message, and keeps the draft in the thread",
          "flows/drafts.test.ts > copy mode is left, and the message is typed",
        ],
      },
    ],
    "Settings of a thread": [
      {
        needs: "Three layers: `threads[i]`, `project.thread`, the project",
        shown: [
          "config/session-settings.test.ts > the layers of a session's settings > %s",
          "config/session-settings.test.ts > the layers of a session's settings > a layer never reaches past one that says something, whatever the others say",
        ],
      },
      {
        needs: "`model`",
        shown: [
          "flows/session-settings.test.ts > an agent starts with the model and the mode of its session, anew when they change, and not as the file forbids",
        ],
      },
      {
        needs: "`permission`",
        shown: [
          "flows/session-settings.test.ts > an agent starts with the model and the mode of its session, anew when they change, and not as the file forbids",
        ],
      },
      {
        needs: "`isolation`",
        shown: [
          "config/session-settings.test.ts > the layers of a session's settings > %s",
          "flows/worktrees.test.ts > each session has its own worktree, keeps it over a restart, and shows what it changed there",
        ],
      },
      {
        needs: "`projectPath`, in two layers",
        ruled: "called `path`",
        shown: [
          "config/session-settings.test.ts > what a session's agent is started with > only a thread's own entry gives it a directory",
          "flows/session-settings.test.ts > a thread works in the directory that the file gives it, with what its owner has seen there; one behind a link is refused",
        ],
      },
      {
        needs: "An entry applies to its thread only",
        shown: ["config/session-settings.test.ts > the layers of a session's settings > %s"],
      },
      {
        needs: "`bypassPermissions` starts with `--dangerously-skip-permissions`",
        ruled: "only where the owner's file says so, and not as root",
        shown: [
          "flows/session-settings.test.ts > an agent starts with the model and the mode of its session, anew when they change, and not as the file forbids",
          "config/session-settings.test.ts > what a session's agent is started with > `bypassPermissions` is refused to root for Claude, and only for it",
        ],
      },
      {
        needs: "What is chosen for a thread is saved in `threads[]`",
        shown: [
          "flows/agent-commands.test.ts > what is chosen in a project with a channel is kept in its file, which counts from then on; the agent goes on as it is",
          "config/edit-config.test.ts > what the owner chose for a thread > %s",
        ],
      },
      {
        needs: "`threads[i].startup` opens its pane at the start",
        shown: [
          "flows/panel.test.ts > startup opens a thread's window at the start without a prompt, and its absence closes none",
        ],
      },
    ],
    Worktrees: [
      {
        needs: '`isolation: "worktree"`, by choice',
        shown: [
          "flows/worktrees.test.ts > each session has its own worktree, keeps it over a restart, and shows what it changed there",
        ],
      },
      {
        needs: "Started with `-w`",
        ruled: "Bellhop creates the worktree, in the same place and with the same branch name, for every agent",
        shown: [
          "host/git/worktrees.test.ts > a worktree stands on its own branch with the files of the commit, and neither repository sees a change",
          "agents/tmux/projects.agent.ts > a session in a worktree works only there, from both sides, and its conversation is resumed there, also when its window was lost with the daemon",
        ],
      },
      {
        needs: "Git shows the worktrees and their changes from the project's directory",
        shown: [
          "flows/worktrees.test.ts > each session has its own worktree, keeps it over a restart, and shows what it changed there",
        ],
      },
      {
        needs: "State is kept in `~/.discord-bridge/thread-state.json`",
        ruled: "in the journal; that file is imported once",
        shown: [
          "flows/earlier-threads.test.ts > a thread that an earlier bridge kept is a session in its worktree, without its past, and is taken over once",
        ],
      },
      {
        needs: "After a crash the pane is recreated",
        ruled: "when it is needed; no prompt is repeated",
        shown: [
          "agents/tmux/projects.agent.ts > a session in a worktree works only there, from both sides, and its conversation is resumed there, also when its window was lost with the daemon",
          "flows/worktrees.test.ts > each session has its own worktree, keeps it over a restart, and shows what it changed there",
        ],
      },
      {
        needs: "At startup `.claude/worktrees/` is scanned, and orphans are reported",
        shown: [
          "flows/worktrees.test.ts > a worktree that is gone is told once, and nothing runs elsewhere; one that belongs to nobody too",
          "flows/worktrees.test.ts > a repository full of folders that are named like worktrees does not fill the owner's channel",
        ],
      },
      {
        needs: "Archiving removes it, after a warning about uncommitted changes",
        ruled: "a clean one is removed, any other only after confirmation; the branch stays",
        shown: [
          "flows/archive-worktrees.test.ts > a clean worktree goes with its thread, its branch stays, and the next message makes it again",
          "flows/archive-worktrees.test.ts > a worktree with changes goes only with the owner's yes to these",
        ],
      },
      {
        needs: "Removed from outside: the thread is asked to be archived",
        shown: [
          "flows/worktrees.test.ts > a worktree that is gone is told once, and nothing runs elsewhere; one that belongs to nobody too",
        ],
      },
    ],
    "Control panel": [
      {
        needs: "Posted in `generalChannelId` at the start",
        shown: [
          "flows/panel.test.ts > its buttons open and end a project's window for the owner only; it stands once, edited, or moved to the end",
        ],
      },
      {
        needs: "Updated by messages and presses",
        shown: [
          "flows/panel.test.ts > its buttons open and end a project's window for the owner only; it stands once, edited, or moved to the end",
          "flows/panel.test.ts > after a restart the panel that is still the last message stays, and one that is not is moved",
        ],
      },
      {
        needs: "🟢 running, ⭕ stopped, one line per project",
        shown: [
          "discord/views/panel.test.ts > a project is running where this bot's window of it stands; another bot's panel does not show it",
          "base/words.test.ts > in Japanese %s begins with the words that its first users know: %s",
        ],
      },
      {
        needs: "▶ Start opens the project's window",
        shown: [
          "flows/panel.test.ts > its buttons open and end a project's window for the owner only; it stands once, edited, or moved to the end",
          "agents/tmux/projects.agent.ts > a channel's window is there from the start, also after the machine was started anew, and the panel shows and ends it",
        ],
      },
      {
        needs: "🛑 Stop ends it",
        shown: [
          "flows/panel.test.ts > its buttons open and end a project's window for the owner only; it stands once, edited, or moved to the end",
          "flows/windows.test.ts > Stop on the control panel cancels what runs, and tells what waits and goes on",
        ],
      },
      { needs: "Lists the worktrees", shown: ["discord/views/panel.test.ts > worktrees that stand are listed"] },
      {
        needs: "`project.startup: true` opens its window at the start",
        shown: [
          "agents/tmux/projects.agent.ts > a channel's window is there from the start, also after the machine was started anew, and the panel shows and ends it",
        ],
      },
      {
        needs: "`false` stops one that runs",
        ruled: "it never ends anything",
        shown: [
          "flows/panel.test.ts > startup opens a thread's window at the start without a prompt, and its absence closes none",
        ],
      },
      {
        needs: "`threads[i].startup: true` opens the thread's",
        shown: [
          "flows/panel.test.ts > startup opens a thread's window at the start without a prompt, and its absence closes none",
        ],
      },
    ],
    Progress: [
      {
        needs: "What Claude says before a tool is sent, with 🔄",
        ruled: "the answer streams, and what Claude says is above what it asks",
        shown: [
          "agents/tmux/asking.agent.ts > what Claude says before it asks stands above what it asks",
          "flows/channel-windows.test.ts > what Claude says in a window is shown while it speaks",
        ],
      },
      {
        needs: "Nothing is sent twice, by its MD5",
        ruled: "by the message's id and index",
        shown: [
          "agents/tmux/answer-parts.test.ts > pieces of one message in any order, some of them twice, are that message",
          "agents/tmux/answer-parts.test.ts > what was said before a restart is not said again",
        ],
      },
      {
        needs: "Not for AskUserQuestion",
        ruled: "what Claude says before a question is above it",
        shown: ["agents/tmux/asking.agent.ts > what Claude says before it asks stands above what it asks"],
      },
      {
        needs: "To the active thread, else to the channel",
        ruled: "to the session's own thread or channel",
        shown: [
          "flows/channel-windows.test.ts > a channel and each thread in it have a window of their own, and none knows or answers what was asked in another",
        ],
      },
    ],
    Tables: [
      {
        needs: "A Markdown table becomes a text table in a code block",
        shown: [
          "discord/text/table.test.ts > a table > is laid out in columns as wide as a terminal draws them: Korean, Japanese, Chinese, emoji, marks upon letters",
        ],
      },
      {
        needs: "Every table of an answer",
        shown: [
          "discord/text/table.test.ts > a table > in a quote and in a list stays there",
          "discord/text/table.test.ts > a table > of any length is read whole, and what comes below it is not taken for a row",
        ],
      },
      {
        needs: "Not inside fences",
        shown: ["discord/text/agent-text.test.ts > plain prose and code come through unchanged"],
      },
      {
        needs: "Japanese text may not align",
        ruled: "columns are aligned by the widths that terminals draw",
        shown: [
          "discord/text/table.test.ts > a table > ends every column of its rows at the same place, whatever is in it",
        ],
      },
      {
        needs: "Over 2,000 characters: split at line ends",
        shown: [
          "discord/text/table.test.ts > a table > that is cut has its header above every part, and no row is cut",
        ],
      },
    ],
    Footer: [
      {
        needs: "Model, context and limits below each answer",
        shown: [
          "agents/tmux/footer.agent.ts > below an answer in a window, and the owner's own line is shown there",
          "flows/windows.test.ts > what Claude says of itself stands below its answer: footer %s; its owner's own line stands at the terminal",
        ],
      },
      {
        needs: "From Claude's status line",
        shown: [
          "protocol/status-line.test.ts > what Claude Code sends is read",
          "agents/tmux/footer.agent.ts > below an answer of an adopted Claude; without Bellhop its owner's settings are as before",
        ],
      },
      {
        needs: "Limits from the OAuth API, every 60 s",
        ruled: "from the status line: no other API is called with the owner's login",
        shown: [
          "protocol/status-line.test.ts > what Claude Code sends is read",
          "flows/windows.test.ts > what Claude says of itself stands below its answer: footer %s; its owner's own line stands at the terminal",
        ],
      },
      {
        needs: "Kept in `/tmp/discord-bridge-context-….json`",
        ruled: "in the daemon's memory, sent over its socket",
        shown: [
          "ipc/status-line.test.ts > the daemon hears it from a Claude that is %s, and the owner's line gets the same",
        ],
      },
      {
        needs: "The fields `used_percentage`, `model`, `rate_limits`",
        shown: ["protocol/status-line.test.ts > what Claude Code sends is read", "protocol/status-line.test.ts > %j"],
      },
      {
        needs: "`📊 Opus 4.6 50% │ session:45%(2h30m) │ weekly:12%(5d03h)`",
        ruled: "what is not known is left out",
        shown: ["discord/views/jobs/footer.test.ts > %s"],
      },
      {
        needs: "`~/.claude/statusline.py`",
        ruled: "`bellhop hooks install` wraps the owner's status line, `remove` restores it",
        shown: [
          "cli/hooks.test.ts > the owner's status line is run by ours; what he changes in it stays, and a change of its command is seen",
        ],
      },
    ],
    "Files between hooks and bot": [
      {
        needs: "Which thread is active: a file",
        ruled: "gone: a hook names its session",
        shown: [
          "ipc/hook-script.test.ts > the daemon hears who speaks, from where, and all of what is said; Claude hears nothing",
        ],
      },
      {
        needs: "The answer to a permission: a file",
        ruled: "gone: the socket, by the decision's id",
        shown: [
          "agents/run/asking/hook-asking.test.ts > after a restart the same button answers the same hook",
          "ipc/hook-script.test.ts > another user's Claude is not heard and told nothing, also where the folders above have been opened to all",
        ],
      },
      {
        needs: "The answer to a plan: a file",
        ruled: "gone: the socket, by the decision's id",
        shown: [
          "agents/run/asking/hook-asking.test.ts > a plan is approved with all that was shown of it, and refused with the owner's words",
          "ipc/hook-script.test.ts > what it is told reaches Claude to the byte, and a daemon that dies meanwhile is waited for",
        ],
      },
      {
        needs: "What was sent last: a file by session and time",
        ruled: "gone: by the prompt's id, in the journal",
        shown: [
          "flows/window-hooks.test.ts > hooks that come again, at once and long after, and those of another user's Claude, change nothing",
          "agents/tmux/unnamed.test.ts > a prompt that is told once more is no other turn, and the next one has its own name",
        ],
      },
      {
        needs: "What was said last: a file with its MD5",
        ruled: "gone: by the message's id",
        shown: [
          "agents/tmux/answer-parts.test.ts > pieces of one message in any order, some of them twice, are that message",
        ],
      },
      {
        needs: "A debug log of the hooks",
        ruled: "the daemon's log, without secrets",
        shown: [
          "ipc/hook-script.test.ts > a hook that is killed while it speaks is no failure of the daemon",
          "base/log.test.ts > the log > shows no secret in any form, anywhere in a line",
        ],
      },
      {
        needs: "A debug log of notifications",
        ruled: "the same log",
        shown: ["base/log.test.ts > the log > is one JSON object a line, with level, time, module and text"],
      },
      {
        needs: "The state of panes and worktrees: a file",
        ruled: "the journal; that file is imported once",
        shown: [
          "flows/earlier-threads.test.ts > a thread that an earlier bridge kept is a session in its worktree, without its past, and is taken over once",
          "agents/run/worktrees/earlier-threads.test.ts > of a file with %s nothing is taken, which is said once",
        ],
      },
    ],
  },
};
