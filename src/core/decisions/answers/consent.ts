/**
 * Reads what a message says to a permission or a plan. A yes lets an agent act, so this is stricter than the reading of
 * an answer to a question: only a message that consists of one clear word counts. What says nothing but yes, no, a
 * number, a letter, an emoji or stop is told apart from work for the agent.
 */
import { counted, noWords, numerals, yesWords } from "./lexicon.ts";
import { endsInQuestion, normalizeText, stripPunctuation } from "./option-names.ts";

/**
 * `yes`, `no`: says it clearly. `place`: only a number or a letter. `stop`: asks to stop. `other`: only an emoji, an
 * unclear yes or no, or both.
 */
export type Bare = "yes" | "no" | "place" | "stop" | "other";

const words = (text: string): string[] => text.normalize("NFKC").split("|");

/** A comment on what is asked, such as "looks good", is not in it: what it comments on is not certain. */
const CLEAR_YES = words(
  "yes|yeah|yep|yup|ok|okay|sure|go ahead|do it|please do|allow|allow it|approve|approved|approve it|accept|accepted|" +
    "네|예|예스|응|넵|네네|해줘|해 줘|해주세요|해 주세요|허용|한 번만 허용|승인|동의|동의합니다|진행|" +
    "はい|ハイ|イエス|うん|ええ|お願いします|許可|承認|進めて|進めてください|" +
    "是|是的|好|好的|可以|可以的|同意|繼續|继续|請繼續|请继续|允許|允许|批准|准許|准许|核准",
);
const CLEAR_NO = noWords
  .filter((word) => [...word].length > 1 || /\p{Script=Han}|\p{Script=Hangul}/u.test(word))
  .concat(words("never|no way|절대 안 돼|절대안돼"));
const STOP = words(
  "stop|stop it|stop now|abort|halt|cancel|cancel it|/stop|/cancel|" +
    "멈춰|멈춰라|멈춰요|멈추세요|멈춰 줘|멈춰 주세요|그만|그만둬|스톱|정지|중지|중단|취소|" +
    "止めて|止めてください|止めろ|止まれ|止まって|とめて|ストップ|停止|中止|中断|キャンセル|" +
    "停|停下|停下來|停下来|暫停|暂停|中斷|取消",
);
/** What may stand beside such a word without changing it. */
const POLITE = new Set(
  words(
    "please|pls|plz|thanks|thank you|now|제발|부탁해|부탁해요|부탁드려요|부탁드립니다|고마워|고마워요|감사합니다|お願い|お願いします|ありがとう|ありがとうございます|請|请|謝謝|谢谢",
  ),
);
/** The same, written together with it; and what turns a Korean or Japanese noun into a request. */
const POLITE_START = /^[請请]/;
const POLITE_END =
  /(?:吧|啦|お願いします| ?(?:해|해요|해라|하세요|하자|합시다|할게|할게요|합니다|해 ?줘|해 ?줘요|해 ?주세요)|する|します|して|して(?:ください|下さい))$/;

/** A longer message is more than such words. */
const LONGEST = 60;
const MOST_PIECES = 8;
/** Most pieces of one of the words. */
const WORD_PIECES = 4;

/** Whether the phrase consists of words of this list, politely or not. */
function consistsOf(phrase: string, list: ReadonlySet<string>): boolean {
  const pieces = phrase.split(/[,. ]+/);
  const isWord = (text: string): boolean =>
    list.has(text) || list.has(text.replace(POLITE_END, "")) || list.has(text.replace(POLITE_START, ""));
  const isOnly = (at: number, said: boolean): boolean => {
    if (at === pieces.length) return said;
    for (let count = Math.min(WORD_PIECES, pieces.length - at); count > 0; count -= 1) {
      const text = pieces.slice(at, at + count).join(" ");
      if ((isWord(text) && isOnly(at + count, true)) || (POLITE.has(text) && isOnly(at + count, said))) return true;
    }
    return false;
  };
  return pieces.length <= MOST_PIECES && isOnly(0, false);
}

const clearYes = new Set(CLEAR_YES);
const clearNo = new Set(CLEAR_NO);
const stops = new Set(STOP);
const anyPolar = new Set([...CLEAR_YES, ...CLEAR_NO, ...yesWords, ...noWords, ...STOP]);
/** Refuses to refuse, which is neither. */
const twiceNegated = /(?:don't|dont|do not|never) (?:deny|reject|refuse)/;
const numbers = new Set([...counted.flat(), ...numerals.flat()]);
const PLACE =
  /^(?:(?:option|choice|number|no\.?|nr\.?|#|옵션|オプション|選項|选项)? ?\d{1,4} ?(?:번|번째|番|番目|號|号)?|[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}ᄀ-ᇿ])$/u;
/** Emoji, ours or a server's own. */
const SIGNS = /^(?:<a?:\w{2,32}:\d{17,20}>|[\p{Extended_Pictographic}\p{Regional_Indicator}\s])+$/u;

/**
 * What a message says if it says nothing else; null: it says more, or nothing. Never throws.
 * @param labels the options' own words as they are shown: yes, no, and what words cannot choose
 */
export function bareWord(
  text: string,
  labels: Readonly<{ yes: string; no: string; other: readonly string[] }>,
): Bare | null {
  const even = normalizeText(text);
  if (even === "" || even.length > LONGEST) return null;
  if (SIGNS.test(even)) return "other";
  const bare = stripPunctuation(even);
  const read = polarity(bare, labels);
  return (read === "yes" || read === "no") && endsInQuestion(even) ? "other" : read;
}

/** Whether a message says only stop, or cancel. Never throws. */
export function isStopWord(text: string): boolean {
  return bareWord(text, { yes: "", no: "", other: [] }) === "stop";
}

function polarity(bare: string, { yes, no, other }: Parameters<typeof bareWord>[1]): Bare | null {
  const is = (label: string): boolean => label !== "" && stripPunctuation(normalizeText(label)) === bare;
  if (other.some(is) || twiceNegated.test(bare)) return "other";
  if (consistsOf(bare, clearYes) || is(yes)) return "yes";
  if (consistsOf(bare, clearNo) || is(no)) return "no";
  if (consistsOf(bare, stops)) return "stop";
  if (PLACE.test(bare) || numbers.has(bare.replace(/^the /, "").replace(/ one$/, ""))) return "place";
  return consistsOf(bare, anyPolar) ? "other" : null;
}
