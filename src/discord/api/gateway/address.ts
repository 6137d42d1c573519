/**
 * Where the gateway may be: whatever names its address, the bot's token goes to Discord, to the host of the REST API or
 * to this machine, and nowhere else.
 */
import { isThisMachine } from "../../../config/homes.ts";

const DISCORDS = /^(.+\.)?discord\.gg$/;

/**
 * What is dialled for this address, made from its parts as they were checked; null: the token must not go there.
 * @param api base address of the REST API
 */
export function gatewayAddress(named: unknown, api: string): string | null {
  const url = typeof named === "string" && URL.canParse(named) ? new URL(named) : null;
  if (url === null || url.username !== "" || url.password !== "") return null;
  const { protocol, hostname, host, pathname } = url;
  const isAllowed = protocol === "wss:" && (DISCORDS.test(hostname) || hostname === new URL(api).hostname);
  if (!isAllowed && !(/^wss?:$/.test(protocol) && isThisMachine(url))) return null;
  return `${protocol}//${host}${pathname.replace(/(?<!\/)\/+$/, "")}/?v=10&encoding=json`;
}
