/**
 * Claude's longest lines, made short before they are parsed, where nothing but what they are about is wanted: a
 * request, which nobody could be shown, and a tool's call and its result. Text that Claude says is never cut.
 */
import { withShortStrings } from "../../base/json-size.ts";
import type { Line } from "../../host/processes/pipes.ts";
import { type Fields, inner, parseLine } from "../process/fields.ts";
import { blocksOf } from "./messages.ts";

/** No request that can be shown is longer, not even with every second character escaped. */
const LONG_BYTES = 2_000_000;

/** How a request begins that was too long to be kept. */
const REQUEST =
  /^\{"type":"control_request","request_id":("[\w-]{1,200}"),"request":\{"subtype":"can_use_tool","tool_name":("[\w.-]{1,200}")/;

/** The line itself, or a short one in its place that says how long it was. */
export function shortened(line: Line): Line {
  if ("dropped" in line) {
    const [, id, tool] = REQUEST.exec(line.beginning.toString()) ?? [];
    if (id === undefined) return line;
    return {
      bytes: Buffer.from(
        `{"type":"control_request","request_id":${id},"request":{"subtype":"can_use_tool","tool_name":${tool},"input":{}}}`,
      ),
      cut: line.dropped,
    };
  }
  const { length } = line.bytes;
  const bytes = length > LONG_BYTES ? withShortStrings(line.bytes) : null;
  const message = bytes === null ? null : parseLine(bytes.toString());
  return bytes !== null && message !== null && saysNothing(message) ? { bytes, cut: length } : line;
}

function saysNothing(message: Fields): boolean {
  if (message["type"] === "control_request") return inner(message, "request")["subtype"] === "can_use_tool";
  if (message["type"] !== "assistant" && message["type"] !== "user") return false;
  return blocksOf(message).every(({ type }) => type === "tool_use" || type === "tool_result");
}
