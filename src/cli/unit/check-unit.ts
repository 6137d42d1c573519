/** The installed service: whether it runs, is this version's, and goes on while nobody is logged in. */
import type { Finding } from "../../base/finding.ts";
import { installedService, unitUpdate } from "../unit.ts";
import type { Machine } from "./machine.ts";

export async function checkService(machine: Machine, logDir: string): Promise<Finding[]> {
  const found = await installedService(machine);
  if (found === null) return [{ check: "service", verdict: "idle", says: "doctor.service.none" }];
  const { init } = found;
  const active = await init.isActive();
  const state: Finding = active
    ? { check: "service", verdict: "good", says: "doctor.service" }
    : {
        check: "service",
        verdict: "bad",
        says: "doctor.service.stopped",
        mend: {
          says: "doctor.service.mend",
          args: { command: init.start.filter((word) => word !== "--no-block").join(" ") },
        },
      };
  const fix = unitUpdate(machine, init, logDir);
  const states: Finding[] =
    fix === null
      ? [state]
      : [
          state,
          {
            check: "unit",
            verdict: "warn",
            says: "doctor.unit.old",
            args: { path: init.unit },
            mend: { says: "doctor.unit.mend", args: { command: init.restart } },
            fix,
          },
        ];
  if (!init.needsLinger || machine.lingers) return states;
  return [
    ...states,
    {
      check: "linger",
      verdict: "warn",
      says: "doctor.linger",
      mend: { says: "doctor.service.mend", args: { command: "loginctl enable-linger" } },
    },
  ];
}
