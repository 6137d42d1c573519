#!/bin/sh
# What Claude Code runs for its status line once `bellhop hooks install` has set it: it hands the daemon what Claude says
# of its model, its context and its limits, and then runs the line that its owner had before, `$1`, if he had one.
#
# That line gets the same input, and waits for nothing here. Where no daemon answers, or the Claude is not Bellhop's,
# nothing is said about it.

# Named like this because a variable of the owner's environment would be changed for his line too.
bellhop_folder=${0%/*}
# The sign at the end keeps the newlines before it.
bellhop_said=$(cat; echo .)
bellhop_said=${bellhop_said%.}

bellhop_id=${bellhop_said#*'"session_id":"'}
bellhop_id=${bellhop_id%%'"'*}
case $bellhop_id in
  '' | *[!0-9A-Za-z-]*) bellhop_id=. ;;
esac

# An agent that the daemon runs itself tells it in another way. A marker is a file, and no `.`.
if [ -z "${BELLHOP_JOB-}" ] && { [ -n "${BELLHOP_SESSION-}" ] || [ -f "$bellhop_folder/adopted/$bellhop_id" ]; }; then
  (
    cd "$bellhop_folder" && [ -r connection ] || exit 0
    printf '%s' "$bellhop_said" |
      curl -q -K connection -m 1 -H "Bellhop-Hook: StatusLine $$ $PPID 0 ${TMUX_PANE:--} ${BELLHOP_SESSION:--}" -H "Bellhop-Tmux: ${TMUX-}" --data-binary @-
  ) </dev/null >/dev/null 2>&1 &
fi

[ "$#" -gt 0 ] || exit 0
printf '%s' "$bellhop_said" | exec /bin/sh -c "$1"
