/**
 * Which of Discord's rate-limit routes a request belongs to: its method, its path with the ids taken out, and the
 * id Discord counts by (channel, guild or webhook). Two requests of one route always share a bucket; two routes may
 * turn out to share one, which only Discord's headers tell.
 */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type Path = `/${string}`;

export interface Route {
  /** Such as `PATCH /channels/:id/messages/:id`. */
  name: string;
  /** The channel, guild or webhook the limit is counted by; empty where there is none. */
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
    .replace(/\/reactions\/.*$/, "/reactions/:reaction")
    .replace(/\/\d{16,20}(?=\/|$)/g, "/:id");
  // Adding and taking back a reaction are known to draw on one bucket, so neither is sent as if it were free.
  const verb = template.endsWith("/:reaction") && method !== "GET" ? "PUT|DELETE" : method;
  return { name: `${verb} ${template}`, major };
}
