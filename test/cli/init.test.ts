/**
 * The parts of `bellhop init` that need another machine or another terminal than a test's: the service, the QR code.
 */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { encode } from "uqr";
import { unaskedPrompts } from "../../src/cli/init/prompts.ts";
import { qrCode } from "../../src/cli/init/bot-steps.ts";
import { keepRunning } from "../../src/cli/init/steps.ts";
import type { Setup } from "../../src/cli/init/setup.ts";
import { loadSettings } from "../../src/config/settings.ts";
import { openScene, type Scene } from "./unit/scene.ts";

function setupOn({ machine }: Scene, run?: string): { setup: Setup; out(): string } {
  let out = "";
  const write = (text: string): void => void (out += text);
  const io = { stdout: { write }, stderr: { write }, env: machine.env };
  const setup: Setup = {
    io,
    locale: "en",
    flags: { projects: [], run },
    prompts: unaskedPrompts({ locale: "en", write, yes: true }),
    settings: loadSettings(machine.env, machine.cwd),
    changed: false,
    written: new Set(),
  };
  return { setup, out: () => out };
}

describe("how it is kept running", () => {
  test("by default as a service, which is installed and started", async () => {
    const scene = openScene();
    const { setup, out } = setupOn(scene);
    expect(await keepRunning(setup, scene.machine)).toBe("service");
    expect(scene.asked).toContain("systemctl --user --no-block start bellhop.service");
    expect(out()).toContain(`Written: ${join(scene.home, ".config/systemd/user/bellhop.service")}`);
  });

  test("not as a service where the system has none", async () => {
    const scene = openScene({ systemd: false });
    expect(await keepRunning(setupOn(scene).setup, scene.machine)).toBe("later");
    expect(scene.asked).toEqual([]);
  });

  test("a service that cannot be installed says why, and leaves the rest as it is", async () => {
    const scene = openScene({ systemd: false });
    const { setup, out } = setupOn(scene, "service");
    expect(await keepRunning(setup, scene.machine)).toBe("later");
    expect(out()).toContain("neither systemd nor launchd is running here");
  });
});

describe("the QR code", () => {
  const link =
    "https://discord.com/oauth2/authorize?client_id=1234567890123456789&scope=bot+applications.commands&permissions=328565066752";

  test("is dark on light in every terminal, and has every module of the link's code", () => {
    const lines = (qrCode(link, 80) ?? "").split("\n");
    for (const line of lines) expect(line).toMatch(/^\x1b\[97;40m[█▀▄ ]+\x1b\[0m$/);
    const rows = lines
      .map((line) => [...line.replace(/\x1b\[[0-9;]*m/g, "")])
      .flatMap((line) => [line.map((sign) => !"█▀".includes(sign)), line.map((sign) => !"█▄".includes(sign))]);
    const { data, size } = encode(link, { border: 2 });
    expect(rows.slice(0, size)).toEqual(data);
  });

  test("is left out where the terminal is too narrow for it", () => {
    expect(qrCode(link, 40)).toBeNull();
  });
});
