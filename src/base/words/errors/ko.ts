/** The Korean sentences of errors, in the order of `base/errors.ts`. */
import type { errorWords as en } from "./en.ts";

export const errorWords: Record<keyof typeof en, string> = {
  E_OWNER_ONLY: "이 Bellhop의 소유자만 할 수 있습니다. 소유자에게 요청하거나 직접 Bellhop을 실행하세요.",
  E_NOT_IN_MANAGED_THREAD: "여기는 세션 스레드가 아닙니다. 세션 스레드로 가거나 `/start`로 새로 여세요.",
  E_PROJECT_NOT_FOUND:
    "이름이 {project}인 프로젝트가 없습니다. `/project list`에서 모든 프로젝트를 확인할 수 있습니다.",
  E_PROJECT_EXISTS: "이름이 {project}인 프로젝트가 이미 있습니다. 다른 이름을 쓰세요.",
  E_INVALID_PATH:
    "사용할 수 없는 디렉터리입니다: {path}. Bellhop이 실행되는 컴퓨터에 있는 디렉터리의 절대 경로를 입력하세요.",
  E_PROJECT_CHANGED:
    "{project}이(가) 마지막으로 보신 상태와 달라서 아무것도 실행하지 않았습니다. 스레드에 글을 쓰면 그곳에서 먼저 확인합니다.",
  E_INVALID_TOOLSET:
    "사용할 수 없는 도구입니다: {found}. {known} 중에서 하나 이상을 한 번씩만 적고, 기본 도구는 그 안에서 고르세요.",
  E_TOOL_NOT_ENABLED: "{tool}은(는) 이 프로젝트의 도구({tools})에 없습니다. 그중에서 고르세요.",
  E_SESSION_NOT_FOUND: "세션 {session}이(가) 없습니다. `/start`로 새 세션을 여세요.",
  E_THREAD_ACCESS_FAILED:
    "Discord가 스레드 {thread}에 대한 접근을 허용하지 않았습니다. 스레드가 아직 있는지, 봇에게 보기·쓰기·관리 권한이 있는지 확인한 뒤 다시 시도하세요.",
  E_THREAD_FOREIGN:
    "{thread}은(는) 이 MCP 서버의 채널도, 그 채널의 스레드도 아니므로 아무것도 올리지 않았습니다. 이전 결과의 thread_id를 쓰거나 생략하세요.",
  E_PLACE_REFUSED: "{place}을(를) 사용할 수 없습니다: {reason}. Discord에서 바꾼 뒤 다시 시도하세요.",
  E_COMMANDS_REFUSED:
    "Discord가 슬래시 명령어 등록을 허용하지 않습니다. 봇이 applications.commands 범위 없이 초대되었습니다. {link} 로 다시 초대하면 명령어가 저절로 나타납니다.",
  E_QUEUE_FULL:
    "이 메시지는 대기열에 넣지 못했습니다. 이 스레드에서 이미 {limit}개가 기다리고 있습니다. 몇 개가 끝난 뒤 다시 보내세요.",
  E_SEND_FAILED:
    "실행 중인 에이전트가 이 메시지를 받지 않아서 전처럼 차례를 기다립니다. 이제 대기열의 맨 앞입니다. 따로 하실 일은 없습니다.",
  E_JOB_NOT_RETRYABLE:
    "{job}은(는) 다시 시도할 수 없습니다. 실패했거나 비정상 종료로 중단된 작업만 가능합니다. 원하는 내용을 새 메시지로 보내세요.",
  E_CLI_TIMEOUT:
    "에이전트가 너무 오래 아무것도 출력하지 않아 중지했습니다. 다시 시도하거나 config.json의 limits.cli_timeout_sec 값을 늘리세요.",
  E_CLI_EXIT_NONZERO: "{tool}이(가) 중지되었습니다: {reason}. 원인을 해결한 뒤 다시 시도를 누르세요.",
  E_ADAPTER_PARSE:
    "에이전트의 출력을 해석하지 못했습니다({reason}). 에이전트가 새 버전인지 작업 로그에서 확인한 뒤 다시 시도하세요.",
  E_LINE_REFUSED:
    "출력의 한 줄이 너무 길거나 너무 깊게 중첩되어, Bellhop이 읽을 수 있는 결과 없이 에이전트가 끝났습니다. 큰 출력은 파일에 쓰도록 지시한 뒤 다시 시도하세요.",
  E_ADAPTER_MISSING_RESULT:
    "에이전트가 결과 없이 끝났습니다. 출력한 내용은 작업 로그에 있으니 다시 시도하기 전에 확인하세요.",
  E_ADAPTER_SESSION_KEY_MISSING:
    "에이전트가 세션 이름을 알려 주지 않아 이 대화를 나중에 이어 갈 수 없습니다. 다시 시도하세요.",
  E_DISCORD_RATE_LIMIT:
    "Discord가 전송 속도를 낮추라고 거듭 요청해서 이 메시지는 보내지 못했고 나중에도 보내지 않습니다. 몇 분 뒤에 다시 보내세요.",
  E_AGENT_START_FAILED:
    "에이전트를 시작하지 못했습니다. Bellhop이 실행되는 컴퓨터에 명령이 설치되어 있고 실행되는지 확인한 뒤 다시 시도하세요.",
  E_AGENT_UNGUARDED:
    "에이전트를 중지했습니다. 묻지 않고 실행할 수 있는 {mode} 모드에 있으며 되돌릴 수 없었습니다. Bellhop이 실행되는 컴퓨터의 에이전트 설정에서 그 모드를 없앤 뒤 다시 시도하세요.",
  E_BACKGROUND_ENDED:
    "에이전트가 백그라운드에서 하던 작업이 프로세스와 함께 끝났습니다: {what}. 아직 필요하면 다시 요청하세요.",
  E_BACKGROUND_SILENT:
    "에이전트가 백그라운드에서 하던 작업이 config.json의 limits.background_work_sec보다 오래 아무 반응이 없어 종료했습니다: {what}. 아직 필요하면 다시 요청하거나 그 한도를 늘리세요.",
  E_AGENT_SILENT:
    "에이전트가 너무 오래 응답하지 않아 종료하고 세션을 닫았습니다. 다시 열려면 여기에 메시지를 적고 *다시 열고 보내기*를 누르세요. `/start`로 새로 시작할 수도 있습니다.",
  E_NO_ACTIVE_SESSION: "여기에는 열린 세션이 없습니다. `/start`로 세션을 여세요.",
  E_SESSION_CLOSED: "닫힌 세션이라 메시지를 대기열에 넣지 않았습니다. 세션을 다시 열거나 `/start`로 새로 시작하세요.",
  E_SESSION_BUSY:
    "이 세션에 아직 실행 중이거나 대기 중이거나 답을 기다리는 것이 있어 아무것도 지우지 않았습니다. `/cancel`이나 `/agent stop`으로 멈추고, `/queue`에서 대기열을 비우고, 질문에 답한 뒤 다시 시도하세요.",
  E_SESSION_FORGETTING: "이 세션의 기록을 지금 지우고 있습니다. 잠시 후 다시 시도하세요.",
  E_MODEL_UNAVAILABLE: "에이전트가 {model} 모델을 제공하지 않습니다. `/agent model`이 제안하는 모델 중에서 고르세요.",
  E_MODE_UNAVAILABLE:
    "{mode} 모드는 여기에서 고를 수 없습니다. 고를 수 있는 모드는 에이전트가 한 번 실행된 뒤 `/agent mode`의 목록에 나옵니다. 덜 묻는 모드는 먼저 프로젝트의 인수에 적어야 합니다.",
  E_EFFORT_UNAVAILABLE:
    "{effort} 추론 강도는 이 에이전트에서 고를 수 없습니다. 고를 수 있는 값은 `/agent effort`에 나옵니다.",
  E_NOT_COMPACTED: "대화를 압축하지 못했습니다: {reason}. 대화는 그대로 이어집니다. 새 대화는 `/new`로 시작합니다.",
  E_LOCKED:
    "Bellhop이 잠겨 있습니다. 소유자가 `/unlock`으로 열 때까지 아무것도 시작되거나 허용되지 않으며, 메시지도 보관되지 않습니다.",
  E_KEPT_OUT:
    "Bellhop의 잠금이 풀리기 전에 쓴 메시지라 받지 않았습니다. 직접 쓴 메시지이고 아직 필요하다면 다시 보내세요.",
  E_NOT_LOCKED: "Bellhop이 잠겨 있지 않습니다. 풀 것이 없습니다.",
  E_WORD_WRONG:
    "그 단어가 아닙니다. {left}번 더 틀리면 `/unlock`이 15분 동안 닫힙니다. 컴퓨터에서 bellhop unlock을 실행하면 새 단어가 표시됩니다.",
  E_WORD_CLOSED:
    "틀린 단어가 너무 많아 앞으로 {minutes}분 동안 `/unlock`이 단어를 받지 않습니다. 그 뒤 컴퓨터에서 bellhop unlock을 실행하면 새 단어가 표시됩니다.",
  E_BUDGET_INVALID:
    "“{found}”은(는) 금액이 아닙니다. `5 USD`나 `200k tokens`처럼 0보다 큰 수와 단위를 쓰세요. `off`는 예산 없음, `default`는 config.json의 값입니다.",
  E_BUDGET_UNIT: "이 예산의 단위는 {unit}이며 환산하지 않습니다. 새 한도를 {unit} 단위로 쓰세요.",
  E_BUDGET_USED: "이미 {used} {unit}을(를) 썼습니다. 새 한도는 그보다 커야 합니다.",
  E_DECISION_CLOSED:
    "이미 답했거나 기한이 지난 요청이라 아무것도 바뀌지 않았습니다. 필요하면 에이전트가 다시 물어봅니다.",
  E_TOO_MANY_QUESTIONS:
    "질문하지 못했습니다. 이미 {limit}개의 질문이 답을 기다리고 있습니다. 일부에 답이 온 뒤 다시 질문하세요.",
  E_QUESTIONS_TOO_LONG:
    "질문하지 못했습니다. 이미 열려 있는 질문과 합하면 {limit}백만 자를 넘습니다. 일부에 답이 온 뒤 다시 질문하거나, 설명을 줄여 질문하세요.",
  E_ATTACHMENT_REFUSED: "{name} 파일은 에이전트에게 전달되지 않았습니다: {why}.",
  E_ATTACHMENT_CHANGED:
    "{name} 파일이 보내 주신 것과 다릅니다. 에이전트에게 전달되기 전에 이 컴퓨터에서 바뀌었거나 교체되었거나 삭제되었습니다. 에이전트에게는 아무것도 전달하지 않았습니다. 파일을 다시 보내 주세요.",
  E_JOURNAL_CORRUPT:
    "저널을 읽을 수 없습니다: {file}, 바이트 {offset}, 순번 {seq}: “{found}”. 아무것도 시작하거나 바꾸지 않았습니다. 다른 버전이 표시되면 그 저널을 쓴 Bellhop을 시작하거나 STATE_DIR을 빈 디렉터리로 지정하세요. 그렇지 않으면 손상된 것이니 `bellhop journal verify`로 손상 범위를 확인하고 `bellhop journal repair`로 복구하세요. 원본은 먼저 복사해 둡니다.",
  E_JOURNAL_WRITE:
    "저널에 쓰지 못했습니다(`{reason}`). 받은 내용을 잃지 않도록 Bellhop을 멈췄습니다. 디스크 공간을 확보하거나 디스크를 고친 뒤 Bellhop을 다시 시작하세요.",
  E_JOURNAL_MISSING:
    "{path}에 아직 저널이 없습니다. 처음으로 `{command}`를 실행하면 만들어집니다. 이미 있어야 한다면 STATE_DIR을 확인하세요.",
  E_CONFIG_INVALID: "{where}: 찾은 값은 {found}, 필요한 값은 {expected}입니다. {mend}",
  E_CONFIG_WRITE:
    "{path}에 쓸 수 없었습니다(`{reason}`). Discord에서 고른 것은 그대로 적용됩니다. Bellhop이 파일에 쓸 수 있게 하면 파일에도 추가됩니다.",
  E_FILE_REFUSED:
    "Bellhop이 실행되는 컴퓨터에서 파일을 읽거나 쓰지 못했습니다: {reason}. 원인을 해결한 뒤 다시 시도하세요.",
  E_DISK_FULL:
    "Bellhop이 실행되는 컴퓨터의 디스크가 가득 차서 새로운 것을 시작하지 않습니다. 공간을 확보한 뒤 다시 시도하세요. 대기열에 있는 작업은 저절로 시작합니다.",
  E_DAEMON_RUNNING:
    "다른 Bellhop(프로세스 {pid})이 {path} 경로를 사용하고 있습니다. 그것을 쓰거나 먼저 멈추거나 STATE_DIR을 다른 디렉터리로 지정하세요.",
  E_WORKTREE_DIRTY:
    "워크트리 {path}에 커밋하지 않았거나 푸시하지 않은 작업이 있어 그대로 두었습니다. 작업을 저장하거나 지워도 된다고 확인해 주세요.",
  E_WORKTREE_NO_COMMIT:
    "{path}의 워크트리를 만들 수 없습니다. git 저장소가 아니거나 아직 커밋이 없습니다. 커밋을 하거나 config.json의 프로젝트에서 `isolation`을 빼고 다시 시도하세요.",
  E_WORKTREE_IN_USE:
    "워크트리를 만들지 않았습니다. {path} 또는 브랜치 {branch}이(가) 이미 있고 이 세션의 것이 아닙니다. 이름을 바꾸거나 지운 뒤 다시 시도하세요.",
  E_WORKTREE_FAILED:
    "git이 워크트리 {path}을(를) 처리하지 못했습니다: {reason}. 만들다 만 것은 남기지 않았습니다. 저장소와 남은 디스크 공간을 확인한 뒤 다시 시도하세요.",
  E_WORKTREE_GONE:
    "이 세션의 워크트리 {path}이(가) 사라져서 여기서는 더 이상 아무것도 실행되지 않습니다. 이 스레드를 보관 처리해 주세요. 새 세션은 `/start`로 시작합니다. 브랜치 {branch}은(는) 따로 지우지 않았다면 남아 있습니다.",
  E_TOKEN_REFUSED:
    "Discord가 봇 토큰을 거부했습니다. Discord 개발자 포털에서 애플리케이션의 Bot 페이지를 열고 새 토큰을 복사한 뒤 다시 시작하세요.",
  E_INTENT_REFUSED:
    "Discord가 봇의 인텐트를 거부했습니다. Discord 개발자 포털에서 애플리케이션의 Bot 페이지를 열고 Message Content Intent를 켠 뒤 다시 시작하세요.",
  E_GATEWAY_REFUSED:
    "Discord가 이 버전의 Bellhop 연결을 받아들이지 않습니다(종료 코드 {close_code}). 최신 버전을 설치한 뒤 다시 시작하세요.",
  E_GATEWAY_ADDRESS:
    "Discord 게이트웨이 주소로 {address}이(가) 전달되었지만 Discord의 주소가 아닙니다. 그래서 Bellhop은 그곳에 봇 토큰을 보내지 않고 주소를 다시 물어봅니다. 계속되면 프록시나 DNS 서버처럼 이 컴퓨터와 Discord 사이에 있는 것과 `BELLHOP_DISCORD_API`를 확인하세요.",
  E_EMPTY_PROMPT:
    "이 메시지에는 에이전트에게 전달할 내용이 없습니다. 원하는 작업을 적어 주세요. 내용을 적으셨다면 Discord가 넘겨주지 않은 것입니다. Discord 개발자 포털의 애플리케이션 Bot 페이지에서 Message Content Intent를 켜 주세요.",
  E_NOT_A_PROMPT: "에이전트에게 아무것도 전달하지 않았습니다. {reason}. 원하는 작업을 적어 주세요.",
  E_PROMPT_TOO_LONG: "이 메시지는 에이전트에게 줄 수 있는 {limit}자를 넘습니다. 줄이거나 파일로 보내세요.",
  E_INVALID_NAME: "{name}은(는) 프로젝트 이름으로 쓸 수 없습니다. a–z, 0–9, -, _ 중에서 1~40자로 정하세요.",
  E_NOT_IN_TEXT_CHANNEL: "세션은 스레드 안이 아니라 텍스트 채널에서 엽니다. 텍스트 채널에서 `/start`를 쓰세요.",
  E_RESUME_UNKNOWN:
    "에이전트가 이 대화를 더 이상 알지 못해 이어 갈 수 없었습니다. 여기에 다음 메시지를 쓰면 새 대화가 시작됩니다. 지금까지의 내용은 위에 그대로 있습니다.",
  E_CONVERSATION_IN_USE: "이 대화에는 이미 스레드가 있습니다: {thread}. 이어 가려면 거기에 쓰세요.",
  E_CONVERSATION_IN_WINDOW:
    "이 대화는 아직 창에 열려 있는데, 그 창의 스레드는 더 이상 없습니다. `/agent stop`으로 창을 닫은 뒤 여기에서 대화를 이어 가세요.",
  E_CONVERSATION_NOT_FOUND:
    "이 컴퓨터에서 {project}의 대화 {conversation}을(를) 찾지 못했습니다. `/resume`를 다시 입력하고 목록에서 고르세요.",
  E_ARGUMENT_REFUSED:
    "{argument}은(는) {tool}용 프로젝트 인수로 쓸 수 없습니다. Bellhop이 직접 설정하거나, 에이전트가 묻지 않고 행동하게 만드는 값입니다. 빼고 다시 시도하세요.",
  any_acp_agent: "ACP를 지원하는 에이전트",
  E_CONVERSATION_FULL: "이 대화가 가득 차서 모델이 더 받지 않습니다. 계속하려면 새 대화를 시작하세요.",
  E_OUT_OF_CREDITS:
    "에이전트가 쓰는 계정의 크레딧이 떨어졌거나 지출 한도에 이르렀습니다. 계정 관리자가 풀 수 있습니다. 그런 뒤 다시 시도하거나 `/tool`로 다른 에이전트를 고르세요.",
  E_SERVICE_BUSY: "모델 서비스가 지금 응답하지 않습니다. 몇 분 뒤 다시 시도하세요.",
  E_USAGE_LIMIT: "에이전트 계정의 사용 한도에 도달했습니다. 한도가 풀린 뒤 다시 시도하거나 다른 도구로 실행하세요.",
  E_TERMINAL_BUSY: "Claude 창에 아무것도 입력할 수 없었습니다. {attach}(으)로 연결해 확인하세요. 작업은 기다립니다.",
  E_PROMPT_NOT_TAKEN:
    "프롬프트를 Claude 창에 입력했지만 Claude가 확인하지 않았습니다. Claude가 받았을 수도 있으니 다시 시도하기 전에 창을 확인하세요.",
  E_PROMPT_IS_COMMAND:
    "Claude 터미널이 `{first}`을(를) 명령으로 읽으므로 프롬프트를 입력하지 않았습니다. 앞에 낱말을 하나 붙여 다시 보내세요.",
  E_ADOPTION_CLOSED:
    "이 Claude는 더 이상 가져올 수 없습니다. 끝났거나, 이미 가져왔거나, 무시했습니다. 터미널에서 Claude를 다시 시작하면 다시 묻습니다.",
  E_TMUX_MISSING:
    "Bellhop이 실행되는 컴퓨터에 tmux가 없거나 3.2보다 오래되었습니다. tmux 3.2 이상을 설치한 뒤 다시 시도하세요.",
  E_NO_DAEMON: "{dir}에 대해 실행 중인 Bellhop이 없습니다. `bellhop start`로 시작하세요.",
  E_LINK_REFUSED: "실행 중인 Bellhop이 이 호출을 거절했습니다: “{why}”. 버전이 다르면 다시 시작하세요.",
  E_TOO_MANY_CALLS:
    "이 호출자는 이미 {limit}개의 호출을 진행 중이며, 이것이 최대입니다. 그중 하나가 끝난 뒤에 다시 시도하세요.",
  E_METHOD_UNKNOWN:
    "실행 중인 Bellhop은 {method}을(를) 모르거나 이 호출자에게 허용하지 않습니다. 버전이 다르면 다시 시작하세요.",
  E_JOB_NOT_FOUND: "{job} 작업이 없습니다. 있는 작업은 스레드의 카드와 `bellhop status`에 나옵니다.",
  E_UNIT_FOREIGN:
    "{path}은(는) Bellhop이 만든 파일이 아니어서 변경하지 않았습니다. 다른 곳으로 옮긴 뒤 다시 실행하세요.",
  E_SERVICE_REFUSED: "서비스를 변경하지 않았습니다: {why}",
  E_HOOKS_REFUSED: "{path} 파일을 변경하지 않았습니다: {why}",
  E_BACKUP_REFUSED: "아무것도 쓰지 않았습니다. {path}: {why}",
  E_PATH_REFUSED:
    "{path} 경로를 사용할 수 없습니다(`{reason}`). 경로가 있는지, 본인 사용자가 읽고 쓸 수 있는지, 디스크가 가득 차지 않았는지 확인한 다음 명령을 다시 실행하세요.",
  E_INTERNAL:
    "Bellhop 내부에서 예상하지 못한 문제가 생겼습니다. 자세한 내용은 로그 app.ndjson에 있습니다. 다시 시도해 보시고, 또 생기면 알려 주세요.",
};
