/**
 * In which order the words to a question with options are understood: each row is decided by one step, and by no
 * earlier one.
 */
import { expect, test } from "vitest";
import { readAnswer } from "../../../../src/core/decisions/answers/read-answer.ts";

const CACHES = ["Use Redis", "Use Redis Cluster"];
const STEPS = ["A) Execute now", "B) Staging first", "C) Hold"];
const DEPLOY = ["Deploy now", "Hold"];
const POLAR = ["Yes, deploy", "No, wait"];

function read(text: string, options: readonly string[]): number | string {
  const reading = readAnswer(text, { options, words: true });
  if (reading.kind === "options") return reading.places[0] ?? "none";
  return reading.kind === "words" ? "words of one's own" : reading.why;
}

test.each<[string, readonly string[], string, number | string]>([
  ["an option named whole, the longest", ["Redis", "Redis Cluster"], "redis cluster", 1],
  ["an option named whole, the longest", ["Redis", "Redis Cluster"], "let's use redis cluster", 1],
  ["an option named whole, the shorter one", ["Redis", "Redis Cluster"], "redis", 0],
  ["an option named whole, the shorter one", CACHES, "use redis", 0],
  ["its place", STEPS, "A번", 0],
  ["its place", STEPS, "B로 해줘", 1],
  ["its place", STEPS, "3", 2],
  ["words of one option and of no other", DEPLOY, "deploy", 0],
  ["words of one option and of no other", CACHES, "redis cluster", 1],
  ["words of one option and of no other", CACHES, "the cluster please", 1],
  ["words of two options", CACHES, "redis", "several"],
  ["a bare yes where the options are polar", POLAR, "yes", 0],
  ["a bare no where the options are polar", POLAR, "아니요", 1],
  ["a polite verb where the options are polar", POLAR, "진행해주세요", 0],
  ["a bare yes where they are not", DEPLOY, "yes", "which"],
  ["a bare yes where they are not", ["Approve", "Reject"], "ok", "which"],
  ["a bare no where they are not", ["Delete", "Keep"], "nope", "which"],
  ["a bare yes where they are not", ["部署", "保留"], "好", "which"],
  ["a yes with a polite verb where they are not", ["Deploy", "Hold"], "네 진행해주세요", "which"],
  ["a wish for time", DEPLOY, "나중에", "later"],
  ["a question back", DEPLOY, "what does it do?", "question"],
  ["unsure words", DEPLOY, "not sure", "unsure"],
  ["a polite verb alone where they are not polar", ["Deploy", "Hold"], "진행해주세요", "words of one's own"],
  ["three letters of Hangul", DEPLOY, "금요일에 하자", "words of one's own"],
  ["fifteen characters", DEPLOY, "do it on friday after lunch", "words of one's own"],
  ["fewer", DEPLOY, "on friday", "unknown"],
])("%s: %j, %j", (_step, options, text, meaning) => {
  expect(read(text, options)).toBe(meaning);
});
