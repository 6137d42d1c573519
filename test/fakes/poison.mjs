/**
 * Preloaded into a daemon, it has the parser of Markdown fail on each text that holds $POISON: with $POISON_HOW `spin`
 * it never ends, with `throw` its stack is too small. It stands for the text that nobody has found yet. The first
 * thing the parser does with any text is to search it for the ends of its lines, and there it goes wrong.
 */
const SEARCH = String.raw`[\0\t\n\r]`;
const { POISON, POISON_HOW } = process.env;
const { exec } = RegExp.prototype;

RegExp.prototype.exec = function poisoned(text) {
  if (this.source === SEARCH && String(text).includes(POISON)) {
    if (POISON_HOW === "throw") throw new RangeError("Maximum call stack size exceeded");
    for (;;);
  }
  return exec.call(this, text);
};
