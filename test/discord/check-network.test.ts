/** The doctor's checks of what a test cannot change about its own machine: the clock, IPv6, the disk, the service. */
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { checkNetwork, type NetworkOptions } from "../../src/discord/check-bot.ts";
import { checkGateway } from "../../src/discord/api/gateway/check-gateway.ts";
import { checkDisk } from "../../src/host/check-disk.ts";
import { checkService } from "../../src/cli/unit.ts";
import { openScene } from "../cli/unit/scene.ts";

const NOW = Date.parse("2026-02-26T14:00:00Z");

function network(more: Partial<NetworkOptions> = {}, date = NOW): ReturnType<typeof checkNetwork> {
  const answer = async (): Promise<Response> =>
    new Response('{"url":"wss://gateway.discord.gg"}', { headers: { date: new Date(date).toUTCString() } });
  return checkNetwork({
    api: "https://discord.com/api",
    env: {},
    clock: { ...systemClock, now: () => NOW },
    fetch: answer,
    addresses: async () => [],
    ...more,
  });
}

describe("the clock", () => {
  test("agrees with Discord's up to half a minute", async () => {
    expect(await network({}, NOW - 29_000)).toContainEqual({ check: "clock", verdict: "good", says: "doctor.clock" });
    for (const apart of [-31_000, 31_000])
      expect(await network({}, NOW + apart)).toContainEqual(
        expect.objectContaining({
          check: "clock",
          verdict: "warn",
          args: { seconds: 31 },
          mend: { says: "doctor.clock.mend" },
        }),
      );
  });
});

describe("IPv6", () => {
  const addresses = async (): Promise<{ address: string; family: number }[]> => [
    { address: "162.159.128.233", family: 4 },
    { address: "2606:4700::1", family: 6 },
  ];

  test("that hangs while IPv4 works is told", async () => {
    expect(await network({ addresses, dial: async (address) => !address.includes(":") })).toContainEqual(
      expect.objectContaining({ check: "ipv6", verdict: "warn", args: { address: "2606:4700::1" } }),
    );
  });

  test("that works, or that hangs as everything does, is not", async () => {
    for (const works of [true, false])
      expect((await network({ addresses, dial: async () => works })).map(({ check }) => check)).toEqual([
        "network",
        "clock",
      ]);
  });
});

test("few connections left for today are told", async () => {
  const [, left] = await checkGateway({ url: "ws://127.0.0.1:9", left: 3 }, "http://127.0.0.1:9/api", "en");
  expect(left).toMatchObject({ check: "identify", verdict: "warn", args: { left: 3 } });
});

test("a gateway that is not Discord's is told, and not called", async () => {
  const findings = await checkGateway(
    { url: "wss://gateway.discord.gg@127.0.0.1:9", left: 3 },
    "https://discord.com/api",
    "en",
  );
  expect(findings).toEqual([
    {
      check: "gateway",
      verdict: "bad",
      says: "E_GATEWAY_ADDRESS",
      args: { address: "wss://gateway.discord.gg@127.0.0.1:9" },
    },
  ]);
});

test("a disk with little room is told, one with too little is a fault", async () => {
  const verdicts = await Promise.all(
    [600, 400, 40].map(async (megabytes) => (await checkDisk("/state", async () => megabytes * 1024 * 1024))[0]),
  );
  expect(verdicts.map((one) => one?.verdict)).toEqual(["good", "warn", "bad"]);
  expect(verdicts[2]).toMatchObject({ args: { dir: "/state", megabytes: 40 }, mend: { says: "doctor.disk.mend" } });
});

describe("the service", () => {
  test("that is not installed is no fault", async () => {
    expect(await checkService(openScene().machine, "/logs")).toEqual([
      { check: "service", verdict: "idle", says: "doctor.service.none" },
    ]);
  });

  test("that is installed and stopped is told with the command that starts it; without lingering, with that", async () => {
    const scene = openScene();
    await scene.run("install");
    expect(await checkService(scene.machine, "/logs")).toMatchObject([
      {
        verdict: "bad",
        says: "doctor.service.stopped",
        mend: { args: { command: "systemctl --user start bellhop.service" } },
      },
      { check: "linger", verdict: "warn", mend: { args: { command: "loginctl enable-linger" } } },
    ]);
    scene.answers["systemctl --user is-active"] = { code: 0, stdout: "active\n" };
    scene.machine.lingers = true;
    expect(await checkService(scene.machine, "/logs")).toEqual([
      { check: "service", verdict: "good", says: "doctor.service" },
    ]);
  });

  test("that another version wrote is written anew by its fix, with the PATH of its installation; a foreign one is let be", async () => {
    const scene = openScene({ lingers: true });
    scene.answers["systemctl --user is-active"] = { code: 0, stdout: "active\n" };
    const unit = ".config/systemd/user/bellhop.service";
    await scene.run("install");
    const whole = scene.read(unit);
    scene.write(unit, whole.replace(/^WatchdogSec.*\n/m, ""));
    scene.machine.env = { ...scene.machine.env, PATH: "/another/shell" };
    const [, old] = await checkService(scene.machine, "/logs");
    expect(old).toMatchObject({
      check: "unit",
      verdict: "warn",
      says: "doctor.unit.old",
      mend: { args: { command: "systemctl --user restart bellhop" } },
    });
    scene.asked.length = 0;
    await old?.fix?.();
    expect(scene.read(unit)).toBe(whole);
    expect(scene.asked).toEqual(["systemctl --user daemon-reload", "systemctl --user enable bellhop.service"]);
    expect(await checkService(scene.machine, "/logs")).toHaveLength(1);
    scene.write(
      unit,
      whole.replaceAll(scene.machine.program, "/opt/another/bellhop.cjs").replace(/^WatchdogSec.*\n/m, ""),
    );
    expect(await checkService(scene.machine, "/logs")).toHaveLength(1);
  });
});
