/**
 * `npm run docs`: writes the pages that are made from the code into `docs/`, each only where it changed.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { pages } from "./pages.ts";

for (const [name, text] of Object.entries(pages())) {
  const file = new URL(name, import.meta.url);
  if (readOrNothing(file) === text) continue;
  writeFileSync(file, text);
  console.log(`docs/${name} is new`);
}

function readOrNothing(file: URL): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
