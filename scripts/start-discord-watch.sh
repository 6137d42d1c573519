#!/bin/sh
# Starts `discord-watch` in a tmux session named discord-watch, in the background, with the settings of this directory
# (.env) and of this environment. What is given to it is handed on: scripts/start-discord-watch.sh --interval 5
#
# The bot's token is never put on a command line, where every user of this machine could read it: where a tmux server
# runs already and has an environment of its own, the token has to stand in .env or in the file DISCORD_TOKEN_FILE
# names, or a Bellhop daemon has to be running, which needs none from here.
set -eu

NAME=discord-watch
HERE=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
WATCH=$HERE/../bin/discord-watch.cjs

say() {
  printf '%s\n' "$*" >&2
}

NODE=$(command -v node) || {
  say "node is not in PATH; install Node.js 22.19 or newer."
  exit 69
}

[ "$#" -gt 0 ] || set -- --interval 10

if ! command -v tmux >/dev/null 2>&1; then
  say "tmux is not installed, so nothing was started in the background. Install tmux, or leave this running in a"
  say "terminal of its own:"
  say "  discord-watch $*"
  exit 69
fi

if tmux has-session -t "=$NAME" 2>/dev/null; then
  say "It runs already. Look at it with: tmux attach -t $NAME"
  exit 0
fi

# More than one word of a command is run as it stands, without a shell: nothing in a path or an argument is carried
# out. In the directory's name tmux would expand what stands after a #; doubled it is only itself.
set -- -- "$NODE" "$WATCH" "$@"
FOLDER=$(printf '%sx' "$PWD" | sed 's/#/##/g')
FOLDER=${FOLDER%x}

# A server that runs keeps its own environment; -e (tmux 3.2) hands on what is no secret.
if tmux list-sessions >/dev/null 2>&1; then
  case $(tmux -V) in
    *\ [0-2].* | *\ 3.0* | *\ 3.1*) ;;
    *)
      for variable in HOME PATH LANG STATE_DIR LOG_DIR DISCORD_TOKEN_FILE DISCORD_CHANNEL_ID DISCORD_OWNER_ID \
        DISCORD_ALLOWED_USER_ID DISCORD_GUILD_ID PROJECT_NAME PENDING_DIR POLL_INTERVAL_SECONDS BELLHOP_LOCALE \
        BELLHOP_DISCORD_API; do
        eval "value=\${$variable-}"
        # shellcheck disable=SC2154 # set by eval, from a name that stands above
        [ -z "$value" ] || set -- "-e" "$variable=$value" "$@"
      done
      ;;
  esac
  if [ -n "${DISCORD_BOT_TOKEN-}${DISCORD_TOKEN-}" ]; then
    say "A tmux server runs already, so the token in this environment is not handed on; see the head of this script."
  fi
fi

tmux new-session -d -s "$NAME" -c "$FOLDER" "$@"
say "Started. Look at it with: tmux attach -t $NAME"
