/** Uploads at a Discord that a test speaks for, and what they keep. */
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { APIAttachment, APIMessage } from "discord-api-types/v10";
import { onTestFinished } from "vitest";
import { silentLog } from "../../../../src/base/log.ts";
import { openUploads, type Uploads, type UploadsOptions } from "../../../../src/discord/intake/uploads.ts";
import { openFiles } from "../../../../src/host/files/files.ts";
import { createFakeClock, type FakeClock } from "../../../fakes/fake-clock.ts";

export const ID = "1300000000000000001";
export const CHANNEL = "1300000000000000000";
export const SESSION = "1300000000000000900";
const CDN = "https://cdn.discordapp.com/attachments/1/2";

export type Answer = (url: URL, init: RequestInit) => Response | Promise<Response>;

interface Door {
  uploads: Uploads;
  clock: FakeClock;
  asked: string[];
  folder: string;
  kept(): string[];
}

export function open(answer: Answer, over: Partial<UploadsOptions> = {}): Door {
  const stateDir = realpathSync(mkdtempSync(join(tmpdir(), "bellhop-uploads-")));
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  const clock = createFakeClock();
  const asked: string[] = [];
  const uploads = openUploads({
    files: openFiles(stateDir),
    api: "https://discord.com/api",
    clock,
    log: silentLog,
    locale: "en",
    refetchMessage: () => Promise.reject(new Error("not asked for")),
    async fetch(url, init) {
      asked.push(url.href);
      return answer(url, init);
    },
    ...over,
  });
  const folder = join(stateDir, "uploads");
  const kept = (): string[] => {
    try {
      return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile())
        .map(({ name }) => name)
        .sort();
    } catch {
      return [];
    }
  };
  return { uploads, clock, asked, folder, kept };
}

let count = 0;
export const file = (filename: string, url = `${CDN}/${filename}`): APIAttachment =>
  ({ id: String(++count), filename, url, proxy_url: url, size: 1 }) as APIAttachment;
export const message = (...attachments: APIAttachment[]): Pick<APIMessage, "id" | "attachments"> => ({
  id: ID,
  attachments,
});
