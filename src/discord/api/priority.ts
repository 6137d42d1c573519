/** Which requests go first when Discord allows only so many. */

export type Priority = "decision" | "result" | "cosmetic";
