/**
 * The Korean sentences. The same keys and the same braces as `en.ts`; a particle after a brace is written
 * for both endings or avoided, because the word that fills it is not known here.
 */
import { agentWords } from "./agents/ko.ts";
import { cliWords } from "./cli/ko.ts";
import { commandWords } from "./commands/ko.ts";
import { decisionWords } from "./decisions/ko.ts";
import { errorWords } from "./errors/ko.ts";
import { doctorWords } from "./doctor/ko.ts";
import { initWords } from "./init/ko.ts";
import { intakeWords } from "./intake/ko.ts";
import type { en } from "./en.ts";
import { projectWords } from "./projects/ko.ts";
import { reasonWords } from "./reasons/ko.ts";

export const ko: Record<keyof typeof en, string> = {
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
    "채널 {channel}을(를) 프로젝트 {project}에 쓰지 않습니다. 그곳의 메시지는 에이전트의 수신함으로 갑니다. config.json에서 다른 채널을 고르세요.",
  channel_elsewhere:
    "채널 {channel}을(를) 프로젝트 {project}에 쓰지 않습니다. 봇이 자기 서버에서 볼 수 있는 텍스트 채널이나 포럼이 아닙니다. config.json의 channel_id를 고치거나 봇에게 접근 권한을 주세요.",
  welcome_title: "사용 방법",
  welcome_body:
    "원하는 일을 여기에 적으세요. 메시지 하나가 {path}에서 실행되는 {tool} 작업 하나가 되고, 작업은 적은 순서대로 하나씩 실행됩니다.",
  welcome_channel: "이곳은 {project}의 채널입니다. 여기에서 여는 스레드는 각각 별도의 세션이 됩니다.",
  welcome_hints:
    "메시지에 달리는 반응이 그 작업의 상태를 보여 줍니다. `/status`로 실행 중인 작업과 기다리는 작업을 볼 수 있습니다.",
  job_running: "실행 중",
  job_stopping: "중지하는 중",
  job_done: "완료",
  job_failed: "실패",
  job_cancelled: "취소됨",
  job_took: "함께 답하는 메시지: {messages}",
  job_interrupted: "중단됨",
  end_answer: "답변",
  tool_running: "🔧 {tool} 실행 중...",
  tool_denied: "{tool} 허용되지 않음",
  tools_before: "이전 도구: {count}",
  tools_failed: "실패한 도구: {count}",
  tokens_used: "토큰 입력 {input} / 출력 {output}",
  written_so_far: "지금까지 {count}자, 나머지는 끝나면 표시됩니다",
  plan_title: "계획 {count}개 중 {done}개 완료:",
  notice_model_retry: "모델이 응답하지 않아 다시 요청하는 중입니다.",
  notice_form_declined: "에이전트가 여기서 물을 수 없는 양식을 보여 거절했습니다.",
  notice_unknown_agent: "Bellhop이 알지 못하는 에이전트입니다. 실행하기 전에 묻는지는 에이전트 자신에게 달려 있습니다.",
  notice_mode_changed: "에이전트가 이제 {mode} 모드입니다.",
  notice_mode_set_back: "에이전트가 묻지 않고 실행할 수 있는 {mode} 모드로 바꾸어, Bellhop이 되돌렸습니다.",
  notice_quiet: "답변은 끝난 것 같지만 에이전트가 아직 차례를 끝내지 않았습니다.",
  notice_opens_later: "이 에이전트는 같은 대화를 1분 안에 두 번 열면 그 대화를 잃습니다. 메시지는 {in} 전달됩니다.",
  context_share: "컨텍스트 {percent}% 사용",
  context_tokens: "컨텍스트 {count} 토큰",
  changed: "파일 {files}개에서 +{added} −{removed}",
  changed_no_lines: "파일 {files}개 변경",
  tools_denied: "허용되지 않음: {tools}",
  left_out_long:
    "에이전트 출력의 한 줄({bytes}바이트)이 {limit} MiB보다 길어 제외했습니다. 여기에 빠진 내용이 있을 수 있습니다. 큰 출력은 파일에 쓰도록 에이전트에 지시하세요.",
  left_out_deep:
    "에이전트 출력의 한 줄({bytes}바이트)이 너무 깊게 중첩되었거나 값이 너무 많아 제외했습니다. 여기에 빠진 내용이 있을 수 있습니다. 큰 출력은 파일에 쓰도록 에이전트에 지시하세요.",
  early_refusal: "모델이 계속하기를 거부해 답변이 끝까지 나오지 않았을 수 있습니다. 다른 말로 요청하세요.",
  early_max_tokens:
    "모델이 한 번에 답할 수 있는 한도에 이르러 답변이 잘렸습니다. 에이전트에게 이어서 해 달라고 하세요.",
  early_max_turn_requests:
    "한 턴에 모델에 물을 수 있는 횟수를 다 써서 에이전트가 도중에 멈췄습니다. 이어서 해 달라고 하세요.",
  button_diff: "변경 내용 보기",
  noted_edited:
    "작업이 시작된 뒤에 이 메시지를 수정하셨습니다. 에이전트는 수정 전 내용으로 계속합니다. 새 내용은 다른 메시지로 보내 주세요.",
  noted_deleted:
    "작업 {job}이(가) 시작된 뒤에 메시지가 삭제되었습니다. 작업은 계속됩니다. 멈추려면 `/cancel`을 쓰세요.",
  noted_taken_back:
    "작업 {job}이(가) 시작되기 전에 메시지가 삭제되어 작업이 취소되었고 실행되지 않습니다. 누가 삭제했는지는 Discord가 알려 주지 않습니다.",
  noted_edited_sent:
    "에이전트에게 보낸 뒤에 이 메시지를 수정하셨습니다. 에이전트는 수정 전 내용으로 진행합니다. 새 내용은 다른 메시지로 보내 주세요.",
  noted_deleted_sent:
    "메시지가 삭제되었지만 에이전트가 이미 읽었습니다(작업 {job}). 답변에 그대로 포함됩니다. 멈추려면 `/cancel`을 쓰세요.",
  answer_command: "에이전트가 {command}을(를) 실행했고, 결과에 대해 알려 준 것은 없습니다.",
  conversation_compacted: "대화를 압축했습니다.",
  conversation_compacted_to: "대화를 압축했습니다: {before} → {after} 토큰.",
  conversation_renewed: "여기서 새 대화가 시작됩니다. 이전 대화는 `/resume`에서 찾을 수 있습니다.",
  answer_empty: "에이전트가 아무 말 없이 끝냈습니다.",
  answer_interrupted: "Bellhop 또는 컴퓨터가 멈춰 여기서 끊겼습니다.",
  answer_stopped: "여기까지 작성했습니다.",
  answer_unreadable: "앞부분만 표시했습니다. 전체 답변을 {file}에서 읽지 못했습니다.",
  answer_unkept: "답변을 Bellhop이 있는 컴퓨터에 저장하지 못했습니다. 여기에만 있습니다.",
  answer_unkept_cut:
    "이 답변은 저장하지 못했고, 전부 여기에 올렸는지 확인하기 전에 Bellhop이 멈췄습니다. 빠진 부분이 있다면 되찾을 수 없습니다.",
  answer_unrecorded:
    "Bellhop이 디스크에 더 이상 쓸 수 없어 멈췄습니다. 그때까지 에이전트가 한 말은 모두 위에 있습니다.",
  sent_not: "📎 {name} 파일을 보내지 못했습니다: {why}",
  sent_why_outside: "파일을 보낼 수 있는 폴더 안에 있지 않습니다.",
  sent_why_missing: "그런 파일이 없습니다.",
  sent_why_no_file: "일반 파일이 아닙니다.",
  sent_why_too_large: "이 서버가 받는 {limit} MiB보다 큽니다.",
  sent_why_many: "에이전트가 파일을 너무 많이 보냈습니다. 이 파일부터는 생략합니다.",
  sent_why_unreadable: "읽을 수 없습니다.",
  answer_unrendered:
    "이 답변을 메시지로 표시하지 못했습니다. 전체 내용은 첨부 파일과 Bellhop이 있는 컴퓨터의 {file}에 있습니다.",
  answer_unrendered_unkept: "이 답변을 메시지로 표시하지 못했습니다. 전체를 첨부했습니다.",
  answer_unrendered_on_disk:
    "이 답변을 메시지로 표시하지 못했고, 첨부하기에도 너무 큽니다. 전체 내용은 Bellhop이 있는 컴퓨터의 {file}에 있습니다.",
  answer_middle: "위에서 {count}자를 생략했습니다. 전체 답변은 첨부 파일에 있습니다. 끝부분:",
  answer_middle_on_disk:
    "위에서 {count}자를 생략했습니다. 전체 답변은 Discord에 올리기에 너무 커서 Bellhop이 있는 컴퓨터의 {file}에 있습니다. 끝부분:",
  answer_middle_lost:
    "위에서 {count}자를 생략했습니다. Bellhop이 있는 컴퓨터에 저장하지 못한 부분입니다. 답변의 끝부분:",
  end_why: "이유: {reason}",
  quoted: "“{words}”",
  end_install: "설치 명령: {install}",
  crash_what:
    "이 작업이 실행되는 동안 Bellhop 또는 컴퓨터가 멈췄습니다. 어디까지 진행했는지 알 수 없어, 요청하시기 전에는 다시 실행하지 않습니다.",
  crash_what_kept:
    "이 작업이 실행되는 동안 Bellhop 또는 컴퓨터가 멈췄습니다. 그때까지 에이전트가 한 말은 모두 위에 있습니다. 자동으로 다시 실행되는 작업은 없습니다.",
  crash_sent:
    "이 메시지를 작성 중인 답변에 보내는 동안 Bellhop 또는 컴퓨터가 멈췄습니다. 에이전트가 읽었는지 알 수 없으므로, 말씀하시기 전에는 다시 보내지 않습니다.",
  crash_taken_back:
    "이 메시지({job})를 작성 중인 답변에 보내는 동안 철회하셨는데, 에이전트가 확인하기 전에 Bellhop 또는 컴퓨터가 멈췄습니다. 에이전트가 읽었는지 알 수 없으며, 말씀하시기 전에는 다시 보내지 않습니다.",
  crash_tools: "그 전에 끝난 도구:",
  crash_no_tools: "그 전에 끝난 도구는 없습니다.",
  crash_choose: "아래에서 고르거나 다음 메시지를 보내세요.",
  crash_waiting:
    "이 스레드에서 대기 중인 작업: {count}. 아래에서 고르거나 다음 메시지를 보내면 대기열이 순서대로 계속됩니다.",
  settled_retry: "{job}(으)로 다시 실행했습니다.",
  settled_discard: "이 작업을 버렸습니다. 대기열은 계속됩니다.",
  settled_message: "다음 메시지를 보내셨습니다. 대기열은 순서대로 계속됩니다.",
  button_retry: "다시 시도",
  button_discard: "버리기",
  crash_goes_on: "대기열은 이 작업 없이 계속 진행되었습니다.",
  crash_asked_to_stop: "이 작업의 중지를 요청하신 상태였습니다.",
  crash_changes: "작업 시작 이후 디렉터리의 변경: **{changes}**.",
  crash_no_changes: "작업 시작 이후 디렉터리에서 바뀐 것이 없습니다.",
  crash_changes_unknown: "디렉터리에서 무엇이 바뀌었는지는 알 수 없습니다.",
  crash_patch: "{job} 실행 중에 바뀐 내용 전체:",
  settled_continue: "{job}(으)로 이어서 진행합니다.",
  button_continue: "이어서 하기",
  wait_stuck_login: "에이전트가 로그인을 쓸 수 없습니다",
  wait_stuck_full: "대화가 가득 찼습니다",
  wait_stuck_model: "모델을 쓸 수 없습니다",
  wait_stuck_credits: "계정의 크레딧이 떨어졌습니다",
  wait_stuck_locked: "잠기기 전부터 기다리는 중",
  wait_stuck_locked_says:
    "Bellhop이 잠겼었기 때문에 여기서 기다리는 것은 저절로 시작되지 않습니다. 이어서 하려면 {button}을(를) 누르세요.",
  wait_stuck_busy: "모델 서비스가 응답하지 않습니다",
  wait_stuck_config_model:
    "이 모델은 config.json에 설정되어 있습니다. 프로젝트 전체에는 그 파일에서 바꾸고, 이 스레드에만 쓰려면 아래에서 고르세요.",
  wait_stuck_tries: "{in} 다시 시도합니다.",
  wait_stuck_kept: "이 메시지와 뒤따르는 메시지는 여기서 기다리며, 하나도 잃지 않습니다.",
  wait_stuck_done:
    "{job}은(는) 이미 무언가 했을 수 있어 저절로 다시 실행되지 않습니다. 그 아래의 *{button}*(으)로 다시 실행하세요. 그 뒤에 쓴 메시지는 여기서 기다립니다.",
  button_try_again: "다시 시도",
  button_new_conversation: "새 대화",
  button_compact: "압축",
  button_choose_model: "모델 고르기",
  button_other_tool: "다른 도구",
  button_drop_waiting: "대기 메시지 모두 취소",
  stuck_model: "여기서 어떤 모델로 계속할까요?",
  stuck_model_more: "여기서 어떤 모델로 계속할까요? 에이전트가 제공하는 모델은 `/agent model`에서 모두 볼 수 있습니다.",
  stuck_model_pick: "모델 고르기",
  stuck_model_name: "에이전트가 부르는 모델 이름",
  stuck_tool: "여기서 어떤 도구로 계속할까요? 이 스레드에서 기다리는 메시지는 그 도구로 갑니다.",
  stuck_tool_pick: "도구 고르기",
  stuck_dropped: "기다리던 메시지 {count}개를 취소했습니다.",
  wait_limit_title: "에이전트의 사용 한도에 도달했습니다",
  wait_limit:
    "한도가 초기화될 때까지 {tool}은(는) 계속할 수 없습니다. 이 스레드는 {at}({in})에 자동으로 다시 시도합니다. 그때까지 보내신 메시지는 대기열에 남으며 사라지지 않습니다. 다른 스레드는 계속 진행됩니다.",
  wait_limit_asks:
    "{at}({in})에 한도가 초기화될 때까지 {tool}은(는) 계속할 수 없습니다. 그때 계속할지 여기서 묻습니다. 그때까지 보내신 메시지는 대기열에 남으며 사라지지 않습니다. 다른 스레드는 계속 진행됩니다.",
  wait_limit_again:
    "이 스레드가 자동으로 계속한 뒤 {tool}이(가) 다시 한도에 도달했습니다. 한도는 {at}({in})에 초기화되며, 그때는 계속하기 전에 여기서 먼저 묻습니다. 그때까지 보내신 메시지는 대기열에 남으며 사라지지 않습니다.",
  wait_limit_untimed:
    "{tool}은(는) 계속할 수 없으며, 한도가 언제 초기화되는지 쓸 만한 시각을 알려 주지 않았습니다. 이 스레드는 {at}({in})에 자동으로 다시 시도합니다. 그때까지 보내신 메시지는 대기열에 남으며 사라지지 않습니다. 다른 스레드는 계속 진행됩니다.",
  wait_limit_untimed_asks:
    "{tool}이(가) 언제 초기화되는지 쓸 만한 시각을 알려 주지 않았습니다. 버튼을 눌러 다시 시도하거나 다음 메시지를 적으세요.",
  wait_limit_holds: "사용 한도가 아직 풀리지 않았습니다.",
  wait_lifted_title: "사용 한도가 초기화되었습니다",
  wait_lifted:
    "{tool}이(가) 계속할 수 있습니다. 버튼을 누르거나 다음 메시지를 적으시면 이 스레드의 대기열이 이어집니다.",
  wait_lifted_retry:
    "{tool}이(가) 다시 작업할 수 있습니다. {job}은(는) 한도 때문에 실패했습니다. 다시 시도하거나 다음 메시지를 적으세요.",
  wait_reset: "사용 한도가 초기화되었습니다.",
  outside_background: "에이전트가 백그라운드 작업 결과를 알립니다.",
  outside_lost: "에이전트가 백그라운드에 남겨 둔 작업이 끝났습니다.",
  outside_terminal: "터미널에서 입력:",
  outside_unknown: "에이전트가 알리는 동안 Bellhop 또는 컴퓨터가 멈췄습니다. 어디까지 진행되었는지 알 수 없습니다.",
  outside_unknown_kept: "에이전트가 알리는 동안 Bellhop 또는 컴퓨터가 멈췄습니다. 그때까지의 내용은 위에 있습니다.",
  wait_checkout_title: "이 대화 이후 브랜치가 바뀌었습니다",
  wait_checkout: "에이전트는 당시의 파일을 기억하지만, 실행하면 지금의 파일에서 작업하게 됩니다.",
  wait_was: "당시: {checkout}",
  wait_is: "지금: {checkout}",
  checkout_at: "{path}의 {branch}, 커밋 {commit}",
  checkout_here: "{branch}, 커밋 {commit}",
  checkout_no_branch: "브랜치 없음",
  checkout_no_commit: "없음",
  wait_terminal_title: "터미널을 기다리는 중",
  wait_disk_title: "디스크가 가득 찼습니다",
  wait_disk:
    "Bellhop이 있는 컴퓨터의 디스크가 가득 찼습니다. 공간이 생길 때까지 새로운 것을 시작하지 않으며, 공간이 생기면 저절로 계속합니다.",
  wait_terminal_start:
    "Claude를 창에서 열었지만 아직 준비되었다고 알리지 않았습니다. 직접 답해야 하는 것을 창에서 묻고 있을 수 있습니다. 창에 연결해 답하면 이 작업이 시작됩니다. 아무것도 입력하지 않았습니다.",
  wait_terminal_dialog:
    "Claude가 창에 대화 상자를 띄웠습니다. 창이나 여기 메시지에서 답하면 이 작업이 시작됩니다. 아무것도 입력하지 않았습니다.",
  wait_terminal_draft:
    "Claude 창의 입력란에 보내지 않은 글이 있어 아무것도 입력하지 않았습니다. 창에서 그 글을 보내거나 지우면 이 작업이 저절로 시작됩니다.",
  wait_terminal_clear: "'{button}'을(를) 누르면 입력란을 비우고 메시지를 입력합니다. 그 글은 여기에 남습니다.",
  wait_terminal_cleared: "메시지를 입력하기 전에 입력란에서 지운 글입니다.",
  wait_terminal_mode:
    "창이 아무것도 입력할 수 없는 tmux 모드이고 Bellhop이 끝낼 수 없었습니다. 그 모드를 끝내면(q) 이 작업이 저절로 시작됩니다.",
  wait_terminal_busy: "Claude가 창에서 아직 작업 중입니다. 끝나면 이 작업이 시작됩니다.",
  wait_terminal_hidden:
    "Claude 창의 입력란이 보이지 않거나 메시지가 전부 표시되지 않습니다. 창에 연결해 입력란을 가리고 있는 것을 닫으세요. 그래도 이 작업이 시작되지 않으면 '{button}'을(를) 누르세요. 메시지는 Claude에 전달되지 않았고 입력란에도 남아 있지 않습니다.",
  wait_terminal_attach: "연결하려면: {command}",
  wait_held: "대기 중",
  wait_over: "더 이상 대기하지 않습니다.",
  wait_dropped: "취소되어 실행하지 않았습니다.",
  button_go_on: "지금 계속",
  button_fresh: "여기서 새 대화로 시작",
  button_try_now: "지금 다시 시도",
  button_clear_draft: "글을 지우고 보내기",
  button_drop: "취소",
  diff_none: "이 작업의 패치는 Bellhop 컴퓨터에 더 이상 없습니다.",
  diff_too_large: "패치가 Discord에 올리기에는 너무 큽니다. Bellhop 컴퓨터의 {file}에 있습니다.",

  // What an agent asks its owner, and the options it has.
  decision_allow_once: "이번 한 번만 허용",
  decision_allow_session: "이 세션 동안 허용",
  decision_deny: "거부",
  decision_approve: "승인",
  decision_reject: "거절",
  decision_permission: "{agent} 에이전트가 {object} 도구를 쓰려고 합니다",
  decision_run: "{agent} 에이전트가 {object} 명령을 실행하려고 합니다",
  decision_write: "{agent} 에이전트가 {object} 파일에 쓰려고 합니다",
  decision_create: "{agent} 에이전트가 {object} 파일을 만들려고 합니다",
  decision_change: "{agent} 에이전트가 {object} 파일을 고치려고 합니다",
  decision_delete: "{agent} 에이전트가 {object} 파일을 삭제하려고 합니다",
  decision_move: "{agent} 에이전트가 {object} 파일을 {where} 위치로 옮기려고 합니다",
  decision_read: "{agent} 에이전트가 {object} 파일을 읽으려고 합니다",
  decision_fetch: "{agent} 에이전트가 {object} 페이지를 열려고 합니다",
  decision_search: "{agent} 에이전트가 웹에서 {object} 검색을 하려고 합니다",
  decision_plan_mode: "{agent} 에이전트가 계획 모드로 바꾸려고 합니다",
  decision_use: "{agent} 에이전트가 {where} 서버의 {object} 도구를 쓰려고 합니다",
  decision_plan: "{agent} 에이전트가 이 계획대로 진행해도 될까요?",
  reminder_waits: "{since}부터 답변을 기다리고 있습니다: {link}",
  reminder_reply: "이 메시지에 답장으로 답하거나 그곳에서 답해 주세요.",
  reminder_look: "답하기 전에 그곳에서 전체 내용을 확인해 주세요.",
  reminder_settled: "처리되었습니다: {link}",
  no_longer: "이제 해당하지 않습니다.",
  agent_in_tmux: "tmux의 Claude",

  // What Discord would not take where it belongs (discord/).
  post_elsewhere: "프로젝트 {project}, Bellhop이 더는 글을 쓸 수 없는 {thread}에서 온 내용입니다:",
  post_refused:
    "Discord가 이 메시지를 받지 않았습니다(오류 {code}). 답변 전문은 Bellhop이 실행되는 컴퓨터의 {file}에 있습니다.",
  post_refused_other:
    "Discord가 여기에 올 메시지를 받지 않았습니다(오류 {code}). 자세한 내용은 로그 app.ndjson에 있습니다.",
  post_refused_attached: "메시지 내용은 첨부 파일에 있습니다.",

  // Files that come with a message, and messages read back.
  file_why_size: "{limit}MB보다 큽니다",
  file_why_slow: "{seconds}초 안에 도착하지 않았습니다",
  file_why_address: "Discord에서 온 파일이 아닙니다",
  file_why_gone: "Discord가 파일을 내주지 않았습니다 (응답 {status})",
  file_why_network: "연결이 끊어졌습니다",
  file_why_many: "메시지 하나에서 처음 {limit}개 파일만 받습니다",
  file_why_hour: "한 시간 안에 {limit}MB보다 많이 들어왔습니다",
  file_why_disk: "Bellhop이 있는 컴퓨터에 저장할 수 없었습니다 ({reason})",
  catch_up_title: "밀린 메시지를 읽는 중",
  catch_up_left: "Bellhop이 꺼져 있는 동안 작성된 메시지를 읽고 있습니다. 남은 스레드: {count}. 다음: {threads}",
  catch_up_unreadable:
    "Discord가 이 스레드들의 읽기를 허용하지 않습니다. 대기 중인 작업은 보관되며, 다시 읽을 수 있을 때 실행됩니다: {threads}",

  // The greeting in the owner's channel.
  hello_title: "Bellhop이 준비되었습니다",
  hello_create: "먼저 Bellhop이 있는 컴퓨터의 디렉터리를 프로젝트로 등록하세요.",
  hello_start: "그런 다음 세션을 시작하고, 생긴 스레드에 원하는 일을 적으세요.",
  hello_start_only: "세션을 시작하고, 생긴 스레드에 원하는 일을 적으세요.",
  hello_here: "이 채널에 원하는 일을 바로 적어도 됩니다. 그러면 프로젝트를 묻고, 그 메시지가 첫 프롬프트가 됩니다.",
  hello_inbox:
    "이 채널에 적은 내용은 에이전트가 읽는 받은 편지함으로 갑니다. 메시지로 세션을 열려면 그 메시지에서 봇을 멘션하세요.",
  hello_found: "{tool} {version} 설치됨.",
  hello_missing:
    "{tool}이(가) 설치되어 있지 않습니다. Bellhop이 있는 컴퓨터에서 {install}(으)로 설치하고 {login}(으)로 로그인하세요.",
  hello_demo:
    "{tool} {version}은(는) Bellhop에 딸린 데모 에이전트입니다. 모델이 없고 시험해 보는 용도입니다. 실제 에이전트를 쓰려면 Bellhop이 있는 컴퓨터에서 {install} 명령을 실행하고 {login} 명령으로 로그인한 뒤 Bellhop을 다시 시작하세요.",

  // Slash commands: names, descriptions, answers (discord/commands/).
  cmd_project: "프로젝트",
  cmd_project_says: "Bellhop이 작업할 수 있는 디렉터리",
  cmd_project_create: "만들기",
  cmd_project_create_says: "디렉터리와 거기서 쓸 도구를 등록합니다",
  cmd_project_list: "목록",
  cmd_project_list_says: "등록된 프로젝트를 보여 줍니다",
  cmd_start: "시작",
  cmd_start_says: "새 스레드에서 세션을 엽니다",
  cmd_status: "상태",
  cmd_status_says: "이 스레드의 세션 상태와 열려 있는 에이전트를 보여 줍니다",
  opt_name: "이름",
  opt_name_says: "이름: a-z, 0-9, -, _ 최대 40자",
  opt_path: "경로",
  opt_path_says: "Bellhop이 있는 컴퓨터의 디렉터리 절대 경로",
  opt_tools_csv: "도구",
  opt_tools_csv_says: "허용할 도구를 쉼표로 구분 (예: claude,codex)",
  opt_default_tool: "기본도구",
  opt_default_tool_says: "새 세션이 시작할 때 쓰는 도구",
  opt_args_json: "인수",
  opt_args_json_says: '도구별 인수 JSON (예: {"claude":["--model","opus"]})',
  opt_project_name: "프로젝트",
  opt_project_name_says: "프로젝트. 하나뿐이면 생략할 수 있습니다",
  project_created: "프로젝트 {project}을(를) 등록했습니다. `/start`로 세션을 여세요.",
  projects_title: "프로젝트",
  projects_none: "등록된 프로젝트가 없습니다. `/project create`로 등록하세요.",
  projects_more: "{count}개는 표시하지 않았습니다.",
  field_path: "경로",
  field_tools: "도구",
  field_default_tool: "기본 도구",
  start_delayed: "Discord가 여기서 다음 스레드를 열기 전에 기다리게 합니다. 세션은 {time} 저절로 열립니다.",
  start_opened: "{thread} 세션을 열었습니다. 세션 id는 {session}입니다. 원하는 일을 거기에 적으세요.",
  start_which: "프로젝트가 여러 개입니다. 하나를 고르세요: {projects}",
  resume_goes_on: "“{about}” 대화를 이어 갑니다. 마지막 사용: {when}.",
  resume_branch: "브랜치는 **{branch}**였습니다.",
  resume_said: "마지막 답변: “{words}”",
  resume_end_there:
    "아직 터미널에 열려 있으면 여기에 쓰기 전에 거기서 끝내세요. 두 프로그램이 한 대화에 함께 쓰면 안 됩니다.",
  retry_queued: "{job}(으)로 다시 실행합니다.",
  discarded_before: "이미 처리된 작업이라 바뀐 것이 없습니다.",
  mend_args_json: "프로젝트의 도구마다 문자열 목록을 두는 JSON으로 적으세요.",
  thread_starter: "{project} 세션 ({tool})",
  question_starter: "**{project}**의 질문: {question}",
  question_restarted:
    "에이전트 세션이 다시 시작되었고, 이 질문은 아직 열려 있습니다. 여기에 답하면 에이전트가 이어받습니다.",
  question_lapsed: "제한 시간 안에 답변이 없어 이 질문을 철회했습니다. 대신 결정된 내용은 없습니다.",
  told_unrendered: "이 내용을 메시지로 표시하지 못했습니다. 전체 내용은 첨부 파일 {file}에 있습니다.",
  told_beginning: "앞부분입니다. 전체 글은 {file}에 있습니다.",

  // Settings (config/).
  "config.want.token": "점으로 이어진 세 부분으로 된 Discord 봇 토큰",
  "config.want.user_id": "본인의 Discord 사용자 ID(17~20자리 숫자)",
  "config.want.snowflake": "Discord ID(17~20자리 숫자, JSON 파일에서는 따옴표 안에)",
  "config.want.one_of": "다음 중 하나: {names}",
  "config.want.seconds": "0보다 크고 {max} 이하인 초 단위 숫자",
  "config.want.texts": "문자열의 JSON 배열(예: {example})",
  "config.want.api": "https 주소 또는 이 컴퓨터의 http 주소(이름, 비밀번호, 쿼리, 조각 없이)",
  "config.want.api_in_file":
    "discord.com 또는 이 컴퓨터의 주소({path}은(는) 파일이며, 다른 주소는 환경 변수로만 지정할 수 있음)",
  "config.want.unread": "Bellhop 설정이 없는 파일(저장소에 딸려 온 파일일 수 있어 Bellhop은 이 파일을 읽지 않음)",
  "config.want.private_file": "다른 사람이 읽을 수 없는 본인의 일반 파일(모드 0600)",
  "config.want.readable_file": "읽을 수 있는 파일(없어도 됨)",
  "config.want.same_owner": "{other}와(과) 같은 소유자(그쪽 값은 {id})",
  "config.want.json": "올바른 JSON",
  "config.want.text": "따옴표로 묶은 문자열",
  "config.want.whole_number": "정수",
  "config.want.at_least": "{min} 이상의 값",
  "config.want.at_most": "{max} 이하의 값",
  "config.want.not_empty": "항목 하나 이상",
  "config.want.list": "대괄호로 묶은 목록",
  "config.want.object": "중괄호로 묶은 객체",
  "config.want.project_name": "a-z, 0-9, -, _로 된 1~40자의 프로젝트 이름",
  "config.want.free_tool_name": "{names} 이외의 이름",
  "config.want.own_channel": "이 파일의 다른 채널이나 스레드가 쓰지 않는 id",
  "config.want.unwatched_channel": "DISCORD_CHANNEL_ID와 다른 채널 (그 채널의 메시지는 에이전트가 읽습니다)",
  "config.want.not_as_root": "다른 모드 (Bellhop이 root로 실행되는 동안 Claude Code는 이 모드를 받지 않습니다)",
  "config.want.own_directory": "다른 채널이 쓰지 않는 디렉터리 (채널 하나에 디렉터리 하나)",
  "config.want.own_place": "중간에 심볼릭 링크가 없고 Bellhop 자신의 것이 아닌, 실제로 있는 디렉터리",
  "config.want.same_as_key": "자신의 키와 같은 이름",
  "config.want.absolute_path": "절대 경로",
  "config.want.unique": "도구마다 한 번씩만",
  "config.want.enabled_tool": "이 프로젝트의 enabled_tools 중 하나",
  "config.want.no_nul": "NUL 문자가 없는 문자열",
  "config.want.variable_name": "변수 이름 또는 이름의 앞부분과 *",
  "config.want.tool_name": "`Bash` 같은 도구 이름",
  "config.want.session_name": "영문자, 숫자, - _ 로 된 1~60자 이름",
  "config.want.own_to_server": "다른 서버와 겹치지 않는 값",
  "config.want.same_guild": "DISCORD_GUILD_ID가 가리키는 서버 {id} (이 항목에는 자체 토큰이 없기 때문)",
  "config.want.other_token": "다른 서버와 겹치지 않는 토큰",
  "config.mend.restart": "config.json을 고치고 Bellhop을 다시 시작하세요.",
  "config.want.owner": "소유자의 Discord 사용자 ID(Discord가 알려 주는 애플리케이션 소유자가 없음)",
  "config.want.channel": "봇이 들어가 있고 볼 수 있는 서버의 채널",
  "config.want.application": "토큰이 속한 애플리케이션의 ID {id}",
  "config.want.one_guild": "봇이 들어 있는 서버 정확히 하나",
  "config.want.ascending": "앞의 알림보다 늦은 알림",
  "config.want.hours": "22:00-08:00처럼 서로 다른 두 시각",
  "config.want.amount": "0보다 큰 수",
  "config.want.budget_unit": "`tokens` 또는 USD와 같은 통화의 대문자 세 글자",
  "config.want.time_zone": "Asia/Seoul과 같은 시간대 이름",
  "config.mend.application": "DISCORD_APP_ID를 고치거나 그 애플리케이션의 토큰을 쓴 뒤 다시 시작하세요.",
  "config.mend.no_guild": "{link} 로 봇을 서버에 초대한 뒤 다시 시작하세요.",
  "config.mend.one_guild": "봇을 서버에 초대하거나 DISCORD_GUILD_ID를 설정한 뒤 다시 시작하세요.",
  "config.mend.token":
    "Discord 개발자 포털에서 애플리케이션의 Bot 페이지를 열고 토큰을 복사해 {name}에 넣은 뒤 다시 시작하세요.",
  "config.mend.token_missing":
    "DISCORD_BOT_TOKEN, DISCORD_TOKEN, DISCORD_TOKEN_FILE 중 하나를 설정하고 다시 시작하거나, Discord 없이 쓰려면 `bellhop sandbox`를 실행하세요.",
  "config.mend.user_id":
    "Discord에서 개발자 모드를 켜고 자신의 이름을 오른쪽 클릭해 사용자 ID를 복사한 뒤 {name}에 넣고 다시 시작하세요.",
  "config.mend.snowflake":
    "Discord에서 개발자 모드를 켜고 대상을 오른쪽 클릭해 ID를 복사한 뒤 {name}에 넣고 다시 시작하세요.",
  "config.mend.variable": "환경 변수나 .env에서 {name} 값을 고친 뒤 다시 시작하세요.",
  "config.mend.api_in_file": "그 주소에 토큰을 맡겨도 된다면 환경 변수 {name}에 설정하고 다시 시작하세요.",
  "config.mend.unread":
    "본인의 파일이라면 `--env-file {path}`를 붙이거나 이 줄들을 {config}로 옮기세요. 아니라면 다른 디렉터리에서 시작하세요.",
  "config.mend.private_file": "토큰 파일을 지정하고 `chmod 600 {path}`를 실행한 뒤 다시 시작하세요.",
  "config.mend.no_file": "{path} 파일이 없습니다. 전체 경로를 쓰고 다시 시작하세요.",
  "config.mend.readable_file": "{path}의 권한을 확인한 뒤 다시 시작하세요.",
  "config.mend.same_owner": "둘 중 하나를 지우거나 같은 사람을 가리키게 한 뒤 다시 시작하세요.",
  "config.mend.config": "config.json에서 고치세요. 아무것도 바뀌지 않았습니다.",
  "config.found.nothing": "없음",
  "config.found.secret": "형식이 다른 {length}자 문자열",
  "config.unknown": "{where}: Bellhop이 모르는 설정입니다. 그대로 두지만 적용되지 않습니다.",
  "config.unknown_near": "{where}: Bellhop이 모르는 설정입니다. 그대로 두지만 적용되지 않습니다. 혹시 {near}인가요?",
  "config.entry_left_out": "{name}: {number}번째 항목({found})은 절대 경로가 아니어서 제외했습니다.",
  "config.named_unreadable": "{name}: {path}은(는) Bellhop이 사용할 수 있는 디렉터리가 아닙니다.",
  "config.roots_cut":
    "PROJECT_ROOTS에 저장소가 {count}개 있습니다. 경로 순으로 처음 {limit}개를 프로젝트로 등록했습니다. 나머지는 `/project add`로 추가하세요.",
  "config.not_yet": "{where}: 설정되어 있지만 이 버전의 Bellhop은 아직 사용하지 않습니다.",
  "config.two_tokens": "{first}와(과) {second}의 토큰이 서로 다릅니다. {first} 값을 사용합니다.",
  "config.strange_line": "{path} {line}행은 NAME=value 형식이 아니어서 읽지 않았습니다.",
  "config.pass_env_refused":
    "config.json pass_env: {entry}은(는) 어떤 에이전트에게도 전달되지 않습니다. Discord와 Bellhop의 변수는 전달하지 않습니다.",
  "config.project_unavailable":
    "프로젝트 {project}을(를) 사용할 수 없습니다. {path}은(는) 지금 디렉터리가 아닙니다. 나머지는 모두 작동합니다.",

  // The command line (cli/).
  "cli.usage": "사용법: bellhop <명령> [옵션]",
  "cli.start": "데몬을 실행합니다. Discord에 연결하고 에이전트를 실행합니다",
  "cli.sandbox": "이 컴퓨터의 로컬 Discord로 데몬을 실행하고 링크를 출력합니다",
  "cli.journal": "저널을 검사하거나 복구하거나 내보냅니다",
  "cli.help": "bellhop --version은 버전을, bellhop --help는 이 안내를 보여 줍니다.",
  stops_after_jobs: "실행 중인 작업을 마친 뒤 중지합니다.",
  "cli.ready_clients": "ready: 에이전트의 질문만 받습니다(자체 봇 없음). 상태 디렉터리 {dir}",
  "cli.ready": "ready: 서버 {guild}, 소유자 {owner}, 상태 디렉터리 {dir}",
  "cli.ready_bare": "ready(슬래시 명령어 없음): 서버 {guild}, 소유자 {owner}, 상태 디렉터리 {dir}",
  "cli.ready_sandbox": "ready: 브라우저에서 {link} 를 여세요",
  "cli.journal.whole": "저널에 손상이 없습니다. 이벤트 {events}개, 파일 {files}개, {bytes}바이트.",
  "cli.journal.damaged":
    "손상됨: {file}의 바이트 {offset}, 이벤트 {seq}이(가) 있어야 할 자리: {found}. 그 앞의 이벤트 {events}개는 온전합니다.",
  "cli.journal.covered":
    "스냅샷과 그 이후에는 손상이 없어 Bellhop은 시작되고 정상 동작합니다. 손상된 곳은 이벤트 {seq} 이전의 기록이며 그대로 둡니다.",
  "cli.journal.forgotten": "이벤트 {count}개는 세션과 함께 내용이 지워져 있습니다.",
  "cli.journal.hole":
    "Bellhop은 시작되고 정상 동작합니다. 내용이 지워진 이벤트를 설명하는 기록이 복구할 때 잘려 나간 것으로 보입니다. `bellhop forget`으로 그 세션을 다시 지우세요.",
  "cli.journal.torn": "마지막 이벤트 뒤에 비정상 종료로 잘린 {bytes}바이트가 있습니다. 다음 시작 때 따로 보관합니다.",
  "cli.journal.newline": "마지막 이벤트의 줄바꿈만 빠져 있습니다. 다음 시작 때 추가합니다.",
  "cli.journal.snapshot.good": "스냅샷은 저널과 맞으며 이벤트 {seq}에서 끝납니다.",
  "cli.journal.snapshot.missing": "스냅샷이 없습니다. 다음 시작 때 모든 이벤트를 읽습니다.",
  "cli.journal.snapshot.unusable": "스냅샷을 쓸 수 없습니다({found}). 다음 시작 때 이벤트로부터 다시 만듭니다.",
  "cli.journal.snapshot.ahead":
    "스냅샷은 이벤트 {seq}에서 끝나지만 저널에는 그 이벤트가 없습니다. 저널 끝의 이벤트가 사라졌습니다. `bellhop journal repair`가 스냅샷을 따로 보관합니다.",
  "cli.journal.snapshot.foreign":
    "스냅샷은 이벤트 {seq}에서 끝나지만 저널의 그 자리에는 다른 이벤트가 있습니다. `bellhop journal repair`가 스냅샷을 따로 보관합니다.",
  "cli.journal.nothing": "복구할 것이 없어 아무것도 바꾸지 않았습니다.",
  "cli.journal.cut": "이벤트 {seq}부터 잘라 냈습니다. 이벤트 {events}개, {bytes}바이트.",
  "cli.journal.kept": "원본은 {copy}에 보관했습니다.",
  project_unavailable: "디렉터리가 없습니다",
  start_in: "{channel} 채널로 가세요.",
};
