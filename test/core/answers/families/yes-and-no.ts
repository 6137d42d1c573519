/**
 * Options that go on or hold back: what names them, with and without a yes or a no beside it, and a bare yes or no,
 * which does not.
 */
import type { Group } from "../table.ts";

const words = true;

export const yesAndNo: readonly Group[] = [
  {
    asked: { options: ["A) Deploy now", "B) Hold"], words },
    texts: {
      A: ["A", "1", "deploy", "deploy now", "yes, deploy now", "네, A로 해주세요"],
      B: ["B", "2", "hold", "hold please", "no, hold", "yes, hold", "네, B로 해주세요"],
      which: [
        "yes",
        "Yes!",
        "ok",
        "sure",
        "go ahead",
        "yes please",
        "👍",
        "네",
        "네!",
        "예",
        "응",
        "예스",
        "넵",
        "그래",
        "はい",
        "はい、お願いします",
        "イエス",
        "うん",
        "是",
        "好",
        "好的",
        "可以",
        "no",
        "No.",
        "nope",
        "👎",
        "아니요",
        "아니",
        "노",
        "いいえ",
        "だめ",
        "ノー",
        "不",
        "不要",
      ],
      several: ["yes no", "네 아니요"],
      question: ["yes?", "네?", "はい？", "是嗎？"],
      negated: ["not yes", "don't deploy now"],
      unknown: ["C", "3"],
    },
  },
  {
    asked: { options: ["진행", "중단"], words },
    texts: {
      A: [
        "진행",
        "진행해",
        "진행해줘",
        "진행해주세요",
        "진행해 주세요",
        "진행 부탁드립니다",
        "네, 진행해주세요",
        "네 진행",
        "A",
        "1번",
        "하나",
      ],
      B: [
        "중단",
        "중단해줘",
        "중단해주세요",
        "중단해 주세요",
        "중단할게요",
        "아니요, 중단해주세요",
        "네, 중단해주세요",
        "B번",
        "2",
      ],
      which: ["네", "예", "응", "yes", "예스", "はい", "好", "그래요", "아니요", "아니", "no", "노", "いいえ", "不要"],
      several: ["진행이나 중단"],
      negated: ["진행하지 마", "진행 말고 중단", "중단하지 마"],
      question: ["진행?", "네?"],
    },
  },
  {
    asked: { options: ["중단", "진행"], words },
    texts: { A: ["중단해주세요"], B: ["진행해주세요"], which: ["아니요", "no", "네", "yes"] },
  },
  {
    asked: { options: ["지금 배포", "보류"], words },
    texts: {
      A: ["지금 배포해주세요", "하나"],
      B: ["보류해줘", "보류할게요", "둘"],
      which: ["네", "예스", "yes", "아니요", "no"],
    },
  },
  {
    asked: { options: ["실행", "취소"], words },
    texts: { A: ["실행해줘", "실행해주세요"], B: ["취소해주세요"], which: ["네", "はい", "아니요", "いいえ"] },
  },
  {
    asked: { options: ["実行", "中止"], words },
    texts: {
      A: ["実行", "実行してください"],
      B: ["中止", "中止してください", "はい、中止"],
      which: ["はい", "はい、お願いします", "お願いします", "yes", "네", "好", "いいえ", "no", "아니요", "不要"],
      negated: ["実行しないで", "中止しないで"],
    },
  },
  {
    asked: { options: ["A) 今すぐ実行", "B) 保留"], words },
    texts: { A: ["Aで", "今すぐ実行してください"], B: ["保留で", "Bで"], which: ["はい", "yes", "いいえ", "no"] },
  },
  {
    asked: { options: ["執行", "取消"], words },
    texts: {
      A: ["執行", "執行吧"],
      B: ["取消", "取消吧", "好，取消"],
      which: ["是", "好", "好的", "可以", "yes", "はい", "不", "不要", "不行", "no"],
      negated: ["不要執行", "別取消"],
    },
  },
  {
    asked: { options: ["1. 部署", "2. 等等"], words },
    texts: { A: ["1", "部署"], B: ["2", "等等"], which: ["是", "好的", "yes", "不要", "no"] },
  },
  {
    asked: { options: ["Continue", "Stop"], words },
    texts: {
      A: ["continue", "continue please"],
      B: ["stop", "stop please", "yes, stop"],
      which: ["yes", "go ahead", "네", "はい", "繼續", "no", "아니요"],
    },
  },
  {
    asked: { options: ["Keep them", "Delete them"], words },
    texts: { A: ["keep them", "A"], B: ["delete them", "B"], which: ["yes", "no", "네", "はい", "好"] },
  },
  {
    asked: { options: ["Postgres", "SQLite"], words },
    texts: { which: ["yes", "no", "네", "はい", "好", "예스"] },
  },
  {
    asked: { options: ["A) Rebase", "B) Merge", "C) Stop"], words },
    texts: { which: ["yes", "네", "예스", "はい", "好"], A: ["rebase", "하나"], C: ["stop", "셋"] },
  },
];
