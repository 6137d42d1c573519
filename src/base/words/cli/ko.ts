/**
 * The command line in Korean: the same keys and the same braces as `en.ts` beside it, in the polite plain style of a
 * notice, part of the Korean catalogue.
 */
import type { cliWords as english } from "./en.ts";

export const cliWords: Record<keyof typeof english, string> = {
  "cli.status": "데몬이 실행 중인지, 작업과 대기열이 어떤지 알려 줍니다",
  "cli.logs": "로그 또는 한 작업의 로그를 보여 줍니다",
  "cli.lock": "/unlock까지 모든 것을 멈추거나, 그 단어를 정합니다",
  "cli.unlock": "잠긴 Bellhop을 여는 단어를 보여 줍니다",
  "cli.lock.usage":
    "사용법: bellhop lock [--set-word] [--sandbox]\n\n모든 에이전트의 턴을 즉시 끝냅니다. Discord의 /unlock과 단어로 열 때까지, 다시\n시작한 뒤에도 아무것도 시작되거나 허용되지 않습니다.\n\n--set-word  /unlock에 쓸 단어를 터미널이나 표준 입력의 첫 줄로 정합니다.\n            컴퓨터 앞에 없을 때를 위한 것이며, 잠그지는 않습니다.",
  "cli.unlock.usage":
    "사용법: bellhop unlock [--sandbox]\n\nBellhop이 잠겨 있는 동안 Discord의 /unlock에 입력할 단어를 보여 줍니다. 10분 안에\n한 번만 쓸 수 있고, 새 단어가 나오면 이전 단어는 무효가 됩니다.",
  "cli.lock.done":
    "Bellhop을 잠갔습니다. 턴 {ended}개를 멈췄고, /unlock까지 아무것도 시작되지 않습니다. bellhop unlock이 단어를 보여 줍니다.",
  "cli.lock.already": "Bellhop은 {since}부터 이미 잠겨 있습니다.",
  "cli.lock.type": "/unlock에 쓸 단어",
  "cli.lock.again": "같은 단어를 한 번 더",
  "cli.lock.length": "단어는 {least}~{most}자여야 합니다.",
  "cli.lock.differ": "두 단어가 달라서 정하지 않았습니다.",
  "cli.lock.word_set":
    "단어를 정했습니다. Discord의 /unlock으로 잠긴 Bellhop을 엽니다. 대소문자는 구분하지 않으며, 아무도 다시 읽을 수 없습니다.",
  "cli.unlock.word": "{word}\n\nDiscord의 /unlock에 입력하세요. {minutes}분 동안 한 번만 쓸 수 있습니다.",
  "cli.status.locked":
    "{since}부터 잠겨 있습니다. /unlock까지 아무것도 시작되거나 허용되지 않습니다. bellhop unlock이 단어를 보여 줍니다.",
  "cli.tail": "실행 중인 작업을 실시간으로 보여 줍니다",
  "cli.forget": "세션에서 오간 모든 내용을 이 컴퓨터에서 지웁니다",
  "cli.mcp": "에이전트가 Discord에서 질문할 수 있는 도구를 제공합니다(MCP)",
  "cli.service": "시스템이 Bellhop을 시작하고 계속 실행하게 합니다",
  "cli.hooks": "터미널에서 연 Claude Code를 Bellhop에 연결합니다",
  "cli.hook": "curl이 없을 때 Claude Code의 훅이 호출하는 것",
  "cli.backup": "Bellhop이 보관하는 모든 것을 파일 하나로 백업하고 복원합니다",
  "cli.help_verb": "bellhop <명령> --help 는 해당 명령을 설명합니다.",
  "cli.wrong.option": "알 수 없는 옵션입니다: {option}.",
  "cli.wrong.value": "{option} 옵션은 이렇게 사용할 수 없습니다.",
  "cli.wrong.word": "예상하지 못한 인수입니다: {word}.",
  "cli.wrong.missing": "인수가 빠졌습니다.",
  "cli.wrong.number": "{option}에는 {min}부터 {max}까지의 정수를 지정해야 합니다. 받은 값: {found}",
  "cli.wrong.verb": "알 수 없는 명령입니다: {verb}.",

  "cli.unread":
    "{path}에 STATE_DIR이 있지만 Bellhop은 이 파일을 읽지 않습니다. 본인의 파일이라면 --env-file {path}를 붙이세요.",
  "cli.start.usage":
    "사용법: bellhop start [--port N] [--json] [--env-file 경로]\n\n멈출 때까지(Ctrl-C 또는 시그널) 데몬을 실행합니다. 메시지를 받을 준비가 되면 한\n줄을 출력하며, --json이면 객체로 출력합니다. 봇 토큰이 없으면\n`bellhop sandbox`와 같고, --port는 그 페이지의 포트를 정합니다.\n`bellhop service install`은 터미널 없이 실행합니다. --env-file은 평소의 .env\n대신 그 파일의 설정을 읽으며, 다른 명령에서도 쓸 수 있습니다.",
  "cli.start.port_unused": "--port는 적용되지 않습니다. 봇 토큰이 있고, 페이지는 `bellhop sandbox`에만 있습니다.",
  "cli.start.unsafe_folder":
    "컴파일된 코드를 다음 시작을 위해 보관하지 않으므로 Bellhop이 더 느리게 시작합니다. {path}이(가) 본인 소유의 폴더가 아닙니다. 지우면 Bellhop이 새로 만듭니다.",
  "cli.sandbox.usage":
    "사용법: bellhop sandbox [--port N] [--json]\n\n이 컴퓨터 안의 Discord와 함께 데몬을 실행하고 페이지 링크를 출력합니다. --port는\n포트를 정합니다. 없으면 4000번, 사용 중이면 빈 포트를 씁니다.",
  "cli.backup.usage":
    "사용법: bellhop backup [FILE] [--overwrite]\n        bellhop backup --restore FILE\n\n세션, 대기열, 답변, 파일, config.json을 FILE에 복사합니다. FILE은 본인만 읽을 수\n있는 .tar.gz이며, 데몬이 실행 중이어도 됩니다. FILE을 생략하면 시각이 들어간\n이름으로 현재 디렉터리에 만듭니다. --overwrite는 이미 있는 파일을 덮어씁니다.\n\n--restore는 백업 전체를 검사한 뒤 상태 디렉터리에 복원합니다. 상태 디렉터리는\n비어 있거나 없어야 합니다.",
  "cli.journal.usage":
    "사용법: bellhop journal verify|repair|export [--sandbox] [--json]\n\nverify  저널이 온전한지 알려 줍니다\nrepair  손상된 부분을 잘라 내고 원본을 보관합니다. 데몬이 멈춰 있어야 합니다\nexport  이벤트를 한 줄에 JSON 객체 하나씩 출력합니다\n\n--sandbox는 샌드박스의 저널을 뜻합니다. 다른 저널이 없을 때도 그것을 씁니다.",
  "cli.status.usage":
    "사용법: bellhop status [--sandbox] [--json]\n\n데몬이 실행 중인지, Discord 연결이 어떤지, 어떤 작업이 실행 중인지, 어느\n스레드에서 왜 작업이 기다리는지, 최근 어떤 실패가 기록되었는지 알려 줍니다.\n데몬이 없으면 그렇게 말하고 코드 69로 끝납니다. --sandbox는 샌드박스의 데몬에게\n묻습니다. 다른 데몬이 없을 때는 저절로 그렇게 합니다.",
  "cli.logs.usage":
    "사용법: bellhop logs [작업] [-n N] [--sandbox] [--json]\n\n로그의 마지막 N줄(기본 100), 또는 한 작업의 에이전트가 쓴 것을 출력합니다.\n--json은 스택까지 파일에 있는 그대로 출력합니다. 데몬이 없어도 됩니다.",
  "cli.tail.usage":
    "사용법: bellhop tail [작업|스레드] [--sandbox] [--json]\n\n작업이 하는 말과 일을 실시간으로 보여 주고, 작업이 끝나면 끝납니다. 성공이면 0,\n아니면 1입니다. 스레드를 쓰면 거기서 실행 중인 작업, 없으면 다음 작업, 그것도\n없으면 마지막 작업입니다. 아무것도 쓰지 않으면 실행 중인 작업입니다. 듣기만\n하므로 Ctrl-C는 이 명령만 멈춥니다. 데몬이 다시 시작되면 기다렸다가 이어집니다.",
  "cli.forget.usage":
    "사용법: bellhop forget --thread ID [--sandbox] [--json]\n\n세션에서 오간 내용(프롬프트, 답변, 질문, 결과, 파일, 로그)을 이 컴퓨터에서\n지우고, 무엇이 남는지 알려 줍니다. ID는 세션 스레드의 id입니다. 되돌릴 수\n없습니다. 세션에서 실행 중이거나 대기 중이거나 답을 기다리는 것이 없어야\n합니다. 데몬이 하는 일이므로 데몬이 실행 중이어야 합니다.",
  "cli.mcp.usage":
    "사용법: bellhop mcp\n\n.mcp.json으로 이 명령을 시작하는 에이전트에게 표준 입출력으로 MCP를 제공합니다.\n소유자에게 묻기, 알림, 보고, 미결 질문, 수신함. DISCORD_BOT_TOKEN,\nDISCORD_CHANNEL_ID, PROJECT_NAME, PENDING_DIR을 환경 변수에서 읽고(.env는\n읽지 않음), 데몬이 없으면 시작합니다. 다른 이름: discord-mcp.",
  "cli.service.usage":
    "사용법: bellhop service install|remove|print\n\ninstall  systemd(Linux)나 launchd(macOS)가 지금부터 Bellhop을 실행하게 합니다.\n         이 셸과 본인 .env의 설정을 씁니다. 업데이트했거나 설정을 바꾸었으면\n         다시 실행하세요.\nremove   그것을 그만둡니다. 상태, 로그, 설정은 남습니다.\nprint    install이 쓸 내용을 보여 주고 아무것도 쓰지 않습니다.",
  "cli.hooks.usage":
    "사용법: bellhop hooks install|remove|print [--sandbox]\n\ninstall  Claude Code의 settings.json에 Bellhop의 훅을 더합니다. 다른 내용은 그대로\n         두고, 이전 내용의 사본을 남깁니다. 상태 표시줄은 전과\n         같이 보입니다. permission_tools를 바꾼 뒤에는 다시 실행하세요.\nremove   이전 내용을 바이트 하나까지 그대로 되돌립니다.\nprint    직접 더할 수 있게 훅과 상태 표시줄을 보여 주고, 아무것도 쓰지 않습니다.\n\n--sandbox는 샌드박스의 데몬을 뜻합니다. 그 데몬만 실행 중이면 install도 그렇게\n합니다. remove는 둘 다의 훅을 뺍니다.",
  "cli.hook.usage":
    "사용법: bellhop hook SECONDS ORIGIN TMUX\n\n표준 입력의 Claude Code 훅을 데몬에 넘깁니다. 훅의 명령이 실행하는 것이며\n사람이 쓰는 것이 아닙니다.",

  "cli.status.runs": "Bellhop {version} 실행 중(프로세스 {pid}), {since}부터({span}).",
  "cli.status.mute":
    "Bellhop(프로세스 {pid})이 {dir} 디렉터리를 사용하고 있지만 응답하지 않습니다. 시작 중이거나 종료 중일 수 있습니다. 계속되면 로그에서 원인을 확인하세요: `bellhop logs`. `kill -9 {pid}`로 끝내고 다시 시작하세요. 실행 중이던 작업은 중단된 것으로 표시됩니다.",
  "cli.status.clients":
    "Discord: 이 데몬은 에이전트의 질문을 위해 시작되어 자체 봇이 없습니다.\n`bellhop start`가 대신하게 됩니다.",
  "cli.status.no_gateway": "Discord: 아직 연결되지 않았습니다.",
  "cli.status.next_try": "{span} 후 다시 시도합니다: {why}.",
  "cli.status.no_rest": "Discord로 요청이 전달되지 않습니다. {waiting}개가 대기 중입니다.",
  "cli.status.server_live": "서버 {server}: 연결됨.",
  "cli.status.server_not_live": "서버 {server}({guild}): 연결되지 않음, 다시 시도함({phase}).",
  "cli.status.server_failed": "서버 {server}: 서비스하지 않음. {why}",
  "cli.status.live": "Discord: 연결됨, 마지막 수신 {span} 전.",
  "cli.status.not_live": "Discord: 연결되지 않음, 다시 시도함({phase}). 마지막 수신 {span} 전.",
  "cli.status.unwell": "연결이 저절로 회복되지 않고 있습니다. 계속 이러면 다시 시작하세요.",
  "cli.status.state": "상태: {dir}",
  "cli.status.logs": "로그: {dir}",
  "cli.status.agents": "에이전트: {agents}",
  "cli.status.agent_missing": "{tool} 없음",
  "cli.status.living_working": "{thread}의 {tool}: 작업 중, 열린 지 {span}, {memory}",
  "cli.status.living_idle": "{thread}의 {tool}: 대기 중, 열린 지 {span}, {memory}",
  "cli.status.living_background": "백그라운드 작업 {count}",
  "cli.status.jobs": "작업: 실행 중 {running}개(최대 {max}개), 대기 {pending}개.",
  "cli.status.disk_full": "디스크가 가득 찼습니다. 공간이 생길 때까지 새로운 것을 시작하지 않습니다.",
  "cli.status.running": "{job} 실행 중, {span}째",
  "cli.status.asks": "답을 기다리는 중(Discord의 `/pending`에서 볼 수 있습니다)",
  "cli.status.outside": "작업 외 진행 중: {span}",
  "cli.status.pending": "대기 {count}개",
  "cli.status.parked_crash": "비정상 종료로 중단된 {job}에 대한 선택을 기다리는 중",
  "cli.status.parked_limit": "{until}까지 대기: {job}, 사용 한도 도달",
  "cli.status.parked_lifted": "계속할지 확인을 기다리는 중: {job}, 사용 한도 도달",
  "cli.status.parked_budget": "기다리는 중: {job}에서 예산을 다 썼습니다",
  "cli.status.parked_changed": "{job}에 대한 선택을 기다리는 중: 마지막으로 보신 상태와 다릅니다",
  "cli.status.last_error": "마지막: {job}, {code}",
  "cli.status.quiet": "유휴 세션 {count}개.",
  "cli.status.more": "{count}개는 표시하지 않았습니다. --json은 모두 보여 줍니다.",
  "cli.status.failures": "최근 실패:",

  "cli.state.queued": "대기 중",
  "cli.state.running": "실행 중",
  "cli.state.success": "완료",
  "cli.state.failed": "실패",
  "cli.state.cancelled": "취소됨",
  "cli.state.unknown_after_crash": "비정상 종료로 중단됨",
  "cli.state.sent_into": "실행 중인 답변에 전달됨",
  "cli.state.down": "끊김",
  "cli.state.greeting": "Discord의 응답을 기다리는 중",
  "cli.state.identifying": "로그인하는 중",
  "cli.state.resuming": "다시 이어 가는 중",
  "cli.state.live": "연결되었지만 수신 없음",
  "cli.state.unavailable": "응답 없음",
  "cli.state.timed_out": "제시간에 응답 없음",
  "cli.state.limited": "요청이 너무 많음",
  "cli.state.rejected": "거부됨",
  "cli.state.no_access": "권한 없음",

  "cli.logs.none": "아직 로그가 없습니다: {file}",

  "cli.tail.job": "{job}, {tool}, 스레드 {thread}: {state}",
  "cli.tail.waits": "차례를 기다리고 있습니다.",
  "cli.tail.denied": "{tool}: 허용되지 않음: {reason}",
  "cli.tail.lost": "데몬과의 연결이 끊어졌습니다. 다시 시작되기를 기다립니다. Ctrl-C로 그만둘 수 있습니다.",
  "cli.tail.back": "데몬에 다시 연결되었습니다.",
  "cli.tail.ended": "{job}: {state}",
  "cli.tail.ended_error": "{job}: {state}, {code}: {says}",
  "cli.tail.nothing":
    "실행 중인 작업이 없습니다. 작업이나 스레드를 지정하세요. `bellhop status`에서 확인할 수 있습니다.",
  "cli.tail.several": "여러 작업이 실행 중입니다. 하나를 지정하세요: {jobs}",

  "cli.mcp.started": "{dir}에 실행 중인 데몬이 없어 새로 시작했습니다(프로세스 {pid}).",
  "cli.mcp.stepped_back": "다른 데몬이 먼저 시작되어 그것을 사용합니다. 방금 시작한 데몬은 종료했습니다.",
  "cli.mcp.lost": "데몬과의 연결이 끊어졌습니다. 다시 시작되기를 기다립니다. 질문은 그대로 유지됩니다.",
  "cli.mcp.back": "데몬에 다시 연결되었습니다.",

  "cli.service.wrote": "기록함: {path}",
  "cli.service.upgraded": "업데이트함: {path}",
  "cli.service.same": "변경 없음: {path}",
  "cli.service.settings": "서비스에 전달하는 설정(본인만 읽을 수 있음): {names}",
  "cli.service.token": "봇 토큰은 별도의 파일에 있습니다: {path}",
  "cli.service.omitted": "{name}의 값은 이 파일에 쓸 수 없어 뺐습니다.",
  "cli.service.started": "시작하는 중입니다. 상태 보기: bellhop status",
  "cli.service.running": "이미 실행 중입니다. 작업을 중단해도 될 때 다음으로 변경을 적용하세요: {command}",
  "cli.service.other":
    "다른 Bellhop(프로세스 {pid})이 {dir} 디렉터리를 쓰고 있어 시작하지 않았습니다. 그것을 멈춘 뒤 실행하세요: {command}",
  "cli.service.linger": "로그인해 있는 동안 실행됩니다. 항상 실행하려면: {command}",
  "cli.service.lingers": "로그인하지 않아도 실행됩니다.",
  "cli.service.by_hand": "{program}이(가) 응답하지 않았습니다({reason}). 가능한 곳에서 실행하세요: {command}",
  "cli.service.removed": "멈추고 지움: {path}",
  "cli.service.nothing": "지울 서비스가 없습니다: {path} 파일이 없습니다.",
  "cli.service.kept": "변경하지 않음: {path}",
  "cli.service.why.system":
    "여기에는 systemd도 launchd도 실행되고 있지 않습니다. 시스템에 맞는 방법으로 다음 명령이 계속 실행되게 하세요: bellhop start",
  "cli.service.why.home":
    "{home} 디렉터리는 이 명령을 실행한 사용자의 것이 아닙니다. sudo 없이, 에이전트를 실행할 사용자로 실행하세요.",
  "cli.service.why.write": "{path}: 쓸 수 없습니다({reason}).",
  "cli.service.why.cache": "{path}: 때때로 비워지는 npm 캐시 안에 있습니다. 먼저 설치하세요: npm install -g bellhop",
  "cli.service.why.path": "{path}: 유닛에 쓸 수 없는 문자가 있습니다. Bellhop을 다른 곳에 두세요.",

  "cli.hooks.installed": "{path}에 Bellhop의 훅을 더했습니다.",
  "cli.hooks.before": "이전 내용: {path}",
  "cli.hooks.restart": "지금부터 시작하는 Claude에 적용됩니다. 이미 열려 있는 Claude는 다시 시작하세요.",
  "cli.hooks.same": "변경 없음: {path}에 이미 Bellhop의 훅이 있습니다.",
  "cli.hooks.restored": "{path} 파일을 이전 내용으로 바이트 하나까지 그대로 되돌렸습니다.",
  "cli.hooks.deleted": "{path} 파일을 지웠습니다. 전에는 없던 파일입니다.",
  "cli.hooks.taken": "{path}에서 Bellhop의 훅을 뺐습니다. 그 뒤에 바뀐 다른 내용은 그대로 둡니다.",
  "cli.hooks.none": "{path}에는 Bellhop의 훅이 없습니다.",
  "cli.hooks.why.json": "올바른 JSON이 아닙니다. {line}번째 줄을 고친 뒤 다시 실행하세요.",
  "cli.hooks.why.form":
    "훅이나 상태 표시줄이 Claude Code의 형식이 아닙니다. 고치거나 `bellhop hooks print`가 보여 주는 내용을 직접 더하세요.",
  "cli.hooks.why.text": "UTF-8 텍스트가 아닙니다.",
  "cli.hooks.why.file": "파일이 아니거나 너무 큽니다.",
  "cli.hooks.why.foreign": "다른 사용자의 파일입니다.",
  "cli.hooks.why.link": "존재하지 않는 {reason}(으)로 가는 링크입니다.",
  "cli.hooks.why.readonly": "읽기 전용입니다. `bellhop hooks print`가 보여 주는 내용을 이 파일을 만드는 곳에 더하세요.",
  "cli.hooks.why.read": "읽을 수 없습니다({reason}).",
  "cli.hooks.why.write":
    "쓸 수 없습니다({reason}). `bellhop hooks print`가 보여 주는 내용을 이 파일을 만드는 곳에 더하세요.",
  "cli.hooks.why.changing": "다른 프로그램이 계속 바꾸고 있습니다. 다시 실행하세요.",

  "cli.backup.done":
    "{file}에 이벤트 {events}까지의 저널과 파일 {files}개를 담았습니다({kilobytes} kB). 사용자와 에이전트가 쓴 내용이 들어 있으니 비공개로 보관하세요.",
  "cli.backup.left_out": "링크이거나 일반 파일이 아니어서 제외했습니다: {path}",
  "cli.backup.also":
    "새 컴퓨터에는 이것도 필요합니다: {config}의 봇 토큰과 설정, 에이전트와 그 로그인, 같은 디렉터리에 있는 프로젝트.",
  "cli.backup.then":
    "새 컴퓨터에서 이 파일로 `bellhop backup --restore`를 실행하세요. 그 전에 이 Bellhop을 완전히 멈추세요. 한 토큰으로 둘이 실행되면 둘 다 답합니다.",
  "cli.backup.restored": "{dir}에 백업을 복원했습니다: 이벤트 {events}까지의 저널, 파일 {files}개.",
  "cli.backup.next":
    "다음 순서: {config}에 봇 토큰과 설정을 넣고, 에이전트를 설치해 로그인하고, `bellhop doctor`로 확인한 다음 `bellhop start`를 실행하세요. 이전 Bellhop은 더 이상 실행하면 안 됩니다. 한 토큰으로 둘이 실행되면 둘 다 답합니다.",
  "cli.backup.why.exists": "이미 있습니다. 다른 이름을 쓰거나 --overwrite를 붙이세요.",
  "cli.backup.why.inside": "상태 디렉터리 안에 있으면 함께 사라질 수 있습니다. 다른 위치를 고르세요.",
  "cli.backup.why.not_empty":
    "상태 디렉터리가 비어 있지 않습니다. 내용을 옮기거나 STATE_DIR을 빈 디렉터리로 설정하세요.",
  "cli.backup.why.archive": "손상되었거나 .tar.gz가 아닙니다.",
  "cli.backup.why.entry": "`bellhop backup`이 쓰지 않는 {name}이(가) 들어 있습니다.",
  "cli.backup.why.no_journal": "저널이 들어 있지 않습니다.",
  "cli.backup.why.damaged": "저널이 이벤트 {seq}에서 손상되었습니다(“{found}”).",
  "cli.backup.why.unreadable": "읽을 수 없습니다.",
  "cli.backup.why.full": "디스크가 가득 찼습니다. 공간을 확보한 뒤 다시 실행하세요.",
  "cli.backup.why.system": "시스템이 거부했습니다({reason}).",
};
