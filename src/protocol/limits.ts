/** How much callers of the socket and models may send at most. Texts are counted in characters (UTF-16 code units). */

export const MOST_QUESTION = 10_000;
export const MOST_CONTEXT = 100_000;

/** Options of one question, and the characters of each. */
export const MOST_OPTIONS = 100;
export const MOST_OPTION = 2_000;

/** A notification's message, a report's summary, and each of its details. */
export const MOST_MESSAGE = 200_000;
export const MOST_TITLE = 1_000;
/** Entries. */
export const MOST_DETAILS = 500;

/** The longest time to wait for an answer, in seconds: ten years. */
export const MOST_SECONDS = 315_360_000;

/** The longest pause between two looks of a watcher, in seconds. */
export const MOST_INTERVAL = 3_600;
