import { barsCommand } from './bars.ts';
import type { Command } from './command.ts';
import { importBarsCommand } from './import-bars.ts';
import { recomputeCommand } from './recompute.ts';
import { refreshCommand } from './refresh.ts';
import { sourcesCommand } from './sources.ts';

/** Every command by its name. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  bars: barsCommand,
  'import-bars': importBarsCommand,
  recompute: recomputeCommand,
  refresh: refreshCommand,
  sources: sourcesCommand,
};
