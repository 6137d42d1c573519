/**
 * The formats of Discord's schemas: the usual ones, and the two that are its own. A snowflake is a decimal
 * number below 2^63 written as text, a nonce is any text short enough (its length stands beside it).
 */
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** Every test file compiles for itself, so compiling must be cheap; how fast the result runs matters less. */
const options = { strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } } as const;

/** For Discord's OpenAPI description, which is of the 2020-12 class. */
export function ajv2020(): Ajv2020 {
  return withFormats(new Ajv2020(options));
}

/** For the schemas made from types, which are of draft 7. */
export function ajv7(): Ajv {
  return withFormats(new Ajv(options));
}

function withFormats<A extends Ajv>(ajv: A): A {
  addFormats.default(ajv);
  ajv.addFormat("snowflake", isSnowflake);
  ajv.addFormat("nonce", (text: string) => text.length <= 25);
  return ajv;
}

function isSnowflake(text: string): boolean {
  return /^(0|[1-9][0-9]{0,19})$/.test(text) && BigInt(text) < 2n ** 63n;
}
