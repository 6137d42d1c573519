/**
 * `npm run bench`: measures every figure the project claims, each against a floor of the same run, prints the table,
 * and fails when one does not hold. `docs/performance.md` has what it printed last and on what machine.
 */
import { cpus, totalmem } from "node:os";
import { acpSoak, acpStreams } from "./acp.ts";
import { burst, queueing, streaming } from "./crowd.ts";
import { ceilings } from "./ceilings.ts";
import { desk, desks } from "./desk.ts";
import { footprint, latency, recovery, version } from "./daemon.ts";
import { answered, clicks, clientFigures } from "./decisions.ts";
import { history } from "./history.ts";
import { hooks } from "./hooks.ts";
import { idleAgents, living, soak } from "./living.ts";
import { behind, snapshotHolds } from "./growth.ts";
import { day, memoryAfterWork } from "./memory.ts";
import { realClaude } from "./real-claude.ts";
import { groupCommit, replay, type Figure } from "./journal.ts";
import { repository } from "./repositories.ts";
import { requests } from "./requests.ts";
import { rendering } from "./rendering.ts";
import { scale } from "./scale.ts";

const only = process.argv.slice(2);
/** Each takes minutes, and runs only when it is named. */
const long: Record<string, () => Promise<Figure | Figure[]>> = {
  "acp-soak": () => acpSoak(),
  "living-soak": () => soak(600),
  day: () => day(),
  behind: () => behind(),
  "large-repository": () => repository(500_000, 1_000, true),
};
const parts: Record<string, () => Promise<Figure | Figure[]>> = {
  commit: () => groupCommit(),
  replay: () => replay(1_000_000, history),
  latency: () => latency(),
  footprint: () => footprint(),
  memory: () => memoryAfterWork(),
  living: () => living(),
  idle: () => idleAgents(),
  soak: () => soak(),
  claude: () => realClaude(),
  recovery: () => recovery(),
  streaming: () => streaming(),
  acp: () => acpStreams(),
  queueing: () => queueing(),
  burst: () => burst(),
  answered: () => answered(),
  clicks: () => clicks(),
  client: () => clientFigures(),
  scale: () => scale(),
  snapshot: () => snapshotHolds(),
  repository: () => repository(),
  hooks: () => hooks(),
  desk: () => desk(),
  desks: () => desks(),
  version: () => version(),
  ceilings: () => ceilings(),
  requests: () => requests(),
  rendering: () => Promise.resolve(rendering()),
};

const figures: Figure[] = [];
const took: string[] = [];
for (const [name, measure] of Object.entries({ ...parts, ...(only.length > 0 && long) })) {
  if (only.length > 0 && !only.includes(name)) continue;
  const from = performance.now();
  figures.push(...[await measure()].flat());
  took.push(`${name} ${Math.round((performance.now() - from) / 1000)} s`);
}
const memory = Math.round(totalmem() / 2 ** 30);
console.log(
  `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} cores, ${memory} GB\n`,
);
console.log("| what | reached | bar | holds |");
console.log("|---|---|---|---|");
for (const { name, reached, bar, holds } of figures)
  console.log(`| ${name} | ${reached} | ${bar} | ${holds ? "yes" : "NO"} |`);
console.log(`\nIn ${Math.round(performance.now() / 60_000)} minutes: ${took.join(", ")}`);
process.exitCode = figures.every(({ holds }) => holds) ? 0 : 1;
