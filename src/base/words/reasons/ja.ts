/** Why something failed, in Japanese: parts of sentences, without a full stop. */
import type { reasonWords as en } from "./en.ts";

export const reasonWords: Record<keyof typeof en, string> = {
  why_nothing_said: "理由は示されませんでした",
  why_not_in_path: "`{command}` が PATH にありません",
  why_no_program: "`{command}` が存在しないか、実行できるプログラムではありません",
  why_exit_code: "終了コード {exit_code} で終了しました",
  why_signal: "{signal} で終了させられました",
  why_cancelled_itself: "エージェント自身がターンを中止しました",
  why_lines_unread: "読み取れない行: {lines}",
  why_answer_unknown: "応答が未知の形式です",
  why_answer_cut: "応答が途中で切れています",
  why_key_refused: "保存されている値はセッション ID ではありません",
  why_other_conversation: "別の会話が開始されました",

  why_version: "対応しているプロトコルのバージョンが {ours} ではなく {version} です",
  why_no_session: "{seconds} 秒以内にセッションが開きませんでした",
  why_no_session_id: "開いたセッションに ID がありません",
  why_no_resume: "以前の会話を続ける機能がありません",
  why_mode_loose: "確認なしで動作できるモード `{mode}` で起動し、確認を求めるモードに切り替えられません",
  why_mode_kept: "モード `{mode}` で起動し、前回のモードに切り替えられません",

  why_window_closed: "ウィンドウが閉じられました",
  why_window_gone: "ウィンドウがなくなりました",
  why_window_left: "ウィンドウの中で終了されました",

  why_disk_full: "ディスクがいっぱいです",
  why_no_more_files: "これ以上ファイルを開けません。開けるファイル数の上限を上げる必要があります",

  why_moved: "作成した場所にありません",
  why_link: "そこにシンボリックリンクがあります",
  why_no_directory: "ディレクトリを作成できません",
  why_git_code: "`{command}` が終了コード {exit_code} で終了しました",
  why_git_late: "`{command}` が時間内に終わらないか、起動できませんでした",
  why_git_nothing: "git は成功を報告しましたが、ワークツリーがありません",

  why_killed: "強制終了されました",
  why_no_calls: "{seconds} 秒以内に呼び出しを受け付けませんでした",

  why_identity: "Discord にボットの情報を問い合わせています",
  why_rights: "ボットにはそこで次の権限がありません: {rights}",
  why_message_gone: "メッセージが削除された",
  why_too_many_threads:
    "サーバーのアクティブなスレッドが Discord の上限に達しているため、先にいくつかアーカイブする必要があります",
  why_connecting: "接続中です",
  why_asked: "Discord から再接続を求められました",
  why_invalid_session: "セッションが無効です",
  why_no_heartbeat: "最後のハートビートに応答がありません",
  why_disconnected: "接続が閉じられました（{close_code}）",
  why_no_greeting: "Discord が接続に応答しません",
  why_nothing_received: "接続中に何も届きませんでした",
  why_asleep: "マシンがスリープしていました",
  why_nothing_since_sleep: "スリープの後、何も届いていません",
  why_no_events: "応答はあるもののイベントが届きません",
  why_gateway_address: "ゲートウェイとして示された {address} は Discord のアドレスではありません",
  why_identify_day: "今日の残りの接続回数が少なすぎます",
  why_identify_restarts: "長続きせずに何度も再起動しています",
  why_identify_short_sessions: "セッションが長続きしません",
  why_identify_pace: "Discord は接続の間に 5 秒を求めます",
  why_message_sticker: "これはスタンプだけのメッセージです",
  why_message_poll: "これは投票だけのメッセージです",
  why_message_blank: "このメッセージには言葉がありません",
};
