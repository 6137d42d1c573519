/**
 * The Japanese sentences: the same keys and the same braces as `en.ts`, in the polite plain style of a
 * notice, without exclamation.
 */
import { agentWords } from "./agents/ja.ts";
import { cliWords } from "./cli/ja.ts";
import { commandWords } from "./commands/ja.ts";
import { decisionWords } from "./decisions/ja.ts";
import { errorWords } from "./errors/ja.ts";
import { doctorWords } from "./doctor/ja.ts";
import { initWords } from "./init/ja.ts";
import { intakeWords } from "./intake/ja.ts";
import type { en } from "./en.ts";
import { projectWords } from "./projects/ja.ts";
import { reasonWords } from "./reasons/ja.ts";

export const ja: Record<keyof typeof en, string> = {
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
    "チャンネル {channel} はプロジェクト {project} に使われません。そこのメッセージはエージェントの受信箱に入ります。config.json で別のチャンネルを選んでください。",
  channel_elsewhere:
    "チャンネル {channel} はプロジェクト {project} に使われません。ボットがサーバーで見られるテキストチャンネルでもフォーラムでもありません。config.json の channel_id を直すか、ボットに権限を与えてください。",
  welcome_title: "使い方",
  welcome_body:
    "してほしいことをここに書いてください。メッセージ 1 件が {path} での {tool} のジョブ 1 件になり、書いた順に 1 件ずつ実行されます。",
  welcome_channel: "ここは {project} のチャンネルです。ここで作るスレッドはそれぞれ独立したセッションになります。",
  welcome_hints:
    "メッセージに付くリアクションがそのジョブの状態を示します。`/status` で実行中と待機中のジョブを確認できます。",
  job_running: "実行中",
  job_stopping: "停止処理中",
  job_done: "完了",
  job_failed: "失敗",
  job_cancelled: "キャンセル済み",
  job_took: "あわせて回答: {messages}",
  job_interrupted: "中断",
  end_answer: "回答",
  tool_running: "🔧 {tool} を実行中...",
  tool_denied: "{tool} は許可されませんでした",
  tools_before: "これより前のツール: {count}",
  tools_failed: "失敗したツール: {count}",
  tokens_used: "トークン 入力 {input} / 出力 {output}",
  written_so_far: "これまでに {count} 文字。続きは終了時に表示します",
  plan_title: "計画 {count} 件中 {done} 件完了:",
  notice_model_retry: "モデルが応答しないため、もう一度問い合わせています。",
  notice_form_declined: "エージェントが、ここでは尋ねられないフォームを示したため、断りました。",
  notice_unknown_agent:
    "Bellhop が把握していないエージェントです。実行前に確認するかどうかは、エージェント自身によります。",
  notice_mode_changed: "エージェントは {mode} モードになりました。",
  notice_mode_set_back:
    "エージェントが確認なしで実行できる {mode} モードに切り替わったため、Bellhop が元に戻しました。",
  notice_quiet: "回答は終わっているようですが、エージェントがまだターンを終えていません。",
  notice_opens_later:
    "このエージェントは、同じ会話を 1 分以内に 2 回開くとその会話を失います。メッセージは {in}に送られます。",
  context_share: "コンテキスト {percent}% 使用",
  context_tokens: "コンテキスト {count} トークン",
  changed: "{files} ファイルで +{added} −{removed}",
  changed_no_lines: "{files} ファイルを変更",
  tools_denied: "許可されなかったもの: {tools}",
  left_out_long:
    "エージェントの出力の 1 行（{bytes} バイト）は {limit} MiB を超えているため省略しました。ここに足りない内容があるかもしれません。大きな出力はファイルに書くようエージェントに指示してください。",
  left_out_deep:
    "エージェントの出力の 1 行（{bytes} バイト）は入れ子が深すぎるか値が多すぎるため省略しました。ここに足りない内容があるかもしれません。大きな出力はファイルに書くようエージェントに指示してください。",
  early_refusal: "モデルが続きを拒否したため、回答が途中で終わっている可能性があります。別の言い方で頼んでください。",
  early_max_tokens:
    "モデルが 1 回に出力できる上限に達したため、回答が途中で切れました。続きをエージェントに頼んでください。",
  early_max_turn_requests:
    "1 回のターンでモデルに問い合わせられる回数の上限に達したため、エージェントは途中で止まりました。続きを頼んでください。",
  button_diff: "差分を見る",
  noted_edited:
    "ジョブの開始後にこのメッセージが編集されました。エージェントは編集前の内容で続行します。新しい内容は別のメッセージで送ってください。",
  noted_deleted:
    "ジョブ {job} の開始後にメッセージが削除されました。ジョブは続きます。止めるには `/cancel` を使ってください。",
  noted_taken_back:
    "ジョブ {job} の開始前にメッセージが削除されたため、このジョブは取り消され、実行されません。誰が削除したかは Discord からは分かりません。",
  noted_edited_sent:
    "エージェントに送ったあとでこのメッセージが編集されました。エージェントは編集前の内容で進めます。新しい内容は別のメッセージで送ってください。",
  noted_deleted_sent:
    "メッセージが削除されましたが、エージェントはすでに読んでいます（ジョブ {job}）。回答にはそのまま含まれます。止めるには `/cancel` を使ってください。",
  answer_command: "エージェントは {command} を実行しましたが、結果については何も返していません。",
  conversation_compacted: "会話を圧縮しました。",
  conversation_compacted_to: "会話を圧縮しました: {before} → {after} トークン。",
  conversation_renewed: "ここから新しい会話が始まります。以前の会話は `/resume` で見つかります。",
  answer_empty: "エージェントは何も返さずに終了しました。",
  answer_interrupted: "ここで途切れました。Bellhop またはマシンが停止したためです。",
  answer_stopped: "ここまでで停止しました。",
  answer_unreadable: "冒頭だけを表示しています。回答全体を {file} から読み取れませんでした。",
  answer_unkept: "この回答は Bellhop のマシンに保存できませんでした。ここにしかありません。",
  answer_unkept_cut:
    "この回答は保存できず、すべてがここにあると確認する前に Bellhop が停止しました。欠けている部分があれば失われています。",
  answer_unrecorded:
    "Bellhop はディスクに書き込めなくなり、停止しました。それまでのエージェントの発言はすべて上にあります。",
  sent_not: "📎 {name} は送信されませんでした: {why}",
  sent_why_outside: "送信用のフォルダーの中にありません。",
  sent_why_missing: "そのようなファイルはありません。",
  sent_why_no_file: "通常のファイルではありません。",
  sent_why_too_large: "このサーバーで送れる {limit} MiB を超えています。",
  sent_why_many: "エージェントが送ったファイルが多すぎます。このファイル以降は送信しません。",
  sent_why_unreadable: "読み取れませんでした。",
  answer_unrendered:
    "この回答をメッセージとして表示できませんでした。全文は添付ファイルと、Bellhop のマシンの {file} にあります。",
  answer_unrendered_unkept: "この回答はメッセージとして表示できませんでした。全文を添付しました。",
  answer_unrendered_on_disk:
    "この回答をメッセージとして表示できず、添付するにも大きすぎます。全文は Bellhop のマシンの {file} にあります。",
  answer_middle: "この上の {count} 文字を省略しました。回答全体は添付ファイルにあります。末尾:",
  answer_middle_on_disk:
    "この上の {count} 文字を省略しました。回答全体は Discord に送るには大きすぎるため、Bellhop のマシンの {file} にあります。末尾:",
  answer_middle_lost:
    "この上の {count} 文字を省略しました。その部分は Bellhop のマシンに保存できませんでした。回答の末尾:",
  end_why: "理由: {reason}",
  quoted: "「{words}」",
  end_install: "インストールするコマンド: {install}",
  crash_what:
    "このジョブの実行中に Bellhop またはマシンが停止しました。どこまで進んだか分からないため、指示があるまで再実行しません。",
  crash_what_kept:
    "このジョブの実行中に Bellhop またはマシンが停止しました。それまでのエージェントの発言はすべて上にあります。自動で再実行されるものはありません。",
  crash_sent:
    "このメッセージを実行中の回答に送っている間に Bellhop またはマシンが停止しました。エージェントが読んだかどうか分からないため、指示があるまで送り直しません。",
  crash_taken_back:
    "このメッセージ（{job}）は実行中の回答に送っている間に取り消されましたが、エージェントが確認する前に Bellhop またはマシンが停止しました。エージェントが読んだかどうかは分かりません。指示があるまで送り直しません。",
  crash_tools: "それまでに終わったもの:",
  crash_no_tools: "それまでに終わったツールはありません。",
  crash_choose: "下のボタンで選ぶか、次のメッセージを書いてください。",
  crash_waiting:
    "このスレッドの待機中のジョブ: {count}。下のボタンで選ぶか、次のメッセージを書くと、順番どおりに再開します。",
  settled_retry: "{job} として再実行しました。",
  settled_discard: "破棄しました。キューは続きます。",
  settled_message: "次のメッセージを受け取りました。キューは順番どおりに続きます。",
  button_retry: "再試行",
  button_discard: "破棄",
  crash_goes_on: "キューはこのジョブを除いて続行しました。",
  crash_asked_to_stop: "このジョブの停止はすでに要求されていました。",
  crash_changes: "ジョブ開始以降のディレクトリの変更: **{changes}**。",
  crash_no_changes: "ジョブ開始以降、ディレクトリに変更はありません。",
  crash_changes_unknown: "ディレクトリで何が変わったかは分かりません。",
  crash_patch: "{job} の実行中に変わった内容のすべて:",
  settled_continue: "{job} として続けています。",
  button_continue: "続ける",
  wait_stuck_login: "エージェントがログインを使えません",
  wait_stuck_full: "会話がいっぱいです",
  wait_stuck_model: "モデルが使えません",
  wait_stuck_credits: "アカウントのクレジットがありません",
  wait_stuck_locked: "ロック前から待機中",
  wait_stuck_locked_says:
    "Bellhop がロックされたため、ここで待っているものは自動では始まりません。続けるには {button} を押してください。",
  wait_stuck_busy: "モデルのサービスが応答しません",
  wait_stuck_config_model:
    "このモデルは config.json で設定されています。プロジェクト全体ではそのファイルで変え、このスレッドだけなら下で選んでください。",
  wait_stuck_tries: "{in} にもう一度試します。",
  wait_stuck_kept: "このメッセージと後に続くメッセージはここで待ちます。失われるものはありません。",
  wait_stuck_done:
    "{job} は何かを済ませた可能性があるため、自動では再実行しません。その下の *{button}* で再実行できます。その後に書いたメッセージはここで待ちます。",
  button_try_again: "もう一度試す",
  button_new_conversation: "新しい会話",
  button_compact: "圧縮",
  button_choose_model: "モデルを選ぶ",
  button_other_tool: "別のツール",
  button_drop_waiting: "待機中をすべて取りやめる",
  stuck_model: "ここではどのモデルで続けますか？",
  stuck_model_more: "ここではどのモデルで続けますか？ エージェントが提供するすべてのモデルは `/agent model` に出ます。",
  stuck_model_pick: "モデルを選ぶ",
  stuck_model_name: "エージェントでのモデル名",
  stuck_tool: "ここではどのツールで続けますか？ このスレッドで待っているメッセージはそのツールに渡されます。",
  stuck_tool_pick: "ツールを選ぶ",
  stuck_dropped: "待っていたメッセージ {count} 件を取りやめました。",
  wait_limit_title: "エージェントの利用上限に達しました",
  wait_limit:
    "上限がリセットされるまで {tool} は続行できません。このスレッドは {at}（{in}）に自動で再試行します。それまでに書いた内容はキューに入り、失われません。ほかのスレッドは続行します。",
  wait_limit_asks:
    "上限が {at}（{in}）にリセットされるまで {tool} は続行できません。リセット後、続けるかどうかをここで確認します。それまでに書いた内容はキューに入り、失われません。ほかのスレッドは続行します。",
  wait_limit_again:
    "このスレッドが自動で再開したあと、{tool} が再び上限に達しました。上限は {at}（{in}）にリセットされます。次は再開する前にここで確認します。それまでに書いた内容はキューに入り、失われません。",
  wait_limit_untimed:
    "{tool} は続行できません。上限がいつリセットされるか、使える時刻を伝えていません。このスレッドは {at}（{in}）に自動で再試行します。それまでに書いた内容はキューに入り、失われません。ほかのスレッドは続行します。",
  wait_limit_untimed_asks:
    "{tool} は、いつリセットされるか、使える時刻を伝えていません。ボタンを押してもう一度試すか、次のメッセージを書いてください。",
  wait_limit_holds: "利用上限はまだ解除されていません。",
  wait_lifted_title: "利用上限がリセットされました",
  wait_lifted: "{tool} は続行できます。ボタンを押すか次のメッセージを書くと、このスレッドのキューを再開します。",
  wait_lifted_retry:
    "{tool} は再び作業できます。{job} は上限により失敗しました。再試行するか、次のメッセージを書いてください。",
  wait_reset: "利用上限がリセットされました。",
  outside_background: "エージェントがバックグラウンドの作業について報告しています。",
  outside_lost: "エージェントがバックグラウンドに残した作業が終了しました。",
  outside_terminal: "端末での入力:",
  outside_unknown: "エージェントの報告中に Bellhop かマシンが停止しました。どこまで進んだかは分かりません。",
  outside_unknown_kept: "エージェントの報告中に Bellhop かマシンが停止しました。それまでの内容は上にあります。",
  wait_checkout_title: "この会話のあとでブランチが変わりました",
  wait_checkout: "エージェントは当時のファイルを覚えていますが、実行すると現在のファイルで作業します。",
  wait_was: "当時: {checkout}",
  wait_is: "現在: {checkout}",
  checkout_at: "{path} の {branch}、コミット {commit}",
  checkout_here: "{branch}、コミット {commit}",
  checkout_no_branch: "ブランチなし",
  checkout_no_commit: "なし",
  wait_terminal_title: "端末を待っています",
  wait_disk_title: "ディスクがいっぱいです",
  wait_disk:
    "Bellhop のマシンのディスクがいっぱいです。空きができるまで新しいものは何も開始しません。空きができれば自動で続きます。",
  wait_terminal_start:
    "Claude をウィンドウで開きましたが、まだ準備完了の知らせがありません。本人しか答えられないことをそこで尋ねている可能性があります。ウィンドウに接続して答えると、このジョブが始まります。何も入力していません。",
  wait_terminal_dialog:
    "Claude がウィンドウにダイアログを表示しています。そこか、ここのメッセージで答えると、このジョブが始まります。何も入力していません。",
  wait_terminal_draft:
    "Claude のウィンドウの入力欄に未送信の文章があるため、何も入力していません。そこで送信するか消すと、このジョブは自動で始まります。",
  wait_terminal_clear: "「{button}」を押すと、入力欄を空にしてメッセージを入力します。その文章はここに残ります。",
  wait_terminal_cleared: "メッセージを入力する前に、入力欄から次の文章を消しました。",
  wait_terminal_mode:
    "ウィンドウが入力を受け付けない tmux のモードになっていて、Bellhop では終了できませんでした。そのモードを終了すると(q)、このジョブは自動で始まります。",
  wait_terminal_busy: "Claude はまだウィンドウで作業中です。終わるとこのジョブが始まります。",
  wait_terminal_hidden:
    "Claude のウィンドウの入力欄が見えないか、メッセージ全体が表示されません。ウィンドウに接続し、入力欄を覆っているものを閉じてください。それでもこのジョブが始まらなければ「{button}」を押してください。メッセージは Claude に渡しておらず、入力欄にも残していません。",
  wait_terminal_attach: "接続するには: {command}",
  wait_held: "待機中",
  wait_over: "待機を終了しました。",
  wait_dropped: "取りやめたため、実行していません。",
  button_go_on: "今すぐ再開",
  button_fresh: "ここで新しい会話を始める",
  button_try_now: "今すぐ試す",
  button_clear_draft: "下書きを消して送信",
  button_drop: "取りやめる",
  diff_none: "このジョブのパッチは Bellhop のマシンにもうありません。",
  diff_too_large: "パッチが大きすぎて Discord に載せられません。Bellhop のマシンの {file} にあります。",

  // What an agent asks its owner, and the options it has.
  decision_allow_once: "今回だけ許可",
  decision_allow_session: "このセッションの間は許可",
  decision_deny: "拒否",
  decision_approve: "承認",
  decision_reject: "却下",
  decision_permission: "{agent} が {object} を使おうとしています",
  decision_run: "{agent} が {object} を実行しようとしています",
  decision_write: "{agent} が {object} に書き込もうとしています",
  decision_create: "{agent} が {object} を作成しようとしています",
  decision_change: "{agent} が {object} を変更しようとしています",
  decision_delete: "{agent} が {object} を削除しようとしています",
  decision_move: "{agent} が {object} を {where} に移動しようとしています",
  decision_read: "{agent} が {object} を読もうとしています",
  decision_fetch: "{agent} が {object} を開こうとしています",
  decision_search: "{agent} がウェブで {object} を検索しようとしています",
  decision_plan_mode: "{agent} がプランモードに切り替えようとしています",
  decision_use: "{agent} がサーバー {where} の {object} を使おうとしています",
  decision_plan: "{agent} がこの計画どおりに進めてもよいですか？",
  reminder_waits: "{since}から回答を待っています: {link}",
  reminder_reply: "このメッセージに返信するか、元の場所で回答してください。",
  reminder_look: "回答する前に、元の場所で全体を確認してください。",
  reminder_settled: "対応済みです: {link}",
  no_longer: "この案内はもう不要です。",
  agent_in_tmux: "tmux の Claude",

  // What Discord would not take where it belongs (discord/).
  post_elsewhere: "プロジェクト {project}、Bellhop が書き込めなくなった {thread} からの内容です:",
  post_refused:
    "Discord がこのメッセージを受け付けませんでした（エラー {code}）。回答の全文は Bellhop のマシンの {file} にあります。",
  post_refused_other:
    "Discord がここに投稿するはずのメッセージを受け付けませんでした（エラー {code}）。詳しくはログ app.ndjson にあります。",
  post_refused_attached: "内容は添付ファイルにあります。",

  // Files that come with a message, and messages read back.
  file_why_size: "{limit} MB を超えています",
  file_why_slow: "{seconds} 秒以内に届きませんでした",
  file_why_address: "Discord から来たものではありません",
  file_why_gone: "Discord からファイルを取得できませんでした（応答 {status}）",
  file_why_network: "接続が切れました",
  file_why_many: "1 つのメッセージで受け取るのは最初の {limit} ファイルまでです",
  file_why_hour: "1 時間に届いたファイルが {limit} MB を超えました",
  file_why_disk: "Bellhop のマシンに保存できませんでした（{reason}）",
  catch_up_title: "未読のメッセージを読み込み中",
  catch_up_left: "Bellhop の停止中に書かれたメッセージを読み込んでいます。残りのスレッド: {count}。次: {threads}",
  catch_up_unreadable:
    "Discord がこれらのスレッドの読み取りを許可していません。待機中のジョブは保管され、読めるようになると実行されます: {threads}",

  // The greeting in the owner's channel.
  hello_title: "Bellhop の準備ができました",
  hello_create: "まず、Bellhop のマシンにあるディレクトリをプロジェクトとして登録してください:",
  hello_start: "次にセッションを開始します。してほしいことをそのスレッドに書いてください:",
  hello_start_only: "セッションを開始します。してほしいことをそのスレッドに書いてください:",
  hello_here:
    "してほしいことをこのチャンネルに書くこともできます。プロジェクトを尋ねられ、そのメッセージが最初のプロンプトになります。",
  hello_inbox:
    "このチャンネルに書いたことは、エージェントが読む受信箱に入ります。メッセージでセッションを開くには、その中でボットをメンションしてください。",
  hello_found: "{tool} {version} はインストール済みです。",
  hello_missing:
    "{tool} はインストールされていません。Bellhop のマシンで {install} を実行してインストールし、{login} でログインしてください。",
  hello_demo:
    "{tool} {version} は Bellhop に付属するデモ用エージェントです。モデルは使わず、試すためだけのものです。実際のエージェントを使うには、Bellhop のマシンで {install} を実行し、{login} でログインしてから、Bellhop を起動し直してください。",

  // Slash commands: names, descriptions, answers (discord/commands/).
  cmd_project: "プロジェクト",
  cmd_project_says: "Bellhop が作業できるディレクトリ",
  cmd_project_create: "作成",
  cmd_project_create_says: "ディレクトリと、そこで使うツールを登録します",
  cmd_project_list: "一覧",
  cmd_project_list_says: "登録されているプロジェクトを表示します",
  cmd_start: "開始",
  cmd_start_says: "新しいスレッドでセッションを開きます",
  cmd_status: "状態",
  cmd_status_says: "このスレッドのセッションの状態と、開いているエージェントを表示します",
  opt_name: "名前",
  opt_name_says: "名前: a-z、0-9、-、_ を 40 文字まで",
  opt_path: "パス",
  opt_path_says: "Bellhop のマシンにあるディレクトリの絶対パス",
  opt_tools_csv: "ツール",
  opt_tools_csv_says: "使えるツールをコンマ区切りで（例: claude,codex）",
  opt_default_tool: "既定のツール",
  opt_default_tool_says: "新しいセッションで最初に使うツール",
  opt_args_json: "引数",
  opt_args_json_says: 'ツールごとの引数の JSON（例: {"claude":["--model","opus"]}）',
  opt_project_name: "プロジェクト",
  opt_project_name_says: "プロジェクト。1 つだけなら省略できます",
  project_created: "プロジェクト {project} を登録しました。`/start` でセッションを開けます。",
  projects_title: "プロジェクト",
  projects_none: "登録されているプロジェクトはありません",
  projects_more: "ほかに {count} 件あります。",
  field_path: "パス",
  field_tools: "ツール",
  field_default_tool: "既定のツール",
  start_delayed:
    "Discord により、ここで次のスレッドを開くまで待つ必要があります。セッションは {time} に自動で開きます。",
  start_opened: "セッション {thread} を開きました。ID は {session} です。してほしいことをそこに書いてください。",
  start_which: "プロジェクトが複数あります。1 つ指定してください: {projects}",
  resume_goes_on: "「{about}」の続きです。最終使用: {when}。",
  resume_branch: "ブランチは **{branch}** でした。",
  resume_said: "最後の回答:「{words}」",
  resume_end_there:
    "まだ端末で開いている場合は、ここに書く前にそちらを終了してください。2 つのプログラムが同じ会話に書き込んではいけません。",
  retry_queued: "{job} として再実行します。",
  discarded_before: "すでに処理済みのため、何も変更していません。",
  mend_args_json: "JSON で、プロジェクトのツールごとに文字列のリストを書いてください。",
  thread_starter: "{project} のセッション（{tool}）",
  question_starter: "**{project}** からの質問: {question}",
  question_restarted:
    "エージェントのセッションが再開しました。この質問はまだ回答待ちです。ここで回答すればエージェントに届きます。",
  question_lapsed:
    "時間内に回答がなかったため、この質問は取り下げられました。あなたの代わりに決めたことは何もありません。",
  told_unrendered: "この内容をメッセージとして表示できませんでした。全文は添付ファイル {file} にあります。",
  told_beginning: "冒頭のみです。全文は {file} にあります。",

  // Settings (config/).
  "config.want.token": "ピリオドで区切られた 3 つの部分からなる Discord のボットトークン",
  "config.want.user_id": "ご自分の Discord ユーザー ID（17〜20 桁の数字）",
  "config.want.snowflake": "Discord の ID（17〜20 桁の数字。JSON では引用符で囲む）",
  "config.want.one_of": "次のいずれか: {names}",
  "config.want.seconds": "0 より大きく {max} 以下の秒数",
  "config.want.texts": "文字列の JSON 配列（例: {example}）",
  "config.want.api":
    "https のアドレス、またはこのマシンの http アドレス（ユーザー名、パスワード、クエリ、フラグメントなし）",
  "config.want.api_in_file":
    "discord.com またはこのマシンのアドレス（{path} はファイルで、ほかのアドレスは環境変数でしか指定できない）",
  "config.want.unread":
    "Bellhop の設定がないファイル（リポジトリに付いてきたものかもしれないので、Bellhop はこのファイルを読まない）",
  "config.want.private_file": "ほかの人が読めない、ご自分の通常ファイル（モード 0600）",
  "config.want.readable_file": "読めるファイル（なくてもよい）",
  "config.want.same_owner": "{other} と同じ所有者（そちらの値は {id}）",
  "config.want.json": "正しい JSON",
  "config.want.text": "引用符で囲んだ文字列",
  "config.want.whole_number": "整数",
  "config.want.at_least": "{min} 以上の値",
  "config.want.at_most": "{max} 以下の値",
  "config.want.not_empty": "1 つ以上の項目",
  "config.want.list": "角かっこで囲んだリスト",
  "config.want.object": "波かっこで囲んだオブジェクト",
  "config.want.project_name": "a-z、0-9、-、_ からなる 1〜40 文字のプロジェクト名",
  "config.want.free_tool_name": "{names} 以外の名前",
  "config.want.own_channel": "このファイルのほかのチャンネルやスレッドにない id",
  "config.want.unwatched_channel":
    "DISCORD_CHANNEL_ID とは別のチャンネル（そのチャンネルのメッセージはエージェントが読むためのものです）",
  "config.want.not_as_root": "別のモード（Bellhop が root で動いている間、Claude Code はこのモードを受け付けません）",
  "config.want.own_directory": "ほかのチャンネルで使われていないディレクトリ（チャンネルとディレクトリは 1:1）",
  "config.want.own_place": "途中にシンボリックリンクがなく、Bellhop 自身のものでもない、存在するディレクトリ",
  "config.want.same_as_key": "そのキーと同じ名前",
  "config.want.absolute_path": "絶対パス",
  "config.want.unique": "各ツールを 1 回だけ挙げること",
  "config.want.enabled_tool": "このプロジェクトの enabled_tools のいずれか",
  "config.want.no_nul": "NUL 文字を含まない文字列",
  "config.want.variable_name": "変数名、または変数名の先頭部分に * を付けたもの",
  "config.want.tool_name": "`Bash` のようなツールの名前",
  "config.want.session_name": "英数字と - _ からなる 1〜60 文字の名前",
  "config.want.own_to_server": "ほかのサーバーと重ならない値",
  "config.want.same_guild": "DISCORD_GUILD_ID が示すサーバー {id}（この項目には独自のトークンがないため）",
  "config.want.other_token": "ほかのサーバーと重ならないトークン",
  "config.mend.restart": "config.json を直して、Bellhop をもう一度起動してください。",
  "config.want.owner": "所有者の Discord ユーザー ID（Discord がアプリケーションの所有者を教えないため）",
  "config.want.channel": "ボットが参加しているサーバーの、ボットから見えるチャンネル",
  "config.want.application": "トークンが属するアプリケーションの ID {id}",
  "config.want.one_guild": "ボットが参加しているサーバーがちょうど 1 つであること",
  "config.want.ascending": "前のリマインダーより遅い時刻",
  "config.want.hours": "22:00-08:00 のような、異なる 2 つの時刻",
  "config.want.amount": "0 より大きい数",
  "config.want.budget_unit": "`tokens`、または USD のような通貨の大文字 3 字",
  "config.want.time_zone": "Asia/Tokyo のようなタイムゾーン名",
  "config.mend.application":
    "DISCORD_APP_ID を直すか、そのアプリケーションのトークンを使って、もう一度起動してください。",
  "config.mend.no_guild": "{link} からボットをサーバーに招待して、もう一度起動してください。",
  "config.mend.one_guild": "ボットをサーバーに招待するか、DISCORD_GUILD_ID を設定して、もう一度起動してください。",
  "config.mend.token":
    "Discord 開発者ポータルでアプリケーションの Bot ページからコピーして {name} に入れ、もう一度起動してください。",
  "config.mend.token_missing":
    "DISCORD_BOT_TOKEN、DISCORD_TOKEN、DISCORD_TOKEN_FILE のいずれかを設定してもう一度起動するか、Discord なしで使うには `bellhop sandbox` を実行してください。",
  "config.mend.user_id":
    "Discord で開発者モードを有効にし、自分の名前を右クリックしてユーザー ID をコピーし、{name} に入れてもう一度起動してください。",
  "config.mend.snowflake":
    "Discord で開発者モードを有効にし、対象を右クリックして ID をコピーし、{name} に入れてもう一度起動してください。",
  "config.mend.variable": "環境変数か .env の {name} を直して、もう一度起動してください。",
  "config.mend.api_in_file":
    "そのアドレスにトークンを渡してよければ、環境変数 {name} に設定して、もう一度起動してください。",
  "config.mend.unread":
    "ご自分のファイルなら `--env-file {path}` を付けるか、これらの行を {config} に移してください。そうでなければ、別のディレクトリで起動してください。",
  "config.mend.private_file":
    "トークンのファイルを指定し、`chmod 600 {path}` を実行してから、もう一度起動してください。",
  "config.mend.no_file": "{path} というファイルはありません。完全なパスを書いて、もう一度起動してください。",
  "config.mend.readable_file": "{path} の権限を確認して、もう一度起動してください。",
  "config.mend.same_owner": "どちらかを消すか、両方が同じ人を指すようにして、もう一度起動してください。",
  "config.mend.config": "config.json を直してください。何も変更していません。",
  "config.found.nothing": "なし",
  "config.found.secret": "形式の合わない {length} 文字の文字列",
  "config.unknown": "{where} は Bellhop の設定にありません。残しますが、効果はありません。",
  "config.unknown_near": "{where} は Bellhop の設定にありません。残しますが、効果はありません。{near} のことですか？",
  "config.entry_left_out": "{name}: {number} 番目の項目（{found}）は絶対パスではないため、除外しました。",
  "config.named_unreadable": "{name}: {path} は Bellhop が使えるディレクトリではありません。",
  "config.roots_cut":
    "PROJECT_ROOTS には {count} 個のリポジトリがあります。パス順で最初の {limit} 個をプロジェクトにしました。ほかは /project add で追加してください。",
  "config.not_yet": "{where} は設定されていますが、このバージョンの Bellhop はまだ使いません。",
  "config.two_tokens": "{first} と {second} のトークンが異なります。{first} を使います。",
  "config.strange_line": "{path} の {line} 行目は NAME=value の形式ではないため、無視しました。",
  "config.pass_env_refused":
    "config.json pass_env: {entry} はどのエージェントにも渡されません。Discord と Bellhop 自身の変数は渡しません。",
  "config.project_unavailable":
    "プロジェクト {project} は使えません。{path} は現在ディレクトリではありません。ほかはすべて通常どおり動作します。",

  // The command line (cli/).
  "cli.usage": "使い方: bellhop <コマンド> [オプション]",
  "cli.start": "デーモンを実行します。Discord に接続してエージェントを動かします",
  "cli.sandbox": "このマシンのローカルな Discord でデーモンを実行し、リンクを表示します",
  "cli.journal": "ジャーナルを検証、修復、または書き出します",
  "cli.help": "bellhop --version はバージョンを、bellhop --help はこの説明を表示します。",
  stops_after_jobs: "実行中のジョブが終わってから停止します。",
  "cli.ready_clients": "ready: エージェントの質問だけを受け付けます（独自のボットなし）。状態の保存先 {dir}",
  "cli.ready": "ready: サーバー {guild}、所有者 {owner}、状態の保存先 {dir}",
  "cli.ready_bare": "ready（スラッシュコマンドなし）: サーバー {guild}、所有者 {owner}、状態の保存先 {dir}",
  "cli.ready_sandbox": "ready: ブラウザで {link} を開いてください",
  "cli.journal.whole": "ジャーナルに破損はありません。イベント {events} 件、ファイル {files} 個、{bytes} バイト。",
  "cli.journal.damaged":
    "破損: {file} の {offset} バイト目、イベント {seq} があるべき場所: {found}。その前のイベント {events} 件に破損はありません。",
  "cli.journal.covered":
    "スナップショットとそれ以降に破損はないため、Bellhop は起動して正常に動作します。破損しているのはイベント {seq} より前の履歴だけで、そのまま残します。",
  "cli.journal.forgotten": "イベント {count} 件は、セッションとともに内容が消去されています。",
  "cli.journal.hole":
    "Bellhop は起動して正常に動作します。内容が消去されたイベントを裏付ける記録は、修復で切り落とされたものと思われます。`bellhop forget` でそのセッションをもう一度消去してください。",
  "cli.journal.torn":
    "最後のイベントの後に、クラッシュで途切れた {bytes} バイトがあります。次の起動時に別に保管します。",
  "cli.journal.newline": "最後のイベントの改行だけがありません。次の起動時に補います。",
  "cli.journal.snapshot.good": "スナップショットは有効で、イベント {seq} で終わります。",
  "cli.journal.snapshot.missing": "スナップショットはありません。次の起動時にすべてのイベントを読みます。",
  "cli.journal.snapshot.unusable": "スナップショットは使えません（{found}）。次の起動時にイベントから作り直します。",
  "cli.journal.snapshot.ahead":
    "スナップショットはイベント {seq} で終わりますが、ジャーナルにはそのイベントがありません。末尾のイベントが失われています。`bellhop journal repair` がスナップショットを別に保管します。",
  "cli.journal.snapshot.foreign":
    "スナップショットはイベント {seq} で終わりますが、ジャーナルのその位置には別のイベントがあります。`bellhop journal repair` がスナップショットを別に保管します。",
  "cli.journal.nothing": "修復の必要はなく、何も変更していません。",
  "cli.journal.cut": "イベント {seq} 以降を切り離しました。イベント {events} 件、{bytes} バイト。",
  "cli.journal.kept": "元のファイルは {copy} として残してあります。",
  project_unavailable: "ディレクトリがありません",
  start_in: "{channel} に移ってください。",
};
