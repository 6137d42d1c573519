#!/bin/bash
# The smallest agent: writes down when it was first awake, answers in Claude Code's lines, and when its last byte left.
# A prompt with "hang" in it is never answered.
printf 'first %s\n' "$EPOCHREALTIME" >> "$CLAUDE_CODE_BENCH_LOG"
echo "pid $$" >> "$CLAUDE_CODE_BENCH_LOG"
if [ "$1" = --version ]; then echo 2.1.329; exit; fi
IFS= read -r prompt
case $prompt in *hang*) while IFS= read -r _; do :; done; exit ;; esac
id=5f6c2f3e-0000-4000-8000-000000000000
echo '{"type":"system","subtype":"init","session_id":"'$id'","model":"bench"}'
# It thinks for as long as it takes the daemon to have said that it runs.
IFS= read -t 0.4 -r _
echo '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"done"}]},"session_id":"'$id'"}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"'$id'","duration_ms":1}'
printf 'last %s\n' "$EPOCHREALTIME" >> "$CLAUDE_CODE_BENCH_LOG"
while IFS= read -r _; do :; done
