/** The Japanese sentences about projects and what stands in their directories. */
import type { projectWords as en } from "./en.ts";

export const projectWords: Record<keyof typeof en, string> = {
  panel_title: "コントロールパネル",
  panel_running: "実行中",
  panel_stopped: "停止中",
  panel_adopted: "ご自身で起動",
  panel_worktrees: "Worktree 一覧",
  panel_none:
    "端末で Claude を動かすプロジェクトがありません。config.json のプロジェクトの {key} に {tool} を追加してください。",
  panel_more: "… ほか {count} 件",
  panel_start: "▶ Start（起動）{project}",
  panel_stop: "🛑 Stop（停止）{project}",
  panel_pick: "プロジェクトを起動・停止（{first}〜{last}）",
  panel_started: "{project} は {thread} で実行中です。",
  panel_asks:
    "何も起動していません。{project} は前回ご覧になった状態と違うか、ジョブが待機中です。{thread} に書き込むと、そこで確認します。",
  window_unopened:
    "このセッションのウィンドウは開けませんでした。{why} 次のメッセージをここに書き込むと、もう一度試します。",
  panel_ended: "{project}: ウィンドウを {count} 個終了しました。",
  panel_waits: "待機中のメッセージ {count} 件は新しいウィンドウで続きます。`/queue` で取り消せます。",
  E_STATE_DIRECTORY:
    "{path} は Bellhop の状態ディレクトリを含むか、その中にあります。プロジェクトには別のディレクトリを用意してください。",
  wait_changed_title: "前回ご覧になったあとで、いくつかの点が変わりました",
  wait_changed: "何も実行していません。回答は、ここに表示されている内容にだけ適用されます。",
  wait_changed_newer: "この確認は無効になりました。下の新しいメッセージで改めて確認します。",
  wait_changed_long:
    "長すぎて全体を表示できない部分があるため、承認できません。マシン側で短くしてから、メッセージを送り直してください。",
  button_accept: "このまま続ける",
  wait_place_title: "プロジェクトのディレクトリの場所が変わりました",
  wait_place: "{project} のパスは今、別のディレクトリを指しています。",
  wait_place_was: "以前: {path}",
  wait_place_is: "現在: {path}",
  wait_configuration_title: "プロジェクトのエージェント設定が変わりました",
  wait_configuration:
    "{project} のこれらのファイルは、確認なしにコードを実行できます。ご自身で変えていないなら、エージェントかほかの誰かが変えたものです:",
  wait_configuration_file: "変更の全体は添付ファイルにあります。選ぶ前に読んでください。",
  wait_configuration_lost:
    "変更をここに表示できなくなりました。*{button}* を押してメッセージを送り直してください。Bellhop がファイルをもう一度読み込みます。",
  configuration_unknown: "以前の内容が分からないため、ファイル全体を表示しています。",
  configuration_new: "{name}（新規）",
  configuration_gone: "{name}（削除）",
  configuration_changed: "{name}（変更）",
  configuration_not_shown:
    "{bytes} バイト、{digest}。テキストでないか長すぎるため表示していません。マシンで直接確認してください。",
  configuration_hidden: "（非表示）",
  configuration_special: "ファイルでもフォルダーでもありません",
  configuration_unreadable: "読み取れません（{code}）",
  configuration_beyond:
    "上限超過: {first} から先の {count} 個のファイルは、サイズと日時だけで見分けています。変更があれば気づきますが、内容は表示できません。マシンで直接確認してください。",
  configuration_endless:
    "ファイルとフォルダーが {most} 個を超えています。すべては確認できないため、減らすまでここでは何も実行しません。",
  rules_allowed_title: "Claude が確認なしにできることが増えました",
  rules_allowed:
    "{project} で Claude は今後これらを確認なしに実行できます。誰かがターミナルで「常に許可」を選ぶと、Claude はこの規則を {file} に書き込みます。ご自身でなければ、そこから削除してください:",
  rules_allowed_file:
    "{project} で Claude が確認なしにできることが増えました。新しい規則は {count} 件で、すべて添付ファイルにあります。誰かがターミナルで「常に許可」を選ぶと、Claude はこの規則を {file} に書き込みます。ご自身でなければ、そこから削除してください。",
  "cli.status.parked_locked": "待機中（ロック前から）: {job}",
  "cli.status.parked_stuck": "待機中: 次のメッセージも {job} と同じ理由で失敗します",
  "cli.status.parked_terminal": "{job} が端末を待っています",
  E_AGENT_LOGIN:
    "Bellhop が動いているマシンで {tool} にログインしていません。そのマシンの端末で `{login}` を実行してから、もう一度お試しください。",
  agent_login_own:
    "Bellhop が動いているマシンで {tool} にログインしていません。そのマシンでエージェント自身のプログラムからログインしてから、もう一度お試しください。",
  agent_login_refused:
    "{tool} にログインしているアカウントでは利用できません。組織の管理者が解除できます。その後もう一度試すか、Bellhop のマシンのターミナルで `{login}` と入力し、別のアカウントでログインしてください。",
  agent_login_refused_own:
    "{tool} にログインしているアカウントでは利用できません。組織の管理者が解除してからもう一度試すか、別のアカウントでログインしてください。",
  agent_login_ways:
    "Bellhop が動いているマシンで {tool} にログインしていません。そのマシンでエージェント自身のプログラムからログインしてから、もう一度お試しください。利用できる方法: {ways}",
  agent_logged_out: "{tool} にログインしていません。ログインするには、Bellhop のマシンの端末で次を実行してください:",
  retry_unknown:
    "ジョブ {job} はないか、古すぎます。保管されるのはスレッドごとに最新の 50 件です。してほしいことを新しいメッセージで送ってください。",
  retry_before: "{job} はすでに {by} として再実行されました。そちらの結果を確認してください。",
  retry_not_ended: "{job} はまだ終わっていません。先にキャンセルするか、終わるまで待ってください。",
  retry_went_well: "{job} は成功したため、再試行の必要はありません。してほしいことを新しいメッセージで送ってください。",
  retry_was_cancelled:
    "{job} はキャンセルされたため、再試行できません。してほしいことを新しいメッセージで送ってください。",
  retry_was_sent:
    "{job} は別のジョブの回答に送られたため、再試行できる回答がありません。してほしいことを新しいメッセージで送ってください。",
  card_reads: "{tool} はここでは読み取りしかできませんでした",
  card_reads_refused: "{tool} はここでは読み取りしかできないため、試みた操作が拒否されました。",
  card_looked_late:
    "開始直後の変更は、ここに含まれていない可能性があります。その時点では Bellhop がまだプロジェクトを走査していました。",
  card_unmeasured:
    "変更内容は表示しません。このリポジトリの走査に時間がかかりすぎます。ディレクトリで `git status` と `git log` を実行すると確認できます。",
  card_beside:
    "同じ時間に {threads} もこのディレクトリで作業していました。そのため、この変更はそのセッションとこのセッションの両方によるものです。",
  card_apart:
    '新しいスレッドごとに専用の git worktree を使うには、`config.json` のプロジェクトに `"isolation": "worktree"` を設定してください。このスレッドは始めた場所のままです。',
  card_pictures:
    "一辺が {side} ピクセルを超える画像に縮小版がないため、元の画像を送りました: {names}。このような画像が多すぎると、会話を続けられなくなることがあります。",
  access_asks: "{tool} は何かを変更する前に確認を求めます。",
  access_edits: "{tool} はここで確認なしにファイルを変更できます。",
  access_reads: "{tool} は、自身の設定で許可されていないかぎり、ここでは読み取りしかできません。",
  access_writing:
    "書き込みを許可するには、`/project create` の `args_json` または `config.json` の `default_args` で、プロジェクトに次の引数を指定してください: {args}",
  hello_open: "ここでセッションを開く",
  hint_open: "{project} でセッションを開く",
  offer_inbox:
    "このメッセージはまだどのエージェントにも届いていません。どのプロジェクトでセッションの最初のプロンプトにしますか。",
  offer_read:
    "このメッセージはエージェントが読みました。それでもこれでセッションを始めるには、プロジェクトを選んでください。",
  offer_channel:
    "このチャンネルを読むエージェントはいません。どのプロジェクトでこのメッセージをセッションの最初のプロンプトにしますか。",
  offer_thread:
    "このスレッドを読むエージェントはいません。どのプロジェクトのセッションにし、このメッセージを最初のプロンプトにしますか。",
  offer_more: "ほかのプロジェクト…",
  offer_pick: "プロジェクトを選択",
  offer_opened: "**{project}** で開きました: {thread}",
  offer_no_project:
    "プロジェクトがまだないため、このメッセージはどのエージェントにも届いていません。Bellhop のマシンにあるディレクトリをプロジェクトとして追加し、このメッセージで選んでください:",
  start_rights:
    "ボットには {channel} で次の権限がありません: {rights}。チャンネル設定の「権限」で許可してから、もう一度お試しください。",
  right_view: "チャンネルを見る",
  right_send: "メッセージを送信",
  right_threads: "公開スレッドの作成",
  right_in_threads: "スレッドでメッセージを送信",
  right_embed: "埋め込みリンク",
  right_history: "メッセージ履歴を読む",
};
