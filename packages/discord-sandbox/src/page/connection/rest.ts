/**
 * Discord's REST API as the page calls it: JSON in and out, files as multipart, a 429 waited out, and every
 * refusal as a `Refused` that carries Discord's own code and words.
 */
export const API = "/api/v10";

/** An answer that was not 2xx, or none at all (`status` 0). */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface Rest {
  get<T>(path: string): Promise<T>;
  send<T>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: object,
    files?: readonly File[],
  ): Promise<T>;
}

/** How often a 429 is waited out before it is handed on. */
const MAX_WAITS = 4;

export function openRest(token: string, locale: string, refused: () => void): Rest {
  const call = async <T>(method: string, path: string, body?: object, files: readonly File[] = []): Promise<T> => {
    for (let wait = 0; ; wait += 1) {
      const response = await attempt(path, requestOf(method, body, files), {
        authorization: token,
        "x-discord-locale": locale,
      });
      if (response.status === 429 && wait < MAX_WAITS) {
        await pause(await retryAfterMs(response));
        continue;
      }
      if (response.status === 401) refused();
      if (!response.ok) throw await asRefused(response);
      return (response.status === 204 ? undefined : await response.json()) as T;
    }
  };
  return { get: (path) => call("GET", path), send: call };
}

function requestOf(method: string, body: object | undefined, files: readonly File[]): RequestInit {
  if (files.length > 0) return { method, body: formOf(body, files) };
  return body ? { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } } : { method };
}

async function attempt(path: string, request: RequestInit, headers: Record<string, string>): Promise<Response> {
  try {
    return await fetch(API + path, { ...request, headers: { ...headers, ...request.headers } });
  } catch {
    throw new Refused(0, 0, "");
  }
}

function formOf(body: object | undefined, files: readonly File[]): FormData {
  const form = new FormData();
  const attachments = files.map((file, id) => ({ id: String(id), filename: file.name }));
  form.set("payload_json", JSON.stringify({ ...body, attachments }));
  files.forEach((file, i) => form.set(`files[${i}]`, file, file.name));
  return form;
}

async function retryAfterMs(response: Response): Promise<number> {
  const body = (await response.json().catch(() => ({}))) as { retry_after?: number };
  return Math.min(60_000, Math.ceil((body.retry_after ?? 1) * 1000));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function asRefused(response: Response): Promise<Refused> {
  const body = (await response.json().catch(() => ({}))) as { code?: number; message?: string; errors?: unknown };
  return new Refused(response.status, body.code ?? 0, deepest(body.errors) ?? body.message ?? response.statusText);
}

/** The first sentence within Discord's nested `errors`, which says more than "Invalid Form Body". */
function deepest(errors: unknown): string | undefined {
  if (typeof errors !== "object" || errors === null) return undefined;
  const own = (errors as { _errors?: { message?: string }[] })._errors?.[0]?.message;
  if (own) return own;
  for (const value of Object.values(errors)) {
    const found = deepest(value);
    if (found) return found;
  }
  return undefined;
}
