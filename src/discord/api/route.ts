/**
 * The rate-limit route of a request: its method, its path without the ids, and the id Discord counts by (channel,
 * guild or webhook). Two requests of one route always share a bucket; two routes may turn out to share one, which only
 * Discord's headers tell.
 */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type Path = `/${string}`;

export interface Route {
  /** Such as `PATCH /channels/:id/messages/:id`. */
  name: string;
  /** The channel, guild or webhook the limit is counted by; empty if there is none. */
  major: string;
}

const WEBHOOK = /^\/webhooks\/(\d+\/[^/]+)/;
const MAJOR = /^\/(?:channels|guilds|webhooks)\/(\d+)/;

export function routeOf(method: Method, path: Path): Route {
  const [bare = path] = path.split("?");
  const major = WEBHOOK.exec(bare)?.[1] ?? MAJOR.exec(bare)?.[1] ?? "";
  const template = bare
    .replace(WEBHOOK, "/webhooks/:id/:token")
    .replace(/^\/interactions\/\d+\/[^/]+/, "/interactions/:id/:token")
    .replace(/\/reactions\/.*$/s, "/reactions/:reaction")
    .replace(/\/\d{16,20}(?=\/|$)/g, "/:id");
  // Adding and removing a reaction are known to share one bucket, so neither is sent as if it were free.
  const verb = template.endsWith("/:reaction") && method !== "GET" ? "PUT|DELETE" : method;
  return { name: `${verb} ${template}`, major };
}
