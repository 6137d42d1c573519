/** Why something failed, in Korean: parts of sentences, without a full stop. */
import type { reasonWords as en } from "./en.ts";

export const reasonWords: Record<keyof typeof en, string> = {
  why_nothing_said: "이유를 알려 주지 않음",
  why_not_in_path: "PATH에 `{command}`이(가) 없음",
  why_no_program: "`{command}`이(가) 없거나 실행할 수 있는 프로그램이 아님",
  why_exit_code: "종료 코드 {exit_code}(으)로 끝남",
  why_signal: "{signal}(으)로 종료됨",
  why_cancelled_itself: "에이전트가 스스로 턴을 취소함",
  why_lines_unread: "읽을 수 없는 줄: {lines}",
  why_answer_unknown: "응답의 형식을 알 수 없음",
  why_answer_cut: "응답이 도중에 끊김",
  why_key_refused: "저장된 값이 세션 ID가 아님",
  why_other_conversation: "다른 대화를 시작함",

  why_version: "프로토콜 버전 {ours}이(가) 아니라 {version}을(를) 사용함",
  why_no_session: "{seconds}초 안에 세션을 열지 않음",
  why_no_session_id: "연 세션에 ID가 없음",
  why_no_resume: "이전 대화를 이어 갈 수 없음",
  why_mode_loose: "묻지 않고 작업할 수 있는 모드 `{mode}`(으)로 시작하며, 물어보는 모드로 바꿀 수 없음",
  why_mode_kept: "모드 `{mode}`(으)로 시작하며, 이전 모드로 바꿀 수 없음",

  why_window_closed: "창이 닫힘",
  why_window_gone: "창이 사라짐",
  why_window_left: "창 안에서 종료됨",

  why_disk_full: "디스크가 가득 참",
  why_no_more_files: "더 이상 파일을 열 수 없으므로 열 수 있는 파일 수의 한도를 올려야 함",

  why_moved: "만든 자리에 있지 않음",
  why_link: "그 자리에 심볼릭 링크가 있음",
  why_no_directory: "디렉터리를 만들 수 없음",
  why_git_code: "`{command}`이(가) 종료 코드 {exit_code}(으)로 끝남",
  why_git_late: "`{command}`이(가) 너무 오래 걸렸거나 시작되지 않음",
  why_git_nothing: "git은 성공했다고 했지만 워크트리가 없음",

  why_killed: "강제로 종료됨",
  why_no_calls: "{seconds}초 안에 호출을 받지 않음",

  why_identity: "Discord에서 봇의 정보를 확인하는 중",
  why_rights: "그곳에서 봇에게 다음 권한이 없음: {rights}",
  why_too_many_threads: "서버의 활성 스레드가 Discord가 허용하는 최대 개수에 이르러 먼저 일부를 보관해야 함",
  why_connecting: "연결하는 중",
  why_asked: "Discord가 다시 연결을 요청함",
  why_invalid_session: "세션이 유효하지 않음",
  why_no_heartbeat: "마지막 하트비트에 응답이 없음",
  why_disconnected: "연결이 닫힘({close_code})",
  why_no_greeting: "Discord가 연결에 응답하지 않음",
  why_nothing_received: "연결하는 동안 아무것도 받지 못함",
  why_asleep: "컴퓨터가 절전 상태였음",
  why_nothing_since_sleep: "절전 이후 아무것도 받지 못함",
  why_no_events: "응답은 하지만 이벤트를 보내지 않음",
  why_gateway_address: "게이트웨이 주소로 받은 {address}이(가) Discord의 주소가 아님",
  why_identify_day: "오늘 남은 연결이 너무 적음",
  why_identify_restarts: "오래 실행되지 못하고 거듭 다시 시작됨",
  why_identify_short_sessions: "세션이 오래 유지되지 않음",
  why_identify_pace: "Discord가 연결 사이에 5초를 요구함",
};
