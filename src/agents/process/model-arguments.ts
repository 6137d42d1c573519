/** The model that config.json sets, as an argument; each of these programs calls the option the same. */
import type { ChosenSettings } from "../contract/driver.ts";

/** In one element, so that no name is read as an option. */
export function modelArguments({ model }: ChosenSettings = {}): string[] {
  return model === undefined ? [] : [`--model=${model}`];
}
