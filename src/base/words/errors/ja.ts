/** The Japanese sentences of errors, in the order of `base/errors.ts`. */
import type { errorWords as en } from "./en.ts";

export const errorWords: Record<keyof typeof en, string> = {
  E_OWNER_ONLY:
    "この操作ができるのは、この Bellhop の所有者だけです。所有者に依頼するか、ご自分の Bellhop を実行してください。",
  E_NOT_IN_MANAGED_THREAD:
    "ここはセッションのスレッドではありません。セッションのスレッドに移るか、`/start` で新しく開いてください。",
  E_PROJECT_NOT_FOUND: "{project} という名前のプロジェクトはありません。`/project list` で一覧を確認してください。",
  E_PROJECT_EXISTS: "{project} という名前のプロジェクトはすでにあります。別の名前にしてください。",
  E_INVALID_PATH:
    "{path} は使えるディレクトリではありません。Bellhop が動いているマシンにあるディレクトリの絶対パスを指定してください。",
  E_PROJECT_CHANGED:
    "{project} は前回ご覧になった状態と違うため、何も実行していません。スレッドに書き込むと、先にそこで確認します。",
  E_INVALID_TOOLSET:
    "使えないツールです: {found}。{known} から重複なく 1 つ以上を指定し、既定のツールはその中から選んでください。",
  E_TOOL_NOT_ENABLED: "{tool} はこのプロジェクトのツール（{tools}）にありません。その中から選んでください。",
  E_SESSION_NOT_FOUND: "セッション {session} はありません。`/start` で新しく開いてください。",
  E_THREAD_ACCESS_FAILED:
    "Discord がスレッド {thread} へのアクセスを許可しませんでした。スレッドがまだあること、ボットに表示・書き込み・管理の権限があることを確認して、もう一度試してください。",
  E_THREAD_FOREIGN:
    "{thread} は、この MCP サーバーのチャンネルでも、そのスレッドでもないため、何も投稿しませんでした。以前の結果の thread_id を使うか、省略してください。",
  E_PLACE_REFUSED: "{place} を使用できません: {reason}。Discord で変更してから、もう一度試してください。",
  E_COMMANDS_REFUSED:
    "Discord がスラッシュコマンドの登録を許可していません。ボットがスコープ applications.commands なしで招待されています。{link} からもう一度招待すると、コマンドが自動で表示されます。",
  E_QUEUE_FULL:
    "このメッセージはキューに入りませんでした。このスレッドではすでに {limit} 件が待っています。いくつか終わってから送り直してください。",
  E_SEND_FAILED:
    "実行中のエージェントがこのメッセージを受け取らなかったため、これまでどおり順番を待ちます。今はキューの先頭です。何もする必要はありません。",
  E_JOB_NOT_RETRYABLE:
    "{job} は再試行できません。再試行できるのは、失敗したジョブかクラッシュで中断したジョブだけです。してほしいことを新しいメッセージで送ってください。",
  E_CLI_TIMEOUT:
    "エージェントから長い間何も出力されなかったため、停止しました。再試行するか、config.json の limits.cli_timeout_sec を大きくしてください。",
  E_CLI_EXIT_NONZERO: "{tool} が停止しました: {reason}。原因を解決してから「再試行」を押してください。",
  E_ADAPTER_PARSE:
    "エージェントの出力を解釈できませんでした（{reason}）。エージェントが新しいバージョンかどうかをジョブのログで確認してから、再試行してください。",
  E_LINE_REFUSED:
    "出力の 1 行が長すぎたか入れ子が深すぎたため、Bellhop が読み取れる結果がないままエージェントが終了しました。大きな出力はファイルに書くよう指示してから、再試行してください。",
  E_ADAPTER_MISSING_RESULT:
    "エージェントが結果を返さずに終了しました。出力はジョブのログにあります。確認してから再試行してください。",
  E_ADAPTER_SESSION_KEY_MISSING:
    "エージェントがセッションの識別子を返さなかったため、この会話をあとで続けることはできません。再試行してください。",
  E_DISCORD_RATE_LIMIT:
    "Discord から送信速度を下げるよう繰り返し求められたため、このメッセージは送信されませんでした。あとから自動で送信されることもありません。数分後にもう一度送ってください。",
  E_AGENT_START_FAILED:
    "エージェントの起動に失敗しました。Bellhop が動いているマシンにコマンドがインストールされ、実行できることを確認してから再試行してください。",
  E_AGENT_UNGUARDED:
    "エージェントを停止しました。確認なしで実行できる {mode} モードになっていて、元に戻せませんでした。Bellhop が動いているマシンで、エージェント自身の設定からこのモードを外してから再試行してください。",
  E_BACKGROUND_ENDED:
    "エージェントがバックグラウンドで続けていた作業は、プロセスとともに終了しました: {what}。まだ必要であれば、もう一度依頼してください。",
  E_BACKGROUND_SILENT:
    "エージェントのバックグラウンド作業は、config.json の limits.background_work_sec を超えて反応がなかったため終了しました: {what}。まだ必要であれば、もう一度依頼するか、この上限を上げてください。",
  E_AGENT_SILENT:
    "エージェントが応答しないため、セッションを強制終了しました。開き直すには、ここにメッセージを書いて「開き直して送信」を押してください。`/start` で新しく始めることもできます。",
  E_NO_ACTIVE_SESSION: "アクティブなセッションはありません。`/start` で開いてください。",
  E_SESSION_CLOSED:
    "このセッションは閉じているため、メッセージはキューに入りませんでした。セッションを開き直すか、`/start` で新しく始めてください。",
  E_SESSION_BUSY:
    "このセッションには、実行中、待機中、または回答待ちのものが残っているため、何も消去しませんでした。`/cancel` か `/agent stop` で止め、`/queue` で待機中のものを消し、質問に答えてから、もう一度お試しください。",
  E_SESSION_FORGETTING: "このセッションの内容を消去している最中です。少し待ってから、もう一度お試しください。",
  E_MODEL_UNAVAILABLE:
    "指定されたモデルIDは利用できません。エージェントは {model} を提供していません。`/agent model` の候補の中から選んでください。",
  E_MODE_UNAVAILABLE:
    "{mode} モードは、ここでは選べません。選べるモードは、エージェントが一度動いた後に `/agent mode` の候補に表示されます。確認が少なくなるモードを使うには、先にプロジェクトの引数で指定してください。",
  E_EFFORT_UNAVAILABLE:
    "{effort} は、このエージェントの思考量として選べません。選べる値は `/agent effort` の候補に表示されます。",
  E_NOT_COMPACTED: "会話を圧縮できませんでした: {reason}。会話はそのまま続きます。新しい会話は `/new` で始められます。",
  E_LOCKED:
    "Bellhop はロックされています。オーナーが `/unlock` で解除するまで、何も開始されず、何も許可されず、メッセージも保留されません。",
  E_KEPT_OUT:
    "このメッセージは Bellhop のロックが解除される前に書かれたため、受け取りませんでした。ご自身のもので、まだ必要なら、もう一度送ってください。",
  E_NOT_LOCKED: "Bellhop はロックされていません。解除するものはありません。",
  E_WORD_WRONG:
    "合言葉が違います。あと {left} 回間違えると、`/unlock` は 15 分間使えなくなります。マシンで bellhop unlock を実行すると、新しい合言葉が表示されます。",
  E_WORD_CLOSED:
    "間違いが多すぎたため、`/unlock` はあと {minutes} 分間、合言葉を受け付けません。その後、マシンで bellhop unlock を実行すると、新しい合言葉が表示されます。",
  E_BUDGET_INVALID:
    "「{found}」は金額ではありません。`5 USD` や `200k tokens` のように、0 より大きい数と単位を書いてください。`off` は予算なし、`default` は config.json の値です。",
  E_BUDGET_UNIT: "この予算の単位は {unit} で、換算はしません。新しい上限を {unit} で書いてください。",
  E_BUDGET_USED: "すでに {used} {unit} を使っています。新しい上限はそれより大きくしてください。",
  E_DECISION_CLOSED:
    "すでに回答済みか期限切れのため、何も変更していません。まだ必要なら、エージェントがもう一度尋ねます。",
  E_TOO_MANY_QUESTIONS:
    "質問できませんでした。回答待ちの質問がすでに {limit} 件あります。いくつか回答されるまで待ってください。",
  E_QUESTIONS_TOO_LONG:
    "質問できませんでした。すでに回答を待っている質問と合わせると {limit}00 万文字を超えます。いくつか回答されてから質問するか、説明を短くしてください。",
  E_ATTACHMENT_REFUSED: "{name} はエージェントに渡されませんでした: {why}。",
  E_ATTACHMENT_CHANGED:
    "{name} は送られたときのものではなくなっています。エージェントに渡される前に、このマシンで変更、差し替え、または削除されました。エージェントには何も渡していません。ファイルをもう一度送ってください。",
  E_JOURNAL_CORRUPT:
    "ジャーナルを読み取れません: {file}、{offset} バイト目、シーケンス番号 {seq}: 「{found}」。何も開始せず、何も変更していません。別のバージョンが示されている場合は、それを書いた Bellhop を起動するか、STATE_DIR に空のディレクトリを指定してください。それ以外は破損です。`bellhop journal verify` で破損の範囲を確認し、`bellhop journal repair` で修復できます。元のファイルはコピーとして残ります。",
  E_JOURNAL_WRITE:
    "ジャーナルに書き込めませんでした（`{reason}`）。受け付けたものを失わないよう、Bellhop を停止しました。ディスクの空き容量を増やすか、ディスクを修復してから、Bellhop をもう一度起動してください。",
  E_JOURNAL_MISSING:
    "{path} にジャーナルはまだありません。最初の `{command}` で作成されます。すでにあるはずの場合は、STATE_DIR を確認してください。",
  E_CONFIG_INVALID: "{where}: 値は {found} ですが、{expected} が必要です。{mend}",
  E_CONFIG_WRITE:
    "{path} に書き込めませんでした（`{reason}`）。Discord で選んだ内容はそのまま有効です。Bellhop が書き込めるようにすれば、ファイルにも追加されます。",
  E_FILE_REFUSED:
    "Bellhop が動いているマシンでファイルを読み書きできませんでした: {reason}。原因を解決してから再試行してください。",
  E_DISK_FULL:
    "Bellhop が動いているマシンのディスクがいっぱいのため、新しいものは何も開始しません。空き容量を増やしてから再試行してください。キューで待っているジョブは自動で始まります。",
  E_DAEMON_RUNNING:
    "別の Bellhop（プロセス {pid}）が {path} を使っています。そちらを使うか、先に停止するか、STATE_DIR に別のディレクトリを指定してください。",
  E_WORKTREE_DIRTY:
    "ワークツリー {path} にコミットまたはプッシュされていない作業があるため、残しました。作業を保存するか、消してよいことを確認してください。",
  E_WORKTREE_NO_COMMIT:
    "{path} のワークツリーを作れません。git リポジトリではないか、まだコミットがありません。コミットするか、config.json のプロジェクトから `isolation` を外してから、もう一度実行してください。",
  E_WORKTREE_IN_USE:
    "ワークツリーを作りませんでした。{path} またはブランチ {branch} がすでにあり、このセッションのものではありません。名前を変えるか削除してから、もう一度実行してください。",
  E_WORKTREE_FAILED:
    "git がワークツリー {path} を処理できませんでした: {reason}。中途半端なものは残していません。リポジトリと空き容量を確認してから、もう一度実行してください。",
  E_WORKTREE_GONE:
    "このセッションのワークツリー {path} がなくなったため、ここではもう何も実行されません。このスレッドをアーカイブしてください。新しいセッションは `/start` で始められます。ブランチ {branch} は、削除されていなければ残っています。",
  E_TOKEN_REFUSED:
    "Discord がボットのトークンを拒否しました。Discord 開発者ポータルでアプリケーションの Bot ページから新しいトークンをコピーし、もう一度起動してください。",
  E_INTENT_REFUSED:
    "Discord がボットのインテントを拒否しました。Discord 開発者ポータルでアプリケーションの Bot ページの Message Content Intent を有効にし、もう一度起動してください。",
  E_GATEWAY_REFUSED:
    "Discord がこのバージョンの Bellhop の接続を受け付けません（切断コード {close_code}）。最新版をインストールして、もう一度起動してください。",
  E_GATEWAY_ADDRESS:
    "Discord のゲートウェイとして {address} が示されましたが、Discord のアドレスではありません。Bellhop はそこへボットトークンを送らず、アドレスを問い合わせ直します。続く場合は、プロキシや DNS サーバーなど、このマシンと Discord の間にあるものと `BELLHOP_DISCORD_API` を確認してください。",
  E_EMPTY_PROMPT:
    "このメッセージにはエージェントに渡す内容がありませんでした。してほしいことを書いてください。何か書いたのであれば、Discord が内容を渡していません。Discord 開発者ポータルのアプリケーションの Bot ページで Message Content Intent をオンにしてください。",
  E_NOT_A_PROMPT: "エージェントには何も渡していません。{reason}。してほしいことを書いてください。",
  E_PROMPT_TOO_LONG:
    "このメッセージは、エージェントに渡せる {limit} 文字を超えています。短くするか、ファイルで送ってください。",
  E_INVALID_NAME: "{name} はプロジェクト名に使えません。a–z、0–9、-、_ から 1〜40 文字にしてください。",
  E_NOT_IN_TEXT_CHANNEL:
    "セッションはスレッドの中ではなく、テキストチャンネルで開きます。テキストチャンネルで `/start` を使ってください。",
  E_RESUME_UNKNOWN:
    "エージェントはこの会話をもう覚えておらず、続けられませんでした。次のメッセージから新しい会話が始まります。これまでの内容は上に残っています。",
  E_CONVERSATION_IN_USE: "この会話にはすでにスレッドがあります: {thread}。続けるには、そちらに書いてください。",
  E_CONVERSATION_IN_WINDOW:
    "この会話はまだウィンドウで開いていますが、そのウィンドウのスレッドはもうありません。`/agent stop` でウィンドウを閉じてから、ここで会話を続けてください。",
  E_CONVERSATION_NOT_FOUND:
    "このマシンには {project} の会話 {conversation} が見つかりません。もう一度 `/resume` を入力し、一覧から選んでください。",
  E_ARGUMENT_REFUSED:
    "{argument} は、プロジェクトの {tool} の引数には使えません。Bellhop 自身が設定する引数か、エージェントが確認なしに動作できるようになる引数だからです。削除してもう一度お試しください。",
  any_acp_agent: "ACP に対応したエージェント",
  E_CONVERSATION_FULL: "この会話はいっぱいで、モデルはこれ以上受け取れません。続けるには新しい会話を始めてください。",
  E_OUT_OF_CREDITS:
    "エージェントが使うアカウントのクレジットがなくなったか、支出の上限に達しました。アカウントの管理者が解除できます。その後もう一度試すか、`/tool` で別のエージェントを選んでください。",
  E_SERVICE_BUSY: "モデルのサービスが今は応答しません。数分後にもう一度試してください。",
  E_USAGE_LIMIT:
    "エージェントのアカウントが利用上限に達しました。上限が解除されてから再試行するか、別のツールで実行してください。",
  E_TERMINAL_BUSY:
    "Claude のウィンドウに入力できませんでした。{attach} で接続して確認してください。ジョブは待っています。",
  E_PROMPT_NOT_TAKEN:
    "プロンプトを Claude のウィンドウに入力しましたが、Claude からの確認がありません。受け取られている可能性があるので、再試行する前にウィンドウを確認してください。",
  E_PROMPT_IS_COMMAND:
    "`{first}` は Claude の端末がコマンドとして読むため、プロンプトを入力しませんでした。前に言葉を付けて、もう一度送ってください。",
  E_ADOPTION_CLOSED:
    "この Claude はもう引き取れません。終了したか、すでに引き取られたか、無視されています。端末で Claude を起動し直すと、もう一度確認します。",
  E_TMUX_MISSING:
    "Bellhop のマシンに tmux がないか、3.2 より古いバージョンです。tmux 3.2 以降をインストールしてから再試行してください。",
  E_NO_DAEMON: "{dir} の Bellhop は実行されていません。`bellhop start` で起動してください。",
  E_LINK_REFUSED:
    "実行中の Bellhop がこの呼び出しを拒否しました: 「{why}」。バージョンが違う場合は再起動してください。",
  E_TOO_MANY_CALLS:
    "この呼び出し元はすでに上限の {limit} 件の呼び出しを実行中です。どれかが終わってから、もう一度お試しください。",
  E_METHOD_UNKNOWN:
    "実行中の Bellhop は {method} に対応していないか、この呼び出し元に許可していません。バージョンが違う場合は再起動してください。",
  E_JOB_NOT_FOUND: "ジョブ {job} はありません。ジョブはスレッドのカードか `bellhop status` で確認できます。",
  E_UNIT_FOREIGN:
    "{path} は Bellhop が作成したファイルではないため、変更していません。別の場所に移してから、もう一度実行してください。",
  E_SERVICE_REFUSED: "サービスは変更していません: {why}",
  E_HOOKS_REFUSED: "{path} は変更していません: {why}",
  E_BACKUP_REFUSED: "何も書き込みませんでした。{path}: {why}",
  E_PATH_REFUSED:
    "{path} を使えません（`{reason}`）。存在すること、自分のユーザーが読み書きできること、ディスクに空きがあることを確かめて、もう一度コマンドを実行してください。",
  E_INTERNAL:
    "エラーが発生しました。Bellhop の内部で予期しない問題がありました。詳細はログ app.ndjson にあります。もう一度お試しください。再び発生する場合は報告してください。",
};
