/**
 * Still WebP pictures joined into one that moves: the container's chunks only, as its specification has them
 * (https://developers.google.com/speed/webp/docs/riff_container); no pixel is coded again.
 */

export interface Frame {
  /** A still WebP, as a browser's canvas writes it: what is new since the frame before. */
  webp: Buffer;
  /** Its place in the whole, in even numbers. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** How long it stands. */
  ms: number;
}

/** Repeats for ever. */
export function animatedWebp(frames: readonly Frame[], { width, height }: { width: number; height: number }): Buffer {
  const ANIMATION = 0x02;
  const extended = Buffer.alloc(10);
  extended[0] = ANIMATION;
  extended.writeUIntLE(width - 1, 4, 3);
  extended.writeUIntLE(height - 1, 7, 3);
  const parts = frames.map((frame) => {
    const head = Buffer.alloc(16);
    for (const [index, number] of [frame.x / 2, frame.y / 2, frame.width - 1, frame.height - 1, frame.ms].entries())
      head.writeUIntLE(number, index * 3, 3);
    return chunk("ANMF", Buffer.concat([head, pixels(frame.webp)]));
  });
  const all = Buffer.concat([Buffer.from("WEBP"), chunk("VP8X", extended), chunk("ANIM", Buffer.alloc(6)), ...parts]);
  return chunk("RIFF", all);
}

/** The chunks of a still picture that hold its pixels. */
function pixels(webp: Buffer): Buffer {
  const found: Buffer[] = [];
  for (let at = 12; at < webp.length;) {
    const size = webp.readUInt32LE(at + 4);
    const next = at + 8 + size + (size % 2);
    if (["VP8 ", "VP8L", "ALPH"].includes(webp.toString("latin1", at, at + 4))) found.push(webp.subarray(at, next));
    at = next;
  }
  return Buffer.concat(found);
}

function chunk(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, "latin1");
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}
