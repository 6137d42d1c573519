/** The set-up (`bellhop init`) in Japanese. */
import type { initWords as en } from "./en.ts";

export const initWords: Record<keyof typeof en, string> = {
  "cli.init": "Bellhop を設定します（トークン、サーバー、プロジェクトなど）",
  "cli.init.usage":
    "使い方: bellhop init [--token-file PATH|-] [--server ID] [--channel ID|NAME]\n                    [--project PATH]… [--run service|terminal|later] [--yes]\n\nDiscord サーバーで使えるように、Bellhop を順に設定します。オプションはそれぞれ\n質問 1 つに答えます。--yes は既定値がある質問でそれを使います。端末がなければ\n何も質問しません。いつでも中断して、また実行できます。続きから始まり、すでに\n動いているものは、オプションで指定しないかぎり変更しません。\n--token-file は、自分だけが読めるファイルまたは標準入力（-）からボットの\nトークンを読みます。トークンを引数で渡すことはありません。",
  "cli.init.title": "Bellhop の設定",
  "cli.init.stopped":
    "中断しました。ここまでの内容は保存されています。続けるには `bellhop init` をもう一度実行してください。",
  "cli.init.end": "設定が終わりました。全体を確認するにはいつでも: bellhop doctor",
  "cli.init.start": "Bellhop を起動するには: bellhop start",
  "cli.init.no_default": "{option} に既定値はありません。指定してください。",
  "cli.init.unasked": "端末がないため質問しません。{option} を指定するか、既定値を使うなら --yes を指定してください。",
  "cli.init.wrong_run": "--run に指定できるもの: {ways}",
  "cli.init.plain_path": "引用符と制御文字を含まないパスを使ってください。",
  "cli.init.heading": "`bellhop init` が書いた Bellhop の設定です。自由に編集できます。",
  "cli.init.token_where":
    "{link} でアプリケーションを作成するか開き、\nトークンをコピーしてください: Bot → Reset Token",
  "cli.init.token_ask": "ボットのトークン（画面には表示されません）",
  "cli.init.token_good": "Discord がトークンを受け付けました。ボットは {bot} です。",
  "cli.init.token_other":
    "このトークンは {bot}（アプリケーション {id}）のものですが、DISCORD_APP_ID はアプリケーション {wanted} を指しています。そのアプリケーションのトークンを入力するか、DISCORD_APP_ID を変更してください。",
  "cli.init.token_environment":
    "拒否されたトークンはこのシェルの変数 {name} にあり、どのファイルよりも優先されます。変数を削除してください。",
  "cli.init.token_refused":
    "Discord がこのトークンを拒否しました。リセットされたか、一部しかコピーされていない可能性があります。Bot ページで新しいものをコピーしてください: Reset Token",
  "cli.init.token_two": "このシェルの変数には、設定ファイルとは別のトークンがあります。ファイルは変更していません。",
  "cli.init.again": "もう一度試しますか？",
  "cli.init.again_yes": "もう一度試す",
  "cli.init.again_no": "ここでやめる",
  "cli.init.is_id": "これは ID で、トークンではありません。トークンは Bot ページにあります: Reset Token",
  "cli.init.is_public_key": "これはアプリケーションの公開鍵です。トークンは Bot ページにあります: Reset Token",
  "cli.init.is_webhook":
    "これは Webhook のアドレスです。Bellhop にはボットが必要です。そのトークンは Bot ページにあります。",
  "cli.init.is_link": "これはリンクです。トークンは Bot ページにあります: Reset Token",
  "cli.init.is_person":
    "これは人のトークンで、プログラムが使ってはいけません。ボットのトークンは Bot ページにあります。",
  "cli.init.is_secret": "これはクライアントシークレットです。トークンは Bot ページにあります: Reset Token",
  "cli.init.is_empty": "何も入力されていません。",
  "cli.init.is_other":
    "これはボットのトークンではありません。トークンは点で区切られた 3 つの部分からなります。Bot ページから全体をコピーしてください。",
  "cli.init.intent_off":
    "Message Content Intent がオフのため、ボットはメッセージを読めません。次のページの Privileged Gateway Intents でオンにして保存してください:",
  "cli.init.intent_on": "Message Content Intent はオンです。",
  "cli.init.waiting": "待っています…（Ctrl-C で中断。ここまでの内容は保存されます）",
  "cli.init.no_server": "ボットはまだどのサーバーにもいません。このリンクで招待してください:",
  "cli.init.not_in_server": "ボットはサーバー {server} にいません。このリンクで招待してください:",
  "cli.init.qr": "または、スマートフォンで読み取ってください。",
  "cli.init.server_ask": "どのサーバーで Bellhop を使いますか？",
  "cli.init.server": "サーバー: {server}",
  "cli.init.one_of_channels": "サーバーのテキストチャンネルを 1 つ指定してください: {names}",
  "cli.init.make_channel": "サーバーにテキストチャンネルを作成して、もう一度実行してください。",
  "cli.init.channel_gone": "サーバーにテキストチャンネル {channel} はありません。",
  "cli.init.channel_ask": "あいさつと、スレッドに属さない質問はどのチャンネルに送りますか？",
  "cli.init.channel": "チャンネル: #{channel}",
  "cli.init.lacks": "不足している権限: {rights}",
  "cli.init.rights":
    "ボットには #{channel} で次の権限がありません: {rights}。チャンネル設定の「権限」で許可してください。",
  "cli.init.want_rights": "ボットに必要な権限がすべてあるチャンネル",
  "cli.init.mend_rights":
    "#{channel} で次の権限がありません: {rights}。チャンネル設定の「権限」で許可して、もう一度実行してください。",
  "cli.init.agent": "{tool} {version} がインストールされています。",
  "cli.init.agent_missing": "{tool} はインストールされていません。インストール: {install}   その後のログイン: {login}",
  "cli.init.agent_logged_out": "{tool} {version} はインストールされていますが、ログインしていません。ログイン: {login}",
  "cli.init.agent_none": "動作できるエージェントがまだありません。別の端末でインストールするか、ログインしてください。",
  "cli.init.agent_look": "もう一度探す",
  "cli.init.agent_later": "なしで続ける",
  "cli.init.projects": "プロジェクト: {names}",
  "cli.init.project": "プロジェクト {name}: {path}",
  "cli.init.no_project":
    "プロジェクトはまだありません。Discord の /project add か、ここで bellhop init --project PATH を使って追加してください。",
  "cli.init.project_ask": "エージェントはどのディレクトリで作業してよいですか？（スペースで選択、Enter で確定）",
  "cli.init.project_other": "別のディレクトリ…",
  "cli.init.project_path": "ディレクトリ",
  "cli.init.hello":
    "**Bellhop の設定が完了しました。** {owner} の指示にだけ従います。起動したら `/start` でセッションを開き、してほしいことをそのスレッドに書いてください。",
  "cli.init.posted": "最初のメッセージを送信しました:",
  "cli.init.posted_before": "ボットはすでにこのチャンネルにメッセージを送信しています:",
  "cli.init.runs": "Bellhop は実行中です（プロセス {pid}）。",
  "cli.init.restart": "新しい設定は再起動したときに読み込まれます。",
  "cli.init.run_ask": "Bellhop をどのように実行しますか？",
  "cli.init.run_service": "サービスとして: システムの起動時とクラッシュ後に起動します",
  "cli.init.run_terminal": "今すぐ、この端末で",
  "cli.init.run_later": "今はしない",
  right_manage: "スレッドの管理",
  right_files: "ファイルを添付",
  right_reactions: "リアクションの追加",
  E_DISCORD_UNREACHABLE: "Discord に接続できません（{why}）。このマシンの接続を確認して、もう一度お試しください。",
};
