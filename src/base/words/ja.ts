/**
 * The Japanese sentences: the same keys and the same braces as `en.ts`, in the polite plain style of a
 * notice, without exclamation.
 */
import type { en } from "./en.ts";

export const ja: Record<keyof typeof en, string> = {
  // Errors (base/errors.ts), in the table's order.
  E_OWNER_ONLY: "この操作ができるのは、この Bellhop の所有者だけです。所有者に頼むか、ご自分の Bellhop を動かしてください。",
  E_NOT_IN_MANAGED_THREAD: "ここはセッションのスレッドではありません。セッションのスレッドに移るか、/start で新しく開いてください。",
  E_PROJECT_NOT_FOUND: "{project} という名前のプロジェクトはありません。/project list で一覧を確認してください。",
  E_PROJECT_EXISTS: "{project} という名前のプロジェクトはすでにあります。別の名前にしてください。",
  E_INVALID_PATH: "{path} は使えるディレクトリではありません。Bellhop が動いているマシンにあるディレクトリの絶対パスを指定してください。",
  E_INVALID_TOOLSET: "ツールの指定が正しくありません: {found}。{known} から 1 つ以上を挙げ、既定のツールはその中から選んでください。",
  E_TOOL_NOT_ENABLED: "プロジェクト {project} では {tool} は有効になっていません。次の中から選んでください: {tools}。",
  E_SESSION_NOT_FOUND: "セッション {session} はありません。/start で新しく開いてください。",
  E_THREAD_ACCESS_FAILED: "Discord がスレッド {thread} へのアクセスを許可しませんでした。スレッドがまだあること、ボットに表示・書き込み・管理の権限があることを確認して、もう一度試してください。",
  E_QUEUE_FULL: "このメッセージはキューに入りませんでした。このスレッドではすでに {limit} 件が待っています。いくつか終わってから送り直してください。",
  E_JOB_NOT_RETRYABLE: "{job} は再試行できません。再試行できるのは、失敗したジョブかクラッシュで中断したジョブだけです。新しいメッセージとして送ってください。",
  E_CLI_TIMEOUT: "エージェントから長い間何も出力されなかったため、停止しました。再試行するか、config.json の limits.cli_timeout_sec を大きくしてください。",
  E_CLI_EXIT_NONZERO: "エージェントがエラーで終了しました。詳しくはジョブのログにあります。原因を取り除いてから再試行してください。",
  E_ADAPTER_PARSE: "エージェントの出力を理解できませんでした。エージェントが新しいバージョンかどうかをジョブのログで確認してから、再試行してください。",
  E_ADAPTER_MISSING_RESULT: "エージェントが結果を返さずに終了しました。出力はジョブのログにあります。確認してから再試行してください。",
  E_ADAPTER_SESSION_KEY_MISSING: "エージェントがセッション名を知らせなかったため、この会話をあとで続けられません。再試行してください。",
  E_DISCORD_RATE_LIMIT: "Discord から送信の速度を落とすよう求められています。送るべきものはすべて保管してあり、自動で送られます。操作は要りません。",
  E_AGENT_START_FAILED: "エージェントを起動できませんでした。Bellhop が動いているマシンにコマンドがインストールされ、実行できることを確認してから再試行してください。",
  E_AGENT_SILENT: "エージェントから長い間反応がなかったため、終了させました。続けるには新しいセッションを始めてください。",
  E_NO_ACTIVE_SESSION: "ここには開いているセッションがありません。/start で開いてください。",
  E_SESSION_CLOSED: "このセッションは閉じているため、メッセージはキューに入りませんでした。セッションを開き直すか、/start で新しく始めてください。",
  E_MODEL_UNAVAILABLE: "エージェントはモデル {model} を提供していません。候補の中から選んでください。",
  E_DECISION_CLOSED: "すでに回答済みか期限切れのため、何も変更していません。まだ必要なら、エージェントがもう一度尋ねます。",
  E_ATTACHMENT_REFUSED: "{name} はエージェントに渡されていません。ファイルはまだ受け取れません。内容をここに貼り付けるか、プロジェクトのディレクトリに置いて名前を伝えてください。",
  E_JOURNAL_CORRUPT: "ジャーナルが壊れています: {file}、{offset} バイト目、シーケンス番号 {seq}: {found}。何も開始せず、何も変更していません。`bellhop journal verify` で範囲を確かめ、`bellhop journal repair` で修復してください。元のファイルは先にコピーします。",
  E_JOURNAL_WRITE: "ジャーナルに書き込めませんでした({reason})。受け付けたものを失わないよう、Bellhop を停止しました。ディスクの空きを作るか修理してから、もう一度起動してください。",
  E_CONFIG_INVALID: "{where}: 値は {found} ですが、{expected} が必要です。{mend}",
  E_DAEMON_RUNNING: "別の Bellhop(プロセス {pid})が {path} を使っています。そちらを使うか、先に停止するか、STATE_DIR に別のディレクトリを指定してください。",
  E_WORKTREE_DIRTY: "ワークツリー {path} にコミットまたはプッシュされていない作業があるため、残しました。作業を保存するか、消してよいことを確認してください。",
  E_TOKEN_REFUSED: "Discord がボットのトークンを拒否しました。Discord 開発者ポータルでアプリケーションの Bot ページから新しいトークンをコピーし、もう一度起動してください。",
  E_INTENT_REFUSED: "Discord がボットのインテントを拒否しました。Discord 開発者ポータルでアプリケーションの Bot ページの Message Content Intent を有効にし、もう一度起動してください。",
  E_EMPTY_PROMPT: "このメッセージには、エージェントに渡す内容がありませんでした。してほしいことを書いてください。",
  E_PROMPT_TOO_LONG: "このメッセージは、エージェントに渡せる {limit} 文字を超えています。短くするか、ファイルで送ってください。",
  E_INTERNAL: "Bellhop の内部で予期しない問題が起きました。詳しくはログ app.ndjson にあります。もう一度試し、再び起きるようなら報告してください。",
};
