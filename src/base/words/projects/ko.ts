/** The Korean sentences about projects and what stands in their directories. */
import type { projectWords as en } from "./en.ts";

export const projectWords: Record<keyof typeof en, string> = {
  panel_title: "제어판",
  panel_running: "실행 중",
  panel_stopped: "중지됨",
  panel_adopted: "직접 실행",
  panel_worktrees: "워크트리 목록",
  panel_none:
    "터미널에서 Claude를 실행하는 프로젝트가 없습니다. config.json에서 프로젝트의 {key}에 {tool}을(를) 추가하세요.",
  panel_more: "… 외 {count}개",
  panel_start: "▶ 시작 {project}",
  panel_stop: "🛑 중지 {project}",
  panel_pick: "프로젝트 시작 또는 중지 ({first}–{last})",
  panel_started: "{project}이(가) {thread}에서 실행 중입니다.",
  panel_asks:
    "아무것도 시작하지 않았습니다. {project}이(가) 마지막으로 보신 상태와 다르거나 작업이 대기 중입니다. {thread}에 글을 쓰면 그곳에서 확인합니다.",
  window_unopened: "이 세션의 창을 열지 못했습니다. {why} 여기에 다음 메시지를 쓰면 다시 시도합니다.",
  panel_ended: "{project}: 창 {count}개를 종료했습니다.",
  panel_waits: "대기 중인 메시지 {count}개는 새 창에서 이어집니다. `/queue`에서 취소할 수 있습니다.",
  E_STATE_DIRECTORY:
    "{path}에 Bellhop의 상태 디렉터리가 들어 있거나, 이 경로가 그 안에 있습니다. 프로젝트에는 다른 디렉터리를 지정해 주세요.",
  wait_changed_title: "마지막으로 보신 뒤에 여러 가지가 바뀌었습니다",
  wait_changed: "아무것도 실행하지 않았습니다. 답은 여기에 표시된 내용에만 적용됩니다.",
  wait_changed_newer: "더 이상 해당하지 않습니다. 아래의 새 메시지에서 다시 확인합니다.",
  wait_changed_long:
    "너무 길어 전부 표시할 수 없는 부분이 있어 수락할 수 없습니다. 컴퓨터에서 줄인 뒤 메시지를 다시 보내 주세요.",
  button_accept: "이대로 계속",
  wait_place_title: "프로젝트 디렉터리의 위치가 바뀌었습니다",
  wait_place: "{project} 프로젝트의 경로가 이제 다른 디렉터리를 가리킵니다.",
  wait_place_was: "이전: {path}",
  wait_place_is: "지금: {path}",
  wait_configuration_title: "프로젝트의 에이전트 설정이 바뀌었습니다",
  wait_configuration:
    "{project} 프로젝트의 이 파일들은 묻지 않고 코드를 실행할 수 있습니다. 직접 바꾸지 않았다면 에이전트나 다른 누군가가 바꾼 것입니다:",
  wait_configuration_file: "바뀐 내용 전체가 첨부 파일에 있습니다. 고르기 전에 읽어 주세요.",
  wait_configuration_lost:
    "바뀐 내용을 더 이상 보여 드릴 수 없습니다. *{button}* 버튼을 누르고 메시지를 다시 보내 주세요. Bellhop이 파일을 다시 읽습니다.",
  configuration_unknown: "이전 내용을 알 수 없어 파일 전체를 보여 드립니다.",
  configuration_new: "{name} (새 파일)",
  configuration_gone: "{name} (삭제됨)",
  configuration_changed: "{name} (변경됨)",
  configuration_not_shown:
    "{bytes}바이트, {digest}; 텍스트가 아니거나 너무 길어 표시하지 않았습니다. 컴퓨터에서 직접 확인하세요.",
  configuration_hidden: "(표시하지 않음)",
  configuration_special: "파일도 폴더도 아닙니다",
  configuration_unreadable: "읽을 수 없습니다({code})",
  configuration_beyond:
    "한도 초과: {first}부터 파일 {count}개는 크기와 시각으로만 구별합니다. 바뀌면 알아차리지만 내용은 보여 드릴 수 없습니다. 컴퓨터에서 직접 확인하세요.",
  configuration_endless:
    "파일과 폴더가 {most}개를 넘습니다. 모두 확인할 수 없으므로 줄이기 전에는 여기서 아무것도 실행하지 않습니다.",
  rules_allowed_title: "Claude가 묻지 않고 할 수 있는 일이 늘었습니다",
  rules_allowed:
    "이제 {project}에서 Claude는 다음을 묻지 않고 할 수 있습니다. 누군가 터미널에서 “항상 허용”을 고르면 Claude가 이 규칙을 {file}에 적습니다. 직접 고르지 않았다면 그 파일에서 지우세요:",
  rules_allowed_file:
    "{project}에서 Claude가 묻지 않고 할 수 있는 일이 늘었습니다. 새 규칙 {count}개는 모두 첨부 파일에 있습니다. 누군가 터미널에서 “항상 허용”을 고르면 Claude가 이 규칙을 {file}에 적습니다. 직접 고르지 않았다면 그 파일에서 지우세요.",
  "cli.status.parked_locked": "잠기기 전부터 기다리는 중: {job}",
  "cli.status.parked_stuck": "기다리는 중: 다음 메시지도 {job}과(와) 같은 이유로 실패합니다",
  "cli.status.parked_terminal": "{job} 작업이 터미널을 기다리는 중",
  E_AGENT_LOGIN:
    "Bellhop이 실행되는 컴퓨터에서 {tool}에 로그인되어 있지 않습니다. 그 컴퓨터의 터미널에서 `{login}`을(를) 실행한 뒤 다시 시도해 주세요.",
  agent_login_own:
    "Bellhop이 실행되는 컴퓨터에서 {tool}에 로그인되어 있지 않습니다. 그 컴퓨터에서 에이전트 자체 프로그램으로 로그인한 뒤 다시 시도해 주세요.",
  agent_login_refused:
    "{tool}에 로그인한 계정은 이것을 쓸 수 없습니다. 조직 관리자가 해결할 수 있으니 그 뒤 다시 시도하세요. 또는 Bellhop이 있는 컴퓨터의 터미널에서 `{login}`을(를) 입력해 다른 계정으로 로그인하세요.",
  agent_login_refused_own:
    "{tool}에 로그인한 계정은 이것을 쓸 수 없습니다. 조직 관리자가 해결한 뒤 다시 시도하거나 다른 계정으로 로그인하세요.",
  agent_login_ways:
    "Bellhop이 실행되는 컴퓨터에서 {tool}에 로그인되어 있지 않습니다. 그 컴퓨터에서 에이전트 자체 프로그램으로 로그인한 뒤 다시 시도해 주세요. 가능한 방법: {ways}",
  agent_logged_out: "{tool}에 로그인되어 있지 않습니다. 로그인하려면 Bellhop이 있는 컴퓨터의 터미널에서 실행하세요:",
  retry_unknown:
    "{job} 작업이 없거나 너무 오래되었습니다. 스레드마다 최근 50개만 보관합니다. 원하는 내용을 새 메시지로 보내 주세요.",
  retry_before: "{job} 작업은 이미 {by}(으)로 다시 실행했습니다. 그 작업의 결과를 확인하세요.",
  retry_not_ended: "{job} 작업은 아직 끝나지 않았습니다. 먼저 취소하거나 끝날 때까지 기다려 주세요.",
  retry_went_well: "{job} 작업은 성공했으므로 다시 시도할 필요가 없습니다. 원하는 내용을 새 메시지로 보내 주세요.",
  retry_was_cancelled: "{job} 작업은 취소되어 다시 시도할 수 없습니다. 원하는 내용을 새 메시지로 보내 주세요.",
  retry_was_sent:
    "{job}은(는) 다른 작업의 답변에 보낸 메시지라서 다시 시도할 답변이 없습니다. 원하는 내용을 새 메시지로 보내 주세요.",
  card_reads: "{tool}은(는) 여기서 읽기만 할 수 있었습니다",
  card_reads_refused: "{tool}은(는) 여기서 읽기만 할 수 있어서, 시도한 작업이 거부되었습니다.",
  card_looked_late:
    "시작 직후에 변경한 내용은 여기에 빠져 있을 수 있습니다. 그때는 Bellhop이 프로젝트를 아직 살펴보고 있었습니다.",
  card_unmeasured:
    "무엇을 변경했는지 표시하지 않습니다. 이 저장소를 살펴보는 데 시간이 너무 오래 걸립니다. 해당 디렉터리에서 `git status`와 `git log`를 실행하면 볼 수 있습니다.",
  card_beside:
    "같은 시간에 {threads}에서도 이 디렉터리에서 작업했습니다. 따라서 이 변경 내용은 그 세션과 이 세션이 함께 만든 것입니다.",
  card_apart:
    '새 스레드마다 별도의 git 워크트리를 쓰려면 `config.json`의 프로젝트에 `"isolation": "worktree"`를 설정하세요. 이 스레드는 시작한 곳에 그대로 남습니다.',
  card_pictures:
    "한 변이 {side}픽셀보다 긴 사진인데 작은 사본이 없어 원본을 보냈습니다: {names}. 이런 사진이 너무 많으면 대화를 더 이어 갈 수 없게 될 수 있습니다.",
  access_asks: "{tool}은(는) 무언가를 바꾸기 전에 먼저 물어봅니다.",
  access_edits: "{tool}은(는) 여기서 묻지 않고 파일을 바꿀 수 있습니다.",
  access_reads: "{tool}은(는) 자체 설정에서 더 허용하지 않는 한 여기서 읽기만 할 수 있습니다.",
  access_writing:
    "쓰기를 허용하려면 `/project create`의 `args_json`이나 `config.json`의 `default_args`에서 프로젝트에 다음 인수를 지정하세요: {args}",
  hello_open: "여기서 세션 열기",
  hint_open: "{project}에서 세션 열기",
  offer_inbox:
    "아직 어떤 에이전트도 이 메시지를 받지 않았습니다. 어느 프로젝트에서 이 메시지를 세션의 첫 프롬프트로 쓸까요?",
  offer_read: "에이전트가 이 메시지를 읽었습니다. 그래도 이 메시지로 세션을 시작하려면 프로젝트를 고르세요.",
  offer_channel: "이 채널을 읽는 에이전트가 없습니다. 어느 프로젝트에서 이 메시지를 세션의 첫 프롬프트로 쓸까요?",
  offer_thread:
    "이 스레드를 읽는 에이전트가 없습니다. 어느 프로젝트의 세션으로 만들고 이 메시지를 첫 프롬프트로 쓸까요?",
  offer_more: "더 보기…",
  offer_pick: "프로젝트 선택",
  offer_opened: "**{project}**에서 열었습니다: {thread}",
  offer_no_project:
    "프로젝트가 없어서 아직 어떤 에이전트도 이 메시지를 받지 않았습니다. Bellhop이 있는 컴퓨터의 디렉터리를 프로젝트로 추가한 뒤, 이 메시지에서 고르세요:",
  start_rights:
    "{channel}에서 봇에게 다음 권한이 없습니다: {rights}. 채널 설정의 권한에서 허용한 뒤 다시 시도해 주세요.",
  right_view: "채널 보기",
  right_send: "메시지 보내기",
  right_threads: "공개 스레드 만들기",
  right_in_threads: "스레드에서 메시지 보내기",
  right_embed: "링크 첨부",
  right_history: "메시지 기록 보기",
};
