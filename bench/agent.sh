#!/bin/bash
# The smallest agent: writes down when it was first awake, answers in Claude Code's lines, and when its last byte left.
# A prompt with "hang" in it is never answered; to one with "stream" the answer comes in 400 pieces, fifty a second,
# a paragraph to ten of them; one with "quick" is answered at once; one with "permit" asks for leave a hundred times, each time for another command, and
# writes down when it had it. Out of hand: "flood N" is answered by N blocks of a megabyte, at "giant N" it writes a line
# of so many, at "nest N" one of so many million arrays, each in the one before.
printf 'first %s\n' "$EPOCHREALTIME" >> "$CLAUDE_CODE_BENCH_LOG"
echo "pid $$" >> "$CLAUDE_CODE_BENCH_LOG"
case $1 in --version) echo 2.1.329; exit ;; auth) echo '{"loggedIn":true}'; exit ;; esac
printf 'run %s\n' "$EPOCHREALTIME" >> "$CLAUDE_CODE_BENCH_LOG"
# The mode that it is held to comes first.
IFS= read -r prompt
while [[ $prompt == *'"control_request"'* ]]; do IFS= read -r prompt; done
case $prompt in *hang*) while IFS= read -r _; do :; done; exit ;; esac
id=5f6c2f3e-0000-4000-8000-000000000000
echo '{"type":"system","subtype":"init","session_id":"'$id'","model":"bench"}'
said=done
case $prompt in
*permit*)
  for ((ask = 1; ask <= 100; ask++)); do
    input='{"command":"make part-'$ask'"}'
    echo '{"type":"control_request","request_id":"ask-'$ask'","request":{"subtype":"can_use_tool","tool_name":"Bash","input":'$input',"tool_use_id":"toolu_'$ask'"}}'
    IFS= read -r reply
    printf 'answered %s %s\n' "$EPOCHREALTIME" "$reply" >> "$CLAUDE_CODE_BENCH_LOG"
  done
  ;;
*stream*)
  said=
  event='{"type":"stream_event","session_id":"'$id'","event":'
  echo "$event"'{"type":"message_start","message":{"id":"msg","role":"assistant","content":[]}}}'
  echo "$event"'{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}}'
  for ((piece = 1; piece <= 400; piece++)); do
    text="piece $piece of what I have to say, "
    ((piece % 10 == 0)) && text+='and so on.\n\n'
    said+=$text
    echo "$event"'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"'"$text"'"}}}'
    IFS= read -t 0.02 -r _
  done
  echo "$event"'{"type":"content_block_stop","index":0}}'
  ;;
*flood*|*giant*|*nest*)
  [[ $prompt =~ (flood|giant|nest)\ ([0-9]+) ]]
  bytes() { head -c "$(($1 * 1000000))" /dev/zero | tr '\0' "$2"; }
  case ${BASH_REMATCH[1]} in
  flood)
    block=$(bytes 1 w)
    for ((made = 1; made <= BASH_REMATCH[2]; made++)); do
      echo '{"type":"assistant","message":{"id":"msg'$made'","role":"assistant","content":[{"type":"text","text":"'"$block"'"}]},"session_id":"'$id'"}'
    done
    ;;
  giant) printf '{"type":"user","message":"'; bytes "${BASH_REMATCH[2]}" x; echo '"}' ;;
  nest) printf '{"type":"user","message":'; bytes "${BASH_REMATCH[2]}" '['; bytes "${BASH_REMATCH[2]}" ']'; echo '}' ;;
  esac
  ;;
*quick*) ;;
# It thinks for as long as it takes the daemon to have said that it runs.
*) IFS= read -t 0.4 -r _ ;;
esac
echo '{"type":"assistant","message":{"id":"msg","role":"assistant","content":[{"type":"text","text":"'"$said"'"}]},"session_id":"'$id'"}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"'"$said"'","session_id":"'$id'","duration_ms":1}'
printf 'last %s\n' "$EPOCHREALTIME" >> "$CLAUDE_CODE_BENCH_LOG"
while IFS= read -r _; do :; done
