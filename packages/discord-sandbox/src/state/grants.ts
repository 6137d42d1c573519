/**
 * What a fresh guild grants: to everybody, and to the bot by the link it is invited with. Together they are exactly
 * what the link asks for, so that a permission that is missing is found missing here and not on a user's server.
 */
import { PermissionFlagsBits as Bit } from "discord-api-types/v10";

/** What everybody in the guild may do. */
export const everyonePermissions =
  Bit.ViewChannel |
  Bit.SendMessages |
  Bit.ReadMessageHistory |
  Bit.CreatePublicThreads |
  Bit.SendMessagesInThreads |
  Bit.UseApplicationCommands |
  Bit.AttachFiles |
  Bit.EmbedLinks |
  Bit.AddReactions;

/** What the invite link asks for. */
export const botRolePermissions =
  Bit.ViewChannel |
  Bit.SendMessages |
  Bit.ReadMessageHistory |
  Bit.CreatePublicThreads |
  Bit.SendMessagesInThreads |
  Bit.ManageThreads |
  Bit.UseApplicationCommands |
  Bit.AttachFiles |
  Bit.EmbedLinks |
  Bit.AddReactions;
