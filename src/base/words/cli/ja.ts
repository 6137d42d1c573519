/**
 * The command line in Japanese: the same keys and the same braces as `en.ts` beside it, in the polite style, part of
 * the Japanese catalogue.
 */
import type { cliWords as english } from "./en.ts";

export const cliWords: Record<keyof typeof english, string> = {
  "cli.status": "デーモンの状態、ジョブの様子、待機中のものを表示します",
  "cli.logs": "ログ全体、または 1 つのジョブのログを表示します",
  "cli.lock": "/unlock まですべてを止めます。または、その合言葉を決めます",
  "cli.unlock": "ロックされた Bellhop を解除する合言葉を表示します",
  "cli.lock.usage":
    "使い方: bellhop lock [--set-word] [--sandbox]\n\nすべてのエージェントのターンを直ちに終わらせます。Discord の /unlock と合言葉で\n解除するまで、再起動した後も、何も開始されず、何も許可されません。\n\n--set-word  /unlock の合言葉を、端末か標準入力の 1 行目から決めます。\n            マシンの前にいないときのためで、ロックはしません。",
  "cli.unlock.usage":
    "使い方: bellhop unlock [--sandbox]\n\nBellhop がロックされている間、Discord の /unlock に入力する合言葉を表示します。\n10 分以内に 1 回だけ使え、新しいものを表示すると前のものは無効になります。",
  "cli.lock.done":
    "Bellhop をロックしました。{ended} 件のターンを止め、/unlock まで何も開始しません。bellhop unlock が合言葉を表示します。",
  "cli.lock.already": "Bellhop は {since} からすでにロックされています。",
  "cli.lock.type": "/unlock の合言葉",
  "cli.lock.again": "同じ合言葉をもう一度",
  "cli.lock.length": "合言葉は {least}～{most} 文字にしてください。",
  "cli.lock.differ": "2 つの合言葉が違うため、設定しませんでした。",
  "cli.lock.word_set":
    "合言葉を設定しました。Discord の /unlock でロックされた Bellhop を解除できます。大文字と小文字は区別せず、誰にも読み出せません。",
  "cli.unlock.word": "{word}\n\nDiscord の /unlock に入力してください。{minutes} 分間、1 回だけ使えます。",
  "cli.status.locked":
    "{since} からロック中です。/unlock まで何も開始されず、何も許可されません。bellhop unlock が合言葉を表示します。",
  "cli.tail": "実行中のジョブをリアルタイムで表示します",
  "cli.forget": "セッションでのやり取りをすべてこのマシンから消去します",
  "cli.mcp": "エージェントが Discord で質問するためのツールを提供します（MCP）",
  "cli.service": "Bellhop をシステムのサービスとして起動し、動かし続けます",
  "cli.hooks": "端末で開いている Claude Code を Bellhop につなぎます",
  "cli.hook": "curl がないとき Claude Code のフックが呼ぶもの",
  "cli.backup": "Bellhop の記録をすべて 1 つのファイルにバックアップし、復元します",
  "cli.help_verb": "bellhop <コマンド> --help はそのコマンドの説明を表示します。",
  "cli.wrong.option": "不明なオプションです: {option}。",
  "cli.wrong.value": "オプション {option} の使い方が正しくありません。",
  "cli.wrong.word": "予期しない引数です: {word}。",
  "cli.wrong.missing": "引数が足りません。",
  "cli.wrong.number": "{option} には {min} から {max} までの整数を指定します。受け取った値: {found}",
  "cli.wrong.verb": "不明なコマンドです: {verb}。",

  "cli.unread":
    "{path} に STATE_DIR がありますが、Bellhop はこのファイルを読みません。ご自分のファイルなら --env-file {path} を付けてください。",
  "cli.start.usage":
    "使い方: bellhop start [--port N] [--json] [--env-file パス]\n\n停止するまで（Ctrl-C またはシグナル）デーモンを実行します。メッセージを受け付け\nられるようになると 1 行を出力します。--json ではオブジェクトになります。ボットの\nトークンがなければ `bellhop sandbox` と同じで、--port でそのページのポートを選べ\nます。`bellhop service install` を使うと端末なしで実行できます。--env-file は通\n常の .env の代わりにそのファイルの設定を読みます。ほかのコマンドでも使えます。",
  "cli.start.port_unused":
    "--port は効果がありません。ボットのトークンがあり、ページは `bellhop sandbox` だけのものです。",
  "cli.start.unsafe_folder":
    "コンパイル済みのコードを次の起動のために保存しないため、Bellhop の起動が遅くなります。{path} はあなたのフォルダーではありません。削除すれば Bellhop が作り直します。",
  "cli.sandbox.usage":
    "使い方: bellhop sandbox [--port N] [--json]\n\nこのマシンのローカルな Discord でデーモンを実行し、ページのリンクを出力します。\n--port でポートを選べます。指定しなければ 4000 番、使用中なら空いている番号で\nす。",
  "cli.backup.usage":
    "使い方: bellhop backup [FILE] [--overwrite]\n        bellhop backup --restore FILE\n\nセッション、キュー、回答、ファイル、config.json を FILE にコピーします。FILE は本\n人だけが読める .tar.gz で、デーモンは動いたままでかまいません。FILE を省くと、\n時刻の入った名前で今のディレクトリに作ります。--overwrite は既存のファイルを置き\n換えます。\n\n--restore はバックアップ全体を検査してから、状態ディレクトリに復元します。状態\nディレクトリは空か、存在しない必要があります。",
  "cli.journal.usage":
    "使い方: bellhop journal verify|repair|export [--sandbox] [--json]\n\nverify   ジャーナルに破損がないかどうかを調べます\nrepair   破損した部分を切り離し、元のファイルを残します。デーモンを止めて使いま\n         す\nexport   イベントを 1 行に 1 つの JSON オブジェクトとして出力します\n\n--sandbox はサンドボックスのジャーナルを対象にします。ほかにジャーナルがない場\n合も同じです。",
  "cli.status.usage":
    "使い方: bellhop status [--sandbox] [--json]\n\nデーモンが動いているか、Discord との接続、実行中のジョブ、どのスレッドのジョブ\nがなぜ待っているか、最近記録された失敗を表示します。デーモンが動いていなけれ\nば、そう表示してコード 69 で終了します。--sandbox はサンドボックスのデーモンの\n状態を表示します。ほかのデーモンが動いていないときは、指定しなくてもそうしま\nす。",
  "cli.logs.usage":
    "使い方: bellhop logs [ジョブ] [-n N] [--sandbox] [--json]\n\nログの最後の N 行（既定は 100）、または 1 つのジョブのエージェントの出力を表示\nします。--json はスタックトレースも含めてファイルのまま出力します。デーモンが動\nいている必要はありません。",
  "cli.tail.usage":
    "使い方: bellhop tail [ジョブ|スレッド] [--sandbox] [--json]\n\nジョブの発言と動作をリアルタイムで表示し、ジョブが終わると終了します。終了コー\nドは成功なら 0、それ以外は 1 です。スレッドを指定すると、そこで実行中のジョブ、\nなければ次のジョブ、それもなければ最後のジョブを表示します。何も指定しなければ\n実行中のジョブを表示します。表示するだけなので、Ctrl-C で止まるのはこのコマンド\nだけです。デーモンが再起動したときは復帰を待ちます。",
  "cli.forget.usage":
    "使い方: bellhop forget --thread ID [--sandbox] [--json]\n\nセッションでのやり取り（プロンプト、回答、質問、結果、ファイル、ログ）をこのマシ\nンから消去し、何が残るかを表示します。ID はスレッドの ID です。元に戻すことはで\nきません。セッションに実行中、待機中、回答待ちのものがあってはいけません。デーモ\nンが行うので、デーモンが動いている必要があります。",
  "cli.mcp.usage":
    "使い方: bellhop mcp\n\n標準入出力で MCP を提供します。エージェントが .mcp.json から起動します。所有者\nへの質問、通知、報告、未回答の質問、受信箱を扱えます。DISCORD_BOT_TOKEN、\nDISCORD_CHANNEL_ID、PROJECT_NAME、PENDING_DIR を環境変数から読み（.env は読みま\nせん）、デーモンが動いていなければ起動します。別名: discord-mcp。",
  "cli.service.usage":
    "使い方: bellhop service install|remove|print\n\ninstall  systemd（Linux）または launchd（macOS）が、今後ずっと Bellhop を動かす\n         ようにします。このシェルとご自分の .env の設定を使います。更新後や設定\n         を変えるときは、もう一度実行してください。\nremove   それをやめます。状態、ログ、設定は残ります。\nprint    install が書き込む内容を表示します。何も書き込みません。",
  "cli.hooks.usage":
    "使い方: bellhop hooks install|remove|print [--sandbox]\n\ninstall  Claude Code の settings.json に Bellhop のフックを加えます。ほかの内容は\n         変えず、元の内容の控えを残します。ステータスラインの表示は\n         そのままです。permission_tools を変えたらもう一度実行してください。\nremove   元の内容を 1 バイトも違わず戻します。\nprint    手で加えるためにフックとステータスラインを表示します。何も書きません。\n\n--sandbox はサンドボックスのデーモンを対象にします。それだけが動いているときの\ninstall も同じです。remove は両方のフックを取り除きます。",
  "cli.hook.usage":
    "使い方: bellhop hook SECONDS ORIGIN TMUX\n\n標準入力の Claude Code のフックをデーモンに渡します。フック自身のコマンドが\n実行するもので、人が使うものではありません。",

  "cli.status.runs": "Bellhop {version} は動作中（プロセス {pid}）。{since} から（{span}）。",
  "cli.status.mute":
    "Bellhop（プロセス {pid}）が {dir} を使っていますが、応答しません。起動中か終了中かもしれません。続く場合は、ログで原因を確認してください: `bellhop logs`。`kill -9 {pid}` で終了し、もう一度起動してください。実行中だったジョブは中断として表示されます。",
  "cli.status.clients":
    "Discord: このデーモンはエージェントの質問だけを扱い、自分のボットがありません。\n`bellhop start` を実行すると置き換わります。",
  "cli.status.no_gateway": "Discord: まだ接続していません。",
  "cli.status.next_try": "{span}後に再試行します: {why}。",
  "cli.status.no_rest": "Discord へのリクエストが届きません。{waiting} 件が待っています。",
  "cli.status.server_live": "サーバー {server}: 接続中。",
  "cli.status.server_not_live": "サーバー {server}（{guild}）: 未接続、再試行中（{phase}）。",
  "cli.status.server_failed": "サーバー {server}: 対応できません。{why}",
  "cli.status.live": "Discord: 接続中、最後の受信は {span} 前。",
  "cli.status.not_live": "Discord: 未接続、再試行中（{phase}）。最後の受信は {span} 前。",
  "cli.status.unwell": "接続が自動で回復していません。このままなら再起動してください。",
  "cli.status.state": "状態: {dir}",
  "cli.status.logs": "ログ: {dir}",
  "cli.status.agents": "エージェント: {agents}",
  "cli.status.agent_missing": "{tool} は見つかりません",
  "cli.status.living_working": "{thread} の {tool} は作業中、開いてから {span}、{memory}",
  "cli.status.living_idle": "{thread} の {tool} は待機中、開いてから {span}、{memory}",
  "cli.status.living_background": "バックグラウンド作業 {count}",
  "cli.status.jobs": "ジョブ: 実行中 {running} 件（最大 {max} 件）、待機中 {pending} 件。",
  "cli.status.disk_full": "ディスクがいっぱいです。空きができるまで新しいものは何も開始しません。",
  "cli.status.running": "{job} を実行中、{span}",
  "cli.status.asks": "回答を待っています（Discord の `/pending` で確認できます）",
  "cli.status.outside": "ジョブ外の作業を {span} 実行中",
  "cli.status.pending": "待機中 {count} 件",
  "cli.status.parked_crash": "クラッシュで中断した {job} についての選択を待っています",
  "cli.status.parked_limit": "{until} まで待ちます: {job} が利用上限に達しました",
  "cli.status.parked_lifted": "再開の確認待ち: {job} が利用上限に達しました",
  "cli.status.parked_budget": "あなたを待っています: {job} で予算を使い切りました",
  "cli.status.parked_changed": "{job} についての選択を待っています: 前回ご覧になった状態と違います",
  "cli.status.last_error": "直近: {job}、{code}",
  "cli.status.quiet": "アイドル状態のセッション {count} 件。",
  "cli.status.more": "ほか {count} 件は表示していません。--json ですべて表示します。",
  "cli.status.failures": "最近の失敗:",

  "cli.state.queued": "待機中",
  "cli.state.running": "実行中",
  "cli.state.success": "完了",
  "cli.state.failed": "失敗",
  "cli.state.cancelled": "キャンセル済み",
  "cli.state.unknown_after_crash": "クラッシュで中断",
  "cli.state.sent_into": "実行中の回答に送信済み",
  "cli.state.down": "切断",
  "cli.state.greeting": "Discord の応答待ち",
  "cli.state.identifying": "ログイン中",
  "cli.state.resuming": "接続を再開中",
  "cli.state.live": "接続中だが受信なし",
  "cli.state.unavailable": "応答なし",
  "cli.state.timed_out": "時間内に応答なし",
  "cli.state.limited": "リクエストが多すぎます",
  "cli.state.rejected": "拒否されました",
  "cli.state.no_access": "権限なし",

  "cli.logs.none": "ログはまだありません: {file}",

  "cli.tail.job": "{job}、{tool}、スレッド {thread}: {state}",
  "cli.tail.waits": "順番を待っています。",
  "cli.tail.denied": "{tool} は許可されませんでした: {reason}",
  "cli.tail.lost": "デーモンとの接続が切れました。復帰を待っています。Ctrl-C で待機をやめます。",
  "cli.tail.back": "デーモンが復帰しました。",
  "cli.tail.ended": "{job}: {state}",
  "cli.tail.ended_error": "{job}: {state}、{code}: {says}",
  "cli.tail.nothing":
    "実行中のジョブはありません。ジョブかスレッドを指定してください。`bellhop status` で確認できます。",
  "cli.tail.several": "複数のジョブが実行中です。1 つ指定してください: {jobs}",

  "cli.mcp.started": "{dir} で動いているデーモンがなかったので起動しました（プロセス {pid}）。",
  "cli.mcp.stepped_back": "別のデーモンが先に起動していたため、そちらを使います。今起動したデーモンは終了しました。",
  "cli.mcp.lost": "デーモンとの接続が切れました。復帰を待っています。質問はそのまま残ります。",
  "cli.mcp.back": "デーモンが復帰しました。",

  "cli.service.wrote": "書き込みました: {path}",
  "cli.service.upgraded": "更新しました: {path}",
  "cli.service.same": "変更なし: {path}",
  "cli.service.settings": "サービスに渡す設定（読めるのはあなただけです）: {names}",
  "cli.service.token": "ボットのトークンは専用のファイルにあります: {path}",
  "cli.service.omitted": "{name} の値はこのファイルに書けないため、省きました。",
  "cli.service.started": "起動しています。様子を見るには: bellhop status",
  "cli.service.running":
    "すでに動いています。ジョブを中断してもよいときに、次のコマンドで変更を反映してください: {command}",
  "cli.service.other":
    "別の Bellhop（プロセス {pid}）が {dir} を使っているため、起動しませんでした。それを止めてから実行してください: {command}",
  "cli.service.linger": "ログインしている間だけ動きます。常に動かすには: {command}",
  "cli.service.lingers": "ログインしていなくても動きます。",
  "cli.service.by_hand": "{program} が応答しませんでした（{reason}）。使える環境で実行してください: {command}",
  "cli.service.removed": "停止して削除しました: {path}",
  "cli.service.nothing": "削除するサービスはありません: {path} がありません。",
  "cli.service.kept": "変更していません: {path}",
  "cli.service.why.system":
    "ここでは systemd も launchd も動いていません。お使いのシステムの方法で次のコマンドを動かし続けてください: bellhop start",
  "cli.service.why.home":
    "{home} は現在のユーザーのものではありません。sudo を使わず、エージェントを動かすユーザーで実行してください。",
  "cli.service.why.write": "{path} に書き込めません（{reason}）。",
  "cli.service.why.cache":
    "{path} は npm のキャッシュにあり、ときどき消去されます。先に Bellhop をインストールしてください: npm install -g bellhop",
  "cli.service.why.path":
    "{path} にはユニットファイルに書けない文字があります。Bellhop を別の場所にインストールしてください。",

  "cli.hooks.installed": "Bellhop のフックを {path} に加えました。",
  "cli.hooks.before": "元の内容: {path}",
  "cli.hooks.restart": "これから起動する Claude に効きます。開いている Claude は再起動してください。",
  "cli.hooks.same": "変更なし: {path} にはすでに Bellhop のフックがあります。",
  "cli.hooks.restored": "{path} を元の内容に 1 バイトも違わず戻しました。",
  "cli.hooks.deleted": "{path} を削除しました。元はありませんでした。",
  "cli.hooks.taken": "{path} から Bellhop のフックを取り除きました。その後のほかの変更は残しています。",
  "cli.hooks.none": "{path} に Bellhop のフックはありません。",
  "cli.hooks.why.json": "正しい JSON ではありません。{line} 行目を見て直し、もう一度実行してください。",
  "cli.hooks.why.form":
    "フックかステータスラインが Claude Code の形式ではありません。直すか、`bellhop hooks print` の内容を手で加えてください。",
  "cli.hooks.why.text": "UTF-8 のテキストではありません。",
  "cli.hooks.why.file": "ファイルではないか、大きすぎます。",
  "cli.hooks.why.foreign": "別のユーザーのものです。",
  "cli.hooks.why.link": "存在しない {reason} へのリンクです。",
  "cli.hooks.why.readonly":
    "読み取り専用です。`bellhop hooks print` の内容を、そのファイルを作っている元に加えてください。",
  "cli.hooks.why.read": "読み取れません（{reason}）。",
  "cli.hooks.why.write":
    "書き込めません（{reason}）。`bellhop hooks print` の内容を、そのファイルを作っている元に加えてください。",
  "cli.hooks.why.changing": "別のプログラムが変更を続けています。もう一度実行してください。",

  "cli.backup.done":
    "{file} に、イベント {events} までのジャーナルとファイル {files} 個を保存しました（{kilobytes} kB）。あなたとエージェントが書いた内容が入っているので、人に見せないでください。",
  "cli.backup.left_out": "リンクか、通常のファイルではないため除外しました: {path}",
  "cli.backup.also":
    "移行先のマシンには、ほかにこれらが必要です: {config} にあるボットのトークンと設定、エージェントとそのログイン、同じディレクトリにあるプロジェクト。",
  "cli.backup.then":
    "移行先で、このファイルを指定して `bellhop backup --restore` を実行してください。その前に、この Bellhop を完全に止めてください。1 つのトークンで 2 つ動かすと、両方が応答します。",
  "cli.backup.restored":
    "{dir} にバックアップを復元しました: イベント {events} までのジャーナル、ファイル {files} 個。",
  "cli.backup.next":
    "次の手順: {config} にボットのトークンと設定を置き、エージェントをインストールしてログインし、`bellhop doctor` で確認してから `bellhop start` を実行します。以前の Bellhop はもう動かさないでください。1 つのトークンで 2 つ動かすと、両方が応答します。",
  "cli.backup.why.exists": "すでにあります。別の名前にするか、--overwrite を付けてください。",
  "cli.backup.why.inside": "状態ディレクトリの中に置くと、一緒に失われます。別の場所を指定してください。",
  "cli.backup.why.not_empty":
    "状態ディレクトリが空ではありません。中身を移すか、STATE_DIR に空のディレクトリを指定してください。",
  "cli.backup.why.archive": "破損しているか、.tar.gz ではありません。",
  "cli.backup.why.entry": "`bellhop backup` が書き込むことのない {name} が入っています。",
  "cli.backup.why.no_journal": "ジャーナルが入っていません。",
  "cli.backup.why.damaged": "ジャーナルがイベント {seq} で破損しています（「{found}」）。",
  "cli.backup.why.unreadable": "読み取れません。",
  "cli.backup.why.full": "ディスクがいっぱいです。空きを作ってから、もう一度実行してください。",
  "cli.backup.why.system": "システムに拒否されました（{reason}）。",
};
