import type { CellFault } from '../../domain/cohorts/cohort-cells.ts';
import { type Command, type CommandContext, type ExitCode, UsageError } from './command.ts';

/** Counts the records of all cohorts anew and compares what is kept of them; makes it anew if asked. */
export const checkCohortsCommand: Command = {
  usage: '[--rebuild]',
  summary: 'count all cohorts again and show where the stored counts differ; --rebuild makes these again first',
  read(args) {
    const [asked, ...others] = args;
    if (others.length > 0 || (asked !== undefined && asked !== '--rebuild')) {
      throw new UsageError('This command takes --rebuild or nothing.');
    }
    return asked === undefined ? check : rebuild;
  },
};

export async function check({ storage, print }: CommandContext): Promise<ExitCode> {
  const faults = await storage.cohortCells.check();
  for (const fault of faults) print(faultText(fault));
  print(faults.length === 0 ? 'All counts are what the records say.' : `${faults.length} counts differ.`);
  return faults.length === 0 ? 0 : 1;
}

async function rebuild(context: CommandContext): Promise<ExitCode> {
  await context.storage.cohortCells.rebuild();
  context.print('All counts are made anew.');
  return check(context);
}

function faultText({ cell, kept, counted }: CellFault): string {
  return `${cell}: kept ${kept ?? 'nothing'}, counted ${counted ?? 'nothing'}`;
}
