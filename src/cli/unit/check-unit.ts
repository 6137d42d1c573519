/** The installed service: whether it runs, and goes on while nobody is logged in. */
import type { Finding } from "../../base/finding.ts";
import { installedService } from "../unit.ts";
import type { Machine } from "./machine.ts";

export async function checkService(machine: Machine): Promise<Finding[]> {
  const found = await installedService(machine);
  if (found === null) return [{ check: "service", verdict: "idle", says: "doctor.service.none" }];
  const { init } = found;
  const active = await init.isActive();
  const state: Finding = active
    ? { check: "service", verdict: "good", says: "doctor.service" }
    : { check: "service", verdict: "bad", says: "doctor.service.stopped", mend: { says: "doctor.service.mend", args: { command: init.start.filter((word) => word !== "--no-block").join(" ") } } };
  if (!init.needsLinger || machine.lingers) return [state];
  return [state, { check: "linger", verdict: "warn", says: "doctor.linger", mend: { says: "doctor.service.mend", args: { command: "loginctl enable-linger" } } }];
}
