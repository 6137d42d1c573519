/**
 * The catalogues say the same things: the same keys, the same braces, and nothing left in English by accident.
 */
import { describe, expect, test } from "vitest";
import { errors } from "../../src/base/errors.ts";
import { catalogues, localeFrom, say, type Locale, type WordKey } from "../../src/base/words/say.ts";

const { en, ...others } = catalogues;
const keys = Object.keys(en) as WordKey[];
const braces = (sentence: string): string[] => [...new Set(sentence.match(/\{\w+\}/g))].sort();
const counted = (sentence: string): string[] =>
  [...sentence.matchAll(/\{(\w+)\|[^}]*\}/g)].map(([, name]) => `{${name}}`);

/** The letters of languages that are not written in Latin ones: each of their sentences has at least one. */
const writing: Partial<Record<Locale, RegExp>> = {
  ko: /\p{Script=Hangul}/u,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
  "zh-TW": /\p{Script=Han}/u,
};

/** The same in every language: names, formats, and what is nothing but braces and signs. */
function isLanguageless(key: WordKey): boolean {
  return (
    (/^(cmd|opt)_/.test(key) && !key.endsWith("_says")) ||
    !/\p{Letter}{2}/u.test(en[key].replace(/\{\w+\}|`[^`]*`/g, ""))
  );
}

describe.each(Object.keys(others) as (keyof typeof others)[])("the catalogue %s", (locale) => {
  test("has exactly the keys of the English one", () => {
    expect(Object.keys(others[locale]).sort()).toEqual([...keys].sort());
  });

  test("has the braces of the English sentence under every key", () => {
    expect(keys.filter((key) => braces(others[locale][key]).join() !== braces(en[key]).join())).toEqual([]);
  });

  test("holds no sentence left in English", () => {
    const left = keys.filter(
      (key) =>
        !isLanguageless(key) &&
        (others[locale][key] === en[key] || writing[locale]?.test(others[locale][key]) === false),
    );
    expect(left).toEqual([]);
  });
});

test("what is counted is a number of the sentence, and its words agree with it", () => {
  for (const key of keys) expect(braces(en[key])).toEqual(expect.arrayContaining(counted(en[key])));
  const more = (count: string | number): string => say("en", "queue_more", { count });
  expect([more(0), more(1), more("1"), more(2), more("1,001")]).toEqual([
    "0 more are waiting.",
    "1 more is waiting.",
    "1 more is waiting.",
    "2 more are waiting.",
    "1,001 more are waiting.",
  ]);
  expect(say("en", "queue_more")).toBe("{count} more {count|is|are} waiting.");
});

test("every error has a sentence that says more than what happened", () => {
  for (const code of Object.keys(errors) as (keyof typeof errors)[]) {
    expect(en[code]).toBeDefined();
    // What happened, and what to do next: two sentences, or one of two halves. The config's own ends in its mend.
    expect(en[code]).toMatch(/[.;:] .+/);
  }
});

test.each<[WordKey, string]>([
  ["projects_none", "登録されているプロジェクトはありません"],
  ["project_added", "プロジェクト #{number} を登録しました（{path}）"],
  ["agent_stopped", "セッションを終了しました"],
  ["agent_killed", "セッションを強制終了しました"],
  ["agent_model_set", "モデルを {model} に変更しました"],
  ["agent_field_session", "セッションID"],
  ["agent_field_project", "プロジェクトID"],
  ["agent_field_model", "モデルID"],
  ["agent_field_state", "状態"],
  ["agent_field_heard", "最終応答からの経過時間"],
  ["agent_field_context", "コンテキスト使用量"],
  ["agent_field_cost", "累積コスト"],
  ["agent_no_project", "プロジェクト #{id} が見つかりません"],
  ["path_absent", "指定されたパスが存在しません"],
  ["E_AGENT_START_FAILED", "エージェントの起動に失敗しました"],
  ["E_NO_ACTIVE_SESSION", "アクティブなセッションはありません"],
  ["E_MODEL_UNAVAILABLE", "指定されたモデルIDは利用できません"],
  ["E_AGENT_SILENT", "エージェントが応答しないため、セッションを強制終了しました"],
  ["E_INTERNAL", "エラーが発生しました"],
  ["tool_running", "🔧 {tool} を実行中..."],
  ["modal_answer", "📝 回答を入力してください"],
  ["modal_why", "📝 理由を入力してください"],
  ["button_other_terminal", "その他（テキスト入力）"],
  ["panel_running", "実行中"],
  ["panel_stopped", "停止中"],
])("in Japanese %s begins with the words that its first users know: %s", (key, words) => {
  const sentence = catalogues.ja[key];
  expect(sentence === words || sentence.startsWith(`${words}。`)).toBe(true);
});

test("no sentence is empty or has loose white space", () => {
  for (const catalogue of Object.values(catalogues)) {
    for (const [key, sentence] of Object.entries(catalogue)) {
      expect(sentence.trim(), key).toBe(sentence);
      expect(sentence, key).not.toBe("");
    }
  }
});

test("simplified Chinese has not slipped into the catalogue of Taiwan", () => {
  const simplified = /[会话项错误选择应无进设发启动执请输这个没问题务总]/;
  const found = Object.entries(catalogues["zh-TW"]).filter(([, sentence]) => simplified.test(sentence));
  expect(found).toEqual([]);
});

test("a brace without its argument stays visible", () => {
  expect(say("en", "E_PROJECT_EXISTS", { project: "app" })).toContain("app");
  expect(say("en", "E_PROJECT_EXISTS")).toContain("{project}");
});

test("any locale leads to one of the four, English where none is near", () => {
  const found = ["ko_KR.UTF-8", "ja", "zh-CN", "zh_TW", "de-DE", "C", undefined].map(localeFrom);
  expect(found).toEqual(["ko", "ja", "zh-TW", "zh-TW", "en", "en", "en"]);
});
