/** Which requests go first when Discord allows only so many. */

/** The most urgent first. */
export const priorities = ["decision", "result", "cosmetic"] as const;
export type Priority = (typeof priorities)[number];
