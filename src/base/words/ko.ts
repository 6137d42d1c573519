/**
 * The Korean sentences. The same keys and the same braces as `en.ts`; a particle after a brace is written
 * for both endings or avoided, because the word that fills it is not known here.
 */
import type { en } from "./en.ts";

export const ko: Record<keyof typeof en, string> = {
  // Errors (base/errors.ts), in the table's order.
  E_OWNER_ONLY: "이 Bellhop의 소유자만 할 수 있는 일입니다. 소유자에게 부탁하거나 직접 Bellhop을 실행하세요.",
  E_NOT_IN_MANAGED_THREAD: "여기는 세션 스레드가 아닙니다. 세션 스레드로 가거나 /start로 새로 여세요.",
  E_PROJECT_NOT_FOUND: "이름이 {project}인 프로젝트가 없습니다. /project list에서 등록된 프로젝트를 확인하세요.",
  E_PROJECT_EXISTS: "이름이 {project}인 프로젝트가 이미 있습니다. 다른 이름을 쓰세요.",
  E_INVALID_PATH: "사용할 수 없는 디렉터리입니다: {path}. Bellhop이 실행되는 컴퓨터에 있는 디렉터리의 절대 경로를 입력하세요.",
  E_INVALID_TOOLSET: "도구 목록이 맞지 않습니다: {found}. {known} 중에서 하나 이상을 적고, 기본 도구는 그 안에서 고르세요.",
  E_TOOL_NOT_ENABLED: "프로젝트 {project}에서는 {tool} 도구를 쓸 수 없습니다. 다음 중에서 고르세요: {tools}.",
  E_SESSION_NOT_FOUND: "세션 {session}이(가) 없습니다. /start로 새 세션을 여세요.",
  E_THREAD_ACCESS_FAILED: "Discord가 스레드 {thread}에 대한 접근을 허용하지 않았습니다. 스레드가 아직 있는지, 봇에게 보기·쓰기·관리 권한이 있는지 확인한 뒤 다시 시도하세요.",
  E_QUEUE_FULL: "이 메시지는 대기열에 넣지 못했습니다. 이 스레드에서 이미 {limit}개가 기다리고 있습니다. 몇 개가 끝난 뒤 다시 보내세요.",
  E_JOB_NOT_RETRYABLE: "{job}은(는) 다시 시도할 수 없습니다. 실패했거나 충돌로 끊긴 작업만 가능합니다. 원하는 내용을 새 메시지로 보내세요.",
  E_CLI_TIMEOUT: "에이전트가 너무 오래 아무것도 출력하지 않아 중지했습니다. 다시 시도하거나 config.json의 limits.cli_timeout_sec 값을 늘리세요.",
  E_CLI_EXIT_NONZERO: "에이전트가 오류로 끝났습니다. 자세한 내용은 작업 로그에 있습니다. 원인을 없앤 뒤 다시 시도하세요.",
  E_ADAPTER_PARSE: "에이전트의 출력을 이해할 수 없었습니다. 에이전트가 새 버전인지 작업 로그에서 확인한 뒤 다시 시도하세요.",
  E_ADAPTER_MISSING_RESULT: "에이전트가 결과 없이 끝났습니다. 출력한 내용은 작업 로그에 있으니 다시 시도하기 전에 확인하세요.",
  E_ADAPTER_SESSION_KEY_MISSING: "에이전트가 세션 이름을 알려 주지 않아 이 대화를 나중에 이어 갈 수 없습니다. 다시 시도하세요.",
  E_DISCORD_RATE_LIMIT: "Discord가 속도를 줄이라고 합니다. 보낼 내용은 모두 보관되어 있으며 자동으로 전송됩니다. 따로 할 일은 없습니다.",
  E_AGENT_START_FAILED: "에이전트를 시작하지 못했습니다. Bellhop이 실행되는 컴퓨터에 명령이 설치되어 있고 실행되는지 확인한 뒤 다시 시도하세요.",
  E_AGENT_SILENT: "에이전트가 너무 오래 응답하지 않아 종료했습니다. 계속하려면 새 세션을 시작하세요.",
  E_NO_ACTIVE_SESSION: "여기에는 열린 세션이 없습니다. /start로 세션을 여세요.",
  E_SESSION_CLOSED: "닫힌 세션이라 메시지를 대기열에 넣지 않았습니다. 세션을 다시 열거나 /start로 새로 시작하세요.",
  E_MODEL_UNAVAILABLE: "에이전트가 {model} 모델을 제공하지 않습니다. 제안된 모델 중에서 고르세요.",
  E_DECISION_CLOSED: "이미 답했거나 기한이 지난 요청이라 아무것도 바뀌지 않았습니다. 필요하면 에이전트가 다시 물어봅니다.",
  E_ATTACHMENT_REFUSED: "{name} 파일은 에이전트에게 전달되지 않았습니다. 아직 파일은 받지 않습니다. 내용을 여기에 붙여 넣거나, 파일을 프로젝트 디렉터리에 두고 이름을 알려 주세요.",
  E_JOURNAL_CORRUPT: "저널이 손상되었습니다: {file}, 바이트 {offset}, 순번 {seq}: {found}. 아무것도 시작하거나 바꾸지 않았습니다. `bellhop journal verify`로 손상 범위를 확인하고 `bellhop journal repair`로 복구하세요. 원본은 먼저 복사해 둡니다.",
  E_JOURNAL_WRITE: "저널에 쓸 수 없었습니다({reason}). 받은 것을 하나도 잃지 않도록 Bellhop을 멈췄습니다. 디스크 공간을 확보하거나 디스크를 고친 뒤 다시 시작하세요.",
  E_CONFIG_INVALID: "{where}: 찾은 값은 {found}, 필요한 값은 {expected}입니다. {mend}",
  E_DAEMON_RUNNING: "다른 Bellhop(프로세스 {pid})이 {path} 경로를 사용하고 있습니다. 그것을 쓰거나 먼저 멈추거나 STATE_DIR을 다른 디렉터리로 지정하세요.",
  E_WORKTREE_DIRTY: "워크트리 {path}에 커밋하지 않았거나 푸시하지 않은 작업이 있어 그대로 두었습니다. 작업을 저장하거나 지워도 된다고 확인해 주세요.",
  E_TOKEN_REFUSED: "Discord가 봇 토큰을 거부했습니다. Discord 개발자 포털에서 애플리케이션의 Bot 페이지를 열고 새 토큰을 복사한 뒤 다시 시작하세요.",
  E_INTENT_REFUSED: "Discord가 봇의 인텐트를 거부했습니다. Discord 개발자 포털에서 애플리케이션의 Bot 페이지를 열고 Message Content Intent를 켠 뒤 다시 시작하세요.",
  E_EMPTY_PROMPT: "이 메시지에는 에이전트에게 전달할 내용이 없습니다. 원하는 일을 적어 주세요.",
  E_PROMPT_TOO_LONG: "이 메시지는 에이전트에게 줄 수 있는 {limit}자를 넘습니다. 줄이거나 파일로 보내세요.",
  E_INTERNAL: "Bellhop 내부에서 예상하지 못한 문제가 생겼습니다. 자세한 내용은 로그 app.ndjson에 있습니다. 다시 시도해 보고, 또 생기면 알려 주세요.",
};
