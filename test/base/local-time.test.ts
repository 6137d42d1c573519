/** What clocks show in a zone, and when they show a time: also on the days on which they are changed. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { instantOf, isTimeZone, shownAt, shownTime } from "../../src/base/local-time.ts";

const BERLIN = "Europe/Berlin";
const YORK = "America/New_York";

test.each([
  ["Asia/Seoul", "2026-02-26T15:30:00Z", "2026-02-27 00:30:00"],
  ["Asia/Kolkata", "2026-02-26T18:29:59.999Z", "2026-02-26 23:59:59"],
  [YORK, "2026-01-01T04:59:00Z", "2025-12-31 23:59:00"],
  [BERLIN, "2026-03-29T00:59:59Z", "2026-03-29 01:59:59"],
  [BERLIN, "2026-03-29T01:00:00Z", "2026-03-29 03:00:00"],
  [BERLIN, "2026-10-25T00:30:00Z", "2026-10-25 02:30:00"],
  [BERLIN, "2026-10-25T01:30:00Z", "2026-10-25 02:30:00"],
  ["UTC", "2026-02-26T00:00:00Z", "2026-02-26 00:00:00"],
])("in %s it is at %s %s", (zone, at, shown) => expect(shownTime(Date.parse(at), zone)).toBe(shown));

test.each([
  ["a time that clocks skip comes as long after the change", BERLIN, "2026-03-29T02:30", "2026-03-29T01:30:00.000Z"],
  ["the same west of Greenwich", YORK, "2026-03-08T02:30", "2026-03-08T07:30:00.000Z"],
  ["a time that they show twice is the first", BERLIN, "2026-10-25T02:30", "2026-10-25T00:30:00.000Z"],
  ["the same west of Greenwich, in autumn", YORK, "2026-11-01T01:30", "2026-11-01T05:30:00.000Z"],
  ["the first minute after the change", BERLIN, "2026-03-29T03:00", "2026-03-29T01:00:00.000Z"],
  ["the evening of that day", BERLIN, "2026-03-29T22:00", "2026-03-29T20:00:00.000Z"],
  ["the morning before", YORK, "2026-03-07T08:00", "2026-03-07T13:00:00.000Z"],
  ["half an hour of change", "Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:45:00.000Z"],
])("%s", (_, zone, shown, at) => {
  expect(new Date(instantOf(Date.parse(`${shown}Z`), zone)).toISOString()).toBe(at);
});

test("what clocks show at an instant, they show then, with and without a zone", () => {
  const zones = fc.constantFrom(undefined, BERLIN, YORK, "Asia/Tokyo", "Australia/Lord_Howe", "Pacific/Apia");
  const instants = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2060, 0) });
  fc.assert(
    fc.property(instants, zones, (at, zone) => {
      const shown = shownAt(at, zone);
      expect(shownAt(instantOf(shown, zone), zone)).toBe(shown);
    }),
  );
});

test.each([
  ["Asia/Seoul", true],
  ["UTC", true],
  ["Asia/Soul", false],
  ["", false],
  ["my zone", false],
])("whether %j is a zone: %s", (name, is) => expect(isTimeZone(name)).toBe(is));
