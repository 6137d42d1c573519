/** Answers that take time, never come, or fail: for trying how a client shows them. */
import { RequestError } from "@agentclientprotocol/sdk";
import type { Act } from "../act.ts";

const MOST_LINES = 1_000;
const LONGEST_WAIT_S = 3_600;

export const stream: Act = {
  name: "stream",
  description: "Writes lines, word by word",
  hint: "LINES",
  async perform({ turn, rest }) {
    const lines = within(rest, { otherwise: 10, least: 1, most: MOST_LINES });
    for (let line = 1; line <= lines; line += 1) await turn.stream(`Line ${line} of ${lines}, written word by word.\n`);
  },
};

export const wait: Act = {
  name: "wait",
  description: "Waits, so that there is time to cancel",
  hint: "SECONDS",
  async perform({ turn, rest }) {
    const seconds = within(rest, { otherwise: 60, least: 1, most: LONGEST_WAIT_S });
    await turn.say(`Waiting ${seconds} s.`);
    await turn.wait(seconds * 1000);
    await turn.say(" Done.");
  },
};

export const fail: Act = {
  name: "fail",
  description: "Fails, as an agent does when its model refuses",
  hint: "REASON",
  perform: ({ rest }) =>
    Promise.reject(RequestError.internalError(undefined, rest || "The demo agent was asked to fail.")),
};

/** The number with which the text begins. */
export function within(
  text: string,
  { otherwise, least, most }: { otherwise: number; least: number; most: number },
): number {
  const [digits = ""] = /^\d{1,9}/.exec(text) ?? [];
  return digits === "" ? otherwise : Math.min(Math.max(Number(digits), least), most);
}
