#!/bin/sh
# What Claude Code runs for each hook that `bellhop hooks install` has set: it hands the hook to the daemon and gives
# Claude the owner's answer. `$1` is the name of the hook; what belongs to it is in the folder of this file, which is `$2`
# in a shell that reads this file instead of running it.
#
# It never starts a daemon. Where none answers, it keeps silent for a Claude that is not Bellhop's, and never lets
# through what its owner would have been asked: the terminal asks then, or the tool is refused.

# An agent that the daemon runs itself asks in another way. Claude takes it for an error if what it says is not read.
[ -z "${BELLHOP_JOB-}" ] || exec cat >/dev/null

e=$1
b=${2-${0%/*}}
# The window of another daemon, such as the sandbox's: what its owner is asked there, that daemon's hooks ask.
case ${BELLHOP_SESSION:+${BELLHOP_OUTPUTS-}} in
  '' | "${b%/hooks}/outputs/"*) ;;
  *) exec cat >/dev/null ;;
esac
umask 077
# No program needs a locale here, and each would read thirteen files for it.
export LC_ALL=C
n='
'
# How long the answer has been waited for, in seconds.
w=0

# Where it comes from: the hook, its process, Claude's, and where Claude runs.
from() {
  o="$e $$ $PPID $w ${TMUX_PANE:--} ${BELLHOP_SESSION:--}"
}

# In our own window, what only tells something needs no answer, and is not kept: only curl runs.
if [ -n "${BELLHOP_SESSION-}" ] && command -v curl >/dev/null 2>&1; then
  case $e in
    PermissionRequest | PreToolUse | UserPromptSubmit | Stop | StopFailure | SessionEnd) ;;
    *)
      cd "$b" && [ -r connection ] || exec cat >/dev/null
      from
      curl -q -K connection -m 1 -H "Bellhop-Hook: $o" -H "Bellhop-Tmux: ${TMUX-}" --data-binary @- >/dev/null 2>&1
      exit 0
      ;;
  esac
fi

p=$(cat)

# Whose Claude it is. The id is the first in the payload, and nothing that could be a path is one.
s=
case $p in
  # Looked for first: a shell takes hours to find that there is none to cut at in a long text.
  *'"session_id":"'*)
    s=${p#*'"session_id":"'}
    s=${s%%'"'*}
    ;;
esac
case $s in
  '' | *[!0-9A-Za-z-]*) s= ;;
esac
who=other
if [ -n "$s" ] && [ -e "$b/adopted/$s" ]; then who=adopted; fi
if [ -n "${BELLHOP_SESSION-}" ]; then who=own; fi

# Sends the payload and prints the answer and, on a line of its own, the status, in place of the shell that runs it.
# `$1`: the most seconds it may take.
send() {
  if command -v curl >/dev/null 2>&1; then
    exec curl -q -K connection -m "$1" -H "Bellhop-Hook: $o" -H "Bellhop-Tmux: ${TMUX-}" --data-binary @- <<END
$p
END
  fi
  . ./program.sh
  exec "$node" "$program" hook "$1" "$o" "${TMUX-}" <<END
$p
END
}

# True if the daemon took it; `r` is its answer then. Its file with the socket's name and the key is made anew by each.
# `$1`: the seconds that it may take; one more for each four million bytes, which leaves half of what Claude gives a hook.
sent() {
  from
  cd "$b" 2>/dev/null && [ -r connection ] && r=$(send "$(($1 + ${#p} / 4000000))" 2>/dev/null) || {
    # 28: it was connected, and then nothing was heard for ten seconds.
    [ "$?" != 28 ] || w=$((w + 10))
    return 1
  }
  case $r in
    *"$n"200) r=${r%"$n"200} ;;
    *) return 1 ;;
  esac
  # The empty lines say that the daemon is alive. After a night there are many: most are taken off by the thousand.
  l=$n$n$n$n$n$n$n$n
  l=$l$l$l$l$l$l$l$l
  for l in "$l$l$l$l$l$l$l$l$l$l$l$l$l$l$l$l" "$l" "$n"; do
    while :; do
      case $r in
        "$l"*) r=${r#"$l"} ;;
        *) break ;;
      esac
    done
  done
}

# A hook that is longer than `$1` bytes is told without its text. Claude writes that down itself.
short() {
  [ "${#p}" -gt "$1" ] || return 0
  case $e in
    UserPromptSubmit) l='"prompt":' ;;
    *) l='"last_assistant_message":' ;;
  esac
  case $p in
    *,"$l"*) p="${p%%,"$l"*},$l\"\",\"left_out\":${#p}}" ;;
  esac
}

# The beginning and the end of a turn must reach the daemon: it reads them from their files. Of a Claude that is not
# Bellhop's only that it has begun, so that the next daemon can offer it; half of the room is left for the others.
keep() {
  m=200
  if [ "$who" = other ]; then
    [ "$e" = SessionStart ] || return 0
    m=100
  fi
  short 1048576
  [ "${#p}" -le 1048576 ] && cd "$b/spool" 2>/dev/null || return 0
  set -- *
  [ "$#" -lt "$m" ] || return 0
  f=$(date +%Y%m%d%H%M%S)-$$
  if printf '%s\n%s\n%s' "$o" "${TMUX-}" "$p" >".$f" 2>/dev/null; then
    mv ".$f" "$f"
  else
    rm -f ".$f"
  fi
}

# Nobody could be asked. Where the mode lets Claude act on its own, it might not ask at the terminal either; and a
# payload that names two modes is not trusted to name the right one.
unasked() {
  a=deny
  case $p in
    *'"permission_mode":'*'"permission_mode":'*) ;;
    *'"permission_mode":"default"'* | *'"permission_mode":"acceptEdits"'* | *'"permission_mode":"plan"'*) a=ask ;;
  esac
  if [ "$who" = adopted ]; then a=ask; fi
  printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"%s","permissionDecisionReason":"%s"}}\n' "$a" \
    'Bellhop does not answer, so its owner could not be asked in Discord.' || exit 2
  exit 0
}

# Waits for the owner's answer. Calling again finds the same question.
ask() {
  [ "$who" != other ] || [ "$e" = PermissionRequest ] || exit 0
  if [ "$e" = PreToolUse ]; then
    # Any other end than an answer or exit code 2 would let the tool run.
    trap '' PIPE
    trap unasked HUP INT TERM
  fi
  while :; do
    if sent 86400; then
      case $r in
        '{"hookSpecificOutput":{'*'}}')
          printf '%s\n' "$r" || exit 2
          exit 0
          ;;
        '{}') exit 0 ;;
      esac
    fi
    # At the owner's own terminal nothing waits for a daemon that may have been stopped on purpose, but where a dialog
    # stands there meanwhile. He may have put his Claude into a thread since, or have taken it back.
    if [ "$who" != own ]; then
      [ "$e" = PermissionRequest ] || break
      [ -n "$s" ] && [ -e "$b/adopted/$s" ] || exit 0
    fi
    if [ "$e" = PreToolUse ] && [ "$w" -ge 10 ]; then break; fi
    kill -0 "$PPID" 2>/dev/null || exit 0
    sleep 1
    w=$((w + 1))
  done
  [ "$e" = PermissionRequest ] || unasked
}

# What the daemon tells the model of it.
told() {
  case $r in
    '{"hookSpecificOutput":{'*'}}') printf '%s\n' "$r" ;;
  esac
}

case $e in
  PermissionRequest | PreToolUse) ask ;;
  # Claude gives the last one no more than a second and a half.
  Stop | StopFailure | SessionEnd) [ "$who" = other ] || { short 16777216 && sent 1 && [ "$r" = '{}' ]; } || keep ;;
  # These two are how the daemon learns of a Claude that its owner might want to have in Discord.
  UserPromptSubmit) { short 16777216 && sent 1 && told; } || keep ;;
  SessionStart) { sent 1 && told; } || [ "$who" != other ] || keep ;;
  *) [ "$who" = other ] || sent 1 ;;
esac
exit 0
