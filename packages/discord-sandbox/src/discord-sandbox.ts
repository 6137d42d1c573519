/**
 * What the package gives to whoever imports it: a sandbox to start, the types of all that it hands out, and the check
 * of a message's body without any server.
 */
export { startSandbox } from "./server.ts";
export { checkMessage } from "./messages/check-message.ts";
export { ClientError, type ClientFile } from "./actors/client.ts";
export { Refusal } from "./rest/refusals.ts";
export type { Clock } from "./clock.ts";
export type { Exchange, Violation, ViolationKind } from "./context.ts";
export type { FaultHandle } from "./faults/fault.ts";
export type { FaultControl, RestWhere } from "./faults/faults.ts";
export type { GatewayFaultKind } from "./faults/gateway-faults.ts";
export type { InteractionHandle } from "./actors/interaction-handle.ts";
export type { UserActor } from "./actors/user-actor.ts";
export type { Sandbox, SandboxOptions } from "./sandbox.ts";
export type { WorldView } from "./state/world-view.ts";
