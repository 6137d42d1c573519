/**
 * What typed answers mean, written down before anything could read them. Each language's table groups texts by what
 * was asked and by how they are to be read: `A`, `B`, `AC` … for options by their place, `words` for an answer in the
 * owner's own words, and for what must be asked again: `which`, `several`, `negated`, `unsure`, `unknown`; `later` and
 * `question` are no answer yet.
 */
import type { AnswerRules } from "../../../src/core/decisions/answers/read-answer.ts";

export type Expected = string;

export interface Group {
  asked: AnswerRules;
  /** By how the texts are to be read. */
  texts: Readonly<Record<Expected, readonly string[]>>;
}

/** Options as the documented example writes them. */
export const labelled: AnswerRules = {
  options: ["A) Execute now", "B) Wait until tomorrow", "C) Cancel it"],
  words: true,
};
export const plain: AnswerRules = { options: ["PostgreSQL", "SQLite", "MySQL 8"], words: true };
export const yesNo: AnswerRules = { options: ["Yes, deploy", "No, leave it"], words: true };
export const open: AnswerRules = { options: [], words: true };
export const several: AnswerRules = { options: ["lint", "tests", "docs"], many: true, words: true };
export const korean: AnswerRules = { options: ["지금 배포", "내일까지 대기", "취소"], words: true };
export const koreanYesNo: AnswerRules = { options: ["예, 배포합니다", "아니요, 그대로 둡니다"], words: true };
export const japanese: AnswerRules = { options: ["今すぐ実行", "明日まで待つ", "中止"], words: true };
export const japaneseYesNo: AnswerRules = { options: ["はい、進める", "いいえ、やめる"], words: true };
export const chinese: AnswerRules = { options: ["馬上執行", "等到明天", "取消"], words: true };
export const chineseYesNo: AnswerRules = { options: ["是，部署", "否，先不要"], words: true };
