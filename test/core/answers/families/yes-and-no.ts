/** Yes and no to options that do not say so themselves: one that goes on and one that does not, labelled or bare. */
import type { Group } from "../table.ts";

const words = true;

export const yesAndNo: readonly Group[] = [
  {
    asked: { options: ["A) Deploy now", "B) Hold"], words },
    texts: {
      A: ["yes", "Yes!", "ok", "sure", "go ahead", "yes please", "👍", "네", "네!", "예", "응", "예스", "넵", "그래", "はい", "はい、お願いします", "イエス", "うん", "是", "好", "好的", "可以", "A", "1", "deploy now", "yes, deploy now", "네, A로 해주세요"],
      B: ["no", "No.", "nope", "👎", "아니요", "아니", "노", "いいえ", "だめ", "ノー", "不", "不要", "B", "2", "hold", "hold please", "no, hold"],
      several: ["yes no", "네 아니요", "yes, hold", "네, B로 해주세요"],
      question: ["yes?", "네?", "はい？", "是嗎？"],
      negated: ["not yes", "don't deploy now"],
      unknown: ["C", "3", "deploy"],
    },
  },
  {
    asked: { options: ["진행", "중단"], words },
    texts: {
      A: ["네", "예", "응", "yes", "예스", "진행", "진행해", "진행해줘", "진행해주세요", "진행해 주세요", "진행 부탁드립니다", "네, 진행해주세요", "네 진행", "はい", "好", "그래요", "A", "1번", "하나"],
      B: ["아니요", "아니", "no", "노", "중단", "중단해줘", "중단해주세요", "중단해 주세요", "중단할게요", "아니요, 중단해주세요", "いいえ", "不要", "B번", "2"],
      several: ["네, 중단해주세요", "진행이나 중단"],
      negated: ["진행하지 마", "진행 말고 중단", "중단하지 마"],
      question: ["진행?", "네?"],
    },
  },
  {
    asked: { options: ["중단", "진행"], words },
    texts: { A: ["아니요", "no", "중단해주세요"], B: ["네", "yes", "진행해주세요"] },
  },
  {
    asked: { options: ["지금 배포", "보류"], words },
    texts: { A: ["네", "예스", "yes", "지금 배포해주세요", "하나"], B: ["아니요", "no", "보류해줘", "보류할게요", "둘"] },
  },
  {
    asked: { options: ["실행", "취소"], words },
    texts: { A: ["네", "실행해줘", "실행해주세요", "はい"], B: ["아니요", "취소해주세요", "いいえ"] },
  },
  {
    asked: { options: ["実行", "中止"], words },
    texts: { A: ["はい", "はい、お願いします", "お願いします", "実行", "実行してください", "yes", "네", "好"], B: ["いいえ", "中止", "中止してください", "no", "아니요", "不要"], several: ["はい、中止"], negated: ["実行しないで", "中止しないで"] },
  },
  {
    asked: { options: ["A) 今すぐ実行", "B) 保留"], words },
    texts: { A: ["はい", "yes", "Aで", "今すぐ実行してください"], B: ["いいえ", "no", "保留で", "Bで"] },
  },
  {
    asked: { options: ["執行", "取消"], words },
    texts: { A: ["是", "好", "好的", "可以", "執行", "執行吧", "yes", "はい"], B: ["不", "不要", "不行", "取消", "取消吧", "no"], several: ["好，取消"], negated: ["不要執行", "別取消"] },
  },
  {
    asked: { options: ["1. 部署", "2. 等等"], words },
    texts: { A: ["是", "好的", "yes", "1", "部署"], B: ["不要", "no", "2", "等等"] },
  },
  {
    asked: { options: ["Continue", "Stop"], words },
    texts: { A: ["yes", "continue", "continue please", "go ahead", "네", "はい", "繼續"], B: ["no", "stop", "stop please", "아니요"], several: ["yes, stop"] },
  },
  {
    asked: { options: ["Delete them", "Keep them"], words },
    texts: { A: ["yes", "delete them"], B: ["no", "keep them"] },
  },
  // Which of them a yes means depends on how the question was put, which nobody reads here.
  {
    asked: { options: ["Keep them", "Delete them"], words },
    texts: { A: ["keep them", "A"], B: ["delete them", "B"], unknown: ["yes", "no", "네", "はい", "好"] },
  },
  {
    asked: { options: ["Hold", "Deploy now"], words },
    texts: { A: ["hold"], B: ["deploy now"], unknown: ["yes", "no", "네", "아니요"] },
  },
  {
    asked: { options: ["Continue", "Abort"], question: "Abort the migration?", words },
    texts: { A: ["continue"], B: ["abort"], unknown: ["yes", "no", "네", "아니요"] },
  },
  {
    asked: { options: ["진행", "중단"], question: "작업을 중단할까요?", words },
    texts: { A: ["진행해주세요", "진행"], B: ["중단해주세요"], unknown: ["네", "yes", "아니요"] },
  },
  {
    asked: { options: ["Deploy now", "Hold"], question: "Deploy the release now, or hold it?", words },
    texts: { A: ["yes", "deploy now"], B: ["no", "hold"] },
  },
  {
    asked: { options: ["진행", "중단"], question: "배포를 진행할까요, 중단할까요?", words },
    texts: { A: ["네", "진행해주세요"], B: ["아니요"] },
  },
  {
    asked: { options: ["Deploy now", "Hold"], question: "Should we wait for the review?", words },
    texts: { A: ["deploy now"], B: ["hold"], unknown: ["yes", "no", "네", "はい", "好"] },
  },
  {
    asked: { options: ["Deploy now", "Hold"], question: "Shall I hold off deploying now?", words },
    texts: { unknown: ["yes", "no", "예스", "いいえ"] },
  },
  {
    asked: { options: ["Deploy", "Hold"], question: "Deployment of v2: shall we cancel it?", words },
    texts: { unknown: ["yes", "no"] },
  },
  {
    asked: { options: ["実行", "中止"], question: "処理を停止しますか？", words },
    texts: { unknown: ["はい", "いいえ", "yes"] },
  },
  {
    asked: { options: ["執行", "取消"], question: "要不要停止部署？", words },
    texts: { unknown: ["好", "不要", "yes"] },
  },
  {
    asked: { options: ["Postgres", "SQLite"], words },
    texts: { unknown: ["yes", "no", "네", "はい", "好", "예스"] },
  },
  {
    asked: { options: ["A) Rebase", "B) Merge", "C) Stop"], words },
    texts: { unknown: ["yes", "네", "예스", "はい", "好"], A: ["rebase", "하나"], C: ["stop", "셋"] },
  },
];
