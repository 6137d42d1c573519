/** Where the bot's token may go: Discord's gateway, the host of the REST API, this machine, and nowhere else. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gatewayAddress } from "../../../../src/discord/api/gateway/address.ts";

const DISCORD = "https://discord.com/api";
const OWN = "https://chat.example.org:8443/api";

describe("an address is dialled", () => {
  test.each([
    ["wss://gateway.discord.gg", DISCORD, "wss://gateway.discord.gg"],
    ["wss://discord.gg", DISCORD, "wss://discord.gg"],
    ["wss://gateway-us-east1-b.discord.gg/", DISCORD, "wss://gateway-us-east1-b.discord.gg"],
    ["WSS://GATEWAY.DISCORD.GG", DISCORD, "wss://gateway.discord.gg"],
    ["wss://gateway.discord.gg:443/?v=9&encoding=etf#x", DISCORD, "wss://gateway.discord.gg"],
    ["wss://gateway.discord.gg:8443", DISCORD, "wss://gateway.discord.gg:8443"],
    // Full-width letters and an ideographic full stop are those of the same host.
    ["wss://gateway.ｄiscord。gg", DISCORD, "wss://gateway.discord.gg"],
    ["wss://discord.com", DISCORD, "wss://discord.com"],
    // A backslash ends the host, as it does where the address is dialled.
    ["wss://gateway.discord.gg\\@evil.example", DISCORD, "wss://gateway.discord.gg/@evil.example"],
    ["wss://chat.example.org/gateway/", OWN, "wss://chat.example.org/gateway"],
    ["wss://CHAT.example.org:9000", OWN, "wss://chat.example.org:9000"],
    ["ws://127.0.0.1:4000", DISCORD, "ws://127.0.0.1:4000"],
    ["ws://127.8.9.10", OWN, "ws://127.8.9.10"],
    ["ws://localhost:4000", OWN, "ws://localhost:4000"],
    ["ws://[::1]:4000", OWN, "ws://[::1]:4000"],
    ["wss://[0:0:0:0:0:0:0:1]", OWN, "wss://[::1]"],
    // Another spelling of 127.0.0.1.
    ["ws://2130706433:4000", OWN, "ws://127.0.0.1:4000"],
  ])("%s (API %s)", (named, api, at) => {
    expect(gatewayAddress(named, api)).toBe(`${at}/?v=10&encoding=json`);
  });
});

describe("an address is refused", () => {
  test.each([
    ["", DISCORD],
    ["gateway.discord.gg", DISCORD],
    [undefined, DISCORD],
    [null, DISCORD],
    [42, DISCORD],
    [["wss://gateway.discord.gg"], DISCORD],
    ["https://gateway.discord.gg", DISCORD],
    ["ws://gateway.discord.gg", DISCORD],
    ["ws://discord.com", DISCORD],
    ["ws://chat.example.org", OWN],
    ["wss://gateway.discord.gg@evil.example", DISCORD],
    ["wss://gateway.discord.gg:443@evil.example", DISCORD],
    ["wss://user@gateway.discord.gg", DISCORD],
    ["wss://user:word@127.0.0.1", DISCORD],
    ["ws://127.0.0.1@evil.example", DISCORD],
    ["ws://[::1]@evil.example", DISCORD],
    ["wss://evil.example\\.discord.gg", DISCORD],
    ["wss://evil.example/.discord.gg", DISCORD],
    ["wss://evil.example?.discord.gg", DISCORD],
    ["wss://evil.example#.discord.gg", DISCORD],
    ["wss://discord.gg.evil.com", DISCORD],
    ["wss://evildiscord.gg", DISCORD],
    ["wss://gateway-discord.gg", DISCORD],
    ["wss://discord.gg.", DISCORD],
    ["wss://gateway.discord.gg.", DISCORD],
    ["wss://discord.com.", DISCORD],
    // Another host: a Cyrillic letter.
    ["wss://gateway.dіscord.gg", DISCORD],
    ["wss://discordapp.com", DISCORD],
    ["wss://gateway.discord.com", DISCORD],
    ["wss://sub.chat.example.org", OWN],
    ["wss://chat.example.org.evil.com", OWN],
    ["wss://0.0.0.0", DISCORD],
    ["ws://0.0.0.0", DISCORD],
    ["ws://10.0.0.1", DISCORD],
    ["ws://[::]", DISCORD],
    ["ws://[::ffff:127.0.0.1]", DISCORD],
    ["ws://[::1%25eth0]", DISCORD],
    ["ws://localhost.", DISCORD],
    ["ws://localhost.evil.com", DISCORD],
    ["ws://127.0.0.1.evil.com", DISCORD],
    ["ws://1127.0.0.1.nip.io", DISCORD],
  ])("%s (API %s)", (named, api) => {
    expect(gatewayAddress(named, api)).toBeNull();
  });

  test("whatever it is put together from, unless its host is one of those", () => {
    const pieces = fc.constantFrom(
      "wss://",
      "ws://",
      "discord.gg",
      "gateway.",
      ".",
      "@",
      ":",
      "/",
      "\\",
      "#",
      "?",
      "evil.com",
      "127.0.0.1",
      "[::1]",
      "localhost",
      "%2e",
      " ",
      "\n",
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 8 }).map((all) => all.join("")),
        (named) => {
          const at = gatewayAddress(named, DISCORD);
          if (at === null) return;
          const { hostname, username, password, protocol } = new URL(at);
          expect([username, password]).toEqual(["", ""]);
          const isHere = /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(hostname);
          expect(
            isHere || (protocol === "wss:" && (hostname === "discord.com" || `.${hostname}`.endsWith(".discord.gg"))),
          ).toBe(true);
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
