/**
 * Somebody who has just started Bellhop without a token: a machine with nothing of it in HOME, the built daemon with
 * its own Discord as a real process, and a browser on the link that was printed. On the page everything is done with
 * keyboard and pointer, as a person does it.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import type { Locator, Page } from "playwright-core";
import { startChromium } from "../../packages/discord-sandbox/test/page/stage.ts";

const root = join(import.meta.dirname, "..", "..");

export interface Newcomer {
  /** A directory of theirs, to be made a project. */
  readonly project: string;
  readonly home: string;
  /** `bellhop start --json`; resolves when it is ready. */
  start(): Promise<Started>;
}

export interface Started {
  /** As it was printed. */
  readonly link: string;
  /** Asks it to end; resolves with its exit code. */
  stop(): Promise<number | null>;
}

interface Machine {
  /** Where its agents are. */
  path?: string[];
  /** Whether a scripted agent is among them. */
  agent?: boolean;
  /** Whether the project is a git repository, and Bellhop is started in it. */
  repository?: boolean;
  /** What else its owner has set. */
  env?: Record<string, string>;
}

/**
 * For NODE_OPTIONS of a daemon: a job waits for the look at its project as long as it takes, however busy the machine.
 */
export const PATIENT = `--import=data:text/javascript,${encodeURIComponent("const real=globalThis.setTimeout;globalThis.setTimeout=(call,ms,...more)=>real(call,ms===50?30_000:ms,...more);")}`;

/** `after` is given what ends and removes everything again. */
export function openNewcomer(
  after: (end: () => Promise<void>) => void,
  { path = [], agent = false, repository = false, env = {} }: Machine = {},
): Newcomer {
  const home = mkdtempSync(join(tmpdir(), "bellhop-"));
  const project = join(home, "shop");
  mkdirSync(project);
  mkdirSync(join(home, "bin"));
  if (repository) mkdirSync(join(project, ".git"));
  if (agent) {
    const script = join(root, "test", "fakes", "agents", "claude.mjs");
    writeFileSync(join(home, "bin", "claude"), `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`, {
      mode: 0o755,
    });
  }
  const running: ChildProcess[] = [];
  after(async () => {
    await Promise.all(running.map(ended));
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    home,
    project,
    async start() {
      const child = spawn(process.execPath, [join(root, "bin", "bellhop.cjs"), "start", "--json"], {
        cwd: repository ? project : home,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          PATH: [...path, join(home, "bin"), "/usr/bin", "/bin"].join(delimiter),
          HOME: home,
          LANG: "C.UTF-8",
          ...env,
        },
      });
      running.push(child);
      const { link } = await ready(child);
      return {
        link,
        async stop() {
          child.kill("SIGTERM");
          await exit(child);
          return child.exitCode;
        },
      };
    },
  };
}

function ready(child: ChildProcess): Promise<{ link: string }> {
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const said = JSON.parse(line) as { event: string; link: string };
      if (said.event === "ready") resolve(said);
    });
    void exit(child).then(() => reject(new Error(`it ended with ${child.exitCode} before it was ready:\n${stderr}`)));
  });
}

function exit(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once("exit", () => resolve()));
}

async function ended(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await exit(child);
}

export const WIDE = { width: 1000, height: 900 };

/**
 * A session in the directory in which Bellhop was started, in a browser of its own. `troubles`: what the page complains
 * about.
 */
export async function openSessionPage(
  after: (end: () => Promise<void>) => void,
  newcomer: Newcomer,
): Promise<{ page: Page; troubles: string[] }> {
  const browser = await startChromium();
  after(() => browser.close());
  const { page, troubles } = await browser.open({ viewport: WIDE, colorScheme: "dark" });
  await page.goto((await newcomer.start()).link);
  await said(page, "Bellhop is ready").getByRole("button", { name: "Open a session here" }).click();
  await page.locator(".threads .channel").first().click();
  return { page, troubles };
}

export function composer(page: Page): Locator {
  return page.locator(".composer textarea");
}

/** Types a message and sends it. Resolves when the page shows it as sent. */
export async function write(page: Page, text: string): Promise<Locator> {
  await composer(page).click();
  await composer(page).pressSequentially(text);
  await composer(page).press("Enter");
  const exactly = new RegExp(`^\\s*${text.replace(/[^\w\s]/g, "\\$&")}\\s*$`);
  const row = page
    .locator(".message:not(.local-sending)", { has: page.locator(".content", { hasText: exactly }) })
    .last();
  await row.waitFor();
  return row;
}

/**
 * Finds a command by its name, takes it from the list, fills in what is given (or typed and taken from what is offered)
 * and sends it.
 */
export async function use(
  page: Page,
  command: string,
  options: Record<string, string | { typed: string; taken: string }> = {},
): Promise<void> {
  await composer(page).click();
  await composer(page).pressSequentially(command);
  await page.getByRole("option", { name: command }).first().waitFor();
  await composer(page).press("Enter");
  for (const [name, value] of Object.entries(options)) {
    const field = page.locator(`.command-entry input[name=${name}]`);
    if (!(await field.isVisible())) await page.locator(".command-entry .pill-add", { hasText: name }).click();
    await field.click();
    await field.pressSequentially(typeof value === "string" ? value : value.typed);
    if (typeof value === "string") continue;
    await page.getByRole("option", { name: value.taken, selected: true }).waitFor();
    await field.press("Enter");
  }
  await page.locator(".command-entry").getByRole("button", { name: "Send" }).click();
}

/** What the app said in a message of its own, in this channel, that has this text in it. */
export function said(page: Page, text: string | RegExp): Locator {
  return page.locator(".message", { hasText: text }).last();
}
