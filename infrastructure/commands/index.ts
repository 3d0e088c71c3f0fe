import { grantAdminCommand, revokeAdminCommand } from './admin-role.ts';
import { barsCommand } from './bars.ts';
import type { Command } from './command.ts';
import { importBarsCommand } from './import-bars.ts';
import { listOwnersCommand } from './list-owners.ts';
import { recomputeCommand } from './recompute.ts';
import { refreshCommand } from './refresh.ts';
import { sourcesCommand } from './sources.ts';

/** Every command by its name. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  bars: barsCommand,
  'grant-admin': grantAdminCommand,
  'import-bars': importBarsCommand,
  'list-owners': listOwnersCommand,
  recompute: recomputeCommand,
  refresh: refreshCommand,
  'revoke-admin': revokeAdminCommand,
  sources: sourcesCommand,
};
