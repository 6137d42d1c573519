/** The button under what an archived thread still has: the owner's yes to ending and removing what he was shown, and nothing else. */
import { BellhopError } from "../../../base/errors.ts";
import type { Handlers } from "../press.ts";

export const archiveButtons: Handlers<"w-remove"> = {
  "w-remove": async ({ thread, mark }, { context }) => {
    const { engine } = context;
    await engine.submit({ type: "remove_worktree", thread_id: thread, mark });
    const is = engine.state.archives?.[thread]?.is;
    if (is !== "agreed" && is !== "done") throw new BellhopError("E_DECISION_CLOSED");
  },
};
