/**
 * An agent's longest lines, made short before they are parsed, where nothing but what they are about is wanted: a
 * request, which nobody could be shown, and what is told of a tool's call. Text that the agent says is never cut.
 */
import { methods } from "@agentclientprotocol/sdk";
import { withShortStrings } from "../../base/json-size.ts";
import { type Fields, inner, parseLine, text } from "../process/fields.ts";

/** No request that can be shown is longer, not even with every second character escaped. */
const LONG_BYTES = 2_000_000;

const REQUESTS: ReadonlySet<unknown> = new Set([
  methods.client.session.requestPermission,
  methods.client.elicitation.create,
]);

/** A message with its long texts cut; null for one that has to be read as it is. */
export function shortened(line: Buffer): Fields | null {
  const short = line.length > LONG_BYTES ? withShortStrings(line) : null;
  const message = short === null ? null : parseLine(short.toString());
  if (message === null || REQUESTS.has(message["method"])) return message;
  const update = text(inner(inner(message, "params"), "update")["sessionUpdate"]);
  return message["method"] === methods.client.session.update && update.startsWith("tool_call") ? message : null;
}
