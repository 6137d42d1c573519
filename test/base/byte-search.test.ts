/** Every place of every text is found, wherever it stands and whatever stands around it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteSearch } from "../../src/base/byte-search.ts";

const few = (least: number, most: number): fc.Arbitrary<Buffer> =>
  fc
    .string({ unit: fc.constantFrom("a", "b", "\u00ff"), minLength: least, maxLength: most })
    .map((text) => Buffer.from(text, "latin1"));

test("what is found is what a search for each of them finds", () => {
  fc.assert(
    fc.property(fc.array(few(3, 9), { maxLength: 12 }), few(0, 200), (texts, data) => {
      const search = new ByteSearch<{ bytes: Buffer; name: number }>();
      search.setPatterns(texts.map((bytes, name) => ({ bytes, name })));
      const expected = texts.flatMap((bytes, name) =>
        Array.from(data.keys()).flatMap((at) =>
          data.subarray(at, at + bytes.length).equals(bytes) ? [`${at} ${name}`] : [],
        ),
      );
      expect(
        search
          .find(data)
          .map(({ one, at }) => `${at} ${one.name}`)
          .toSorted(),
      ).toEqual(expected.toSorted());
    }),
    { numRuns: 2000 },
  );
});

test("a text may be longer than the longest step", () => {
  const search = new ByteSearch<{ bytes: Buffer }>();
  const bytes = Buffer.from(Array.from({ length: 600 }, (_, at) => at % 251));
  search.setPatterns([{ bytes }]);
  expect(search.find(Buffer.concat([Buffer.alloc(1000, 7), bytes, bytes])).map(({ at }) => at)).toEqual([1000, 1600]);
});

test("what was learnt before is not found any more", () => {
  const search = new ByteSearch<{ bytes: Buffer }>();
  search.setPatterns([{ bytes: Buffer.from("before") }]);
  search.setPatterns([{ bytes: Buffer.from("after") }]);
  expect(search.find(Buffer.from("before and after")).map(({ at }) => at)).toEqual([11]);
});
