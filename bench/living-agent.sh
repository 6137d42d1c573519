#!/bin/bash
# The smallest agent that lives: answers prompt after prompt in Claude Code's lines, and writes down when it had read each.
case $1 in --version) echo 2.1.329; exit ;; auth) echo '{"loggedIn":true}'; exit ;; esac
echo "pid $$" >> "$CLAUDE_CODE_BENCH_LOG"
id=5f6c2f3e-0000-4000-8000-000000000000
while IFS= read -r prompt; do
  case $prompt in *'"control_request"'*) continue ;; esac
  printf 'read %s\n' "$EPOCHREALTIME" >> "$CLAUDE_CODE_BENCH_LOG"
  echo '{"type":"system","subtype":"init","session_id":"'$id'","model":"bench"}'
  echo '{"type":"assistant","message":{"id":"msg","role":"assistant","content":[{"type":"text","text":"done"}]},"session_id":"'$id'"}'
  echo '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"'$id'","duration_ms":1}'
done
