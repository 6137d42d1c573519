/** Commands on their way: what was sent, until the application answers or has missed its time. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { IconButton } from "../icons.tsx";
import { useClient, useStore, useWords } from "../ui.ts";

export function PendingCommands({ channelId }: { channelId: string }): JSX.Element {
  const { store } = useClient();
  const say = useWords();
  const pending = useStore((s) => s.pending);
  const shown = useMemo(
    () => Object.values(pending).filter((p) => p.channelId === channelId && p.kind === "command"),
    [pending, channelId],
  );
  return (
    <div class="pending" role="status">
      {shown.map((p) => (
        <div key={p.nonce} class={p.failed ? "pending-command failed" : "pending-command"}>
          <span class="mention">{p.title}</span>
          <span>{p.failed ? say("noAnswer") : say("sendingCommand")}</span>
          {p.failed && (
            <IconButton
              icon="close"
              size={16}
              label={say("dismiss")}
              onClick={() => store.act({ type: "settled", nonce: p.nonce })}
            />
          )}
        </div>
      ))}
    </div>
  );
}
