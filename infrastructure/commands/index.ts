import type { Command } from './command.ts';
import { recomputeCommand } from './recompute.ts';

/** Every command by its name. */
export const COMMANDS: Readonly<Record<string, Command>> = { recompute: recomputeCommand };
