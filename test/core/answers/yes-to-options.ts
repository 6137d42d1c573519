/**
 * What words mean to a question with options, in the order in which they are read: an option or its place named whole;
 * words that stand in one option and in no other; a bare yes or no where the options say yes and no; any other bare
 * yes or no, which is asked again (`which`); a wish for time, a question back, an unsure word; then words of one's own.
 * Each row is a question, its options, and what is typed, by how it is to be read.
 */
import type { Expected } from "./table.ts";

export interface Row {
  question: string;
  options: readonly string[];
  texts: Readonly<Record<Expected, readonly string[]>>;
}

export const english: readonly Row[] = [
  {
    question: "Do we still need this table?",
    options: ["Delete", "Keep"],
    texts: {
      A: ["delete", "Delete it", "delete them please", "A", "1", "the first", "yes, delete", "no, delete it", "let's delete it"],
      B: ["keep", "keep it", "Keep it.", "keep that one please", "yes, keep it", "no, keep", "B", "last"],
      which: ["yes", "Yes!", "YES", "y", "yep", "yes please", "ok", "sure", "go ahead", "do it", "approve", "lgtm", "👍", "✅", "no", "No.", "n", "nope", "no thanks", "don't", "reject", "👎", "❌", "yes yes", "yes yes yes yes yes yes yes yes", "yes, ok, sure, yes, ok, sure, yes, ok", "noooooooooooooooo", "absolutely", "not really", "got it"],
      negated: ["don't delete", "don't delete it", "not keep", "neither", "no delete", "keep, don't delete", "delete ❌"],
      several: ["delete or keep", "both", "yes and no"],
      question: ["yes?", "delete?", "why?", "what do you mean?"],
      later: ["later", "let me think", "not now", "no, wait"],
      unsure: ["maybe", "not sure", "maybe keep", "you decide"],
      unknown: ["it", "the", "foo", "C", "archive", "keeper of"],
      words: ["keep it until Friday, then delete it", "no, first show me what is in it", "yes but make a backup first"],
    },
  },
  {
    question: "Any blockers?",
    options: ["Deploy", "Hold"],
    texts: { A: ["deploy", "no, deploy", "Deploy it"], B: ["hold", "yes, hold", "hold it please"], which: ["yes", "no", "yeah", "nah", "ok"], unknown: ["deployed it"] },
  },
  {
    question: "Is the review done?",
    options: ["A) Deploy now", "B) Hold"],
    texts: { A: ["deploy", "now", "deploy please", "yes, deploy", "ok, deploy now"], B: ["hold", "no, hold"], which: ["yes", "no", "ok", "nope"], negated: ["don't deploy", "no deploy"], question: ["deploy?"] },
  },
  {
    question: "Which store?",
    options: ["Use Redis", "Use Redis Cluster"],
    texts: { A: ["use redis", "use redis please"], B: ["use redis cluster", "redis cluster", "cluster", "the cluster", "redis cluster please"], several: ["redis", "just redis"], which: ["yes", "no"] },
  },
  {
    question: "Which database?",
    options: ["PostgreSQL", "SQLite", "MySQL 8"],
    texts: { A: ["postgres", "Postgres please", "postgressql"], B: ["sqlite", "use sqlit"], C: ["mysql", "my sql 8"], unknown: ["SQL", "sqlite3", "8", "post", "Oracle"], which: ["yes", "ok"] },
  },
  {
    question: "Does the reviewer agree?",
    options: ["Approve", "Reject"],
    texts: { A: ["approve", "approve it", "yes, approve"], B: ["reject", "no, reject"], which: ["yes", "no", "ok", "👍", "do it"] },
  },
  {
    question: "Merge it?",
    options: ["Yes, merge", "No, wait for CI", "Ask me in chat"],
    texts: { A: ["yes", "ok", "merge", "go ahead", "👍", "yes, merge"], B: ["no", "nope", "👎", "ci", "wait for ci"], C: ["chat", "ask me in chat"], several: ["yes no", "yes, wait for ci"], negated: ["no, merge"] },
  },
  { question: "Delete it?", options: ["Yes - delete", "No - keep"], texts: { A: ["yes", "delete"], B: ["no", "keep", "keep it"], negated: ["~~yes~~", "~~delete~~"] } },
  {
    question: "Apply to all of them?",
    options: ["Yes, this one", "Yes, all", "No"],
    texts: { C: ["no", "nope"], which: ["yes", "ok", "네"], A: ["this one"], B: ["yes, all"] },
  },
  // Only one of them says yes or no: the other may be the answer to a question that was put the other way round.
  { question: "Do we still need it?", options: ["Yes, keep it", "Delete"], texts: { which: ["yes", "no", "ok"], A: ["keep it", "keep"], B: ["delete"] } },
  { question: "Is it urgent?", options: ["No rush, deploy at night", "Hold"], texts: { which: ["no", "yes"], unknown: ["rush", "deploy"], B: ["hold"] } },
  { question: "Is it?", options: ["It is ok to delete the logs", "Keep them"], texts: { which: ["ok", "yes", "okay"], B: ["keep", "keep them"], negated: ["not ok to delete"] } },
  { question: "Shall I?", options: ["Deploy"], texts: { which: ["yes", "no"], A: ["deploy", "A"] } },
  { question: "Which axis?", options: ["Y axis", "N axis"], texts: { which: ["yes", "no"] } },
  // Words of an option that takes them back are not that option.
  { question: "What next?", options: ["Do not delete the logs", "Ask the team"], texts: { unknown: ["delete", "delete the logs", "logs", "don't delete"], B: ["ask", "team"], A: ["do not delete the logs"] } },
  { question: "What next?", options: ["Cancel the deployment", "Go on"], texts: { unknown: ["deployment"], A: ["cancel", "cancel it"], B: ["go on"] } },
  { question: "What next?", options: ["Delete the table", "Rename the column"], texts: { unknown: ["table", "the table"], A: ["delete", "delete table"], B: ["rename", "column", "rename it"] } },
  { question: "Which ones?", options: ["Skip the tests", "Skip the lint"], texts: { A: ["tests", "the tests"], B: ["lint"], several: ["skip"] } },
  { question: "How?", options: ["Deploy with tests", "Deploy without tests"], texts: { A: ["with tests"], several: ["tests", "deploy"], negated: ["without tests"], which: ["ok"] } },
  { question: "Do anything?", options: ["Do nothing", "Delete all"], texts: { which: ["do it", "yes"], A: ["nothing"] } },
  { question: "When?", options: ["Deploy now", "Deploy later"], texts: { A: ["now"], B: ["later", "deploy later"], which: ["no", "yes"], several: ["deploy"] } },
  { question: "Where?", options: ["Enable the cache", "Leave it"], texts: { unknown: ["unable", "disable"], A: ["enable", "cache", "enabel"], B: ["leave it", "leave"] } },
  { question: "Which?", options: ["Overwrite the file", "Keep both"], texts: { unknown: ["over"], A: ["overwrite"] } },
  { question: "How far?", options: ["Roll back", "Go forward"], texts: { A: ["rollback", "roll back"], B: ["forward"] } },
];

export const korean: readonly Row[] = [
  {
    question: "문제가 있나요?",
    options: ["진행", "중단"],
    texts: {
      A: ["진행", "진행해주세요", "진행해 주세요", "진행해줘", "네, 진행해주세요", "아니요, 진행해주세요", "아니요 진행해 주세요", "1번", "A로 해줘"],
      B: ["중단", "중단해주세요", "네, 중단해주세요", "아니요, 중단해 주세요", "2번"],
      which: ["네", "네!", "예", "응", "넵", "네네", "네네네네네네네네네", "네~", "네 ㅋㅋ", "그래요", "좋아요", "알겠습니다", "그렇습니다", "yes", "아니요", "아니", "아뇨", "ㄴㄴ", "안돼요", "아닙니다", "괜찮아요", "👍"],
      negated: ["진행하지 마", "진행 말고"],
      question: ["네?", "진행?", "왜요?"],
      later: ["나중에", "잠깐만요", "생각 좀 해볼게요"],
      unsure: ["글쎄요", "모르겠어요"],
      words: ["테스트부터 돌려줘", "문제는 없는데 내일 하자"],
    },
  },
  {
    question: "이 테이블이 아직 필요한가요?",
    options: ["테이블 삭제", "그대로 유지"],
    texts: {
      A: ["삭제", "삭제해줘", "테이블 삭제", "네, 삭제해 주세요", "A번"],
      B: ["유지", "유지해주세요", "그대로", "그대로 유지해 주세요", "B번"],
      which: ["네", "예", "아니요", "좋아요", "네 알겠습니다"],
      unknown: ["테이블"],
      negated: ["삭제하지 마세요", "삭제 안 해", "하지 마세요"],
      // Polite requests are a yes or a no only where the options are.
      words: ["진행해주세요", "진행해 주세요", "그렇게 해주세요"],
    },
  },
  { question: "삭제할까요?", options: ["예, 삭제합니다", "아니요, 그대로 둡니다"], texts: { A: ["네", "진행해주세요", "진행해 주세요", "해주세요", "삭제합니다"], B: ["아니요", "하지 마세요", "그대로 둡니다", "그대로"], several: ["네 아니요"] } },
  { question: "언제?", options: ["지금 배포", "내일까지 대기", "취소"], texts: { A: ["배포", "지금", "지금이요"], B: ["대기", "내일", "내일까지"], C: ["취소", "취소해줘"], which: ["네", "아니요"] } },
  { question: "무엇을?", options: ["예약", "환불"], texts: { which: ["예", "네"], A: ["예약", "예약해줘"] } },
  { question: "어디?", options: ["네이버", "카카오"], texts: { which: ["네"], A: ["네이버"] } },
  { question: "어떻게?", options: ["삭제하지 않음", "보관"], texts: { unknown: ["삭제"], B: ["보관", "보관해줘"] } },
];

export const japanese: readonly Row[] = [
  {
    question: "このテーブルはまだ必要ですか？",
    options: ["削除する", "保持する"],
    texts: {
      A: ["削除", "削除してください", "はい、削除してください", "いいえ、削除してください", "削除する", "1番"],
      B: ["保持", "保持で", "保持してください", "いいえ、保持で", "Bで"],
      which: ["はい", "はい。", "うん", "ええ", "OK", "はい、お願いします", "お願いします", "了解です", "わかりました", "大丈夫です", "いいえ", "いや", "だめ", "ノー", "違います", "yes", "好"],
      negated: ["削除しないで", "削除はやめて", "いいえ削除"],
      question: ["はい？", "削除ですか？"],
      later: ["後で", "考えさせてください"],
      unsure: ["わかりません", "どちらでも"],
      words: ["進めてください", "やめてください", "先にバックアップを取ってください"],
      unknown: ["する"],
    },
  },
  { question: "進めますか？", options: ["はい、進める", "いいえ、やめる"], texts: { A: ["はい", "進めてください", "お願いします", "進める"], B: ["いいえ", "やめてください"] } },
  { question: "いつ？", options: ["今すぐ実行", "明日まで待つ", "中止"], texts: { A: ["実行", "今すぐ", "実行してください"], B: ["明日"], C: ["中止", "中止してください"], which: ["はい", "いいえ"] } },
  { question: "どこ？", options: ["東京都", "大阪府"], texts: { unknown: ["京都"], A: ["東京都", "東京"], B: ["大阪"] } },
  { question: "方式は？", options: ["非同期で送る", "送らない"], texts: { unknown: ["同期"], A: ["非同期"] } },
];

export const chinese: readonly Row[] = [
  {
    question: "還需要這個資料表嗎？",
    options: ["刪除", "保留"],
    texts: {
      A: ["刪除", "刪除吧", "選A", "好，刪除", "不，刪除"],
      B: ["保留", "保留吧", "不，保留", "是，保留", "第二個"],
      which: ["是", "是的", "對", "好", "好的", "可以", "行", "嗯", "好～", "是啊", "沒問題", "同意", "知道了", "不", "不是", "不要", "不用", "不行", "否", "沒有", "yes", "はい", "네", "👍"],
      negated: ["不要刪除", "別刪除", "不刪除"],
      question: ["是嗎？", "刪除？", "為什麼？"],
      later: ["稍後", "讓我想想"],
      unsure: ["不知道", "隨便"],
      words: ["請繼續", "先備份再說"],
    },
  },
  { question: "有问题吗？", options: ["继续部署", "暂停"], texts: { A: ["部署", "继续", "不，继续部署"], B: ["暂停", "是，暂停"], which: ["是", "不", "没有", "好"], negated: ["不要部署"] } },
  { question: "部署？", options: ["是，部署", "否，先不要"], texts: { A: ["是", "好", "請繼續", "部署"], B: ["否", "不", "不要"]} },
  { question: "何時？", options: ["馬上執行", "等到明天", "取消"], texts: { A: ["執行", "馬上"], B: ["明天", "等到明天吧"], C: ["取消"], which: ["好", "是", "不", "行"] } },
  { question: "哪一個？", options: ["可以直接刪除", "保留"], texts: { which: ["可以", "好"], A: ["直接刪除"], B: ["保留"] } },
  { question: "怎麼做？", options: ["不刪除資料", "封存"], texts: { unknown: ["刪除", "資料"], B: ["封存"] } },
  { question: "類型？", options: ["对象存储", "块存储"], texts: { which: ["对"], A: ["对象"], several: ["存储"] } },
];
